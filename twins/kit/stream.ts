// A streamed answer: its frames are made while the twin answers, and sent at the pace that a handler asks for. A
// client that leaves ends it here, at its source: no timer outlives it.

import type { Pace, StreamEnding } from './generative.ts';
import { READ_BEFORE_CUT_MS, STREAM_STALL_MS_MAX } from './limits.ts';
import { Pause } from './pause.ts';
import { StreamCut } from './reply.ts';

/** Characters of a piece of a tool call's arguments when nothing else is asked for. */
const ARGUMENT_PIECE_CHARS = 16;

export type Frame = {
  readonly text: string;
  /** A piece of the answer: these are delayed and counted; what is around them is not. */
  readonly piece: boolean;
};

type Step = { readonly waitMs: number; readonly text: string };
type End = 'done' | 'stall' | 'cut';

/**
 * `failure` writes an error in the vendor's stream format. Where nothing is to be waited for, frames are sent
 * together.
 */
export function streamOf(
  frames: readonly Frame[],
  pace: Pace,
  ending: StreamEnding | null,
  failure: (error: Exclude<StreamEnding, string>) => string,
): AsyncIterable<Uint8Array> {
  const steps: { waitMs: number; text: string }[] = [];
  const add = (text: string, waitMs: number): void => {
    const last = steps.at(-1);
    if (waitMs === 0 && last !== undefined) last.text += text;
    else steps.push({ waitMs, text });
  };
  const cutAt = pace.cutAfterChunks ?? Number.POSITIVE_INFINITY;
  const lastPiece = frames.findLastIndex(({ piece }) => piece);
  let pieces = 0;
  let end: End = 'done';
  for (const [index, { text, piece }] of frames.entries()) {
    const closing = index > lastPiece;
    // Cut after its pieces: nothing of what would close the answer is sent.
    if (closing ? ending !== null || pieces >= cutAt : piece && pieces >= cutAt) {
      if (ending === 'timeout') end = 'stall';
      else if (ending === null || ending === 'reset') end = 'cut';
      else add(failure(ending), pieces === 0 ? 0 : pace.chunkDelayMs);
      break;
    }
    add(text, !piece ? 0 : pieces === 0 ? pace.firstDelayMs : pace.chunkDelayMs);
    if (piece) pieces += 1;
  }
  return { [Symbol.asyncIterator]: () => new PacedStream(steps, end) };
}

class PacedStream implements AsyncIterator<Uint8Array> {
  readonly #steps: readonly Step[];
  readonly #end: End;
  readonly #encoder = new TextEncoder();
  #at = 0;
  #left = false;
  readonly #pause = new Pause();

  constructor(steps: readonly Step[], end: End) {
    this.#steps = steps;
    this.#end = end;
  }

  async next(): Promise<IteratorResult<Uint8Array>> {
    const step = this.#steps[this.#at];
    if (this.#left) return { done: true, value: undefined };
    if (step === undefined) {
      this.#at = this.#steps.length;
      if (this.#end !== 'done')
        await this.#pause.for(this.#end === 'stall' ? STREAM_STALL_MS_MAX : READ_BEFORE_CUT_MS);
      const left = this.#left;
      this.#left = true;
      if (this.#end !== 'done' && !left) throw new StreamCut();
      return { done: true, value: undefined };
    }
    this.#at += 1;
    if (step.waitMs > 0) await this.#pause.for(step.waitMs);
    if (this.#left) return { done: true, value: undefined };
    return { done: false, value: this.#encoder.encode(step.text) };
  }

  async return(): Promise<IteratorResult<Uint8Array>> {
    this.#left = true;
    this.#pause.end();
    return { done: true, value: undefined };
  }
}

/** A text as the pieces of a stream: as the handler cut it, every so many characters, or word by word. */
export function piecesOf(text: string, { chunks, chunkSize }: Pace): readonly string[] {
  if (chunks !== null) return chunks;
  if (chunkSize !== null) return every(text, chunkSize);
  return text.match(/\s*\S+\s*$|\s*\S+|\s+/g) ?? [];
}

/** Arguments of a tool call come in pieces of characters, which no reader can take for JSON. */
export function argumentPiecesOf(text: string, { chunkSize }: Pace): readonly string[] {
  return every(text, chunkSize ?? ARGUMENT_PIECE_CHARS);
}

/** By code points, so that no piece ends within one. */
function every(text: string, size: number): readonly string[] {
  const points = [...text];
  const pieces: string[] = [];
  for (let at = 0; at < points.length; at += size) pieces.push(points.slice(at, at + size).join(''));
  return pieces;
}
