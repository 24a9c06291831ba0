// Counts responses in a byte stream as cheaply as can be, so that the client costs less than what it
// measures. It knows the framings that the measured proxies use: Content-Length and chunked.

const HEAD_END = '\r\n\r\n';
const LAST_CHUNK = Buffer.from('\r\n0\r\n\r\n');
const DIGIT_2 = 0x32;
const LF = 0x0a;

export class Responses {
  /** Body bytes so far; for chunked ones with their framing. */
  bytes = 0;
  #head: Buffer | null = null;
  /** Bytes of the body still to come, -1 between responses, Infinity in a chunked one. */
  #left = -1;
  #tail: Buffer = Buffer.alloc(0);
  /** The size of the last response that came in one piece. */
  #size = 0;
  #headSize = 0;

  /** How many responses this chunk completed. Throws on anything but a 200. */
  feed(chunk: Buffer): number {
    // The common case by far: one whole response, as long as the one before it.
    if (this.#left === -1 && this.#head === null && chunk.length === this.#size && this.#isAlike(chunk)) {
      this.bytes += chunk.length;
      return 1;
    }
    return this.#feed(chunk);
  }

  /** A 200 whose head ends where the last one's did: as far as a look at three bytes can tell. */
  #isAlike(chunk: Buffer): boolean {
    const end = this.#headSize;
    return chunk[9] === DIGIT_2 && chunk[end - 3] === LF && chunk[end - 1] === LF;
  }

  #feed(chunk: Buffer): number {
    let done = 0;
    let rest = chunk;
    while (rest.length > 0) {
      if (this.#left === -1) {
        const bytes = this.#head === null ? rest : Buffer.concat([this.#head, rest]);
        const end = bytes.indexOf(HEAD_END);
        if (end < 0) {
          this.#head = bytes;
          return done;
        }
        this.#head = null;
        this.#left = bodyLength(bytes.toString('latin1', 0, end));
        rest = bytes.subarray(end + HEAD_END.length);
        if (rest.length === this.#left && bytes.length === chunk.length) {
          this.#size = chunk.length;
          this.#headSize = end + HEAD_END.length;
        }
      }
      let taken: number;
      if (this.#left === Number.POSITIVE_INFINITY) taken = this.#chunked(rest);
      else {
        taken = Math.min(rest.length, this.#left);
        this.#left -= taken;
      }
      this.bytes += taken;
      rest = rest.subarray(taken);
      if (this.#left === 0) {
        this.#left = -1;
        done++;
      }
    }
    return done;
  }

  /** The bodies are ours and hold no such bytes, so the last chunk is found by its text. */
  #chunked(bytes: Buffer): number {
    const before = this.#tail.length;
    const seen = Buffer.concat([this.#tail, bytes.subarray(0, LAST_CHUNK.length)]);
    const near = seen.indexOf(LAST_CHUNK);
    const end = near >= 0 ? near - before + LAST_CHUNK.length : endOf(bytes.indexOf(LAST_CHUNK));
    if (end >= 0) {
      this.#left = 0;
      this.#tail = Buffer.alloc(0);
      return end;
    }
    this.#tail = Buffer.concat([this.#tail, bytes.subarray(-LAST_CHUNK.length)]).subarray(
      1 - LAST_CHUNK.length,
    );
    return bytes.length;
  }
}

function endOf(at: number): number {
  return at < 0 ? -1 : at + LAST_CHUNK.length;
}

function bodyLength(head: string): number {
  if (!/^HTTP\/1\.1 200\b/.test(head)) throw new Error(`answered ${head.slice(0, 200)}`);
  const length = /^content-length: *(\d+)/im.exec(head)?.[1];
  if (length !== undefined) return Number(length);
  if (/^transfer-encoding: *chunked/im.test(head)) return Number.POSITIVE_INFINITY;
  throw new Error(`no framing in ${head}`);
}
