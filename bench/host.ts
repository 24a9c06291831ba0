// A host of many worlds by its targets (hosting.md): how long until it listens, what it holds in memory and how long its inventory
// takes; hundreds of worlds at work, alone and beside four that behave badly; and what is left of a thousand that were made and
// removed. node_modules/.bin/node bench/host.ts [--worlds 10000] [--shards 2] [--seconds 10] [--json <file>]
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { makeBareWorld } from '../control/node/host/bare-world.ts';
import { cpuMs } from './machine.ts';

const WRLD = join(import.meta.dirname, '..', 'cli', 'wrld.js');
const MIB = 1024 * 1024;
const ORGS = 20;
/** Worlds that are asked at once, the bad neighbours among them. */
const AT_WORK = 500;
const AT_ONCE = 16;
const MADE = 1_000;
const LAST_MS = 10_000;
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

const { values } = parseArgs({
  options: {
    worlds: { type: 'string', default: '10000' },
    shards: { type: 'string', default: '2' },
    seconds: { type: 'string', default: '10' },
    json: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  console.log(`usage: node_modules/.bin/node bench/host.ts [flags]

  A host of many worlds by its targets. It takes some minutes, in a folder of its own.
  --worlds <number>    in the directory; 10000 by default, and at least ${AT_WORK}
  --shards <number>    processes that have a part of them each; 2 by default
  --seconds <number>   of each part of the work; 10 by default
  --json <file>        the figures as JSON, besides
  --help               this text`);
  process.exit(0);
}
const count = Number(values.worlds);
const shards = Number(values.shards);
const workMs = Number(values.seconds) * 1_000;

type Row = { readonly what: string; readonly figure: number; readonly unit: string; readonly target: string };
const rows: Row[] = [];
const note = (what: string, figure: number, unit: string, target = ''): void => {
  rows.push({ what, figure, unit, target });
  console.log(
    `${what.padEnd(70)} ${figure.toFixed(figure < 10 ? 1 : 0).padStart(8)} ${unit.padEnd(8)} ${target}`,
  );
};
const progress = (what: string): void => void process.stderr.write(`${what}\n`);

const directory = mkdtempSync(join(tmpdir(), 'wrld-bench-host-'));
const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE * 4 });
let host: Host | null = null;
try {
  progress(`${count} worlds are made…`);
  const { names, token } = await fill(directory, count);
  host = await started('listening, of closed worlds that nothing is noted of');
  await resting(host);
  await host.stop();
  host = await started('listening again');
  await resting(host);
  await working(host, names.slice(0, AT_WORK), token);
  await makingAndRemoving(host);
  if (values.json !== undefined)
    writeFileSync(values.json, `${JSON.stringify({ worlds: count, shards, rows }, null, 2)}\n`);
} finally {
  await host?.stop();
  agent.destroy();
  rmSync(directory, { recursive: true, force: true });
}

/** All with one another's tokens: a bench of what they cost, not of whom they open to. */
async function fill(
  into: string,
  many: number,
): Promise<{ readonly names: readonly string[]; readonly token: string }> {
  const made = await makeBareWorld({ directory: into, name: 'model/world', vendors: ['stripe', 'openai'] });
  if (!made.ok) throw new Error('the model is there already');
  const model = join(into, 'model', 'world', '.wrld');
  const files = readdirSync(model, { withFileTypes: true, recursive: true }).map(entry => {
    const path = join(entry.parentPath, entry.name);
    return { path: path.slice(model.length), bytes: entry.isFile() ? readFileSync(path) : null };
  });
  const names = Array.from({ length: many }, (_, n) => `org-${n % ORGS}/world-${n}`);
  for (const name of names) {
    const home = join(into, name, '.wrld');
    mkdirSync(home, { recursive: true });
    for (const { path, bytes } of files)
      if (bytes === null) mkdirSync(join(home, path), { recursive: true });
      else writeFileSync(join(home, path), bytes);
    const openai = { twin: 'openai', colocate: { scenarioPath: 'openai.json' } };
    const bad = name === names[2];
    const services = { stripe: { twin: 'stripe' }, openai: bad ? openai : { twin: 'openai' } };
    writeFileSync(join(home, 'world.json'), JSON.stringify({ name, services }));
    if (!bad) continue;
    writeFileSync(join(into, name, 'openai.json'), JSON.stringify({ version: 1, handlers: [] }));
    writeFileSync(join(into, name, 'openai.js'), 'export function answer() { for (;;); }');
  }
  rmSync(join(into, 'model'), { recursive: true });
  return { names, token: made.tokens.write.reveal() };
}

