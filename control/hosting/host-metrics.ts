// What a host counts, as Prometheus' text: of itself, and of each world. A world is a label, and labels are kept few: those
// beyond the first METRICS_WORLDS_MAX are counted together. Where the worlds are in shards, each row says of which.
import { METRICS_WORLDS_MAX } from './limits.ts';

/** 2xx to 5xx; what has no other is a cut. */
const CLASSES = ['2xx', '3xx', '4xx', '5xx', 'cut'] as const;
const OTHERS = '(others)';
/** In the place of a shard's number. */
export const FRONT = 'front';

/** Answers of each world, by `CLASSES`. */
export type RequestRows = readonly (readonly [world: string, counts: readonly number[]])[];

/** Of one process, since it started. */
export type Counts = {
  /** Times that a world was opened, and could not be. */
  readonly opened: number;
  readonly unopened: number;
  /** Connections that were too many at once; null where the platform tells nobody. */
  readonly turnedAway: number | null;
  /** Null where the platform tells nobody. */
  readonly memoryBytes: number | null;
  readonly heapBytes: number | null;
  readonly requests: RequestRows;
};

export class RequestCounts {
  readonly #requests = new Map<string, number[]>();
  readonly #worldsMax: number;

  constructor(worldsMax: number = METRICS_WORLDS_MAX) {
    this.#worldsMax = worldsMax;
  }

  get rows(): RequestRows {
    return [...this.#requests];
  }

  /** Counts answers of a world. */
  add(world: string, counts: readonly number[]): void {
    const own = this.of(world);
    for (const [index, n] of counts.entries()) if (index in own) own[index]! += n;
  }

  /** What is counted of it. */
  of(world: string): number[] {
    const label = this.#requests.has(world) || this.#requests.size < this.#worldsMax ? world : OTHERS;
    const there = this.#requests.get(label);
    if (there !== undefined) return there;
    const counts = noAnswers();
    this.#requests.set(label, counts);
    return counts;
  }

  /** A world that is gone makes room for another. */
  forget(world: string): void {
    this.#requests.delete(world);
  }
}

export const noAnswers = (): number[] => CLASSES.map(() => 0);

/** Where an answer is counted among them. */
export function classOf(status: number): number {
  const index = Math.floor(status / 100) - 2;
  return index >= 0 && index < CLASSES.length - 1 ? index : CLASSES.length - 1;
}

/** What is told of one process of a host. */
export type Told = {
  /** Null where one process is all of the host. */
  readonly shard: string | null;
  /** Null for one that tells nothing now. */
  readonly counts: Counts | null;
  /** Of a shard. */
  readonly up?: boolean;
  readonly restarts?: number;
};

/** How the last run of backups went; `at` in milliseconds, null before the first. */
export type LastBackups = { readonly at: number | null; readonly failed: number };

/** `open`: null where the platform tells nobody. `backed`: how the last run of backups went; null where the host makes none. */
export function metricsText(
  { worlds, open }: { readonly worlds: number; readonly open: number | null },
  processes: readonly Told[],
  backed: LastBackups | null,
): string {
  const each = (name: string, value: (told: Told) => number | null | undefined): string[] =>
    processes.flatMap(told => {
      const number = value(told) ?? null;
      return number === null ? [] : [`wrld_host_${name}${labels([], told.shard)} ${number}`];
    });
  const memory = processes.some(({ counts }) => counts?.memoryBytes != null);
  const shards = processes.some(({ up }) => up !== undefined);
  return [
    ...head('worlds', 'gauge', 'Worlds of this host, branches among them.'),
    `wrld_host_worlds ${worlds}`,
    ...(open === null
      ? []
      : [...head('worlds_open', 'gauge', 'Worlds that are open now.'), `wrld_host_worlds_open ${open}`]),
    ...head('worlds_opened_total', 'counter', 'Times that a world was opened.'),
    ...each('worlds_opened_total', told => ofWorlds(told)?.opened),
    ...head('worlds_unopened_total', 'counter', 'Times that a world could not be opened.'),
    ...each('worlds_unopened_total', told => ofWorlds(told)?.unopened),
    ...(processes.some(({ counts }) => counts?.turnedAway != null)
      ? head('connections_turned_away_total', 'counter', 'Connections that were too many at once.')
      : []),
    ...each('connections_turned_away_total', ({ counts }) => counts?.turnedAway),
    ...(memory ? head('resident_memory_bytes', 'gauge', 'Memory of this process.') : []),
    ...each('resident_memory_bytes', ({ counts }) => counts?.memoryBytes),
    ...(memory ? head('heap_bytes', 'gauge', 'Memory of this process that JavaScript uses.') : []),
    ...each('heap_bytes', ({ counts }) => counts?.heapBytes),
    ...(shards ? head('shard_up', 'gauge', '1 while the shard serves its worlds.') : []),
    ...each('shard_up', ({ up }) => (up === undefined ? null : Number(up))),
    ...(shards ? head('shard_restarts_total', 'counter', 'Times that the shard was started again.') : []),
    ...each('shard_restarts_total', ({ restarts }) => restarts),
    ...(backed === null ? [] : backupRows(backed)),
    ...head('world_requests_total', 'counter', 'Answers of a world, by their status.'),
    ...processes.flatMap(requestRows),
    '',
  ].join('\n');
}

/** The front of shards opens no world. */
function ofWorlds({ shard, counts }: Told): Counts | null {
  return shard === FRONT ? null : counts;
}

function requestRows({ shard, counts }: Told): string[] {
  return (counts?.requests ?? []).flatMap(([world, classes]) =>
    classes.flatMap((n, index) =>
      n === 0
        ? []
        : [
            `wrld_host_world_requests_total${labels([`world="${world}"`, `class="${CLASSES[index]}"`], shard)} ${n}`,
          ],
    ),
  );
}

function labels(own: readonly string[], shard: string | null): string {
  const all = shard === null ? own : [...own, `shard="${shard}"`];
  return all.length === 0 ? '' : `{${all.join(',')}}`;
}

function backupRows({ at, failed }: LastBackups): string[] {
  return [
    ...head('backup_timestamp_seconds', 'gauge', 'When the last backups were begun; 0 before the first.'),
    `wrld_host_backup_timestamp_seconds ${Math.floor((at ?? 0) / 1000)}`,
    ...head('backup_failed_worlds', 'gauge', 'Worlds that the last backups could not take in.'),
    `wrld_host_backup_failed_worlds ${failed}`,
  ];
}

function head(name: string, kind: 'counter' | 'gauge', help: string): string[] {
  return [`# HELP wrld_host_${name} ${help}`, `# TYPE wrld_host_${name} ${kind}`];
}
