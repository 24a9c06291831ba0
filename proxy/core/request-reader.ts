// A client's HTTP/1 bytes, as one request after another. Pure: bytes in, what was found in them out; it holds what
// cannot be used yet, and whoever owns the socket says how each request goes on (proxy/http1/client.ts).
import { BodyReader, type BodySink, type Framing } from '../http1/body.ts';
import { type Malformed, type RequestHead, readRequestHead } from '../http1/request.ts';
import { DRAIN_BYTES_MAX, HEAD_BYTES_MAX, SKIP_BYTES_MAX } from '../limits.ts';

export type ReaderState =
  /** Between two requests, or in the middle of a head. */
  | { readonly at: 'awaiting-head' }
  /** A request is under way: what follows its head waits until it can be taken. */
  | { readonly at: 'holding' }
  /** The request takes its body as it comes. */
  | { readonly at: 'in-body' }
  /** The request was answered before its body's end, which is read past. */
  | { readonly at: 'skipping-body' }
  /** The last answer is out: what still comes is thrown away, within a limit. */
  | { readonly at: 'closing'; discarded: number };

/** What was found; nothing is made of it, so that reading costs a request no object but its head. */
export type Found =
  | RequestHead
  /** No request, and nothing that follows can be told from it. */
  | Malformed
  /** All that has come is used. */
  | 'nothing'
  /** A head has begun and is not whole. */
  | 'part-of-head'
  /** More than the request under way takes now: the next one, or a body that is not wanted yet. */
  | 'too-early'
  /** The body under way has no end that could be told. */
  | 'broken-body'
  /** Likewise the rest of one that is read past. */
  | 'broken-rest'
  /** More than is thrown away after the last answer. */
  | 'too-late';

const AWAITING_HEAD: ReaderState = { at: 'awaiting-head' };
const HOLDING: ReaderState = { at: 'holding' };
const IN_BODY: ReaderState = { at: 'in-body' };
const SKIPPING_BODY: ReaderState = { at: 'skipping-body' };

const NOTHING = Buffer.alloc(0);
const HEAD_END = Buffer.from('\r\n\r\n');
const CR = 13;
const LF = 10;
const TOO_LONG: Malformed = {
  ok: false,
  status: 431,
  why: `the request head is over ${HEAD_BYTES_MAX} bytes.`,
};

/** One for a connection. */
export class RequestReader {
  readonly #sink: BodySink;
  readonly #body = new BodyReader();
  #state: ReaderState = AWAITING_HEAD;
  /** What has come and is not used, from `#from` on. */
  #bytes = NOTHING as Buffer;
  #from = 0;

  /** `sink`: takes the bodies of all its requests. */
  constructor(sink: BodySink) {
    this.#sink = sink;
  }

  get at(): ReaderState['at'] {
    return this.#state.at;
  }

  /** All that has come is used. */
  get empty(): boolean {
    return this.#bytes.length === 0;
  }

  /** The body of the request under way, or of the last one, has come to its end. */
  get bodyDone(): boolean {
    return this.#body.done;
  }

  take(chunk: Buffer): void {
    this.#bytes = this.empty ? chunk : Buffer.concat([this.#bytes.subarray(this.#from), chunk]);
    this.#from = 0;
  }

  /** Reads on in what has come. A whole head leaves the reader holding what follows it. */
  next(): Found {
    while (!this.empty) {
      const state = this.#state;
      switch (state.at) {
        case 'awaiting-head':
          return this.#readHead();
        case 'holding':
          return 'too-early';
        case 'in-body':
          if (!this.#readBody(HOLDING)) return 'broken-body';
          break;
        case 'skipping-body':
          if (!this.#readBody(AWAITING_HEAD)) return 'broken-rest';
          break;
        case 'closing':
          state.discarded += this.rest().length;
          if (state.discarded > DRAIN_BYTES_MAX) return 'too-late';
      }
    }
    return 'nothing';
  }

  /** A body follows the head that was found. */
  expectBody(framing: Framing): void {
    this.#body.start(framing);
  }

  /** The request takes its body now. */
  readBody(): void {
    if (this.#state === HOLDING && !this.#body.done) this.#state = IN_BODY;
  }

  /** The request is answered, and another may follow. */
  awaitNext(): void {
    this.#state = this.#body.done ? AWAITING_HEAD : SKIPPING_BODY;
  }

  /** What is left of the request's body is small and sure to come: it costs less than a new connection. */
  canSkip(head: RequestHead): boolean {
    return this.#body.done || (!head.expectsContinue && this.#body.remaining <= SKIP_BYTES_MAX);
  }

  /** No further request is read. */
  close(): void {
    this.rest();
    this.#state = { at: 'closing', discarded: 0 };
  }

  /** Hands over what has come and is not used. */
  rest(): Buffer {
    const rest = this.#from === 0 ? this.#bytes : this.#bytes.subarray(this.#from);
    this.#use(this.#bytes.length);
    return rest;
  }

  #readHead(): Found {
    const bytes = this.#bytes;
    let at = this.#from;
    // An empty line before a request is skipped once (RFC 9112 2.2).
    if (bytes[at] === CR && bytes[at + 1] === LF) at += 2;
    const end = bytes.indexOf(HEAD_END, at);
    if ((end === -1 ? bytes.length : end) - at > HEAD_BYTES_MAX) return TOO_LONG;
    if (end === -1) {
      this.#use(at);
      return 'part-of-head';
    }
    const head = readRequestHead(bytes.toString('latin1', at, end + 4));
    this.#use(end + 4);
    if (head.ok) this.#state = HOLDING;
    return head;
  }

  /** False where the framing is malformed. */
  #readBody(then: ReaderState): boolean {
    const end = this.#body.read(this.#bytes, this.#from, this.#sink);
    if (end === -1) return false;
    this.#use(end);
    if (this.#body.done) this.#state = then;
    return true;
  }

  /** Everything before `end` is used; a buffer that is used up is not held on to. */
  #use(end: number): void {
    if (end === this.#bytes.length) {
      this.#bytes = NOTHING;
      this.#from = 0;
    } else this.#from = end;
  }
}