type Host = {
  readonly baseUrl: string;
  readonly admin: string;
  readonly pids: () => readonly number[];
  stop(): Promise<void>;
};

async function started(what: string): Promise<Host> {
  const began = performance.now();
  const args = [WRLD, 'host', directory, '--json', '--budget', 'off', '--shards', String(shards)];
  const child: ChildProcess = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  const [line] = await once(createInterface({ input: child.stdout! }), 'line');
  const up: { readonly baseUrl: string; readonly adminTokenFile: string } = JSON.parse(line);
  note(`${count} worlds: ${what}`, performance.now() - began, 'ms', '≤ 2,000');
  const pids = (): readonly number[] => [child.pid!, ...childrenOf(child.pid!)];
  note('  processors until then', cpuOf({ pids }), 'ms');
  return {
    baseUrl: up.baseUrl,
    admin: readFileSync(up.adminTokenFile, 'utf8').trim(),
    pids,
    stop: async () => {
      if (child.exitCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    },
  };
}

function childrenOf(pid: number): readonly number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return text === '' ? [] : text.split(' ').map(Number);
}

/** What they hold together: pages that they share are counted once. */
function memoryMib({ pids }: Host): number {
  const kib = pids().map(pid =>
    Number(/^Pss: +(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1]),
  );
  return kib.reduce((sum, each) => sum + each, 0) / 1024;
}

/** Of all its processes. */
function cpuOf({ pids }: Pick<Host, 'pids'>): number {
  return pids().reduce((sum, pid) => sum + (cpuMs(pid) ?? 0), 0);
}

type Answer = { readonly status: number; readonly text: string; readonly ms: number };

async function ask(
  { baseUrl }: Host,
  method: string,
  path: string,
  { token, body = '', headers = {} }: { token: string; body?: string; headers?: { [name: string]: string } },
): Promise<Answer> {
  const began = performance.now();
  const outgoing = request(`${baseUrl}${path}`, {
    method,
    agent,
    headers: { 'x-wrld-token': token, 'content-length': Buffer.byteLength(body), ...headers },
  });
  outgoing.end(body);
  const [response] = await once(outgoing, 'response');
  const whole = await text(response);
  return { status: response.statusCode, text: whole, ms: performance.now() - began };
}

async function resting(up: Host): Promise<void> {
  for (const time of ['the first time', 'again']) {
    const cpu = cpuOf(up);
    const { ms, text: told } = await ask(up, 'GET', '/-/worlds', { token: up.admin });
    const listed: readonly { readonly fault?: string }[] = JSON.parse(told).worlds;
    const fault = listed.find(row => row.fault !== undefined)?.fault;
    if (listed.length !== count || fault !== undefined)
      throw new Error(`the inventory: ${fault ?? 'it lacks some'}`);
    note(
      `  inventory, ${time} (${(told.length / MIB).toFixed(1)} MiB)`,
      ms,
      'ms',
      time === 'again' ? '≤ 100' : '',
    );
    note('    processors meanwhile, whatever else they did', cpuOf(up) - cpu, 'ms');
  }
  note(`  memory of ${up.pids().length} processes`, memoryMib(up), 'MiB', '≤ 300');
}

async function working(up: Host, names: readonly string[], token: string): Promise<void> {
  const write = (name: string): Promise<Answer> =>
    ask(up, 'POST', `/${name}/stripe/v1/customers`, { token, headers: FORM, body: 'email=a@b.test' });
  progress(`${names.length} worlds are opened…`);
  await each(names, write);
  note(`  memory with ${names.length} worlds open`, memoryMib(up), 'MiB');
  await pace('', names, write);
  const [year, branched, endless, checked] = names as [string, string, string, string];
  let over = false;
  const until = async (work: () => Promise<unknown>): Promise<void> => {
    while (!over) await work();
  };
  const json = { 'content-type': 'application/json' };
  const post = async (path: string, body: string, headers = json): Promise<string> =>
    (await ask(up, 'POST', path, { token, body, headers })).text;
  const id = async (path: string, body: string): Promise<string> =>
    JSON.parse(await post(`/${year}/stripe/v1/${path}`, body, FORM as typeof json)).id;
  const price = await id(
    'prices',
    'currency=usd&unit_amount=100&recurring[interval]=day&product_data[name]=Daily',
  );
  const customer = await id('customers', 'email=a@b.test');
  await id(
    'subscriptions',
    `customer=${customer}&items[0][price]=${price}&collection_method=send_invoice&days_until_due=30`,
  );
  await ask(up, 'PUT', `/-/${year}/clock`, { token, headers: json, body: '{"at":"2030-01-01T00:00:00Z"}' });
  await ask(up, 'PUT', `/-/${checked}/checks/loops`, {
    ...{ token, headers: json },
    body: "export const check = { name: 'loops', run() { for (;;); } };",
  });
  await post(`/-/${checked}/changesets`, '{"message":"all","name":"all"}');
  const bad = [
    until(() => post(`/-/${year}/clock/advance`, '{"by":"365d"}')),
    until(async () => {
      const { name } = JSON.parse(await post(`/-/${branched}/branches`, '{}'));
      await ask(up, 'DELETE', `/-/worlds/${name}`, { token: up.admin });
    }),
    until(() =>
      post(
        `/${endless}/openai/v1/chat/completions`,
        '{"model":"m","messages":[{"role":"user","content":"x"}]}',
      ),
    ),
    until(() => post(`/-/${checked}/changesets/all/verify`, '')),
  ];
  await pace(
    ', beside a year that passes, branching, an endless handler, a check that loops',
    names.slice(4),
    write,
  );
  over = true;
  // What they began last may take its time.
  await Promise.race([Promise.allSettled(bad), pause(LAST_MS)]);
}

