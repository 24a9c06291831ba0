// A world on the edge beside one on Node (hosting.md): the same operations asked of workerd and of a Node world turn by turn, the
// processors' time and the rows that each takes, and how many appends one object takes in a second.
// node_modules/.bin/node bench/edge.ts [--operations 400] [--rounds 3] [--json <file>]
import { once } from 'node:events';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import type { Plugin } from 'esbuild';
import { bundleEdge } from '../scripts/edge-bundle.ts';
import { serveEdge } from '../scripts/edge-server.ts';
import { freePort } from '../test/kit/free-port.ts';
import { Child } from './child.ts';
import { countOperations } from './counts.ts';
import { cpuMs, readMachine } from './machine.ts';
import { type Ask, EACH, type Known, OPENAI, type Operation, STRIPE } from './operations/asks.ts';
import { asText } from './report.ts';

const WORLD = 'bench/world';
const ADMIN_TOKEN = 'an-admin-token-of-the-bench';
const AT_ONCE = 16;
const APPEND_MS = 2_000;
/** Asked before what is counted: the first of its kind is compiled. */
const BEFORE = 50;
const SEEDED = 100;
const VENDORS: { readonly [vendor: string]: readonly Operation[] } = {
  stripe: STRIPE,
  openai: OPENAI.slice(0, 3),
};

const JSON_TYPE = 'application/json';
const FORM_TYPE = 'application/x-www-form-urlencoded';

/** The request budget of a served world is no part of what an operation costs. */
const unbudgeted: Plugin = {
  name: 'unbudgeted',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\/control\/world\/limits\.ts$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replaceAll(/(BUDGET_\w+) = \d+/g, '$1 = 1e9'),
      loader: 'ts',
    })),
};

const { values } = parseArgs({
  options: {
    operations: { type: 'string', default: '400' },
    rounds: { type: 'string', default: '3' },
    json: { type: 'string' },
  },
});
const many = Number(values.operations);
const rounds = Number(values.rounds);

type Rows = { readonly read: number; readonly written: number };
type Side = {
  readonly url: string;
  readonly token: string;
  readonly pid: number;
  /** Since the last time; null where nobody counts them. */
  readonly rows: () => Promise<Rows | null>;
  known: Known;
};

let made = 0;
const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
const folder = mkdtempSync(join(tmpdir(), 'wrld-bench-edge-'));
try {
  await run();
} finally {
  agent.destroy();
  rmSync(folder, { recursive: true, force: true });
}

async function run(): Promise<void> {
  const machine = readMachine();
  const home = join(folder, 'node');
  mkdirSync(join(home, '.wrld'), { recursive: true });
  const services = Object.fromEntries(Object.keys(VENDORS).map(vendor => [vendor, { twin: vendor }]));
  writeFileSync(join(home, '.wrld', 'world.json'), JSON.stringify({ name: WORLD, services }));
  const script = join(import.meta.dirname, 'operations', 'world-process.ts');
  const command = [process.execPath, script, home];
  await using child = new Child({ machine, seat: 'any', command, channel: true });
  const { worldUrl, token } = await child.message<{ worldUrl: string; token: string }>('the world');
  const node: Side = { url: worldUrl, token, pid: child.pid, rows: async () => null, known: {} };
  const bundle = await bundleEdge({
    minify: true,
    entry: 'bench/edge/metered-worker.ts',
    plugins: [unbudgeted],
  });
  await using server = await serveEdge({
    bundle,
    port: await freePort(),
    folder: join(folder, 'edge'),
    bindings: { ADMIN_TOKEN },
  });
  const edge = await edgeSide(server.baseUrl);
  for (const side of [node, edge]) side.known = await seeded(side);
  const table = await operationsTable(node, edge);
  const appends = await appendsTable(node, edge);
  console.log(asText(table));
  console.log(asText(appends));
  if (values.json !== undefined)
    writeFileSync(values.json, `${JSON.stringify({ machine, tables: [table, appends] }, null, 2)}\n`);
}

async function edgeSide(baseUrl: string): Promise<Side> {
  const [org, world] = WORLD.split('/');
  const body = JSON.stringify({ org, world, vendors: Object.keys(VENDORS) });
  const made = await send(`${baseUrl}/-/worlds`, {
    method: 'POST',
    token: ADMIN_TOKEN,
    body,
    type: JSON_TYPE,
  });
  const url = `${baseUrl}/${WORLD}`;
  const { token } = JSON.parse(made);
  const rows = async (): Promise<Rows> =>
    JSON.parse(await send(`${url}/stripe/?rows=1`, { method: 'GET', token }));
  return { url, token, pid: runtime(), rows, known: {} };
}

/** The runtime that this process has started. */
function runtime(): number {
  const children = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8')
    .trim()
    .split(' ');
  const found = children.find(pid => basename(readlinkSync(`/proc/${pid}/exe`)) === 'workerd');
  if (found === undefined) throw new Error(`no workerd among ${readdirSync('/proc').length} processes`);
  return Number(found);
}

type Sent = {
  readonly method: string;
  readonly token: string;
  readonly body?: string;
  readonly type?: string;
};

