// Upstream connections that wait to be used again, by where they lead. The freshest is taken first: it is the
// least likely to have been closed from the other side.
import { UPSTREAM_IDLE_MAX, UPSTREAM_IDLE_PER_ORIGIN_MAX } from '../limits.ts';
import type { ConnectionHome, UpstreamConnection } from './connection.ts';

/** The idle connections of one origin. */
export class Shelf implements ConnectionHome {
  readonly #pool: Pool;
  readonly #idle: UpstreamConnection[] = [];

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  take(): UpstreamConnection | undefined {
    for (;;) {
      const connection = this.#idle.pop();
      if (connection === undefined) return undefined;
      this.#pool.idle--;
      if (connection.usable) return connection;
    }
  }

  give(connection: UpstreamConnection): void {
    if (this.#idle.length >= UPSTREAM_IDLE_PER_ORIGIN_MAX || this.#pool.idle >= UPSTREAM_IDLE_MAX) {
      connection.abandon();
      return;
    }
    this.#idle.push(connection);
    this.#pool.idle++;
  }

  gone(connection: UpstreamConnection): void {
    const at = this.#idle.lastIndexOf(connection);
    if (at === -1) return;
    this.#idle.splice(at, 1);
    this.#pool.idle--;
  }

  /** Closes what has been idle too long. Oldest are first. */
  sweep(now: number): void {
    for (let i = this.#idle.length - 1; i >= 0; i--) {
      const connection = this.#idle[i]!;
      if (connection.idleUntil > now) continue;
      this.#idle.splice(i, 1);
      this.#pool.idle--;
      connection.abandon();
    }
  }
}

export class Pool {
  idle = 0;
  readonly #shelves = new Map<string, Shelf>();

  /** `key` names all that a connection depends on: scheme, host, port and pinned address. */
  shelf(key: string): Shelf {
    let shelf = this.#shelves.get(key);
    if (shelf === undefined) {
      shelf = new Shelf(this);
      this.#shelves.set(key, shelf);
    }
    return shelf;
  }

  sweep(now: number): void {
    for (const shelf of this.#shelves.values()) shelf.sweep(now);
  }

  close(): void {
    this.sweep(Number.POSITIVE_INFINITY);
    this.#shelves.clear();
  }
}
