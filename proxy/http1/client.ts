// A client's HTTP/1 connection, in the clear or inside TLS: reads one request after another, has each judged
// by the snapshot of that moment, and runs it as one exchange.
import type { Socket } from 'node:net';
import type { Run } from '../../policy/run.ts';
import type { Snapshot } from '../../policy/snapshot.ts';
import { Account } from '../account.ts';
import type { Held } from '../deadlines.ts';
import { type Forwarded, forward, refusalInside } from '../forward.ts';
import { type Judged, judge, type Place } from '../judge.ts';
import { DRAIN_BYTES_MAX, DRAIN_MS_MAX, HEAD_BYTES_MAX, SKIP_BYTES_MAX } from '../limits.ts';
import type { Plane } from '../plane.ts';
import { type Answer, answerBytes, plainAnswer, refusalAnswer } from '../refuse.ts';
import { Relay } from '../relay.ts';
import { identify } from '../runs.ts';
import type { FailureStage } from '../upstream/failure.ts';
import { AnswerWriter } from './answer.ts';
import { BodyReader, type BodySink } from './body.ts';
import { Exchange, type ExchangeClient } from './exchange.ts';
import { type RequestHead, readRequestHead } from './request.ts';
import type { ResponseHead } from './response.ts';

const HEAD_END = Buffer.from('\r\n\r\n');
const CR = 13;
const LF = 10;
const SLASH = 47;

export class ClientConnection implements Held, ExchangeClient, BodySink {
  deadline: number;
  readonly #socket: Socket;
  readonly #place: Place;
  readonly #plane: Plane;
  readonly #body = new BodyReader();
  readonly #writer: AnswerWriter;
  readonly #account = new Account();
  #exchange: Exchange | null = null;
  #head: RequestHead | null = null;
  #judged: Judged | null = null;
  /** Read but not yet used: an unfinished head, or what waits for the exchange before it. */
  #pending: Buffer | null = null;
  #closing = false;
  #drained = 0;

