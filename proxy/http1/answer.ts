// The answer of an upstream as HTTP/1 bytes for its client: framed anew, its head and first bytes in one write.
import type { Socket } from 'node:net';
import { MERGE_BYTES_MAX } from '../limits.ts';
import type { RequestHead } from './request.ts';
import type { ResponseHead } from './response.ts';

const LAST_CHUNK = '0\r\n';

/** One for a connection, started anew for each exchange. */
export class AnswerWriter {
  /** The connection may carry another exchange after this one. */
  keepAlive = true;
  readonly #socket: Socket;
  /** Written with the first bytes of the body where they come together. */
  #held: string | null = null;
  #chunked = false;
  #minor: 0 | 1 = 1;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  start(request: RequestHead): void {
    this.keepAlive = request.keepAlive;
    this.#minor = request.minor;
    this.#held = null;
    this.#chunked = false;
  }

  interim(head: ResponseHead): void {
    // HTTP/1.0 knows no interim answers.
    if (this.#minor === 1) this.#write(`HTTP/1.1 ${head.status} ${head.reason}\r\n${head.forwarded}\r\n`);
  }

  /** `requestDone`: all of the request has been read. */
  head(head: ResponseHead, requestDone: boolean): void {
    const { kind } = head.framing;
    const unbounded = kind === 'close' || kind === 'chunked';
    this.#chunked = unbounded && this.#minor === 1;
    // An answer before the request's end: what the client still sends would be read as its next request.
    if ((unbounded && this.#minor === 0) || !requestDone) this.keepAlive = false;
    let text = `HTTP/1.1 ${head.status} ${head.reason}\r\n${head.forwarded}`;
    if (this.#chunked) text += 'Transfer-Encoding: chunked\r\n';
    if (!this.keepAlive) text += 'Connection: close\r\n';
    else if (this.#minor === 0) text += 'Connection: keep-alive\r\n';
    this.#held = `${text}\r\n`;
  }

  /** False when the upstream should be held back until the client has taken what was written. */
  data(bytes: Buffer): boolean {
    const head = this.#held;
    this.#held = null;
    if (this.#chunked) {
      this.#socket.cork();
      this.#write(`${head ?? ''}${bytes.length.toString(16)}\r\n`);
      this.#socket.write(bytes);
      const flowing = this.#write('\r\n');
      this.#socket.uncork();
      return flowing;
    }
    if (head === null) return this.#socket.write(bytes);
    if (bytes.length > MERGE_BYTES_MAX) {
      this.#write(head);
      return this.#socket.write(bytes);
    }
    // One write, one TLS record: copying a small body costs less than a second system call.
    const merged = Buffer.allocUnsafe(head.length + bytes.length);
    merged.write(head, 'latin1');
    bytes.copy(merged, head.length);
    return this.#socket.write(merged);
  }

  end(trailers: string): void {
    if (!this.#chunked) return;
    const head = this.#held ?? '';
    this.#held = null;
    this.#write(`${head}${LAST_CHUNK}${trailers}\r\n`);
  }

  /** Writes a head that waits for a body which has not come with it. */
  flush(): boolean {
    const head = this.#held;
    if (head === null) return true;
    this.#held = null;
    return this.#write(head);
  }

  #write(text: string): boolean {
    return this.#socket.write(text, 'latin1');
  }
}
