// One request and its answer: joins a client connection to an upstream connection, streams both ways with
// back-pressure, and knows how far each side has come when something breaks.

import { MERGE_BYTES_MAX } from '../limits.ts';
import { type Answer, failureAnswer } from '../refuse.ts';
import type { ResponseSink, UpstreamConnection } from '../upstream/connection.ts';
import type { UpstreamFailure } from '../upstream/failure.ts';
import type { Upstream } from '../upstream/upstream.ts';
import type { RequestHead } from './request.ts';
import type { ResponseHead } from './response.ts';

/** What an exchange needs of the connection its client is on. */
export type ExchangeClient = {
  /** False when the exchange should hold the upstream back until `responseDrained`. */
  send(bytes: Buffer | string): boolean;
  cork(): void;
  uncork(): void;
  pauseRequest(): void;
  /** The upstream takes the request's body now (again). */
  resumeRequest(): void;
  /** The answer is out. `reusable`: the client connection may carry another exchange. */
  exchangeDone(reusable: boolean): void;
  /** An answer of our own in place of the upstream's; nothing was sent yet. */
  answer(answer: Answer): void;
  /** The name led to an address of this machine or its network: the refusal that says so. */
  refusedInside(address: string): Answer;
  /** Cuts the connection: what was sent cannot be completed. */
  cut(): void;
};

const LAST_CHUNK = '0\r\n';
/** Methods whose repetition changes nothing (RFC 9110 9.2.2). */
const IDEMPOTENT: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE']);

export class Exchange implements ResponseSink {
  readonly method: string;
  requestDone: boolean;
  /** True once an upstream connection takes the request's body. */
  ready = false;
  readonly #client: ExchangeClient;
  readonly #request: RequestHead;
  readonly #upstream: Upstream;
  readonly #head: string;
  readonly #chunkedRequest: boolean;
  #connection: UpstreamConnection | null = null;
  /** Written with the first bytes of the body where they come together. */
  #heldHead: string | null = null;
  #answered = false;
  #chunkedResponse = false;
  #keepAlive: boolean;
  #retried = false;
  #over = false;

  /** `head`: the request head as the upstream gets it. */
  constructor(client: ExchangeClient, request: RequestHead, upstream: Upstream, head: string) {
    this.#client = client;
    this.#request = request;
    this.#upstream = upstream;
    this.#head = head;
    this.method = request.method;
    this.requestDone = request.framing.kind === 'none';
    this.#chunkedRequest = request.framing.kind === 'chunked';
    this.#keepAlive = request.keepAlive;
  }

  start(): void {
    const idle = this.#upstream.idle();
    if (idle !== undefined) this.#attach(idle);
    else void this.#dial();
  }

