// Body framing (RFC 9112 6): where a body ends, and its bytes by reference. Chunked bodies are decoded so
// that extensions and forbidden trailers are dropped when the body is framed anew.
import { CHUNK_LINE_BYTES_MAX, CHUNK_SIZE_DIGITS_MAX, TRAILER_BYTES_MAX } from '../limits.ts';
import { newFields, scanFields } from './fields.ts';

export type Framing =
  | { readonly kind: 'none' }
  | { readonly kind: 'length'; readonly length: number }
  | { readonly kind: 'chunked' }
  /** Until the peer closes; responses only. */
  | { readonly kind: 'close' };

export const NO_BODY: Framing = { kind: 'none' };
export const CHUNKED: Framing = { kind: 'chunked' };
export const UNTIL_CLOSE: Framing = { kind: 'close' };

export type BodySink = {
  bodyData(bytes: Buffer): void;
  /** `trailers`: complete field lines, each with its CRLF; empty when there are none. */
  bodyEnd(trailers: string): void;
};

/** Trailer fields that would change framing, routing or authentication (RFC 9110 6.5.1), or are the world's own. */
const FORBIDDEN_TRAILERS = new Set([
  'host',
  'content-length',
  'transfer-encoding',
  'trailer',
  'te',
  'connection',
  'keep-alive',
  'upgrade',
  'proxy-connection',
  'proxy-authorization',
  'proxy-authenticate',
  'authorization',
  'content-encoding',
  'content-type',
  'content-range',
  'set-cookie',
  'cookie',
  'x-twins-key',
]);

export function isTrailer(name: string): boolean {
  return !FORBIDDEN_TRAILERS.has(name) && !name.startsWith('x-wrld-');
}

const CR = 13;
const LF = 10;
const SEMICOLON = 59;
const trailerFields = newFields();

type State = 'size' | 'extension' | 'size-lf' | 'data' | 'data-cr' | 'data-lf' | 'trailer' | 'done';

export class BodyReader {
  #state: State = 'done';
  #chunked = false;
  #remaining = 0;
  #lineBytes = 0;
  #digits = 0;
  #trailer = '';

  /** Readies the reader for the next body on the same connection. */
  start(framing: Framing): void {
    this.#chunked = framing.kind === 'chunked';
    this.#remaining = framing.kind === 'length' ? framing.length : framing.kind === 'close' ? Infinity : 0;
    this.#lineBytes = 0;
    this.#digits = 0;
    this.#trailer = '';
    this.#state = this.#chunked ? 'size' : this.#remaining > 0 ? 'data' : 'done';
  }

  get done(): boolean {
    return this.#state === 'done';
  }

  /** Bytes still to come of a body of known length; Infinity otherwise. */
  get remaining(): number {
    return this.#state === 'done' ? 0 : this.#chunked ? Infinity : this.#remaining;
  }

  /** The peer closed: only a body framed by that ends well. */
  closed(): boolean {
    if (this.#state === 'done') return true;
    return !this.#chunked && this.#remaining === Infinity;
  }

  /**
   * Takes bytes from `at`; answers the offset of the first byte that is not the body's, or -1 when the
   * framing is malformed. `sink.bodyEnd` is called once, before it answers.
   */
  read(bytes: Buffer, at: number, sink: BodySink): number {
    if (this.#chunked) return this.#readChunked(bytes, at, sink);
    if (this.#state === 'done') return at;
    const available = bytes.length - at;
    if (available < this.#remaining) {
      this.#remaining -= available;
      if (available > 0) sink.bodyData(at === 0 ? bytes : bytes.subarray(at));
      return bytes.length;
    }
    const end = at + this.#remaining;
    this.#remaining = 0;
    this.#state = 'done';
    sink.bodyData(at === 0 && end === bytes.length ? bytes : bytes.subarray(at, end));
    sink.bodyEnd('');
    return end;
  }

  #readChunked(bytes: Buffer, from: number, sink: BodySink): number {
    let at = from;
    while (at < bytes.length) {
      switch (this.#state) {
        case 'size': {
          const c = bytes[at]!;
          const digit = hexDigit(c);
          if (digit >= 0) {
            if (++this.#digits > CHUNK_SIZE_DIGITS_MAX) return -1;
            this.#remaining = this.#remaining * 16 + digit;
          } else if (this.#digits === 0) return -1;
          else if (c === CR) this.#state = 'size-lf';
          else if (c === SEMICOLON) this.#state = 'extension';
          else return -1;
          at++;
          break;
        }
        case 'extension': {
          const c = bytes[at++]!;
          if (c === CR) this.#state = 'size-lf';
          else if ((c < 0x20 && c !== 9) || c === 0x7f || ++this.#lineBytes > CHUNK_LINE_BYTES_MAX) return -1;
          break;
        }
        case 'size-lf':
          if (bytes[at++] !== LF) return -1;
          this.#lineBytes = 0;
          this.#digits = 0;
          this.#state = this.#remaining === 0 ? 'trailer' : 'data';
          break;
        case 'data': {
          const end = Math.min(bytes.length, at + this.#remaining);
          sink.bodyData(bytes.subarray(at, end));
          this.#remaining -= end - at;
          at = end;
          if (this.#remaining === 0) this.#state = 'data-cr';
          break;
        }
        case 'data-cr':
          if (bytes[at++] !== CR) return -1;
          this.#state = 'data-lf';
          break;
        case 'data-lf':
          if (bytes[at++] !== LF) return -1;
          this.#state = 'size';
          break;
        case 'trailer': {
          const lf = bytes.indexOf(LF, at);
          const end = lf === -1 ? bytes.length : lf + 1;
          this.#trailer += bytes.toString('latin1', at, end);
          if (this.#trailer.length > TRAILER_BYTES_MAX) return -1;
          at = end;
          if (this.#trailer !== '\r\n' && !this.#trailer.endsWith('\r\n\r\n')) break;
          const trailers = trailersToForward(this.#trailer);
          if (trailers === null) return -1;
          this.#state = 'done';
          sink.bodyEnd(trailers);
          return at;
        }
        case 'done':
          return at;
      }
    }
    return at;
  }
}

function hexDigit(c: number): number {
  if (c >= 48 && c <= 57) return c - 48;
  const lower = c | 0x20;
  return lower >= 97 && lower <= 102 ? lower - 87 : -1;
}

function trailersToForward(text: string): string | null {
  if (text === '\r\n') return '';
  if (!scanFields(text, 0, trailerFields)) return null;
  let kept = '';
  for (let i = 0; i < trailerFields.count; i++) {
    const o = i * 4;
    const name = text.slice(trailerFields.at[o]!, trailerFields.at[o + 1]!);
    if (!isTrailer(name.toLowerCase())) continue;
    kept += `${name}: ${text.slice(trailerFields.at[o + 2]!, trailerFields.at[o + 3]!)}\r\n`;
  }
  return kept;
}
