// What a host counts, as Prometheus' text: of itself, and of each world. A world is a label, and labels are kept few: those
// beyond the first METRICS_WORLDS_MAX are counted together.
import { METRICS_WORLDS_MAX } from '../../hosting/limits.ts';
import type { Backed } from './backup-schedule.ts';

/** 2xx to 5xx; what has no other is a cut. */
const CLASSES = ['2xx', '3xx', '4xx', '5xx', 'cut'] as const;
const OTHERS = '(others)';

export type Gauges = { readonly worlds: number; readonly open: number };

export class HostMetrics {
  readonly #requests = new Map<string, number[]>();
  #backed: (() => Backed) | null = null;
  #opened = 0;
  #failed = 0;

  /** Hears of each answer of a world. */
  of(world: string): (status: number) => void {
    let counts: number[] | null = null;
    return status => {
      counts ??= this.#countsOf(world);
      counts[classOf(status)]! += 1;
    };
  }

  /** `last`: how the last run of backups went. */
  backsUp(last: () => Backed): void {
    this.#backed = last;
  }

  opened(): void {
    this.#opened += 1;
  }

  couldNotOpen(): void {
    this.#failed += 1;
  }

  /** A world that is gone makes room for another. */
  forget(world: string): void {
    this.#requests.delete(world);
  }

  text({ worlds, open }: Gauges): string {
    const rows = [...this.#requests].flatMap(([world, counts]) =>
      counts.flatMap((n, index) =>
        n === 0 ? [] : [`wrld_host_world_requests_total{world="${world}",class="${CLASSES[index]}"} ${n}`],
      ),
    );
    const { rss, heapUsed } = process.memoryUsage();
    return [
      ...head('worlds', 'gauge', 'Worlds of this host, branches among them.'),
      `wrld_host_worlds ${worlds}`,
      ...head('worlds_open', 'gauge', 'Worlds that are open now.'),
      `wrld_host_worlds_open ${open}`,
      ...head('worlds_opened_total', 'counter', 'Times that a world was opened.'),
      `wrld_host_worlds_opened_total ${this.#opened}`,
      ...head('worlds_unopened_total', 'counter', 'Times that a world could not be opened.'),
      `wrld_host_worlds_unopened_total ${this.#failed}`,
      ...head('resident_memory_bytes', 'gauge', 'Memory of this process.'),
      `wrld_host_resident_memory_bytes ${rss}`,
      ...head('heap_bytes', 'gauge', 'Memory of this process that JavaScript uses.'),
      `wrld_host_heap_bytes ${heapUsed}`,
      ...this.#backupRows(),
      ...head('world_requests_total', 'counter', 'Answers of a world, by their status.'),
      ...rows,
      '',
    ].join('\n');
  }

  #backupRows(): string[] {
    if (this.#backed === null) return [];
    const { at, failed } = this.#backed();
    return [
      ...head('backup_timestamp_seconds', 'gauge', 'When the last backups were begun; 0 before the first.'),
      `wrld_host_backup_timestamp_seconds ${Math.floor((at ?? 0) / 1000)}`,
      ...head('backup_failed_worlds', 'gauge', 'Worlds that the last backups could not take in.'),
      `wrld_host_backup_failed_worlds ${failed}`,
    ];
  }

  #countsOf(world: string): number[] {
    const label = this.#requests.has(world) || this.#requests.size < METRICS_WORLDS_MAX ? world : OTHERS;
    const there = this.#requests.get(label);
    if (there !== undefined) return there;
    const counts = CLASSES.map(() => 0);
    this.#requests.set(label, counts);
    return counts;
  }
}

function head(name: string, kind: 'counter' | 'gauge', help: string): string[] {
  return [`# HELP wrld_host_${name} ${help}`, `# TYPE wrld_host_${name} ${kind}`];
}

function classOf(status: number): number {
  const index = Math.floor(status / 100) - 2;
  return index >= 0 && index < CLASSES.length - 1 ? index : CLASSES.length - 1;
}
