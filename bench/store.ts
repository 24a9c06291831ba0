// A world's store by itself, in this process: what an append costs by the size of the call, and what grows with
// the history. The files are real ones; the twin is the smallest there is, so that the store is what is measured.
import { readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { recordsAt } from '../control/world/past/state-at.ts';
import type { Reply } from '../twins/kit/reply.ts';
import type { BenchOptions } from './options.ts';
import type { Table } from './report.ts';
import {
  BODY_BYTES,
  openStoreWorld,
  PAGE,
  type StoreWorld,
  scattered,
  TOGETHER,
  TWIN,
  VERSIONS,
} from './store-world.ts';

const BATCHES = [1, 10, 100] as const;
const APPENDS = 2_000;
const STATE_PAGE = 1_000;
/** Every measure is taken so often, in turn at every size, so that a slow moment of the machine meets all sizes. */
const ROUNDS = 5;
const BRANCHES = 20;

/** Sizes of history, in entries. */
const SIZES = { quick: [10_000, 100_000], full: [10_000, 100_000, 1_000_000] } as const;

type Measure = {
  readonly name: string;
  readonly unit: 'µs' | 'ms';
  /** What the law allows to grow: a full state and a first touch hold every record. */
  readonly grows: boolean;
  readonly times: number;
  /** Calls done by one `work`. */
  readonly calls: number;
  readonly work: (sized: Sized, nth: number) => Promise<unknown> | unknown;
};

type Sized = {
  readonly size: number;
  readonly folder: string;
  readonly bench: StoreWorld;
  /** An instant in the middle of its history. */
  readonly middle: string;
};

const records = ({ size }: Sized): number => size / VERSIONS;
const put = (sized: Sized, n: number): Promise<Reply> =>
  sized.bench.ask('PUT', `/1/${scattered(n % records(sized))}`);
let branched = 0;

const MEASURES: readonly Measure[] = [
  { name: 'append', unit: 'µs', grows: false, times: 200, calls: 1, work: put },
  {
    name: `append, ${TOGETHER} at once`,
    unit: 'µs',
    grows: false,
    times: 40,
    calls: TOGETHER,
    work: (sized, nth) =>
      Promise.all(Array.from({ length: TOGETHER }, (_, n) => put(sized, nth * TOGETHER + n))),
  },
  {
    name: 'point read',
    unit: 'µs',
    grows: false,
    times: 400,
    calls: 1,
    work: (sized, nth) => sized.bench.ask('GET', `/${scattered((nth * 7919) % records(sized))}`),
  },
  {
    name: 'point read as of the middle',
    unit: 'µs',
    grows: false,
    times: 400,
    calls: 1,
    work: ({ bench, size }, nth) =>
      recordsAt(bench.sql, TWIN, size / 2, { type: 'record', order: nth * 8192 }, 1),
  },
  {
    name: `page of ${PAGE}`,
    unit: 'µs',
    grows: false,
    times: 100,
    calls: 1,
    work: ({ bench }) => bench.ask('GET', '/'),
  },
  {
    name: `timeline page of ${PAGE}`,
    unit: 'µs',
    grows: false,
    times: 40,
    calls: 1,
    work: ({ bench }) => bench.world.timeline({ limit: PAGE }),
  },
  {
    name: 'log page of 500',
    unit: 'µs',
    grows: false,
    times: 5,
    calls: 1,
    work: ({ bench, size }, nth) => bench.world.log(TWIN, (size / 2 + nth * 500) % (size - 500)),
  },
  {
    name: 'branch as of now',
    unit: 'ms',
    grows: false,
    times: 2,
    calls: 1,
    work: sized => branchOff(sized, null),
  },
  {
    name: 'branch as of the middle',
    unit: 'ms',
    grows: false,
    times: 2,
    calls: 1,
    work: sized => branchOff(sized, sized.middle),
  },
  {
    name: 'full state as of the middle',
    unit: 'ms',
    grows: true,
    times: 1,
    calls: 1,
    work: ({ bench, size }) => {
      let page = recordsAt(bench.sql, TWIN, size / 2, null, STATE_PAGE);
      while (page.length === STATE_PAGE)
        page = recordsAt(bench.sql, TWIN, size / 2, page.at(-1)!, STATE_PAGE);
    },
  },
  {
    name: 'first touch of a branch',
    unit: 'ms',
    grows: true,
    times: 1,
    calls: 1,
    work: async sized => {
      await branchOff(sized, null, async branch => {
        await branch.ask('GET', `/${scattered(0)}`);
      });
    },
  },
];

/** Makes a branch as a host does, has it used, and removes it. */
async function branchOff(
  { bench, folder }: Sized,
  at: string | null,
  use: (branch: StoreWorld) => Promise<void> = async () => {},
): Promise<void> {
  const place = join(folder, `branch-${branched++}`);
  {
    await using branch = await openStoreWorld(place, bench.world, at);
    await use(branch);
  }
  rmSync(place, { recursive: true });
}

/** Of one call: microseconds of the clock and of this process's CPU, KB written to files. */
type Cost = { readonly us: number; readonly cpuUs: number; readonly kb: number | null };

export async function measureStore(options: BenchOptions, folder: string): Promise<readonly Table[]> {
  const sizes = options.rounds === 1 ? SIZES.quick : SIZES.full;
  const batches = await measureBatches(join(folder, 'batches'));
  await using opened = new AsyncDisposableStack();
  const stores: Sized[] = [];
  for (const size of sizes) {
    const place = join(folder, `history-${size}`);
    const bench = opened.use(await openStoreWorld(place));
    await bench.fill(size);
    const { at } = bench.sql.get<{ at: number }>(
      'SELECT at FROM entry WHERE twin = ? AND pos = ?',
      TWIN,
      size / 2,
    )!;
    stores.push({ size, folder: place, bench, middle: new Date(at).toISOString() });
  }
  const files = stores.map(store => statSync(join(store.folder, 'world.db')).size / 2 ** 20);
  const costs: Cost[][] = [];
  for (const measure of MEASURES) costs.push(await measureOne(measure, stores));
  const memory = await measureMemory(stores[0]!);
  return [batches, growthTable(stores, costs, files), memory];
}

async function measureOne(measure: Measure, stores: readonly Sized[]): Promise<Cost[]> {
  const rounds: Cost[][] = stores.map(() => []);
  for (let round = -1; round < (measure.grows ? 1 : ROUNDS); round++) {
    for (const [which, store] of stores.entries()) {
      const cost = await costOf(measure, store, round);
      if (round >= 0) rounds[which]!.push(cost);
    }
  }
  // The cheapest round is the one that the rest of the machine disturbed least.
  return rounds.map(costs => costs.toSorted((a, b) => a.cpuUs - b.cpuUs)[0]!);
}

async function costOf({ times, calls, work }: Measure, store: Sized, round: number): Promise<Cost> {
  const written = bytesWritten();
  const cpu = process.cpuUsage();
  const from = performance.now();
  for (let n = 0; n < times; n++) await work(store, (round + 1) * times + n);
  const ms = performance.now() - from;
  const { user, system } = process.cpuUsage(cpu);
  const after = bytesWritten();
  const each = times * calls;
  return {
    us: (ms * 1_000) / each,
    cpuUs: (user + system) / each,
    kb: written === null || after === null ? null : (after - written) / 1_024 / each,
  };
}

/** By this process, to whatever file; null where /proc is not. */
function bytesWritten(): number | null {
  try {
    const found = /^wchar: (\d+)/m.exec(readFileSync('/proc/self/io', 'latin1'))?.[1];
    return found === undefined ? null : Number(found);
  } catch {
    return null;
  }
}

function growthTable(stores: readonly Sized[], costs: readonly Cost[][], files: readonly number[]): Table {
  const shown = (value: number, unit: Measure['unit']): string => {
    const scaled = unit === 'ms' ? value / 1_000 : value;
    return scaled < 10 ? scaled.toFixed(1) : count(scaled);
  };
  const [first] = stores;
  const last = stores.at(-1)!;
  return {
    title: `The store by the size of the history: records of ${BODY_BYTES} bytes, ${VERSIONS} versions each; the clock’s time (CPU; KB written)`,
    head: [
      '',
      ...stores.map(({ size }) => `${count(size)} entries`),
      `CPU at ${count(last.size)} over ${count(first!.size)}`,
    ],
    rows: [
      ...MEASURES.map(({ name, unit, grows }, nth) => {
        const row = costs[nth]!;
        const ratio = `${(row.at(-1)!.cpuUs / row[0]!.cpuUs).toFixed(2)}×`;
        return [
          `${name}, ${unit}`,
          ...row.map(({ us, cpuUs, kb }) => {
            const kilobytes = kb === null || kb < 0.5 ? '' : `; ${count(kb)}`;
            return `${shown(us, unit)} (${shown(cpuUs, unit)}${kilobytes})`;
          }),
          grows ? `${ratio}, for ${count(last.size / first!.size)}× the records` : ratio,
        ];
      }),
      ['file, MB', ...files.map(mb => count(mb)), ''],
    ],
    foot: [
      'All sizes are open at once and take turns; of each the cheapest round.',
      'A full state and the first touch of a branch hold every record that stood then. What else grows is how many pages of a larger file are not in SQLite’s cache: the records asked for are scattered over all of it.',
    ],
  };
}

/** What a process that hosts many worlds pays for each. */
async function measureMemory(parent: Sized): Promise<Table> {
  const each = async (open: (nth: number) => Promise<StoreWorld>): Promise<number> => {
    await using held = new AsyncDisposableStack();
    // What the first ones take is the process's, and there once.
    for (let n = 0; n < BRANCHES; n++) held.use(await open(n));
    const before = process.memoryUsage.rss();
    for (let n = BRANCHES; n < 2 * BRANCHES; n++) held.use(await open(n));
    return (process.memoryUsage.rss() - before) / 1_024 / BRANCHES;
  };
  const place = (name: string, nth: number): string => join(parent.folder, `${name}-${nth}`);
  const world = await each(nth => openStoreWorld(place('world', nth)));
  const branch = await each(nth => openStoreWorld(place('open-branch', nth), parent.bench.world));
  const touched = await each(async nth => {
    const opened = await openStoreWorld(place('touched', nth), parent.bench.world);
    await opened.ask('GET', `/${scattered(0)}`);
    return opened;
  });
  return {
    title: `Memory of what is open: KB each, of ${BRANCHES}`,
    head: [
      'a world without records',
      'a branch',
      `a branch that was touched, ${count(records(parent))} records`,
    ],
    rows: [[count(world), count(branch), count(touched)]],
  };
}

async function measureBatches(folder: string): Promise<Table> {
  await using bench = await openStoreWorld(folder);
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

/** Microseconds a call, when so many are asked at once. */
async function perCall(calls: number, together: number, ask: () => Promise<unknown>): Promise<number> {
  for (let n = 0; n < Math.min(calls / 10, 50); n++) await ask();
  const from = performance.now();
  for (let n = 0; n < calls; n += together) await Promise.all(Array.from({ length: together }, ask));
  return ((performance.now() - from) * 1_000) / (Math.ceil(calls / together) * together);
}

const count = (value: number): string => Math.round(value).toLocaleString('en-US');
