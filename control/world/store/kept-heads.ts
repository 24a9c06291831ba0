// The newest versions of records that were read or written last, as they stand in the tables: most calls are about what the
// calls before them were about. The oldest half goes when the newer one is full.
import { KEPT_HEADS_CHARS_MAX } from '../limits.ts';
import type { Head } from './records.ts';

type Half = Map<string, Head>;

export class KeptHeads {
  /** Of a half. */
  readonly #charsMax: number;
  #newer: Half = new Map();
  #older: Half = new Map();
  /** Of the newer half. */
  #chars = 0;

  constructor(charsMax: number = KEPT_HEADS_CHARS_MAX) {
    this.#charsMax = charsMax / 2;
  }

  get(type: string, id: string): Head | undefined {
    const key = keyOf(type, id);
    const newer = this.#newer.get(key);
    if (newer !== undefined) return newer;
    const older = this.#older.get(key);
    if (older !== undefined) this.#add(key, older);
    return older;
  }

  keep(type: string, id: string, head: Head): void {
    this.#add(keyOf(type, id), head);
  }

  drop(type: string, id: string): void {
    const key = keyOf(type, id);
    this.#newer.delete(key);
    this.#older.delete(key);
  }

  /** Something was rolled back, or written past this. */
  forget(): void {
    this.#newer.clear();
    this.#older.clear();
    this.#chars = 0;
  }

  #add(key: string, head: Head): void {
    const chars = key.length + head.body.length;
    if (this.#chars + chars > this.#charsMax) {
      this.#older = this.#newer;
      this.#newer = new Map();
      this.#chars = 0;
    }
    this.#older.delete(key);
    if (chars > this.#charsMax) return;
    // What it stands in the place of counts on until its half goes: it is a bound.
    this.#chars += chars;
    this.#newer.set(key, head);
  }
}

const keyOf = (type: string, id: string): string => `${type}\0${id}`;
