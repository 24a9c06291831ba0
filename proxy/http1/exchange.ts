// One request and its answer: joins a client connection to an upstream connection, streams both ways with
// back-pressure, and knows how far each side has come when something breaks.
import type { Socket } from 'node:net';
import { type Answer, failureAnswer } from '../refuse.ts';
import type { ResponseSink, UpstreamConnection } from '../upstream/connection.ts';
import type { FailureStage, UpstreamFailure } from '../upstream/failure.ts';
import type { Upstream } from '../upstream/upstream.ts';
import type { Framing } from './body.ts';
import type { ResponseHead } from './response.ts';

/** What an exchange needs of its client: an HTTP/1 connection or one HTTP/2 stream. */
export type ExchangeClient = {
  answerInterim(head: ResponseHead): void;
  /** `requestDone`: all of the request has been read. */
  answerHead(head: ResponseHead, requestDone: boolean): void;
  /** False when the upstream should be held back until `responseDrained`. */
  answerData(bytes: Buffer): boolean;
  answerEnd(trailers: string): void;
  /** Write out what is held back; false as for `answerData`. */
  answerFlush(): boolean;
  /** The upstream switched protocols, as the request asked; `first` are its bytes after the head. */
  answerSwitched(head: ResponseHead, upstream: Socket, first: Buffer): void;
  pauseRequest(): void;
  /** The upstream takes the request's body now (again). */
  resumeRequest(): void;
  /** The answer is out, whole. */
  exchangeDone(): void;
  /** An answer of our own in place of the upstream's; nothing was sent yet. */
  answer(answer: Answer): void;
  /** The name led to an address of this machine or its network: the refusal that says so. */
  refusedInside(address: string): Answer;
  /** Cuts the connection: what was sent cannot be completed. */
  cut(failure?: FailureStage): void;
};

/** Of a request, what decides how it is sent on. */
export type ExchangeRequest = {
  readonly method: string;
  readonly framing: Framing;
  /** The protocol it asks to switch to. */
  readonly upgrade: string | null;
};

const LAST_CHUNK = '0\r\n';
/** Methods whose repetition changes nothing (RFC 9110 9.2.2). */
const IDEMPOTENT: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE']);

export class Exchange implements ResponseSink {
  readonly method: string;
  requestDone: boolean;
  /** True once an upstream connection takes the request's body. */
  ready = false;
  /** The head of the upstream's answer has been handed on. */
  answered = false;
  readonly #client: ExchangeClient;
  readonly #request: ExchangeRequest;
  readonly #upstream: Upstream;
  readonly #head: string;
  readonly #chunkedRequest: boolean;
  #connection: UpstreamConnection | null = null;
  #retried = false;
  #over = false;

  /** `head`: the request head as the upstream gets it. */
  constructor(client: ExchangeClient, request: ExchangeRequest, upstream: Upstream, head: string) {
    this.#client = client;
    this.#request = request;
    this.#upstream = upstream;
    this.#head = head;
    this.method = request.method;
    this.requestDone = request.framing.kind === 'none';
    this.#chunkedRequest = request.framing.kind === 'chunked';
  }

  /** Its upstream connection has served a request before. */
  get reuses(): boolean {
    return this.#connection?.reused === true;
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
    this.#client.answerInterim(head);
  }

  responseHead(head: ResponseHead): void {
    // Only the world may say so; from anybody else the field was dropped and means nothing.
    if (head.fault && this.#upstream.isControl) {
      this.abort();
      this.#client.cut();
      return;
    }
    this.answered = true;
    this.#client.answerHead(head, this.requestDone);
  }

  responseSwitched(head: ResponseHead, socket: Socket, first: Buffer): void {
    this.#connection = null;
    if (this.#over || this.#request.upgrade === null) {
      socket.destroy();
      this.responseFailed({ stage: 'unreadable', why: 'it switched protocols unasked' });
      return;
    }
    this.#over = true;
    this.#client.answerSwitched(head, socket, first);
  }

  bodyData(bytes: Buffer): void {
    if (!this.#client.answerData(bytes)) this.#connection?.pause();
  }

  bodyEnd(trailers: string): void {
    this.#client.answerEnd(trailers);
  }

  responseFlush(): void {
    if (!this.#client.answerFlush()) this.#connection?.pause();
  }

  /** The client took what was written: the upstream may go on. */
  responseDrained(): void {
    this.#connection?.resume();
  }

  responseDone(): void {
    this.#connection = null;
    this.#over = true;
    this.#client.exchangeDone();
  }

  responseFailed(failure: UpstreamFailure): void {
    const stale = this.#connection?.reused === true && this.#connection.answered === false;
    this.#connection = null;
    if (this.#over) return;
    if (this.answered) {
      // A body cut short must not look complete.
      this.#over = true;
      this.#client.cut(failure.stage);
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
  connection.write(Buffer.from(`${bytes.length.toString(16)}\r\n`, 'latin1'));
  connection.write(bytes);
  return connection.write(CRLF);
}

const CRLF = Buffer.from('\r\n', 'latin1');
