// Lines on their way out of the process, whole and in order. Whatever becomes of them (a full disk, a pipe that nobody
// reads, no descriptors left) never ends the process: what could not be written is kept, up to a bound, and goes out
// before the lines after it; what is lost beyond the bound is counted, and told of in a line of its own.
import { writeSync } from 'node:fs';
import { LOG_HELD_BYTES_MAX } from './limits.ts';

/** Where a line buffer puts what it has: whole lines, and how many. The bytes are the caller's again afterwards. */
export type LinesTarget = {
  put(bytes: Uint8Array, lines: number): void;
  /** Now and then, with nothing to put. */
  tick(): void;
};

const NOTHING = new Uint8Array();

/** pino's number of `warn`. */
const WARN = 40;

export type LinesOutOptions = {
  readonly heldBytesMax?: number;
  /** Told of each line that is lost. */
  readonly onLost?: (lines: number) => void;
};

export class LinesOut implements LinesTarget {
  /** Lines lost since the start. */
  lost = 0;
  readonly #descriptor: (bytes: number) => number;
  readonly #heldBytesMax: number;
  readonly #onLost: (lines: number) => void;
  /** Not written yet; the first may be the rest of what was begun. */
  #held: Buffer[] = [];
  #heldBytes = 0;
  /** Lost, and not told of yet. */
  #untold = 0;
  #why = '';

  /** `descriptor`: where so many bytes go now. It throws the system's error where there is nowhere. */
  constructor(descriptor: (bytes: number) => number, options: LinesOutOptions = {}) {
    this.#descriptor = descriptor;
    this.#heldBytesMax = options.heldBytesMax ?? LOG_HELD_BYTES_MAX;
    this.#onLost = options.onLost ?? (() => {});
  }

  /** Standard output, or standard error: whoever started the process cares for what is written there. */
  static to(descriptor: number, options: LinesOutOptions = {}): LinesOut {
    return new LinesOut(() => descriptor, options);
  }

  /** For pino: one line, with its newline. */
  write(line: string): void {
    this.put(Buffer.from(line, 'utf8'), 1);
  }

  put(bytes: Uint8Array, lines: number): void {
    this.#retry();
    if (this.#held.length > 0) return this.#hold(bytes, lines, 0);
    const written = this.#writeOut(bytes);
    if (written < bytes.length) this.#hold(bytes, lines, written);
  }

  /** Tries again what is held, and looks at a file that others write to as well. */
  tick(): void {
    this.put(NOTHING, 0);
  }

  #retry(): void {
    while (this.#held.length > 0) {
      const [first] = this.#held as [Buffer];
      const written = this.#writeOut(first);
      this.#heldBytes -= written;
      if (written < first.length) {
        this.#held[0] = first.subarray(written);
        return;
      }
      this.#held.shift();
    }
    if (this.#untold > 0) this.#tell();
  }

  #hold(bytes: Uint8Array, lines: number, from: number): void {
    if (bytes.length === 0) return;
    // What was begun is kept in any case: half a line would spoil the one after it.
    if (from === 0 && this.#heldBytes + bytes.length > this.#heldBytesMax) {
      this.lost += lines;
      this.#untold += lines;
      this.#onLost(lines);
      return;
    }
    const rest = Buffer.from(bytes.subarray(from));
    this.#held.push(rest);
    this.#heldBytes += rest.length;
  }

  #tell(): void {
    const lines = this.#untold;
    this.#untold = 0;
    const line = { level: WARN, time: Date.now(), lines, why: this.#why, msg: 'lines of this log were lost' };
    this.put(Buffer.from(`${JSON.stringify(line)}\n`), 0);
  }

  /** How many of the bytes were written. */
  #writeOut(bytes: Uint8Array): number {
    let at = 0;
    try {
      const descriptor = this.#descriptor(bytes.length);
      while (at < bytes.length) at += writeSync(descriptor, bytes, at);
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      this.#why = code ?? message;
    }
    return at;
  }
}
