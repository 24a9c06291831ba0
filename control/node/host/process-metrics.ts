// What a process of the host counts, and what it uses.

import { type Counts, classOf, RequestCounts } from '../../hosting/host-metrics.ts';
import { connectionsTurnedAway } from '../crowd.ts';

export class HostMetrics {
  readonly #requests: RequestCounts;
  #opened = 0;
  #failed = 0;

  constructor(worldsMax?: number) {
    this.#requests = new RequestCounts(worldsMax);
  }

  /** Hears of each answer of a world. */
  of(world: string): (status: number) => void {
    let counts: number[] | null = null;
    return status => {
      counts ??= this.#requests.of(world);
      counts[classOf(status)]! += 1;
    };
  }

  opened(): void {
    this.#opened += 1;
  }

  couldNotOpen(): void {
    this.#failed += 1;
  }

  /** A world that is gone makes room for another. */
  forget(world: string): void {
    this.#requests.forget(world);
  }

  get counts(): Counts {
    const { rss, heapUsed } = process.memoryUsage();
    return {
      opened: this.#opened,
      unopened: this.#failed,
      turnedAway: connectionsTurnedAway(),
      memoryBytes: rss,
      heapBytes: heapUsed,
      requests: this.#requests.rows,
    };
  }
}
