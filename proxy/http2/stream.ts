// One stream of an HTTP/2 client: its fields and frames. What becomes of its request is served-request.ts's.
import { constants, type ServerHttp2Stream } from 'node:http2';
import type { RequestHead } from '../http1/request.ts';
import type { ResponseHead } from '../http1/response.ts';
import type { TunnelPlace } from '../place.ts';
import type { Plane } from '../plane.ts';
import { type Answer, failureAnswer } from '../refuse.ts';
import { type ClientSide, ServedRequest } from '../served-request.ts';
import { responseFields, streamFields, trailerLines } from './head.ts';

export class StreamClient implements ClientSide {
  readonly #stream: ServerHttp2Stream;
  readonly #head: RequestHead;
  readonly #plane: Plane;
  readonly #request: ServedRequest;
  readonly #onActivity: () => void;
  #trailers = '';
  #sentTrailers = '';
  #reading = false;
  /** All of the request has come. */
  #ended: boolean;

  constructor(stream: ServerHttp2Stream, head: RequestHead, plane: Plane, onActivity: () => void) {
    this.#stream = stream;
    this.#head = head;
    this.#plane = plane;
    this.#request = new ServedRequest(this, plane, 'http2');
    this.#onActivity = onActivity;
    this.#ended = head.framing.kind === 'none';
    this.#request.begin(head);
    stream.on('error', () => {});
    stream.on('close', () => this.#request.gone());
    stream.on('drain', () => this.#request.drained());
    stream.on('trailers', headers => {
      this.#trailers = trailerLines(headers);
    });
  }

  begin(place: TunnelPlace): void {
    this.#request.serve(place, place.run, this.#plane.snapshot());
  }

  get #gone(): boolean {
    return this.#stream.destroyed || this.#stream.closed;
  }

  get answerable(): boolean {
    return !this.#stream.headersSent && !this.#gone;
  }

  // Node throws where a head cannot be said in HTTP/2 (two values of a field that has one), and where the client
  // has reset the stream but what it sent before is still unread. Neither may reach beyond this stream.

  writeInterim(head: ResponseHead): void {
    if (!this.answerable) return;
    try {
      this.#stream.additionalHeaders(responseFields(head));
    } catch {
      // An interim answer is a courtesy; the answer itself is still to come.
    }
  }

  writeHead(head: ResponseHead): void {
    if (this.#gone) return;
    try {
      this.#stream.respond(responseFields(head), {
        endStream: head.framing.kind === 'none',
        waitForTrailers: head.framing.kind === 'chunked',
      });
    } catch (error) {
      const why = `its head cannot be said in HTTP/2: ${(error as Error).message}`;
      this.#request.breakOff(failureAnswer('the upstream', { stage: 'unreadable', why }));
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

  writeData(bytes: Buffer): boolean {
    this.#onActivity();
    // Whatever is written after the client cancelled goes nowhere, and so holds nothing back.
    return this.#gone || this.#stream.write(bytes);
  }

  writeEnd(trailers: string): void {
    this.#sentTrailers = trailers;
    if (!this.#stream.writableEnded) this.#stream.end();
  }

  flush(): boolean {
    return true;
  }

  writeAnswer(answer: Answer): void {
    const headers = Object.fromEntries(answer.fields.map(([name, value]) => [name.toLowerCase(), value]));
    const length = Buffer.byteLength(answer.body);
    this.#stream.respond({ ':status': answer.status, ...headers, 'content-length': length });
    if (this.#head.method === 'HEAD') this.#stream.end();
    else this.#stream.end(answer.body);
    this.#forgetRest();
  }

  answerWritten(): void {
    this.#forgetRest();
  }

  switchTo(): void {
    throw new Error('HTTP/2 asks for no upgrade');
  }

  pauseRequest(): void {
    this.#stream.pause();
  }

  resumeRequest(): void {
    if (this.#request.requestDone) return;
    if (!this.#reading) this.#read();
    this.#stream.resume();
  }

  /** From when the upstream is there: until then flow control holds the client back. */
  #read(): void {
    this.#reading = true;
    this.#stream.on('data', (bytes: Buffer) => {
      this.#onActivity();
      this.#request.bodyData(bytes);
    });
    this.#stream.on('end', () => {
      this.#ended = true;
      this.#request.bodyEnd(this.#trailers);
    });
  }

  /** What the client still sends is not wanted: it is told so, once the answer is out (RFC 9113 8.1). */
  #forgetRest(): void {
    if (this.#ended || this.#stream.destroyed) return;
    this.#stream.removeAllListeners('data');
    if (this.#stream.writableFinished) this.#stream.close(constants.NGHTTP2_NO_ERROR);
    else this.#stream.once('finish', () => this.#stream.close(constants.NGHTTP2_NO_ERROR));
    this.#stream.resume();
  }

  cut(): void {
    this.#stream.close(constants.NGHTTP2_INTERNAL_ERROR);
  }
}
