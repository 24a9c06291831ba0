// The answer of an upstream as HTTP/1 bytes for its client: framed anew, its head and first bytes in one write.
import type { Socket } from 'node:net';
import { BUFFERED_BYTES_MAX, MERGE_BYTES_MAX } from '../limits.ts';
import { atTurnEnd, soon, type Waiting } from '../turn.ts';
import type { RequestHead } from './request.ts';
import type { ResponseHead } from './response.ts';

const LAST_CHUNK = '0\r\n';

/** One for a connection, started anew for each exchange. */
export class AnswerWriter implements Waiting {
  /** The connection may carry another exchange after this one. */
  keepAlive = true;
  readonly #socket: Socket;
  /** Written with the first bytes of the body where they come together. */
  #held: string | null = null;
  /** Written at the end of this turn, or before what comes after it. */
  #unsent: Buffer | null = null;
  /** The socket holds what it is given until then. */
  #corked = false;
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
    if (head !== null && !this.#chunked && bytes.length <= MERGE_BYTES_MAX) {
      this.#merge(head, bytes);
      return true;
    }
    this.#cork();
    if (this.#chunked) {
      this.#write(`${head ?? ''}${bytes.length.toString(16)}\r\n`);
      this.#socket.write(bytes);
      return this.#write('\r\n');
    }
    if (head !== null) this.#write(head);
    return this.#flows(this.#socket.write(bytes));
  }

  /** One write, one TLS record: copying a small body costs less than a second system call. */
  #merge(head: string, bytes: Buffer): void {
    const merged = Buffer.allocUnsafe(head.length + bytes.length);
    merged.write(head, 'latin1');
    bytes.copy(merged, head.length);
    this.turnEnds();
    this.#unsent = merged;
    soon(this);
  }

  /** What one read brought in several pieces leaves in one. */
  #cork(): void {
    if (this.#corked) return;
    this.turnEnds();
    this.#corked = true;
    this.#socket.cork();
    atTurnEnd(this);
  }

  /** Also for whoever is about to write to the socket past this writer, or to end it. */
  turnEnds(): void {
    if (this.#corked) {
      this.#corked = false;
      this.#socket.uncork();
      return;
    }
    const bytes = this.#unsent;
    if (bytes === null) return;
    this.#unsent = null;
    this.#socket.write(bytes);
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
    if (this.#unsent !== null) this.turnEnds();
    return this.#flows(this.#socket.write(text, 'latin1'));
  }

  #flows(written: boolean): boolean {
    return written || this.#socket.writableLength < BUFFERED_BYTES_MAX;
  }
}
