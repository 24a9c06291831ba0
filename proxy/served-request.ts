// One request as it is served, whatever it came by: judged by the snapshot of that moment, run as one exchange or
// refused, its account kept and written to the journal once. HTTP/1 and HTTP/2 only frame what goes in and out.
import type { Socket } from 'node:net';
import type { RefusalRecord } from '../policy/refusal.ts';
import type { Run } from '../policy/run.ts';
import type { Snapshot } from '../policy/snapshot.ts';
import { Account } from './account.ts';
import { refusalInside } from './core/late-refusal.ts';
import { forward } from './forward.ts';
import type { BodySink } from './http1/body.ts';
import { Exchange, type ExchangeClient } from './http1/exchange.ts';
import type { RequestHead } from './http1/request.ts';
import type { ResponseHead } from './http1/response.ts';
import type { Over } from './journal.ts';
import { type Judged, judge } from './judge.ts';
import type { Place } from './place.ts';
import type { Plane } from './plane.ts';
import { type Answer, agentOf, refusalAnswer } from './refuse.ts';
import type { FailureStage } from './upstream/failure.ts';

/** How a request's client is written to and held back: an HTTP/1 connection, or one HTTP/2 stream. */
export type ClientSide = {
  /** False once nothing but a cut can reach the client. */
  readonly answerable: boolean;
  writeInterim(head: ResponseHead): void;
  /** `requestDone`: all of the request has been read. */
  writeHead(head: ResponseHead, requestDone: boolean): void;
  /** False when the upstream should be held back until `ServedRequest.drained`. */
  writeData(bytes: Buffer): boolean;
  writeEnd(trailers: string): void;
  /** Writes out what is held back; false as for `writeData`. */
  flush(): boolean;
  /** An answer of the proxy's own, whole. */
  writeAnswer(answer: Answer): void;
  /** The upstream's answer is out, whole. */
  answerWritten(): void;
  /** The connection is the upstream's from here on; `first` are its bytes after the head. */
  switchTo(head: ResponseHead, upstream: Socket, first: Buffer): void;
  pauseRequest(): void;
  /** The request's body is wanted now (again). */
  resumeRequest(): void;
  /** What was sent cannot be completed, and must not look complete. */
  cut(): void;
};

/** One for an HTTP/2 stream; on an HTTP/1 connection one for all of its requests, begun anew for each. */
export class ServedRequest implements ExchangeClient, BodySink {
  readonly #client: ClientSide;
  readonly #plane: Plane;
  readonly #over: Over;
  readonly #account = new Account();
  #head: RequestHead | null = null;
  #judged: Judged | null = null;
  #exchange: Exchange | null = null;

  constructor(client: ClientSide, plane: Plane, over: Over) {
    this.#client = client;
    this.#plane = plane;
    this.#over = over;
  }

  /** Null before the first request, and of one that nobody could read. */
  get head(): RequestHead | null {
    return this.#head;
  }

  /** An upstream is asked for it, or answers it. */
  get inExchange(): boolean {
    return this.#exchange !== null;
  }

  /** Nothing more of the request's body is wanted. */
  get requestDone(): boolean {
    return this.#exchange?.requestDone !== false;
  }

  /** The upstream's answer has begun. */
  get answered(): boolean {
    return this.#exchange?.answered === true;
  }

  /** `head` null: what came is no request, and only an answer of ours can follow. */
  begin(head: RequestHead | null): void {
    this.#head = head;
    this.#judged = null;
    this.#account.start();
  }

