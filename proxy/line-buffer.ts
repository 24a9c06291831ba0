// Lines on their way to the log, many to a write: one of the journal costs a copy of its bytes, not a system call.
// Those of the process log come through here too, so that all are in order, and go out at once.
import type { LinesTarget } from '../process/lines-out.ts';
import { LINE_CHARS_MAX, LINE_WAIT_MS_MAX, LINES_BYTES_MAX } from './limits.ts';

/** UTF-8 takes at most this many bytes for a character of a string. */
const UTF8_BYTES_PER_CHAR = 3;

export class LineBuffer {
  readonly #target: LinesTarget;
  readonly #buffer = Buffer.allocUnsafe(LINES_BYTES_MAX);
  readonly #timer: NodeJS.Timeout;
  #held = 0;
  #lines = 0;

  constructor(target: LinesTarget) {
    this.#target = target;
    this.#timer = setInterval(() => this.#look(), LINE_WAIT_MS_MAX);
    this.#timer.unref();
  }

  /** `line` ends with a newline. */
  write(line: string): void {
    if (line.length > LINE_CHARS_MAX) {
      this.flushSync();
      this.#target.put(Buffer.from(line, 'utf8'), 1);
      return;
    }
    if (this.#held + line.length * UTF8_BYTES_PER_CHAR > LINES_BYTES_MAX) this.flushSync();
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
    this.#target.put(bytes, lines);
  }

  #look(): void {
    if (this.#held > 0) this.flushSync();
    else this.#target.tick();
  }

  end(): void {
    clearInterval(this.#timer);
    this.flushSync();
  }
}
