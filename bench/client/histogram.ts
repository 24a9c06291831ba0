// Latencies in buckets 2% wide: recording one costs nothing beside a request, whatever the count.
const STEP = Math.log(1.02);
/** 1.02^1200 µs is over five hours. */
const BUCKETS = 1_200;

export class Histogram {
  readonly #counts = new Uint32Array(BUCKETS);
  #total = 0;

  record(ms: number): void {
    const bucket = Math.floor(Math.log(Math.max(1, ms * 1_000)) / STEP);
    this.#counts[Math.min(bucket, BUCKETS - 1)]!++;
    this.#total++;
  }

  clear(): void {
    this.#counts.fill(0);
    this.#total = 0;
  }

  get total(): number {
    return this.#total;
  }

  /** Microseconds below which that share (0–1) of the records lies; 0 without records. */
  quantile(share: number): number {
    let left = this.#total * share;
    for (let bucket = 0; bucket < BUCKETS; bucket++) {
      left -= this.#counts[bucket]!;
      if (left <= 0) return this.#total === 0 ? 0 : Math.exp((bucket + 0.5) * STEP);
    }
    return 0;
  }
}