  /** Has policy judge the request that began, and sends it on or refuses it. */
  serve(place: Place, run: Run, snapshot: Snapshot): void {
    const head = this.#head!;
    const judged = judge(head, place, run, snapshot, head.upgrade === null ? this.#over : 'upgrade');
    this.#judged = judged;
    this.#account.decided();
    const forwarded = forward(head, judged, snapshot, this.#plane.upstreams);
    if (forwarded.ok) {
      this.#exchange = new Exchange(this, head, forwarded.upstream, forwarded.head);
      this.#exchange.start();
    } else {
      this.#plane.refused(run, forwarded.refusal, agentOf(head.forwarded));
      this.answer(refusalAnswer(forwarded.refusal, head.forwarded));
    }
  }

  /** Refuses it for what policy was not asked about, or was not to know. */
  refuse(run: Run, record: RefusalRecord): void {
    this.answer(this.#found(run, record));
  }

  /** It becomes something else, which is written to the journal in its place. */
  dismiss(): void {
    this.#account.open = false;
  }

  /** The client took what was written: the upstream may go on. */
  drained(): void {
    this.#exchange?.responseDrained();
  }

  /** The client went away: the upstream must know at once. */
  gone(): void {
    this.#settle(false);
    this.#exchange?.abort();
    this.#exchange = null;
  }

  /** The exchange cannot go on; its client is told so. */
  breakOff(answer: Answer): void {
    this.#exchange?.abort();
    this.answer(answer);
  }

  /** Likewise, where the upstream's answer has begun: words of ours would pass for a part of it. */
  breakShort(): void {
    this.#exchange?.abort();
    this.cut();
  }

  /** The request is over; told once. `whole`: its answer went out to its end. */
  #settle(whole: boolean): void {
    if (this.#account.open)
      this.#plane.journal.request(this.#account, this.#head, this.#judged, this.#over, whole);
  }

  #found(run: Run, record: RefusalRecord): Answer {
    this.#account.rule = record.rule;
    const fields = this.#head?.forwarded ?? '';
    this.#plane.refused(run, record, agentOf(fields));
    return refusalAnswer(record, fields);
  }

  // The request's body, from its client.

  bodyData(bytes: Buffer): void {
    this.#account.bytesIn += bytes.length;
    this.#exchange?.requestData(bytes);
  }

  bodyEnd(trailers: string): void {
    this.#exchange?.requestEnd(trailers);
  }

  // What the exchange asks of its client.

  answerInterim(head: ResponseHead): void {
    this.#client.writeInterim(head);
  }

  answerHead(head: ResponseHead, requestDone: boolean): void {
    this.#account.answering(head.status, this.#exchange?.reuses === true);
    this.#client.writeHead(head, requestDone);
  }

  answerData(bytes: Buffer): boolean {
    this.#account.bytesOut += bytes.length;
    return this.#client.writeData(bytes);
  }

  answerEnd(trailers: string): void {
    this.#client.writeEnd(trailers);
  }

  answerFlush(): boolean {
    return this.#client.flush();
  }

  answerSwitched(head: ResponseHead, upstream: Socket, first: Buffer): void {
    this.#account.answering(head.status, false);
    this.#settle(true);
    this.#exchange = null;
    this.#client.switchTo(head, upstream, first);
  }

  pauseRequest(): void {
    this.#client.pauseRequest();
  }

  resumeRequest(): void {
    if (this.#exchange?.ready !== true) return;
    this.#account.connected();
    this.#client.resumeRequest();
  }

  exchangeDone(): void {
    this.#exchange = null;
    this.#settle(true);
    this.#client.answerWritten();
  }

  answer(answer: Answer): void {
    if (!this.#client.answerable) return this.cut(answer.failure);
    this.#exchange = null;
    this.#account.status = answer.status;
    this.#account.failure = answer.failure ?? null;
    this.#account.bytesOut = answer.body.length;
    this.#settle(true);
    this.#client.writeAnswer(answer);
  }

  refusedInside(address: string): Answer {
    const { ask } = this.#judged!;
    return this.#found(ask.run, refusalInside(ask, address, this.#plane.snapshot()));
  }

  cut(failure: FailureStage | null = null): void {
    this.#exchange = null;
    this.#account.failure = failure;
    this.#settle(false);
    this.#client.cut();
  }
}
