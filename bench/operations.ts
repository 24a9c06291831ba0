// The ten most used operations of each twin over stores of three sizes, beside other simulations of the same APIs.
// Everything is asked the same way: HTTP in the clear on loopback, as an SDK that was given a base URL asks.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../test/kit/free-port.ts';
import { Child } from './child.ts';
import type { Route } from './client/dial.ts';
import type { Answer, Command, Result } from './client/main.ts';
import type { Counts } from './counted-sql.ts';
import { countOperations } from './counts.ts';
import type { Machine } from './machine.ts';
import {
  ANTHROPIC,
  type Ask,
  bytesOf,
  ENDPOINTS,
  type Known,
  OPENAI,
  type Operation,
  STRIPE,
} from './operations/asks.ts';
import type { BenchOptions } from './options.ts';
import type { Table } from './report.ts';

const CONNECTIONS = 16;
const WINDOW_MS = { quick: 300, full: 1_000 } as const;
const SIZES = { quick: [10, 10_000], full: [10, 10_000, 1_000_000] } as const;
/** Of ours; what one story is in records (operations/stories.ts), for peers, which keep less of it. */
const STORY_RECORDS = 10;
/** Peers keep everything in memory, and are told it by their own API. */
const PEER_RECORDS_MAX = 10_000;
/** API keys that an operation is asked with in turn: emulate takes 5,000 requests an hour of each. */
const KEYS = 50;
const SEED_MS_MAX = 600_000;
const ANSWER_MS_MAX = 60_000;

type Peer = { readonly name: string; readonly script: string; readonly stateful: boolean };
type Subject = {
  /** Whether the world's own endpoints are measured over its stores too. */
  readonly endpoints?: boolean;
  readonly vendor: string;
  readonly operations: readonly Operation[];
  readonly peers: readonly Peer[];
};

const AIMOCK: Peer = { name: 'aimock 1.43.0', script: 'aimock.ts', stateful: false };
const SUBJECTS: readonly Subject[] = [
  {
    vendor: 'stripe',
    endpoints: true,
    operations: STRIPE,
    peers: [
      { name: 'emulate 0.12.2', script: 'emulate.ts', stateful: true },
      { name: 'stripe-stateful-mock 0.0.16', script: 'stripe-stateful-mock.ts', stateful: true },
    ],
  },
  { vendor: 'openai', operations: OPENAI, peers: [AIMOCK] },
  { vendor: 'anthropic', operations: ANTHROPIC, peers: [AIMOCK] },
];

/** One operation against one server; null where it does not answer it with a 200. */
type Cell = {
  readonly perSecond: number;
  readonly p99: number;
  readonly p999: number;
  readonly cpuUs: number | null;
} | null;
type Column = {
  readonly title: string;
  readonly cells: readonly Cell[];
  readonly residentMb: number | null;
  /** Why a cell is empty. */
  readonly refused: readonly string[];
};

type Stage = {
  readonly machine: Machine;
  readonly options: BenchOptions;
  readonly folder: string;
  readonly client: Child;
};

export async function measureOperations(
  machine: Machine,
  options: BenchOptions,
  folder: string,
): Promise<readonly Table[]> {
  const command = [process.execPath, join(import.meta.dirname, 'client', 'main.ts')];
  await using client = new Child({ machine, seat: 'client', command, channel: true });
  await client.message('the load client');
  const stage = { machine, options, folder, client };
  const tables: Table[] = [];
  for (const subject of SUBJECTS) {
    const endpoints: Column[] = [];
    const { vendor, operations } = subject;
    const counts = await countOperations(vendor, operations, join(folder, `counts-${vendor}`));
    const columns = await columnsOf(subject, stage, endpoints);
    tables.push({ ...vendorTable(subject, columns, counts), ...figuresOf(subject, columns) });
    if (endpoints.length > 0)
      tables.push({
        title: `The world’s own endpoints, over the ${subject.vendor} twin’s stores: ${CELLS}`,
        ...tableOf(ENDPOINTS, endpoints),
        foot: [
          'What the rows above have asked was answered before: their entries are what the timeline shows, and their requests what is counted. The report grows with the requests of its hours.',
        ],
      });
  }
  return tables;
}

