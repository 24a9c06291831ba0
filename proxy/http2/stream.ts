// One stream of an HTTP/2 client: judged like any request, and run as one exchange.
import { constants, type ServerHttp2Stream } from 'node:http2';
import { type Forwarded, forward, refusalInside } from '../forward.ts';
import { Exchange, type ExchangeClient } from '../http1/exchange.ts';
import type { RequestHead } from '../http1/request.ts';
import type { ResponseHead } from '../http1/response.ts';
import { type Judged, judge, type Place } from '../judge.ts';
import type { Plane } from '../plane.ts';
import { type Answer, refusalAnswer } from '../refuse.ts';
import { responseFields, streamFields, trailerLines } from './head.ts';

export class StreamClient implements ExchangeClient {
  readonly #stream: ServerHttp2Stream;
  readonly #head: RequestHead;
  readonly #plane: Plane;
  readonly #onActivity: () => void;
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
    stream.on('close', () => {
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
    const forwarded = forward(this.#head, judged, snapshot, this.#plane.upstreams);
    if (forwarded.ok) this.#exchangeWith(forwarded);
    else {
      this.#plane.refused(place.run, forwarded.refusal);
      this.answer(refusalAnswer(forwarded.refusal, this.#head.accept));
    }
  }

  #exchangeWith({ upstream, head }: Forwarded): void {
    this.#exchange = new Exchange(this, this.#head, upstream, head);
    this.#exchange.start();
  }

  answerInterim(head: ResponseHead): void {
    if (!this.#stream.headersSent) this.#stream.additionalHeaders(responseFields(head));
  }

  answerHead(head: ResponseHead): void {
    this.#stream.respond(responseFields(head), {
      endStream: head.framing.kind === 'none',
      waitForTrailers: head.framing.kind === 'chunked',
    });
    this.#stream.on('wantTrailers', () => this.#stream.sendTrailers(streamFields(this.#sentTrailers)));
  }

  answerData(bytes: Buffer): boolean {
    this.#onActivity();
    // Whatever is written after the client cancelled goes nowhere, and so holds nothing back.
    return this.#stream.destroyed || this.#stream.write(bytes);
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
    if (this.#exchange?.requestDone !== false) return;
    if (!this.#reading) this.#read();
    this.#stream.resume();
  }

  /** From when the upstream is there: until then flow control holds the client back. */
  #read(): void {
    this.#reading = true;
    this.#stream.on('data', (bytes: Buffer) => {
      this.#onActivity();
      this.#exchange?.requestData(bytes);
    });
    this.#stream.on('end', () => {
      this.#ended = true;
      this.#exchange?.requestEnd(this.#trailers);
    });
  }

  exchangeDone(): void {
    this.#exchange = null;
    this.#forgetRest();
  }

  answer(answer: Answer): void {
    this.#exchange = null;
    if (this.#stream.headersSent || this.#stream.destroyed) return this.cut();
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
    this.#plane.refused(this.#judged!.ask.run, record);
    return refusalAnswer(record, this.#head.accept);
  }

  cut(): void {
    this.#exchange = null;
    this.#stream.close(constants.NGHTTP2_INTERNAL_ERROR);
  }
}