async function send(url: string, { method, token, body = '', type = FORM_TYPE }: Sent): Promise<string> {
  const headers = { 'x-wrld-token': token, 'content-length': Buffer.byteLength(body), 'content-type': type };
  const outgoing = request(url, { method, agent, headers });
  outgoing.end(body);
  const [response] = await once(outgoing, 'response');
  const whole = await text(response);
  if (response.statusCode >= 300) throw new Error(`${method} ${url}: ${response.statusCode} ${whole}`);
  return whole;
}

function ask({ url, token }: Side, vendor: string, { method, path, form, json }: Ask): Promise<string> {
  const body = (form ?? (json === undefined ? '' : JSON.stringify(json))).replaceAll(
    EACH,
    String(made++).padStart(EACH.length, '0'),
  );
  return send(`${url}/${vendor}${path}`, {
    method,
    token,
    body,
    type: form === undefined ? JSON_TYPE : FORM_TYPE,
  });
}

async function seeded(side: Side): Promise<Known> {
  const create = async (path: string, form: string): Promise<string> =>
    JSON.parse(await ask(side, 'stripe', { method: 'POST', path, form })).id;
  const customer: string[] = [];
  const email: string[] = [];
  const order: string[] = [];
  for (let n = 0; n < SEEDED; n++) {
    email.push(`seeded${n}`);
    order.push(`order_${n}`);
    customer.push(await create('/v1/customers', `email=seeded${n}%40example.com&metadata[order]=order_${n}`));
  }
  const price = 'currency=usd&unit_amount=1000&recurring[interval]=month&product_data[name]=Gold';
  return { customer, email, order, price: [await create('/v1/prices', price)] };
}

type Cost = { readonly cpuUs: number; readonly rows: Rows | null };

async function cost(side: Side, vendor: string, operation: Operation): Promise<Cost> {
  const asks = operation.asks(side.known);
  const work = async (times: number): Promise<void> => {
    for (let n = 0; n < times; n++) await ask(side, vendor, asks[n % asks.length]!);
  };
  await work(BEFORE);
  await side.rows();
  const before = cpuMs(side.pid) ?? 0;
  await work(many);
  const cpuUs = (((cpuMs(side.pid) ?? 0) - before) * 1_000) / many;
  const rows = await side.rows();
  return { cpuUs, rows: rows === null ? null : { read: rows.read / many, written: rows.written / many } };
}

async function operationsTable(node: Side, edge: Side): Promise<Parameters<typeof asText>[0]> {
  const rows: string[][] = [];
  for (const [vendor, operations] of Object.entries(VENDORS)) {
    const counts = await countOperations(vendor, operations, join(folder, `counts-${vendor}`));
    for (const [nth, operation] of operations.entries()) {
      process.stderr.write(`${operation.name}…\n`);
      const costs: [Cost[], Cost[]] = [[], []];
      for (let round = 0; round < rounds; round++)
        for (const [way, side] of [node, edge].entries())
          costs[way]!.push(await cost(side, vendor, operation));
      const [own, theirs] = costs.map(each => median(each.map(({ cpuUs }) => cpuUs))) as [number, number];
      const { read, written } = costs[1].at(-1)!.rows!;
      rows.push([
        operation.name,
        own.toFixed(0),
        theirs.toFixed(0),
        `${(theirs / own).toFixed(2)}×`,
        counts[nth]?.rows.toFixed(1) ?? '–',
        written.toFixed(1),
        read.toFixed(1),
      ]);
    }
  }
  return {
    title: `A world on the edge beside one on Node: each of ${many} operations, one after the other`,
    head: [
      '',
      'Node, CPU µs',
      'edge, CPU µs',
      'edge : Node',
      'Node, rows written',
      'edge, rows written',
      'edge, rows read',
    ],
    rows,
    foot: [
      'Rows of the edge are those the platform counts, indexes among them; rows of Node are without. The edge’s CPU is workerd’s, with what miniflare puts in front of the worker.',
    ],
  };
}

async function appendsTable(node: Side, edge: Side): Promise<Parameters<typeof asText>[0]> {
  const create = STRIPE[0]!;
  const rows: string[][] = [];
  for (const atOnce of [1, AT_ONCE]) {
    const found: [number[], number[]] = [[], []];
    for (let round = 0; round < rounds; round++)
      for (const [way, side] of [node, edge].entries()) {
        const asks = create.asks(side.known);
        const from = performance.now();
        let count = 0;
        const worker = async (): Promise<void> => {
          while (performance.now() - from < APPEND_MS)
            await ask(side, 'stripe', asks[count++ % asks.length]!);
        };
        await Promise.all(Array.from({ length: atOnce }, worker));
        found[way]!.push((count * 1_000) / (performance.now() - from));
      }
    const [own, theirs] = found.map(median) as [number, number];
    rows.push([
      atOnce === 1 ? 'one after the other' : `${atOnce} at once`,
      own.toFixed(0),
      theirs.toFixed(0),
      `${(theirs / own).toFixed(2)}×`,
    ]);
  }
  return {
    title: 'Single appends to one world (customers.create), a second',
    head: ['', 'Node', 'edge, one object', 'edge : Node'],
    rows,
    foot: ['Each is on disk before it is answered. Client and server share the machine.'],
  };
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]!;
}
