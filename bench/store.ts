// A world's store by itself, in this process: what an append costs by the size of the call, and what grows with
// the history. The file is a real one; the twin is the smallest there is, so that the store is what is measured.
import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { openBlobs } from '../control/node/blobs.ts';
import { digest } from '../control/node/digest.ts';
import { openEntropy } from '../control/node/entropy.ts';
import { openSqlite } from '../control/node/sqlite.ts';
import { writeBase } from '../control/world/branch-base.ts';
import { hex } from '../control/world/identifier.ts';
import { openWorld } from '../control/world/open-world.ts';
import { recordsAt } from '../control/world/state-at.ts';
import type { World } from '../control/world/world.ts';
import type { Call } from '../twins/kit/call.ts';
import type { Reply } from '../twins/kit/reply.ts';
import type { MountedTwin, Twin } from '../twins/kit/twin.ts';
import type { Tx } from '../twins/kit/tx.ts';
import { residentMb } from './machine.ts';
import type { BenchOptions } from './options.ts';
import type { Table } from './report.ts';

const TWIN = 'bench';
const BATCHES = [1, 10, 100] as const;
/** Calls that arrive together, as from a busy app. */
const TOGETHER = 32;
const PAGE = 50;
/** Of a record, bytes as JSON. */
const BODY_BYTES = 412;
const FILLER = 'f'.repeat(BODY_BYTES - 70);
/** Entries to a record, so that most entries are a new version of one that is there. */
const VERSIONS = 10;
const APPENDS = 2_000;
const BRANCHES = 5;
const READS = 500;
const STATE_PAGE = 1_000;

/** Sizes of history, in entries. */
const SIZES = { quick: [10_000, 100_000], full: [10_000, 100_000, 1_000_000] } as const;

type Figure = (typeof FIGURES)[number];
const FIGURES = [
  'append µs',
  'append of 32 at once µs',
  'point read µs',
  'list page µs',
  'timeline page µs',
  'log page of 500 µs',
  'full state at the middle ms',
  'branch as of now ms',
  'branch of the middle ms',
  'first touch of a branch ms',
] as const;
type Figures = { readonly [figure in Figure]: number };

export async function measureStore(options: BenchOptions, folder: string): Promise<readonly Table[]> {
  const sizes = options.rounds === 1 ? SIZES.quick : SIZES.full;
  const batches = await measureBatches(join(folder, 'batches'));
  const rows: { size: number; figures: Figures; fileMb: number; residentMb: number }[] = [];
  for (const size of sizes) {
    const place = join(folder, `history-${size}`);
    await using bench = await open(place);
    await bench.fill(size);
    const figures = {
      ...(await measureHistory(bench, size)),
      ...(await measureBranches(bench, size, place)),
    };
    const fileMb = statSync(join(place, 'world.db')).size / 2 ** 20;
    rows.push({ size, figures, fileMb, residentMb: residentMb(process.pid) ?? 0 });
  }
  const [first] = rows;
  const growth = rows.map(({ size, figures }) => [
    count(size),
    ...FIGURES.map(figure => `${(figures[figure] / first!.figures[figure]).toFixed(2)}×`),
  ]);
  return [
    batches,
    {
      title: `The store by the size of the history: records of ${BODY_BYTES} bytes, ${VERSIONS} versions each, pages of ${PAGE}`,
      head: ['entries', ...FIGURES, 'file MB', 'this process MB'],
      rows: rows.map(row => [
        count(row.size),
        ...FIGURES.map(figure => row.figures[figure].toFixed(1)),
        row.fileMb.toFixed(0),
        row.residentMb.toFixed(0),
      ]),
    },
    {
      title: `Growth over ${count(first!.size)} entries (a full state and a first touch grow with the records there are, the rest should not)`,
      head: ['entries', ...FIGURES],
      rows: growth,
    },
  ];
}