  constructor(socket: Socket, place: Place, plane: Plane) {
    this.#socket = socket;
    this.#writer = new AnswerWriter(socket);
    this.#place = place;
    this.#plane = plane;
    this.deadline = plane.deadlines.now + plane.limits.headMs;
    plane.deadlines.add(this);
    socket.on('data', this.#onData);
    socket.on('drain', this.#onDrain);
    socket.on('end', this.#onEnd);
    socket.on('error', this.#onError);
    socket.on('close', this.#onClose);
  }

  /** Bytes that came before this connection took over the socket. */
  feed(bytes: Buffer): void {
    if (bytes.length > 0) this.#onData(bytes);
  }

  /** On shutdown: what is idle closes now, what is busy after its answer. */
  drain(): void {
    if (this.#exchange === null) this.#close();
  }

  expire(): void {
    this.#socket.destroy();
  }

  get #now(): number {
    return this.#plane.deadlines.now;
  }

  readonly #onData = (chunk: Buffer): void => {
    if (this.#closing) return this.#discard(chunk.length);
    let bytes = chunk;
    if (this.#pending !== null) {
      bytes = Buffer.concat([this.#pending, chunk]);
      this.#pending = null;
    }
    this.#read(bytes);
  };

  #read(bytes: Buffer): void {
    let at = 0;
    while (at < bytes.length && !this.#closing) {
      const exchange = this.#exchange;
      if (exchange === null && !this.#body.done) {
        at = this.#body.read(bytes, at, this);
        if (at === -1) return this.#close();
      } else if (exchange === null) {
        at = this.#readHead(bytes, at);
        if (at === -1) return;
      } else if (exchange.ready && !exchange.requestDone) {
        this.deadline = this.#now + this.#plane.limits.exchangeStallMs;
        at = this.#body.read(bytes, at, this);
        if (at === -1) {
          exchange.abort();
          // In the middle of the upstream's answer, words of ours would pass for a part of it.
          if (exchange.answered) this.cut();
          else this.answer(plainAnswer(400, 'the chunked body is malformed.'));
          return;
        }
      } else {
        // Pipelined, or the upstream is not there yet: held, and nothing more is read meanwhile.
        this.#pending = at === 0 ? bytes : bytes.subarray(at);
        this.#socket.pause();
        return;
      }
    }
  }

  /** Offset after the head, or -1 when the bytes were kept, handed over or answered. */
  #readHead(bytes: Buffer, from: number): number {
    let at = from;
    this.#head = null;
    this.#judged = null;
    // An empty line before a request is skipped once (RFC 9112 2.2).
    if (bytes[at] === CR && bytes[at + 1] === LF) at += 2;
    const end = bytes.indexOf(HEAD_END, at);
    if ((end === -1 ? bytes.length : end) - at > HEAD_BYTES_MAX) {
      this.answer(plainAnswer(431, `the request head is over ${HEAD_BYTES_MAX} bytes.`));
      return -1;
    }
    if (end === -1) {
      if (this.#pending === null && this.deadline > this.#now + this.#plane.limits.headMs)
        this.deadline = this.#now + this.#plane.limits.headMs;
      this.#pending = bytes.subarray(at);
      return -1;
    }
    const head = readRequestHead(bytes.toString('latin1', at, end + 4));
    if (!head.ok) {
      this.answer(plainAnswer(head.status, head.why));
      return -1;
    }
    return this.#begin(head, bytes, end + 4);
  }

  #begin(head: RequestHead, bytes: Buffer, at: number): number {
    const snapshot = this.#plane.snapshot();
    const place = this.#place;
    this.#head = head;
    this.#account.start();
    this.deadline = this.#now + this.#plane.limits.exchangeStallMs;
    let run: Run;
    if (place.at === 'tunnel') run = place.run;
    else {
      const page = head.target.charCodeAt(0) === SLASH && !place.guest ? this.#ownPage(head) : null;
      if (page !== null) {
        this.answer(page);
        return -1;
      }
      const identified = identify(head.proxyAuthorization, snapshot, this.#plane.loopback);
      if (!identified.ok) {
        this.answer(plainAnswer(407, identified.why, [['Proxy-Authenticate', 'Basic realm="wrld"']]));
        return -1;
      }
      run = identified.run;
      if (head.method === 'CONNECT') return this.#connect(head, run, snapshot, bytes.subarray(at));
      if (head.target.charCodeAt(0) === SLASH) {
        this.answer(plainAnswer(400, OWN_PAGE));
        return -1;
      }
    }
    const judged = judge(head, place, run, snapshot, head.upgrade === null ? 'http1' : 'upgrade');
    this.#judged = judged;
    this.#account.decided();
    this.#body.start(head.framing);
    const forwarded = forward(head, judged, snapshot, this.#plane.upstreams);
    if (forwarded.ok) this.#exchangeWith(forwarded);
    else {
      this.#plane.refused(run, forwarded.refusal);
      this.answer(refusalAnswer(forwarded.refusal, head.accept));
    }
    return at;
  }

  #exchangeWith({ upstream, head }: Forwarded): void {
    this.#writer.start(this.#head!);
    this.#exchange = new Exchange(this, this.#head!, upstream, head);
    this.#exchange.start();
  }

  /** A CONNECT is accepted, and judged by what comes through it (design.md); unreadable names are not. */
  #connect(head: RequestHead, run: Run, snapshot: Snapshot, rest: Buffer): number {
    const asked = this.#plane.tunnelTo(head, run, snapshot);
    if (!asked.ok) {
      this.#account.rule = asked.refusal.rule;
      this.#plane.refused(run, asked.refusal);
      this.answer(refusalAnswer(asked.refusal, null));
      return -1;
    }
    if (!this.#plane.mayTunnel(run)) {
      const why = `this run has ${this.#plane.limits.tunnelsPerRun} tunnels open, the most it may.`;
      this.answer(plainAnswer(503, why, [['Retry-After', '1']]));
      return -1;
    }
    // What comes through it is written to the journal, not the CONNECT itself.
    this.#account.open = false;
    this.#release();
    this.#socket.write('HTTP/1.1 200 Connection Established\r\n\r\n', 'latin1');
    const { guest } = this.#place;
    this.#plane.openTunnel(this.#socket, { authority: asked.authority, run, guest }, rest);
    return -1;
  }

  #ownPage(head: RequestHead): Answer | null {
    return this.#plane.ownPage(head, this.#socket.remoteAddress);
  }

  /** The request is over; told once. `whole`: its answer went out to its end. */
  #settle(whole: boolean): void {
    if (this.#account.open)
      this.#plane.journal.request(this.#account, this.#head, this.#judged, 'http1', whole);
  }

  /** Lets go of the socket: another owner goes on with it. */
  #release(): void {
    this.#writer.turnEnds();
    this.#plane.deadlines.delete(this);
    this.#socket.off('data', this.#onData);
    this.#socket.off('drain', this.#onDrain);
    this.#socket.off('end', this.#onEnd);
    this.#socket.off('error', this.#onError);
    this.#socket.off('close', this.#onClose);
  }

  // The request's body, from the reader.

  bodyData(bytes: Buffer): void {
    this.#account.bytesIn += bytes.length;
    this.#exchange?.requestData(bytes);
  }

  bodyEnd(trailers: string): void {
    this.#exchange?.requestEnd(trailers);
  }

  // What the exchange asks of its client.

  answerInterim(head: ResponseHead): void {
    this.#writer.interim(head);
  }

  answerHead(head: ResponseHead, requestDone: boolean): void {
    this.#account.answering(head.status, this.#exchange?.reuses === true);
    this.#writer.head(head, requestDone);
  }

  answerData(bytes: Buffer): boolean {
    this.deadline = this.#now + this.#plane.limits.exchangeStallMs;
    this.#account.bytesOut += bytes.length;
    return this.#writer.data(bytes);
  }

  answerEnd(trailers: string): void {
    this.#writer.end(trailers);
  }

  answerFlush(): boolean {
    return this.#writer.flush();
  }

  /** The twin switched protocols: from here on both sides' bytes are passed on as they are. */
  answerSwitched(head: ResponseHead, upstream: Socket, first: Buffer): void {
    const { upgrade } = head;
    this.#account.answering(head.status, false);
    this.#settle(true);
    this.#exchange = null;
    this.#release();
    const early = this.#pending ?? Buffer.alloc(0);
    this.#socket.write(
      `HTTP/1.1 101 ${head.reason}\r\n${head.forwarded}Connection: Upgrade\r\nUpgrade: ${upgrade}\r\n\r\n`,
      'latin1',
    );
    if (first.length > 0) this.#socket.write(first);
    new Relay(this.#socket, upstream, early, this.#plane.deadlines);
  }

  pauseRequest(): void {
    this.#socket.pause();
  }

  resumeRequest(): void {
    if (this.#closing || this.#exchange?.ready !== true) return;
    this.#account.connected();
    this.#readPending();
  }

  #readPending(): void {
    const pending = this.#pending;
    this.#pending = null;
    this.#socket.resume();
    if (pending !== null) this.#read(pending);
  }

  exchangeDone(): void {
    this.#exchange = null;
    this.#settle(true);
    if (!this.#writer.keepAlive || !this.#body.done || this.#plane.draining) return this.#close();
    this.deadline = this.#now + this.#plane.limits.clientIdleMs;
    if (this.#pending !== null || this.#socket.isPaused()) this.#readPending();
  }

  answer(answer: Answer): void {
    this.#exchange = null;
    const head = this.#head;
    const account = this.#account;
    // A head that nobody could read has no account yet.
    if (!account.open) account.start();
    account.status = answer.status;
    account.failure = answer.failure ?? null;
    account.bytesOut = answer.body.length;
    this.#settle(true);
    const keep =
      answer.status === 502 && head?.keepAlive === true && !this.#plane.draining && this.#skippable(head);
    this.#writer.turnEnds();
    this.#socket.write(answerBytes(answer, { close: !keep, head: head?.method === 'HEAD' }));
    if (keep) {
      this.deadline = this.#now + this.#plane.limits.clientIdleMs;
      if (this.#pending !== null || this.#socket.isPaused()) this.#readPending();
    } else this.#close();
  }

  /** What is left of the request's body is small and sure to come: read past it rather than close. */
  #skippable(head: RequestHead): boolean {
    return this.#body.done || (!head.expectsContinue && this.#body.remaining <= SKIP_BYTES_MAX);
  }

  refusedInside(address: string): Answer {
    const record = refusalInside(this.#judged!, address, this.#plane.snapshot());
    this.#account.rule = record.rule;
    this.#plane.refused(this.#judged!.ask.run, record);
    return refusalAnswer(record, this.#head!.accept);
  }

  cut(failure: FailureStage | null = null): void {
    this.#exchange = null;
    this.#account.failure = failure;
    this.#settle(false);
    this.#writer.turnEnds();
    this.#socket.destroy();
  }

  /** Says goodbye after the answer, and reads on within limits so that the client gets to see it. */
  #close(): void {
    this.#closing = true;
    this.#pending = null;
    this.deadline = this.#now + DRAIN_MS_MAX;
    this.#writer.turnEnds();
    this.#socket.end();
    this.#socket.resume();
  }

  #discard(bytes: number): void {
    this.#drained += bytes;
    if (this.#drained > DRAIN_BYTES_MAX) this.#socket.destroy();
  }

  readonly #onDrain = (): void => {
    this.#exchange?.responseDrained();
  };

  readonly #onEnd = (): void => {
    // A client that closed its side in mid-exchange has gone away; its upstream must know at once.
    if (this.#exchange !== null) this.#socket.destroy();
    else {
      this.#writer.turnEnds();
      this.#socket.end();
    }
  };

  readonly #onError = (): void => {
    this.#socket.destroy();
  };

  readonly #onClose = (): void => {
    this.#plane.deadlines.delete(this);
    this.#settle(false);
    this.#exchange?.abort();
    this.#exchange = null;
  };
}

const OWN_PAGE =
  'this is a proxy: set HTTPS_PROXY and HTTP_PROXY to its address, or start your command with "wrld world run -- <command>".';
