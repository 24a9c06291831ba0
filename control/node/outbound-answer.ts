// The body of an answer to a request of the world's own, read as its reader takes it; and letting go of one.

import type { ClientRequest, IncomingMessage } from 'node:http';
import { OUTBOUND_DISCARDED_BYTES_MAX } from './limits.ts';

export class AnswerBody implements AsyncIterableIterator<Uint8Array> {
  readonly #request: ClientRequest;
  readonly #response: IncomingMessage;
  readonly #timeoutMs: number;
  readonly #chunks: AsyncIterator<Buffer>;
  #begun = false;

  /** `timeoutMs`: between two reads. */
  constructor(request: ClientRequest, response: IncomingMessage, timeoutMs: number) {
    this.#request = request;
    this.#response = response;
    this.#timeoutMs = timeoutMs;
    this.#chunks = response[Symbol.asyncIterator]();
    // A reader is told by its read; that nobody reads is no error.
    response.on('error', () => {});
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Uint8Array>> {
    this.#begun = true;
    const silent = setTimeout(() => {
      this.#response.destroy(new Error(`No bytes within ${this.#timeoutMs} ms.`));
    }, this.#timeoutMs);
    try {
      const next = await this.#chunks.next();
      if (next.done === true) this.#request.destroy();
      return next.done === true ? { done: true, value: undefined } : next;
    } finally {
      clearTimeout(silent);
    }
  }

  async return(): Promise<IteratorResult<Uint8Array>> {
    this.#begun = true;
    this.#request.destroy();
    return { done: true, value: undefined };
  }

  /** What is short is read to its end, so that its sender is not cut off in the middle of it. */
  discard(): void {
    if (this.#begun) return void this.#request.destroy();
    this.#begun = true;
    let bytes = 0;
    const late = setTimeout(() => this.#request.destroy(), this.#timeoutMs).unref();
    this.#response.on('data', (chunk: Buffer) => {
      if ((bytes += chunk.length) > OUTBOUND_DISCARDED_BYTES_MAX) this.#request.destroy();
    });
    this.#response.on('close', () => clearTimeout(late));
  }
}
