// Somewhere an exchange can go: a granted origin, or control for what twins answer. Hands out connections,
// kept-alive ones first.
import { setImmediate as turn } from 'node:timers/promises';
import type { Permit } from '../../policy/decision.ts';
import { UPSTREAM_IDLE_MS_MAX } from '../limits.ts';
import { UpstreamConnection } from './connection.ts';
import { type Dialled, type DialOptions, dial, dialControl } from './dial.ts';
import type { UpstreamFailure } from './failure.ts';
import { Pool, type Shelf } from './pool.ts';
import { dialStream, type StreamAsked } from './stream.ts';

export type Opened =
  | { readonly ok: true; readonly connection: UpstreamConnection }
  | { readonly ok: false; readonly inside: string }
  | { readonly ok: false; readonly failure: UpstreamFailure };

export class Upstream {
  /** As people are told: `api.example.com:443`, or the world's control process. */
  readonly name: string;
  readonly isControl: boolean;
  readonly #shelf: Shelf;
  readonly #dial: () => Promise<Dialled>;

  constructor(parts: {
    readonly name: string;
    readonly shelf: Shelf;
    readonly dial: () => Promise<Dialled>;
    readonly isControl?: boolean;
  }) {
    this.name = parts.name;
    this.isControl = parts.isControl ?? false;
    this.#shelf = parts.shelf;
    this.#dial = parts.dial;
  }

  idle(): UpstreamConnection | undefined {
    return this.#shelf.take();
  }

  async open(): Promise<Opened> {
    const dialled = await this.#dial();
    if (!dialled.ok) return dialled;
    const connection = new UpstreamConnection(dialled.socket, this.#shelf);
    // One that came by another proxy was paused behind that proxy's answer.
    connection.resume();
    return { ok: true, connection };
  }

  /** Puts aside a connection that was opened for an exchange that is over. */
  keep(connection: UpstreamConnection): void {
    connection.idleUntil = performance.now() + UPSTREAM_IDLE_MS_MAX;
    this.#shelf.give(connection);
  }
}

export class Upstreams {
  readonly pool = new Pool();
  readonly control: Upstream;
  readonly #options: DialOptions;
  readonly #controlSocket: string;
  readonly #connectionsMax: () => number;
  #open = 0;
  /** Permits are made once an origin and snapshot, so that the way from one to its shelf is one look-up. */
  readonly #byPermit = new WeakMap<Permit, Upstream>();

  constructor(
    options: DialOptions & { readonly controlSocket: string; readonly connectionsMax?: () => number },
  ) {
    this.#options = options;
    this.#controlSocket = options.controlSocket;
    this.#connectionsMax = options.connectionsMax ?? (() => Number.POSITIVE_INFINITY);
    this.control = new Upstream({
      name: "the world's control process",
      shelf: this.pool.shelf('control'),
      dial: () => this.#roomFor(() => dialControl(options.controlSocket)),
      isControl: true,
    });
  }

  /** Connections that are dialled or being dialled. */
  get open(): number {
    return this.#open;
  }

  /** A bare connection for bytes that nobody reads; never pooled. */
  unread(permit: Permit): Promise<Dialled> {
    return this.#roomFor(() => dial(permit, this.#options, true));
  }

  /** A TCP twin's stream; never pooled. */
  stream(asked: StreamAsked): Promise<Dialled> {
    return this.#roomFor(() => dialStream(this.#controlSocket, asked));
  }

  /** Where no descriptor is left, the connections that wait to be used again are the ones to go. */
  async #roomFor(dialled: () => Promise<Dialled>): Promise<Dialled> {
    const first = await this.#counted(dialled);
    if (first.ok || !('failure' in first) || first.failure.stage !== 'descriptors') return first;
    if (this.pool.idle === 0) return first;
    this.pool.sweep(Number.POSITIVE_INFINITY);
    // Their descriptors are given back in the last phase of this turn of the event loop.
    await turn();
    await turn();
    return await this.#counted(dialled);
  }

  async #counted(dialled: () => Promise<Dialled>): Promise<Dialled> {
    if (this.#open >= this.#connectionsMax()) {
      const why = `${this.#open} connections are open, as many as may be`;
      return { ok: false, failure: { stage: 'descriptors', why } };
    }
    this.#open++;
    let result: Dialled | null = null;
    try {
      result = await dialled();
      return result;
    } finally {
      if (result?.ok && !result.socket.closed) result.socket.once('close', this.#onClosed);
      else this.#open--;
    }
  }

  readonly #onClosed = (): void => {
    this.#open--;
  };

  origin(permit: Permit): Upstream {
    let upstream = this.#byPermit.get(permit);
    if (upstream === undefined) {
      const where = `${permit.host.includes(':') ? `[${permit.host}]` : permit.host}:${permit.port}`;
      const shelf = this.pool.shelf(`${permit.scheme}://${where} ${permit.address ?? ''} ${permit.loopback}`);
      upstream = new Upstream({
        name: where,
        shelf,
        dial: () => this.#roomFor(() => dial(permit, this.#options)),
      });
      this.#byPermit.set(permit, upstream);
    }
    return upstream;
  }
}
