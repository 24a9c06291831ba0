// The order of webhooks on their way out: one after the other to each endpoint, to several endpoints at once.
import { DELIVERY_LANES_MAX } from '../limits.ts';

export class DeliveryLanes {
  readonly #send: (id: number) => Promise<void>;
  /** Ids that wait, by endpoint, in their order. */
  readonly #lanes = new Map<string, Set<number>>();
  readonly #sending = new Set<string>();
  #settling: (() => void)[] = [];
  #closed = false;

  /** `send` makes an attempt at one; it does not reject. */
  constructor(send: (id: number) => Promise<void>) {
    this.#send = send;
  }

  /** It goes with the next `move`, when those before it in its lane are through. */
  join(lane: string, id: number): void {
    const ids = this.#lanes.get(lane);
    if (ids === undefined) this.#lanes.set(lane, new Set([id]));
    else ids.add(id);
  }

  move(): void {
    if (this.#closed) return;
    for (const lane of this.#lanes.keys()) {
      if (this.#sending.size >= DELIVERY_LANES_MAX) return;
      if (!this.#sending.has(lane)) void this.#drain(lane);
    }
  }

  /** Resolves when none waits for an attempt that could be made now. */
  empty(): Promise<void> {
    if (this.#lanes.size === 0 || this.#closed) return Promise.resolve();
    return new Promise(resolve => {
      this.#settling.push(resolve);
    });
  }

  /** Nobody waits any more; what is on its way is left to come back. */
  clear(): void {
    for (const ids of this.#lanes.values()) ids.clear();
  }

  get closed(): boolean {
    return this.#closed;
  }

  close(): void {
    this.#closed = true;
    this.#lanes.clear();
    this.#settle();
  }

  async #drain(lane: string): Promise<void> {
    this.#sending.add(lane);
    // One that joins while it is on its way goes again, if it still waits then.
    for (let id = this.#next(lane); id !== undefined; id = this.#next(lane)) await this.#send(id);
    this.#sending.delete(lane);
    this.#lanes.delete(lane);
    if (this.#lanes.size === 0) this.#settle();
    else this.move();
  }

  #next(lane: string): number | undefined {
    const ids = this.#lanes.get(lane);
    const [id] = ids ?? [];
    if (id !== undefined) ids!.delete(id);
    return id;
  }

  #settle(): void {
    const settling = this.#settling;
    this.#settling = [];
    for (const resolve of settling) resolve();
  }
}
