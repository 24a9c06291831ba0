// What of one twin's state at the base is in the branch's own tables already, while it is being copied (hydration.ts), and
// what somebody waits for. Of each type the newest records come first, so that what is there of it has one end: its
// frontier. Whoever needs what is behind it is thrown a signal, waits, and begins anew, as for bytes that are away.
import { BlobAway } from '../store/blob-away.ts';
import type { BlobStore } from '../store/blob-store.ts';
import { ORDER_FIRST, ORDER_LAST } from '../store/record-order.ts';

export type ArrivingType = {
  readonly type: string;
  /** Every record of the base at this place or a later one is here. */
  frontier: number;
  /** How many of the base were copied, or were here already. */
  records: number;
};

type Waiting = { readonly type: string; readonly floor: number; readonly here: (came: Disposable) => void };

type Parts = {
  readonly blobs: BlobStore;
  /** Whether nothing of the twin is left to copy. */
  readonly isCopied: () => boolean;
};

/** Has one record brought, or the copy begun; what they resolve to is there then. */
export type Carrier = {
  readonly record: (type: string, id: string) => Promise<void>;
  readonly begin: () => Promise<void>;
};

export class Arrival {
  readonly #parts: Parts;
  #carrier: Carrier | null = null;
  /** Null until it is known which there are. */
  #types: Map<string, ArrivingType> | null = null;
  /** Records that were asked for one by one: each is here now, or was not at the base, or ended since. */
  readonly #asked = new Set<string>();
  #waiting: Waiting[] = [];

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  set carrier(carrier: Carrier) {
    this.#carrier = carrier;
  }

  /** Every record of the type is here at this place and at all later ones. */
  isHere(type: string, floor: number): boolean {
    if (this.#parts.isCopied()) return true;
    if (this.#types === null) return false;
    const arriving = this.#types.get(type);
    return arriving === undefined || arriving.frontier <= floor;
  }

  /** There is no such record here. Throws `BlobAway` where the base may have it. */
  missed(type: string, id: string): void {
    const name = `${type}\0${id}`;
    if (this.#asked.has(name) || this.isHere(type, ORDER_FIRST)) return;
    this.#parts.blobs.sendFor(
      new BlobAway(name, async () => {
        await this.#carrier!.record(type, id);
        this.#asked.add(name);
        return NOTHING_HELD;
      }),
    );
  }

  /** Throws `BlobAway` unless the records of the type at this place and all later ones are here. */
  need(type: string, floor: number): void {
    if (this.isHere(type, floor)) return;
    this.#parts.blobs.sendFor(
      new BlobAway(type, () => {
        const { promise, resolve, reject } = Promise.withResolvers<Disposable>();
        const waiting = { type, floor, here: resolve };
        this.#waiting.push(waiting);
        this.#carrier!.begin().then(
          () => resolve(NOTHING_HELD),
          error => {
            this.#waiting = this.#waiting.filter(other => other !== waiting);
            reject(error);
          },
        );
        return promise;
      }),
    );
  }

  /**
   * What is copied next: of a type that somebody waits for, else of the one with the fewest; null when all is here.
   * Undefined before it is known what there is.
   */
  get next(): ArrivingType | null | undefined {
    if (this.#types === null) return undefined;
    const left = [...this.#types.values()].filter(({ frontier }) => frontier > ORDER_FIRST);
    const wanted = left.find(({ type }) => this.#waiting.some(waiting => waiting.type === type));
    return wanted ?? left.sort((a, b) => a.records - b.records)[0] ?? null;
  }

  /** The types are these, and nothing of them is here for certain. */
  expect(types: readonly string[]): void {
    this.#types = new Map(types.map(type => [type, { type, frontier: ORDER_LAST, records: 0 }]));
    this.#tell();
  }

  /** So many records more of it are here, down to a place. */
  came(arriving: ArrivingType, records: number, frontier: number): void {
    arriving.records += records;
    arriving.frontier = frontier;
    this.#tell();
  }

  /** How many records of each type there were at the base, when all have come. */
  get counted(): readonly ArrivingType[] {
    return [...this.#types!.values()];
  }

  /** What came may have been lost, or all of it is known to be here. */
  forget(): void {
    this.#types = null;
    this.#asked.clear();
  }

  #tell(): void {
    const here = this.#waiting.filter(({ type, floor }) => this.isHere(type, floor));
    this.#waiting = this.#waiting.filter(waiting => !here.includes(waiting));
    for (const waiting of here) waiting.here(NOTHING_HELD);
  }
}

const NOTHING_HELD: Disposable = { [Symbol.dispose]: () => {} };