/** `endpoints` takes the columns of the world's own, where they are measured. */
async function columnsOf(subject: Subject, stage: Stage, endpoints: Column[]): Promise<readonly Column[]> {
  const sizes = stage.options.rounds === 1 ? SIZES.quick : SIZES.full;
  const columns: Column[] = [];
  for (const size of sizes) columns.push(await ours(subject, size, stage, endpoints));
  for (const peer of subject.peers) {
    const peerSizes = peer.stateful ? sizes.filter(size => size <= PEER_RECORDS_MAX) : [0];
    for (const size of peerSizes) columns.push(await theirs(subject, peer, size, stage));
  }
  return columns;
}

async function ours(
  { vendor, operations, endpoints: measured }: Subject,
  size: number,
  stage: Stage,
  endpoints: Column[],
): Promise<Column> {
  const folder = join(stage.folder, `operations-${vendor}-${size}`);
  const script = (name: string): string => join(import.meta.dirname, 'operations', name);
  const known = await said<{ known: Known }>(stage, [
    script('seed-process.ts'),
    folder,
    vendor,
    String(size),
  ]);
  await using server = new Child({
    machine: stage.machine,
    seat: 'proxy',
    command: [process.execPath, script('world-process.ts'), folder],
    channel: true,
  });
  const { worldUrl, token } = await server.message<{ worldUrl: string; token: string }>('the world');
  const url = new URL(`${worldUrl}/${vendor}`);
  const served = { stage, server, url, headers: [`x-twins-key: ${token}`], everyHost: true };
  const title = `wrld, ${count(size)} records`;
  const column = await measure(title, operations, known.known, served);
  if (measured === true) {
    const own = {
      stage,
      server,
      url: new URL(url.origin),
      headers: [`x-wrld-token: ${token}`],
      everyHost: false,
    };
    endpoints.push(await measure(title, ENDPOINTS, known.known, own));
  }
  rmSync(folder, { recursive: true, force: true });
  return column;
}

async function theirs({ operations }: Subject, peer: Peer, size: number, stage: Stage): Promise<Column> {
  const script = join(import.meta.dirname, 'peers', peer.script);
  const command = [process.execPath, script, String(await freePort())];
  await using server = new Child({ machine: stage.machine, seat: 'proxy', command, channel: true });
  const { url } = await server.message<{ url: string }>(peer.name);
  const known = peer.stateful ? await tellPeer(url, Math.max(Math.round(size / STORY_RECORDS), 1)) : {};
  const title = peer.stateful ? `${peer.name}, ${count(size)}` : peer.name;
  return await measure(title, operations, known, {
    stage,
    server,
    url: new URL(url),
    headers: [],
    everyHost: false,
  });
}

/** What a child of ours says, and then it has done its work. */
async function said<T>({ machine }: Stage, script: readonly string[]): Promise<T> {
  await using child = new Child({
    machine,
    seat: 'any',
    command: [process.execPath, ...script],
    channel: true,
  });
  return await child.message<T>(script.join(' '), SEED_MS_MAX);
}