  async #dial(): Promise<void> {
    const opened = await this.#upstream.open();
    if (!opened.ok) {
      if (this.#over) return;
      if ('inside' in opened) this.#fallBack(this.#client.refusedInside(opened.inside));
      else this.#fallBack(failureAnswer(this.#upstream.name, opened.failure));
    } else if (this.#over) this.#upstream.keep(opened.connection);
    else this.#attach(opened.connection);
  }

  #attach(connection: UpstreamConnection): void {
    this.#connection = connection;
    connection.begin(this, this.#head);
    this.ready = true;
    this.#client.resumeRequest();
  }

  /** The client went away: the upstream must know at once. */
  abort(): void {
    this.#over = true;
    this.#connection?.abandon();
    this.#connection = null;
  }

  // The request's body, from the client's connection.

  requestData(bytes: Buffer): void {
    const connection = this.#connection;
    if (connection === null) return;
    const flowing = this.#chunkedRequest ? writeChunk(connection, bytes) : connection.write(bytes);
    if (!flowing) this.#client.pauseRequest();
  }

  requestEnd(trailers: string): void {
    this.requestDone = true;
    if (this.#chunkedRequest) this.#connection?.write(Buffer.from(`${LAST_CHUNK}${trailers}\r\n`, 'latin1'));
  }

  requestDrained(): void {
    this.#client.resumeRequest();
  }

  // The answer, from the upstream's connection.

  responseInterim(head: ResponseHead): void {
    // HTTP/1.0 knows no interim answers.
    if (this.#request.minor === 0) return;
    this.#client.send(`HTTP/1.1 ${head.status} ${head.reason}\r\n${head.forwarded}\r\n`);
  }

  responseHead(head: ResponseHead): void {
    const { kind } = head.framing;
    const unbounded = kind === 'close' || kind === 'chunked';
    this.#chunkedResponse = unbounded && this.#request.minor === 1;
    // An answer before the request's end: what the client still sends would be read as its next request.
    if ((unbounded && this.#request.minor === 0) || !this.requestDone) this.#keepAlive = false;
    let text = `HTTP/1.1 ${head.status} ${head.reason}\r\n${head.forwarded}`;
    if (this.#chunkedResponse) text += 'Transfer-Encoding: chunked\r\n';
    if (!this.#keepAlive) text += 'Connection: close\r\n';
    else if (this.#request.minor === 0) text += 'Connection: keep-alive\r\n';
    this.#answered = true;
    this.#heldHead = `${text}\r\n`;
  }

  bodyData(bytes: Buffer): void {
    const head = this.#heldHead;
    this.#heldHead = null;
    let flowing: boolean;
    if (this.#chunkedResponse) {
      this.#client.cork();
      this.#client.send(`${head ?? ''}${bytes.length.toString(16)}\r\n`);
      this.#client.send(bytes);
      flowing = this.#client.send('\r\n');
      this.#client.uncork();
    } else if (head !== null && bytes.length <= MERGE_BYTES_MAX) {
      // One write, one TLS record: copying a small body costs less than a second system call.
      const merged = Buffer.allocUnsafe(head.length + bytes.length);
      merged.write(head, 'latin1');
      bytes.copy(merged, head.length);
      flowing = this.#client.send(merged);
    } else {
      if (head !== null) this.#client.send(head);
      flowing = this.#client.send(bytes);
    }
    if (!flowing) this.#connection?.pause();
  }

  bodyEnd(trailers: string): void {
    if (!this.#chunkedResponse) return;
    this.responseFlush();
    this.#client.send(`${LAST_CHUNK}${trailers}\r\n`);
  }

  responseFlush(): void {
    if (this.#heldHead === null) return;
    const head = this.#heldHead;
    this.#heldHead = null;
    if (!this.#client.send(head)) this.#connection?.pause();
  }

  /** The client took what was written: the upstream may go on. */
  responseDrained(): void {
    this.#connection?.resume();
  }

  responseDone(): void {
    this.#connection = null;
    this.#over = true;
    this.#client.exchangeDone(this.#keepAlive);
  }

  responseFailed(failure: UpstreamFailure): void {
    const stale = this.#connection?.reused === true && this.#connection.answered === false;
    this.#connection = null;
    if (this.#over) return;
    if (this.#answered) {
      // A body cut short must not look complete.
      this.#over = true;
      this.#client.cut();
      return;
    }
    // One retry that is provably safe: a kept-alive connection died before a byte came back, the request
    // can be repeated without harm, and all of it is still in our hands.
    if (stale && !this.#retried && this.#request.framing.kind === 'none' && IDEMPOTENT.has(this.method)) {
      this.#retried = true;
      void this.#dial();
      return;
    }
    this.#fallBack(failureAnswer(this.#upstream.name, failure));
  }

  #fallBack(answer: Answer): void {
    this.#over = true;
    this.#client.answer(answer);
  }
}

/** Frames bytes as one chunk; false when the connection should be given time. */
function writeChunk(connection: UpstreamConnection, bytes: Buffer): boolean {
  connection.cork();
  connection.write(Buffer.from(`${bytes.length.toString(16)}\r\n`, 'latin1'));
  connection.write(bytes);
  const flowing = connection.write(CRLF);
  connection.uncork();
  return flowing;
}

const CRLF = Buffer.from('\r\n', 'latin1');
