// `npm run bench`: measures the proxy and the twins beside their peers, and the store, in one run on loopback. Nothing
// here asserts; the numbers are for people, and for docs/benchmarks.md.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { measureAttach } from './attach.ts';
import { measureCatchUp } from './catch-up.ts';
import { Child } from './child.ts';
import { measureContained } from './contained.ts';
import { measureLooks } from './looks.ts';
import { type Machine, readMachine, readMemory } from './machine.ts';
import { measureMails } from './mails.ts';
import { type Figures, type Measured, measure, medians } from './measures.ts';
import { measureDecide } from './micro/decide.ts';
import { measureJournal } from './micro/journal.ts';
import { measureMint } from './micro/mint.ts';
import { measureParse } from './micro/parse.ts';
import { measureNative } from './native.ts';
import { measureOperations } from './operations.ts';
import { type BenchOptions, HELP, NETWORK_GROUPS, parseOptions, type TargetName } from './options.ts';
import { measureReplay } from './replay.ts';
import {
  asText,
  facts,
  otherTable,
  pushTable,
  type Row,
  ratioTable,
  requestTable,
  type Table,
  tunnelsTable,
} from './report.ts';
import { keepResult, makeBenchmarksPage, type Part, type Taken } from './results.ts';
import { standingTable } from './standing.ts';
import { measureStore } from './store.ts';
import { startTarget } from './targets.ts';
import { measureTwins } from './twins.ts';
import { startUpstream, type Upstream } from './upstream.ts';
import { measureVersions } from './versions.ts';
import { measureWorkers } from './workers.ts';

const ROOT = join(import.meta.dirname, '..');

const parsed = parseOptions(process.argv.slice(2));
if (!parsed.ok) {
  if (!parsed.help) console.error(parsed.why);
  (parsed.help ? console.log : console.error)(HELP);
  process.exit(parsed.help ? 0 : 2);
}

