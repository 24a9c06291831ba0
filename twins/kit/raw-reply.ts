// The body of an answer as its bytes were, of any twin: what a recording kept. A stream comes in the pieces in which it came,
// each as long after the request as it was then; the delays are counted from one instant, so that none adds to another.
import { fromBase64 } from './base64.ts';
import { READ_BEFORE_CUT_MS } from './limits.ts';
import { Pause } from './pause.ts';
import { type ReplyBody, StreamCut } from './reply.ts';

/** One of the two; neither where there are no bytes. */
type Bytes = { readonly text?: string; readonly base64?: string };

export type RawReply = Bytes & {
  /** Of a stream. `atMs`: after the request, in milliseconds of wall time; they do not go back. */
  readonly chunks?: readonly (Bytes & { readonly atMs: number })[];
  /** The connection was cut after that. */
  readonly cut?: true;
};

/** `from`: the instant that a stream counts from, of `performance`; when it is asked for first unless given. */
export function rawBody({ chunks, cut, ...whole }: RawReply, from?: number): ReplyBody {
  if (chunks !== undefined || cut === true) {
    const pieces = chunks ?? [{ ...whole, atMs: 0 }];
    return {
      [Symbol.asyncIterator]: () =>
        new TimedStream(pieces, { cut: cut === true, from: from ?? performance.now() }),
    };
  }
  return whole.text ?? (whole.base64 === undefined ? null : fromBase64(whole.base64));
}

const bytesOf = ({ text, base64 }: Bytes): Uint8Array =>
  base64 === undefined ? new TextEncoder().encode(text ?? '') : (fromBase64(base64) ?? new Uint8Array());

class TimedStream implements AsyncIterator<Uint8Array> {
  readonly #chunks: NonNullable<RawReply['chunks']>;
  readonly #cut: boolean;
  readonly #from: number;
  #at = 0;
  #left = false;
  readonly #pause = new Pause();

  constructor(
    chunks: NonNullable<RawReply['chunks']>,
    { cut, from }: { readonly cut: boolean; readonly from: number },
  ) {
    this.#chunks = chunks;
    this.#cut = cut;
    this.#from = from;
  }

  async next(): Promise<IteratorResult<Uint8Array>> {
    const chunk = this.#chunks[this.#at];
    if (this.#left) return { done: true, value: undefined };
    if (chunk === undefined) return this.#ended();
    this.#at += 1;
    await this.#until(chunk.atMs);
    return this.#left ? { done: true, value: undefined } : { done: false, value: bytesOf(chunk) };
  }

  async #ended(): Promise<IteratorResult<Uint8Array>> {
    if (this.#cut) await this.#until(performance.now() - this.#from + READ_BEFORE_CUT_MS);
    const left = this.#left;
    this.#left = true;
    if (this.#cut && !left) throw new StreamCut();
    return { done: true, value: undefined };
  }

  async return(): Promise<IteratorResult<Uint8Array>> {
    this.#left = true;
    this.#pause.end();
    return { done: true, value: undefined };
  }

  #until(atMs: number): Promise<void> {
    const ms = atMs - (performance.now() - this.#from);
    if (ms <= 0) return Promise.resolve();
    return this.#pause.for(ms);
  }
}