type Bench = AsyncDisposable & {
  readonly world: World;
  readonly sql: ReturnType<typeof openSqlite>;
  ask(method: string, path: string): Promise<Reply>;
  /** Appends until the log has so many entries. */
  fill(entries: number): Promise<void>;
};

/** With a parent, a branch of it as of `at`, made as a host makes one. */
async function open(folder: string, parent?: World, at: string | null = null): Promise<Bench> {
  mkdirSync(folder, { recursive: true });
  const sql = openSqlite(join(folder, 'world.db'));
  const cut = await parent?.past.cut(at, false);
  if (cut?.ok === false) throw new Error(cut.message);
  if (cut !== undefined) writeBase(sql, cut);
  const quiet = (): void => {};
  const world = await openWorld({
    name: 'bench/store',
    sql,
    ...(parent === undefined ? {} : { parent: parent.past.source }),
    blobs: openBlobs(join(folder, 'blobs')),
    digest,
    wall: { now: () => Date.now() },
    entropy: openEntropy(),
    outbound: { send: async () => ({ ok: false, refused: true, why: 'a bench sends nothing', ms: 0 }) },
    log: { debug: quiet, info: quiet, warn: quiet, error: (fields, text) => console.error(text, fields) },
    twins: [{ id: TWIN, twin: smallestTwin(), package: null }],
  });
  const ask: Bench['ask'] = async (method, path) => {
    const reply = await world.call(TWIN, callOf(method, path));
    if (reply.status !== 200) throw new Error(`${method} ${path}: ${reply.status} ${String(reply.body)}`);
    return reply;
  };
  return {
    world,
    sql,
    ask,
    fill: async entries => {
      const records = entries / VERSIONS;
      for (let n = 0; n < entries; n += TOGETHER) {
        const last = Math.min(n + TOGETHER, entries);
        await Promise.all(
          Array.from({ length: last - n }, (_, more) => ask('PUT', `/1/${scattered((n + more) % records)}`)),
        );
      }
    },
    [Symbol.asyncDispose]: async () => {
      await world.close();
      sql.close();
    },
  };
}

async function measureBatches(folder: string): Promise<Table> {
  await using bench = await open(folder);
  await bench.fill(5_000);
  const rows: string[][] = [];
  let next = 0;
  for (const batch of BATCHES) {
    const call = (): Promise<Reply> => bench.ask('PUT', `/${batch}/${scattered(next++)}`);
    const calls = Math.max(APPENDS / batch, 100);
    const alone = await perCall(calls, 1, call);
    const together = await perCall(calls * 4, TOGETHER, call);
    rows.push([
      String(batch),
      ...[alone, together].flatMap(us => [count(1e6 / us), count((1e6 / us) * batch)]),
    ]);
  }
  return {
    title: `Appends to a log by the records a call writes, ${BODY_BYTES} bytes each, committed before they are answered`,
    head: [
      'records a call',
      'calls a second, one by one',
      'records',
      `calls a second, ${TOGETHER} at once`,
      'records',
    ],
    rows,
  };
}

async function measureHistory(
  { ask, world, sql }: Bench,
  size: number,
): Promise<Omit<Figures, BranchFigure>> {
  const records = size / VERSIONS;
  let next = 0;
  const append = (): Promise<Reply> => ask('PUT', `/1/${scattered(next++ % records)}`);
  const read = (): Promise<Reply> => ask('GET', `/${scattered((next++ * 7919) % records)}`);
  const figures: { [figure in Exclude<Figure, BranchFigure>]: number } = {
    'append µs': await perCall(APPENDS, 1, append),
    'append of 32 at once µs': await perCall(APPENDS * 4, TOGETHER, append),
    'point read µs': await perCall(READS * 4, 1, read),
    'list page µs': await perCall(READS, 1, () => ask('GET', '/')),
    'timeline page µs': await perCall(READS, 1, () => world.timeline({ limit: PAGE })),
    'log page of 500 µs': await perCall(READS / 10, 1, () => world.log(TWIN, size - PAGE)),
    'full state at the middle ms': 0,
  };
  const from = performance.now();
  for (let page = recordsAt(sql, TWIN, size / 2, null, STATE_PAGE); page.length > 0; ) {
    page = recordsAt(sql, TWIN, size / 2, page.at(-1)!, STATE_PAGE);
  }
  figures['full state at the middle ms'] = performance.now() - from;
  return figures;
}