async function pace(
  beside: string,
  names: readonly string[],
  write: (name: string) => Promise<Answer>,
): Promise<void> {
  const took: number[] = [];
  const end = performance.now() + workMs;
  let next = 0;
  const worker = async (): Promise<void> => {
    while (performance.now() < end) {
      const { status, ms } = await write(names[next++ % names.length]!);
      if (status !== 200) throw new Error(`a write was answered ${status}`);
      took.push(ms);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  took.sort((a, b) => a - b);
  const at = (share: number): number => took[Math.floor((took.length - 1) * share)]!;
  note(`  ${names.length} worlds at work${beside}: writes a second`, (took.length / workMs) * 1_000, '1/s');
  note('    median of a write', at(0.5), 'ms');
  note('    p99', at(0.99), 'ms', '≤ 50');
}

async function each(names: readonly string[], work: (name: string) => Promise<unknown>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < names.length) await work(names[next++]!);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

/** Of all its processes; connections are the client's doing. */
function filesOpen({ pids }: Host): number {
  return pids().reduce((sum, pid) => sum + readdirSync(`/proc/${pid}/fd`).length, 0);
}

async function makingAndRemoving(up: Host): Promise<void> {
  progress(`${MADE} worlds are made and removed…`);
  const names = Array.from({ length: MADE }, (_, n) => `made-${n % 4}/world-${n}`);
  const { admin } = up;
  const files = filesOpen(up);
  const began = performance.now();
  await each(names, async name => {
    const [org, world] = name.split('/');
    const body = JSON.stringify({ org, world, vendors: ['stripe'] });
    const { status } = await ask(up, 'POST', '/-/worlds', { token: admin, body });
    if (status !== 201) throw new Error(`${name} was answered ${status}`);
  });
  note(`  making ${MADE} worlds, each`, (performance.now() - began) / MADE, 'ms');
  const removing = performance.now();
  await each(names, async name => {
    await ask(up, 'POST', `/-/worlds/${name}/rotate`, { token: admin });
    const { status } = await ask(up, 'DELETE', `/-/worlds/${name}`, { token: admin });
    if (status !== 204) throw new Error(`${name} was answered ${status}`);
  });
  note(`  rotating and removing ${MADE} worlds, each`, (performance.now() - removing) / MADE, 'ms');
  await pause(1_000);
  note('    folders left', readdirSync(directory).filter(name => name.startsWith('made-')).length, '', '0');
  note('    files open beyond those before', Math.max(filesOpen(up) - files, 0), '', '0');
  note('    rows of notes left', rowsLeft(), '', '0');
  const { text: told } = await ask(up, 'GET', '/-/metrics', { token: admin });
  note('    rows of metrics left', told.split('\n').filter(row => row.includes('made-')).length, '', '0');
}

function rowsLeft(): number {
  const home = join(directory, '.wrld-host');
  let left = 0;
  for (const name of readdirSync(home).filter(
    file => /^wakes.*\.db$/.test(file) && existsSync(join(home, file)),
  )) {
    using notes = new DatabaseSync(join(home, name), { readOnly: true });
    left += Number(notes.prepare("SELECT count(*) AS n FROM closed WHERE world LIKE 'made-%'").get()!['n']);
  }
  return left;
}
