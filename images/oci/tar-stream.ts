// A tar archive as it comes, piece by piece: each entry, and the bytes of each file, as they are read.
import { TAR_BLOCK_BYTES, type TarEntry, TarHeads } from './tar-heads.ts';

export type TarSink = {
  entry(entry: TarEntry): void;
  /** Of the entry that was named last. */
  bytes(part: Buffer): void;
  /** All of its bytes were there. */
  done(): void;
};

export class TarStream {
  readonly #sink: TarSink;
  readonly #heads = new TarHeads(true);
  #at: 'head' | 'about' | 'passed' | 'bytes' | 'padding' = 'head';
  #ended = false;
  /** Bytes until the next thing begins, and those that follow them to the end of a block. */
  #left = TAR_BLOCK_BYTES;
  #padding = 0;
  #held: Buffer[] = [];

  constructor(sink: TarSink) {
    this.#sink = sink;
  }

  /** What follows the archive's end is passed over. @throws where it is no such archive */
  write(chunk: Buffer): void {
    for (let at = 0; at < chunk.length && !this.#ended; ) {
      const part = chunk.subarray(at, at + this.#left);
      at += part.length;
      this.#left -= part.length;
      if (this.#at === 'bytes') this.#sink.bytes(part);
      else if (this.#at === 'head' || this.#at === 'about') this.#held.push(part);
      while (this.#left === 0 && !this.#ended) this.#next();
    }
  }

  end(): void {
    if (this.#ended || (this.#at === 'head' && this.#held.length === 0)) return;
    throw new Error('it ends in the middle of a file');
  }

  #next(): void {
    const bytes = Buffer.concat(this.#held);
    this.#held = [];
    if (this.#at === 'head') return this.#head(bytes);
    if (this.#at === 'about') this.#heads.take(bytes);
    if (this.#at === 'bytes') this.#sink.done();
    if (this.#at === 'padding') this.#await('head', TAR_BLOCK_BYTES);
    else this.#await('padding', this.#padding);
  }

  #head(block: Buffer): void {
    const head = this.#heads.read(block);
    if (head.what === 'end') {
      this.#ended = true;
      return;
    }
    const { size } = head.what === 'about' ? head : head.entry;
    this.#padding = (TAR_BLOCK_BYTES - (size % TAR_BLOCK_BYTES)) % TAR_BLOCK_BYTES;
    if (head.what === 'entry') {
      this.#sink.entry(head.entry);
      this.#await('bytes', size);
    } else this.#await(head.wanted ? 'about' : 'passed', size);
  }

  #await(at: 'head' | 'about' | 'passed' | 'bytes' | 'padding', bytes: number): void {
    this.#at = at;
    this.#left = bytes;
  }
}
