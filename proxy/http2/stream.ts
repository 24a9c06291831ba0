// One stream of an HTTP/2 client: judged like any request, and run as one exchange.
import { constants, type ServerHttp2Stream } from 'node:http2';
import { Account } from '../account.ts';
import { type Forwarded, forward, refusalInside } from '../forward.ts';
import { Exchange, type ExchangeClient } from '../http1/exchange.ts';
import type { RequestHead } from '../http1/request.ts';
import type { ResponseHead } from '../http1/response.ts';
import { type Judged, judge, type Place } from '../judge.ts';
import type { Plane } from '../plane.ts';
import { type Answer, failureAnswer, refusalAnswer } from '../refuse.ts';
import type { FailureStage } from '../upstream/failure.ts';
import { responseFields, streamFields, trailerLines } from './head.ts';

export class StreamClient implements ExchangeClient {
  readonly #stream: ServerHttp2Stream;
  readonly #head: RequestHead;
  readonly #plane: Plane;
  readonly #onActivity: () => void;
  readonly #account = new Account();
  #exchange: Exchange | null = null;
  #judged: Judged | null = null;
  #trailers = '';
  #sentTrailers = '';
  #reading = false;
  /** All of the request has come. */
  #ended: boolean;

  constructor(stream: ServerHttp2Stream, head: RequestHead, plane: Plane, onActivity: () => void) {
    this.#stream = stream;
    this.#head = head;
    this.#plane = plane;
    this.#onActivity = onActivity;
    this.#ended = head.framing.kind === 'none';
    stream.on('error', () => {});
    this.#account.start();
    stream.on('close', () => {
      this.#settle(false);
      this.#exchange?.abort();
      this.#exchange = null;
    });
    stream.on('drain', () => this.#exchange?.responseDrained());
    stream.on('trailers', headers => {
      this.#trailers = trailerLines(headers);
    });
  }

  begin(place: Place & { readonly at: 'tunnel' }): void {
    const snapshot = this.#plane.snapshot();
    const judged = judge(this.#head, place, place.run, snapshot, 'http2');
    this.#judged = judged;
    this.#account.decided();
    const forwarded = forward(this.#head, judged, snapshot, this.#plane.upstreams);
    if (forwarded.ok) this.#exchangeWith(forwarded);
    else {
      this.#plane.refused(place.run, forwarded.refusal);
      this.answer(refusalAnswer(forwarded.refusal, this.#head.accept));
    }
  }

  /** The request is over; told once. `whole`: its answer went out to its end. */
  #settle(whole: boolean): void {
    if (this.#account.open)
      this.#plane.journal.request(this.#account, this.#head, this.#judged, 'http2', whole);
  }

  #exchangeWith({ upstream, head }: Forwarded): void {
    this.#exchange = new Exchange(this, this.#head, upstream, head);
    this.#exchange.start();
  }

  // Node throws where a head cannot be said in HTTP/2 (two values of a field that has one), and where the client
  // has reset the stream but what it sent before is still unread. Neither may reach beyond this stream.

  answerInterim(head: ResponseHead): void {
    if (this.#gone || this.#stream.headersSent) return;
    try {
      this.#stream.additionalHeaders(responseFields(head));
    } catch {
      // An interim answer is a courtesy; the answer itself is still to come.
    }
  }

  answerHead(head: ResponseHead): void {
    this.#account.answering(head.status, this.#exchange?.reuses === true);
    if (this.#gone) return;
    try {
      this.#stream.respond(responseFields(head), {
        endStream: head.framing.kind === 'none',
        waitForTrailers: head.framing.kind === 'chunked',
      });
    } catch (error) {
      this.#exchange?.abort();
      const why = `its head cannot be said in HTTP/2: ${(error as Error).message}`;
      this.answer(failureAnswer('the upstream', { stage: 'unreadable', why }));
      return;
    }
    this.#stream.on('wantTrailers', () => {
      try {
        this.#stream.sendTrailers(streamFields(this.#sentTrailers));
      } catch {
        this.#stream.close(constants.NGHTTP2_INTERNAL_ERROR);
      }
    });
  }

  get #gone(): boolean {
    return this.#stream.destroyed || this.#stream.closed;
  }

  answerData(bytes: Buffer): boolean {
    this.#onActivity();
    this.#account.bytesOut += bytes.length;
    // Whatever is written after the client cancelled goes nowhere, and so holds nothing back.
    return this.#gone || this.#stream.write(bytes);
  }

  answerEnd(trailers: string): void {
    this.#sentTrailers = trailers;
    if (!this.#stream.writableEnded) this.#stream.end();
  }

  answerFlush(): boolean {
    return true;
  }

  answerSwitched(): void {
    throw new Error('HTTP/2 asks for no upgrade');
  }

  pauseRequest(): void {
    this.#stream.pause();
  }

  resumeRequest(): void {
    this.#account.connected();
    if (this.#exchange?.requestDone !== false) return;
    if (!this.#reading) this.#read();
    this.#stream.resume();
  }

  /** From when the upstream is there: until then flow control holds the client back. */
  #read(): void {
    this.#reading = true;
    this.#stream.on('data', (bytes: Buffer) => {
      this.#onActivity();
      this.#account.bytesIn += bytes.length;
      this.#exchange?.requestData(bytes);
    });
    this.#stream.on('end', () => {
      this.#ended = true;
      this.#exchange?.requestEnd(this.#trailers);
    });
  }

  exchangeDone(): void {
    this.#settle(true);
    this.#exchange = null;
    this.#forgetRest();
  }

  answer(answer: Answer): void {
    this.#exchange = null;
    if (this.#stream.headersSent || this.#gone) return this.cut(answer.failure);
    this.#account.status = answer.status;
    this.#account.failure = answer.failure ?? null;
    this.#account.bytesOut = answer.body.length;
    this.#settle(true);
    const headers = Object.fromEntries(answer.fields.map(([name, value]) => [name.toLowerCase(), value]));
    const length = Buffer.byteLength(answer.body);
    this.#stream.respond({ ':status': answer.status, ...headers, 'content-length': length });
    if (this.#head.method === 'HEAD') this.#stream.end();
    else this.#stream.end(answer.body);
    this.#forgetRest();
  }

  /** What the client still sends is not wanted: it is told so, once the answer is out (RFC 9113 8.1). */
  #forgetRest(): void {
    if (this.#ended || this.#stream.destroyed) return;
    this.#stream.removeAllListeners('data');
    if (this.#stream.writableFinished) this.#stream.close(constants.NGHTTP2_NO_ERROR);
    else this.#stream.once('finish', () => this.#stream.close(constants.NGHTTP2_NO_ERROR));
    this.#stream.resume();
  }

  refusedInside(address: string): Answer {
    const record = refusalInside(this.#judged!, address, this.#plane.snapshot());
    this.#account.rule = record.rule;
    this.#plane.refused(this.#judged!.ask.run, record);
    return refusalAnswer(record, this.#head.accept);
  }

  cut(failure: FailureStage | null = null): void {
    this.#exchange = null;
    this.#account.failure = failure;
    this.#settle(false);
    this.#stream.close(constants.NGHTTP2_INTERNAL_ERROR);
  }
}