async function measure(
  title: string,
  operations: readonly Operation[],
  known: Known,
  { stage, server, url, headers, everyHost }: Served,
): Promise<Column> {
  const { client, options } = stage;
  const { port, host, pathname } = url;
  const route: Route = { port: Number(port), tunnel: false, plain: true, ca: '', originPort: Number(port) };
  const windowMs = options.rounds === 1 ? WINDOW_MS.quick : WINDOW_MS.full;
  const cells: Cell[] = [];
  const refused: string[] = [];
  let residentMb: number | null = null;
  for (const [nth, { name, asks }] of operations.entries()) {
    const place = { host, prefix: pathname.replace(/\/$/, ''), headers };
    const asked = asks(known).filter(({ at }) => everyHost || at === undefined);
    const requests = Array.from({ length: asked.length && Math.max(asked.length, KEYS) }, (_, n) =>
      bytesOf(asked[n % asked.length]!, { ...place, key: `sk_test_${nth}_${n % KEYS}` }),
    );
    const load = { does: 'requests', connections: CONNECTIONS, host: '127.0.0.1', windowMs } as const;
    if (requests.length > 0) client.send({ route, pid: server.pid, ...load, requests } satisfies Command);
    const answer =
      requests.length === 0
        ? NOTHING_TO_ASK
        : await client.message<Answer>(`${title}: ${name}`, ANSWER_MS_MAX);
    if (!answer.ok) refused.push(`${name}: ${answer.why.split('\r\n')[0]}`);
    cells.push(answer.ok ? cellOf(answer.result) : null);
    if (answer.ok) residentMb = answer.result.residentMb ?? residentMb;
  }
  return { title, cells, residentMb, refused };
}

/** What the targets are about: ours beside the peer that keeps everything in memory, and ours by itself. */
function figuresOf({ operations, peers }: Subject, columns: readonly Column[]): Pick<Table, 'figures'> {
  const cellOfOne = (name: string, column: Column | undefined): Cell =>
    column?.cells[operations.findIndex(each => each.name === name)] ?? null;
  const ours = columns[0];
  const figures: Record<string, number> = {};
  const note = (figure: string, value: number | null | undefined): void => {
    if (value != null && Number.isFinite(value)) figures[figure] = value;
  };
  const rateOver = (name: string, theirs: Column | undefined): number | null => {
    const [own, other] = [cellOfOne(name, ours), cellOfOne(name, theirs)];
    return own === null || other === null ? null : own.perSecond / other.perSecond;
  };
  if (peers.includes(AIMOCK)) {
    note('modelAnswers', rateOver(operations[0]!.name, columns.at(-1)));
    return { figures };
  }
  // At the smallest size, which the peer has too.
  const emulate = columns.find(each => each.title.startsWith('emulate'));
  const [confirmed, theirs] = [ours, emulate].map(each =>
    cellOfOne('paymentIntents.create, confirmed', each),
  );
  note('confirmedUs', confirmed?.cpuUs);
  note('confirmedOver', (confirmed?.cpuUs ?? Number.NaN) / (theirs?.cpuUs ?? Number.NaN));
  note('subscriptionUs', cellOfOne('subscriptions.create', ours)?.cpuUs);
  note('createOver', rateOver('customers.create', emulate));
  note('updateOver', rateOver('customers.update', emulate));
  const largest = columns.findLast(each => each.title.startsWith('wrld'));
  const created = cellOfOne('customers.create', largest);
  note('writeP99Ms', (created?.p99 ?? Number.NaN) / 1_000);
  note('writeP999Ms', (created?.p999 ?? Number.NaN) / 1_000);
  return { figures };
}

type Served = {
  readonly stage: Stage;
  readonly server: Child;
  /** What an SDK is given as its base. */
  readonly url: URL;
  readonly headers: readonly string[];
  /** Whether it answers at the vendor's other hosts as well. */
  readonly everyHost: boolean;
};

const NOTHING_TO_ASK: Answer = { ok: false, why: 'it has nothing of that kind' };

function cellOf({ count, ms, p99, p999, cpuMs }: Result): Cell {
  return {
    perSecond: (count * 1_000) / ms,
    p99,
    p999,
    cpuUs: cpuMs === null ? null : (cpuMs * 1_000) / Math.max(count, 1),
  };
}