type BranchFigure = Extract<Figure, `${string}branch ${string}`>;

async function measureBranches(
  { world, sql }: Bench,
  size: number,
  folder: string,
): Promise<Pick<Figures, BranchFigure>> {
  const { at } = sql.get<{ at: number }>('SELECT at FROM entry WHERE twin = ? AND pos = ?', TWIN, size / 2)!;
  const made = async (instant: string | null): Promise<number> => {
    let ms = 0;
    for (let n = 0; n < BRANCHES; n++) {
      const from = performance.now();
      await using _ = await open(
        join(folder, `branch-${instant === null ? 'now' : 'then'}-${n}`),
        world,
        instant,
      );
      ms += performance.now() - from;
    }
    return ms / BRANCHES;
  };
  const now = await made(null);
  const middle = await made(new Date(at).toISOString());
  await using branch = await open(join(folder, 'branch-touched'), world);
  const from = performance.now();
  await branch.ask('GET', `/${scattered(0)}`);
  const touched = performance.now() - from;
  return {
    'branch as of now ms': now,
    'branch of the middle ms': middle,
    'first touch of a branch ms': touched,
  };
}

/** Microseconds a call, when so many are asked at once. */
async function perCall(calls: number, together: number, ask: () => Promise<unknown>): Promise<number> {
  for (let n = 0; n < Math.min(calls / 10, 50); n++) await ask();
  const from = performance.now();
  for (let n = 0; n < calls; n += together) await Promise.all(Array.from({ length: together }, ask));
  return ((performance.now() - from) * 1_000) / (Math.ceil(calls / together) * together);
}

/** Ids as vendors give them: neighbours in time are no neighbours in order. */
const scattered = (n: number): string => `rec_${hex(digest.sha256(String(n))).slice(0, 24)}`;

const count = (value: number): string => Math.round(value).toLocaleString('en-US');

/** `PUT /<records>/<id>` · `GET /<id>` · `GET /`, the newest page. */
function smallestTwin(): MountedTwin {
  const respond = (call: Call, tx: Tx): Reply => {
    const [, first = '', id = ''] = call.path.split('/');
    if (call.method === 'PUT') {
      for (let n = 0; n < Number(first); n++) {
        tx.put('record', n === 0 ? id : `${id}_${n}`, { id, at: tx.now, filler: FILLER });
      }
      return OK;
    }
    if (first === '') return json(tx.list('record', { limit: PAGE }));
    return json(tx.get('record', first));
  };
  const twin: Twin = {
    manifest: {
      kind: 'wrld-twin',
      vendor: TWIN,
      version: '1.0.0',
      protocol: 'http',
      api: { sdks: [] },
      models: [{ type: 'record', operations: ['put', 'get', 'list'] }],
      coverage: { modelled: 1, generic: 0, catalog: 0 },
      hosts: [{ host: 'bench.test', paths: ['/'] }],
      generative: false,
      matchers: [],
      root: false,
      screens: [],
    },
    records: { record: { indexes: [] } },
    respond,
    error: (status, code, message) => ({ ...json({ code, message }), status }),
  };
  return { twin, respond };
}

const json = (body: unknown): Reply => ({
  status: 200,
  headers: [['Content-Type', 'application/json']],
  body: JSON.stringify(body ?? null),
});
const OK: Reply = json({});

const callOf = (method: string, path: string): Call => ({
  method,
  host: 'bench.test',
  via: 'host',
  path,
  query: '',
  headers: {},
  body: new Uint8Array(),
  caller: 'token',
  scope: 'write',
  trace: { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331', parentId: null },
});
