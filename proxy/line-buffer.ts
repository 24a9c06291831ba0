// Log lines on their way to a file descriptor, many to a write: an access line costs a copy of its bytes, not a
// system call. pino's lines come through here too, so that all are in order, and go out at once.
import { writeSync } from 'node:fs';

/** Written out when it holds this much. Bytes. */
const BUFFER_BYTES = 64 * 1024;
/** A longer line is written by itself. Characters. */
const LINE_CHARS_MAX = 8 * 1024;
/** UTF-8 takes at most this many bytes for a character of a string. */
const CHAR_BYTES_MAX = 3;
/** How long a line waits at most. Milliseconds. */
const WAIT_MS_MAX = 200;

export class LineBuffer {
  /** Lines lost because nobody read the pipe. */
  lost = 0;
  readonly #fd: number;
  readonly #buffer = Buffer.allocUnsafe(BUFFER_BYTES);
  readonly #timer: NodeJS.Timeout;
  #held = 0;
  #lines = 0;

  constructor(fd: number) {
    this.#fd = fd;
    this.#timer = setInterval(() => this.flushSync(), WAIT_MS_MAX);
    this.#timer.unref();
  }

  /** `line` ends with a newline. */
  write(line: string): void {
    if (line.length > LINE_CHARS_MAX) {
      this.flushSync();
      this.#put(Buffer.from(line, 'utf8'), 1);
      return;
    }
    if (this.#held + line.length * CHAR_BYTES_MAX > BUFFER_BYTES) this.flushSync();
    this.#held += this.#buffer.write(line, this.#held, 'utf8');
    this.#lines++;
  }

  /** Where pino writes: lines about the process itself are few, and somebody may be waiting for them. */
  get atOnce(): { write(line: string): void } {
    return {
      write: line => {
        this.write(line);
        this.flushSync();
      },
    };
  }

  flushSync(): void {
    if (this.#held === 0) return;
    const lines = this.#lines;
    const bytes = this.#buffer.subarray(0, this.#held);
    this.#held = 0;
    this.#lines = 0;
    this.#put(bytes, lines);
  }

  end(): void {
    clearInterval(this.#timer);
    this.flushSync();
  }

  #put(bytes: Buffer, lines: number): void {
    try {
      for (let at = 0; at < bytes.length; ) at += writeSync(this.#fd, bytes, at);
    } catch {
      // A full pipe or disk: the log is not worth a request.
      this.lost += lines;
    }
  }
}