const folder = mkdtempSync(join(tmpdir(), 'wrld-bench-'));
try {
  await run(parsed.options);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function run(options: BenchOptions): Promise<void> {
  const machine = readMachine();
  const taken: { [part in Part]?: Taken } = {};
  const factsOf = (upstream: string | null): string[] =>
    facts({ machine, memory: readMemory(), options, upstream, date: new Date() });
  // Kept each when it is there: what comes after may take long, and be given up.
  const take = (part: Part, came: Taken): void => {
    taken[part] = came;
    if (options.write) keepResult(part, came);
  };
  if (NETWORK_GROUPS.some(group => options.groups.has(group))) {
    const { rows, remarks, upstream } = await runLoad(machine, options);
    take('proxies', { facts: factsOf(upstream), rows, tables: tablesOf(rows, options), remarks });
  }
  const alone: readonly [Exclude<Part, 'proxies'>, () => Table | Promise<Table | readonly Table[]>][] = [
    ['tunnels', () => measureTunnels(machine, options)],
    ['decide', measureDecide],
    ['mint', () => measureMint(folder)],
    ['parse', measureParse],
    ['journal', () => measureJournal(folder)],
    ['store', () => measureStore(options, folder)],
    ['operations', () => measureOperations(machine, options, folder)],
    ['catch-up', () => measureCatchUp(options, folder)],
    ['mails', () => measureMails(machine, options, folder)],
    ['twins', () => measureTwins(machine, options, folder)],
    ['versions', () => measureVersions(folder)],
    ['replay', measureReplay],
    ['looks', () => measureLooks(folder)],
    ['workers', () => measureWorkers(machine, options, folder)],
    ['contained', () => measureContained(options, folder)],
    ['attach', () => measureAttach(options, folder)],
    ['native', () => measureNative(options, folder)],
  ];
  for (const [group, measureIt] of alone) {
    if (!options.groups.has(group)) continue;
    note(group);
    try {
      take(group, { facts: factsOf(null), tables: [await measureIt()].flat(), remarks: [] });
    } catch (error) {
      console.error(`not measured: ${group}: ${brief((error as Error).message)}`);
      process.exitCode = 1;
    }
  }
  show(taken, options);
}

function show(taken: { readonly [part in Part]?: Taken }, { json, write }: BenchOptions): void {
  const all = Object.values(taken);
  const tables = all.flatMap(each => each.tables);
  const standing = standingTable(taken.proxies?.rows ?? [], tables);
  for (const line of new Set(all.flatMap(each => each.facts))) console.log(line);
  console.log('');
  for (const table of [...(standing === null ? [] : [standing]), ...tables]) console.log(asText(table));
  for (const { remarks } of all) for (const remark of remarks) console.log(remark);
  if (json !== null) writeFileSync(json, JSON.stringify(taken, null, 2));
  if (write) writeFileSync(join(ROOT, 'docs', 'benchmarks.md'), makeBenchmarksPage());
}

type Load = {
  readonly rows: readonly Row[];
  readonly remarks: readonly string[];
  readonly upstream: string;
};

/** Every target in every round, in turn, so that a slow minute of the machine meets all of them. */
async function runLoad(machine: Machine, options: BenchOptions): Promise<Load> {
  await using upstream = await startUpstream(machine, folder);
  const results = new Map<TargetName, Figures[]>();
  const remarks: string[] = [];
  for (let round = 1; round <= options.rounds; round++) {
    for (const name of options.targets) {
      note(`round ${round} of ${options.rounds}: ${name}`);
      const measured = await measureOne(name, round, { machine, upstream, options });
      results.set(name, [...(results.get(name) ?? []), measured.figures]);
      const where = `${name}, round ${round}`;
      remarks.push(...measured.failures.map(failure => `not measured: ${where}: ${failure}`));
      remarks.push(...measured.notes.map(doubt => `doubtful: ${where}: ${doubt}`));
    }
  }
  const rows = [...results].map(([name, rounds]) => ({ name, figures: medians(rounds) }));
  return { rows, remarks, upstream: upstream.kind };
}

/** Of ours alone: the peers are long past a thousand's cost by ten thousand. */
async function measureTunnels(machine: Machine, options: BenchOptions): Promise<Table> {
  const alone = {
    ...options,
    targets: new Set(['wrld'] as const),
    groups: new Set(['memory', 'tunnels'] as const),
  };
  const { rows, remarks } = await runLoad(machine, alone);
  const table = tunnelsTable(rows[0]?.figures ?? {});
  if (table === null) throw new Error(remarks[0]);
  return table;
}

function tablesOf(rows: readonly Row[], { groups }: BenchOptions): Table[] {
  const tables: (Table | null)[] = [];
  if (groups.has('requests')) tables.push(requestTable(rows));
  if (NETWORK_GROUPS.some(group => group !== 'requests' && groups.has(group))) tables.push(otherTable(rows));
  tables.push(ratioTable(rows), pushTable(rows));
  return tables.filter(table => table !== null);
}

type Setting = { readonly machine: Machine; readonly upstream: Upstream; readonly options: BenchOptions };

/** One target in one round, in fresh processes. What cannot start is a failure to report, not the run's end. */
async function measureOne(
  name: TargetName,
  round: number,
  { machine, upstream, options }: Setting,
): Promise<Measured> {
  const firstHosts = Array.from({ length: options.firstHosts }, (_, nth) => `first${nth}.bench.test`);
  const stage = { machine, upstream, folder: join(folder, `${name}-${round}`), firstHosts };
  try {
    const startedAt = performance.now();
    await using target = await startTarget(name, stage);
    const startMs = performance.now() - startedAt;
    if (target === null) return { figures: {}, failures: ['not on this machine'], notes: [] };
    const command = [process.execPath, join(import.meta.dirname, 'client', 'main.ts')];
    await using client = new Child({ machine, seat: 'client', command, channel: true });
    await client.message('the load client');
    const measured = await measure(target, client, firstHosts, { machine, options });
    return target.pid === null ? measured : { ...measured, figures: { ...measured.figures, startMs } };
  } catch (error) {
    return { figures: {}, failures: [brief((error as Error).message)], notes: [] };
  }
}

/** A child's whole stack is no use in a table's foot: its first line, and the one that names the error. */
function brief(message: string): string {
  const lines = message.split('\n').map(line => line.trim());
  const named = lines.slice(1).find(line => /^\w*Error\b/.test(line));
  return [lines[0], named].filter(Boolean).join(' ').slice(0, 300);
}

function note(text: string): void {
  if (process.stderr.isTTY) console.error(text);
}
