// One connection to an upstream: writes requests, reads responses, one exchange at a time. It knows nothing
// of policy; the socket it wraps was dialled with a permit.
import type { Socket } from 'node:net';
import { BodyReader, type BodySink } from '../http1/body.ts';
import { type ResponseHead, readResponseHead } from '../http1/response.ts';
import { BUFFERED_BYTES_MAX, HEAD_BYTES_MAX, INTERIM_HEADS_MAX, UPSTREAM_IDLE_MS_MAX } from '../limits.ts';
import { atTurnEnd, soon, type Waiting } from '../turn.ts';
import { reasonOf, type UpstreamFailure } from './failure.ts';

const HEAD_END = Buffer.from('\r\n\r\n');

/** The exchange that a connection serves. Calls come in order: interim heads, head, body, done; or failed. */
export type ResponseSink = BodySink & {
  readonly method: string;
  /** The whole request has been written. */
  readonly requestDone: boolean;
  responseInterim(head: ResponseHead): void;
  responseHead(head: ResponseHead): void;
  /** 101: the connection is the exchange's from here on; `first` are the bytes after the head. */
  responseSwitched(head: ResponseHead, socket: Socket, first: Buffer): void;
  /** All of the answer was handed on; the connection has been given back or closed. */
  responseDone(): void;
  responseFailed(failure: UpstreamFailure): void;
  /** What this read brought has been handed on: write out what is held back. */
  responseFlush(): void;
  requestDrained(): void;
};

/** Where a connection goes when it is free again. */
export type ConnectionHome = {
  give(connection: UpstreamConnection): void;
  gone(connection: UpstreamConnection): void;
};

export class UpstreamConnection implements Waiting {
  /** Has served an exchange before: its death before a byte came back may be a stale keep-alive. */
  reused = false;
  /** A byte of the present exchange's answer has come. */
  answered = false;
  /** When it may no longer be reused, by the monotonic clock in milliseconds. */
  idleUntil = 0;
  readonly #socket: Socket;
  readonly #home: ConnectionHome;
  readonly #body = new BodyReader();
  #sink: ResponseSink | null = null;
  #inBody = false;
  #interims = 0;
  #keepAlive = true;
  #keepAliveMs = UPSTREAM_IDLE_MS_MAX;
  #pending: Buffer | null = null;
  /** A request's head that is written at the end of this turn, or before what comes after it. */
  #unsent: string | null = null;
  /** The socket holds what it is given until the end of this turn. */
  #corked = false;