/** The story as far as a peer's own API takes it. */
async function tellPeer(url: string, stories: number): Promise<Known> {
  const known: { [kind: string]: string[] } = { customer: [], email: [], order: [], price: [] };
  const post = async (ask: Ask): Promise<string | null> => {
    const response = await fetch(`${url}${ask.path}`, {
      method: 'POST',
      headers: {
        authorization: 'Bearer sk_test_0123456789abcdef',
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: ask.form ?? '',
    });
    const body = (await response.json()) as { id?: string };
    return response.status === 200 ? (body.id ?? null) : null;
  };
  const keep = (kind: string, value: string | null): void => {
    if (value !== null) known[kind]!.push(value);
  };
  const product = await post({ method: 'POST', path: '/v1/products', form: 'name=Gold&type=service' });
  const form = `currency=usd&unit_amount=1000&recurring[interval]=month&product=${product}`;
  keep('price', await post({ method: 'POST', path: '/v1/prices', form }));
  for (let n = 0; n < stories; n++) {
    const email = `nth-email-${n}`;
    const order = `nth-order-${n}`;
    const id = await post({
      method: 'POST',
      path: '/v1/customers',
      form: `name=Jane&email=${email}%40example.com&metadata[order]=${order}`,
    });
    await post({
      method: 'POST',
      path: '/v1/payment_intents',
      form: `amount=2000&currency=usd&customer=${id}&payment_method=pm_card_visa&confirm=true`,
    });
    if (n % Math.max(Math.floor(stories / 200), 1) !== 0) continue;
    keep('customer', id);
    keep('email', email);
    keep('order', order);
  }
  return known;
}

const CELLS = 'requests a second (p99 µs; CPU µs a request)';

function vendorTable(
  { vendor, operations }: Subject,
  columns: readonly Column[],
  counts: readonly (Counts | null)[],
): Table {
  const refused = columns.flatMap(({ title, refused }) =>
    refused.map(why => `${title.split(',')[0]}: ${why}`),
  );
  return {
    title: `The ${vendor} twin’s most used operations: ${CELLS}`,
    ...tableOf(operations, columns, counts),
    foot: [
      'Counts are of one call in a small store, and the same on every machine: statements put to SQLite, rows that they write, bytes bound to those, and texts of JSON parsed and written.',
      `HTTP in the clear at ${CONNECTIONS} connections, a window of each, the server alone on its core. A store of ours is filled with one story told again under other ids, ${STORY_RECORDS} records or so each time; a peer is told as many stories by its own API, and keeps them in memory.`,
      'Where CPU grows with the records, pages of the file are no longer in SQLite’s cache: what is asked for is scattered over all of it. With 10 records a page has fewer to show.',
      ...new Set(refused),
    ],
  };
}

function tableOf(
  operations: readonly Operation[],
  columns: readonly Column[],
  counts: readonly (Counts | null)[] | null = null,
): Pick<Table, 'head' | 'rows'> {
  const shown = (cell: Cell | undefined): string =>
    cell == null
      ? '–'
      : `${count(cell.perSecond)} (${count(cell.p99)}${cell.cpuUs === null ? '' : `; ${count(cell.cpuUs)}`})`;
  const memory = ({ residentMb }: Column): string => (residentMb === null ? '–' : count(residentMb));
  const counted = (nth: number): string[] => (counts === null ? [] : [countsShown(counts[nth] ?? null)]);
  return {
    head: ['', ...(counts === null ? [] : [COUNTS]), ...columns.map(({ title }) => title)],
    rows: [
      ...operations.map(({ name }, nth) => [
        name,
        ...counted(nth),
        ...columns.map(({ cells }) => shown(cells[nth])),
      ]),
      ['memory after it all, MB', ...(counts === null ? [] : ['']), ...columns.map(memory)],
    ],
  };
}

const COUNTS = 'statements / rows / bytes; JSON parsed / written';

const countsShown = (counts: Counts | null): string =>
  counts === null
    ? '–'
    : `${counts.statements} / ${counts.rows} / ${count(counts.bytes)}; ${counts.parses} / ${counts.stringifies}`;

const count = (value: number): string => Math.round(value).toLocaleString('en-US');