  constructor(socket: Socket, home: ConnectionHome) {
    this.#socket = socket;
    this.#home = home;
    socket.on('data', this.#onData);
    socket.on('drain', () => this.#sink?.requestDrained());
    socket.on('end', this.#onEnd);
    socket.on('error', error => this.#fail({ stage: 'closed', why: reasonOf(error) }));
    socket.on('close', this.#onClose);
  }

  /** False once either side has closed: it must not be reused. */
  get usable(): boolean {
    return this.#socket.writable && this.#socket.readable;
  }

  /** Starts an exchange with the head of its request. */
  begin(sink: ResponseSink, head: string): void {
    this.#sink = sink;
    this.#inBody = false;
    this.answered = false;
    this.#interims = 0;
    this.#unsent = head;
    // A body that follows goes with its head.
    if (sink.requestDone) soon(this);
    else atTurnEnd(this);
  }

  turnEnds(): void {
    const head = this.#unsent;
    if (head !== null) {
      this.#unsent = null;
      this.#socket.write(head, 'latin1');
    }
    if (!this.#corked) return;
    this.#corked = false;
    this.#socket.uncork();
  }

  /** False when the sink should wait for `requestDrained`. */
  write(bytes: Buffer): boolean {
    if (!this.#corked) {
      this.#corked = true;
      this.#socket.cork();
      if (this.#unsent === null) atTurnEnd(this);
    }
    if (this.#unsent !== null) {
      this.#socket.write(this.#unsent, 'latin1');
      this.#unsent = null;
    }
    return this.#socket.write(bytes) || this.#socket.writableLength < BUFFERED_BYTES_MAX;
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  /** Ends it without a word to the exchange: the client went away, or the answer is out already. */
  abandon(): void {
    this.#sink = null;
    this.#unsent = null;
    this.#socket.destroy();
  }

  readonly #onData = (chunk: Buffer): void => {
    const sink = this.#sink;
    if (sink === null) {
      // Bytes that nobody asked for would become the next exchange's answer.
      this.#socket.destroy();
      return;
    }
    // Likewise before the request was written.
    if (this.#unsent !== null)
      return this.#fail({ stage: 'closed', why: 'it sent what nobody had asked for' });
    this.answered = true;
    let bytes = chunk;
    if (this.#pending !== null) {
      bytes = Buffer.concat([this.#pending, chunk]);
      this.#pending = null;
    }
    this.#read(bytes, sink);
    if (this.#sink === sink) sink.responseFlush();
  };

  #read(bytes: Buffer, sink: ResponseSink): void {
    let at = 0;
    while (!this.#inBody) {
      const end = bytes.indexOf(HEAD_END, at);
      if ((end === -1 ? bytes.length : end) - at > HEAD_BYTES_MAX)
        return this.#fail({ stage: 'unreadable', why: `its head is over ${HEAD_BYTES_MAX} bytes` });
      if (end === -1) {
        this.#pending = at === 0 ? bytes : bytes.subarray(at);
        return;
      }
      const head = readResponseHead(bytes.toString('latin1', at, end + 4), sink.method);
      at = end + 4;
      if (!head.ok) return this.#fail({ stage: 'unreadable', why: head.why });
      if (head.status === 101) return this.#switch(head, sink, bytes.subarray(at));
      if (head.status < 200) {
        if (++this.#interims > INTERIM_HEADS_MAX)
          return this.#fail({
            stage: 'unreadable',
            why: `it sent over ${INTERIM_HEADS_MAX} interim answers`,
          });
        sink.responseInterim(head);
        continue;
      }
      this.#inBody = true;
      this.#keepAlive = head.keepAlive;
      this.#keepAliveMs = Math.min(head.keepAliveMs ?? UPSTREAM_IDLE_MS_MAX, UPSTREAM_IDLE_MS_MAX);
      this.#body.start(head.framing);
      sink.responseHead(head);
      if (this.#sink !== sink) return;
      if (this.#body.done) sink.bodyEnd('');
    }
    if (!this.#body.done) {
      at = this.#body.read(bytes, at, sink);
      if (at === -1) return this.#fail({ stage: 'unreadable', why: 'its chunked body is malformed' });
    }
    if (!this.#body.done) return;
    // More than was asked for: the next answer on this connection could not be trusted.
    if (at < bytes.length) this.#keepAlive = false;
    this.#complete(sink);
  }

  #switch(head: ResponseHead, sink: ResponseSink, first: Buffer): void {
    const socket = this.#socket;
    this.#sink = null;
    // Nothing of an HTTP connection is left; its next owner sets its own listeners.
    for (const event of ['data', 'drain', 'end', 'error']) socket.removeAllListeners(event);
    socket.off('close', this.#onClose);
    socket.on('error', () => socket.destroy());
    socket.pause();
    sink.responseSwitched(head, socket, first);
  }

  #complete(sink: ResponseSink): void {
    this.#sink = null;
    this.#inBody = false;
    this.#pending = null;
    this.reused = true;
    sink.responseFlush();
    // The announced time runs from the answer, so a second is taken off for its way here.
    const idleMs = this.#keepAliveMs - 1_000;
    if (this.#keepAlive && sink.requestDone && idleMs > 0 && !this.#socket.destroyed) {
      this.idleUntil = performance.now() + idleMs;
      this.#socket.resume();
      this.#home.give(this);
    } else this.#socket.destroy();
    sink.responseDone();
  }

  readonly #onClose = (): void => {
    this.#fail({ stage: 'closed', why: 'the connection closed' });
    this.#home.gone(this);
  };

  readonly #onEnd = (): void => {
    const sink = this.#sink;
    if (sink !== null && this.#inBody && this.#body.closed()) {
      this.#keepAlive = false;
      sink.bodyEnd('');
      this.#complete(sink);
      return;
    }
    this.#fail({
      stage: 'closed',
      why: this.answered ? 'it closed in the middle of its answer' : 'it closed without an answer',
    });
    this.#socket.destroy();
  };

  #fail(failure: UpstreamFailure): void {
    const sink = this.#sink;
    if (sink === null) return;
    this.#sink = null;
    this.#unsent = null;
    this.#socket.destroy();
    sink.responseFailed(failure);
  }
}
