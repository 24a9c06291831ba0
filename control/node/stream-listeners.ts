// The listeners on this machine's loopback for the streams of one world's TCP twins, which a developer's own programs
// are pointed at by variables.
import type { Site } from '../http/site.ts';
import type { TwinInWorld } from '../world/twins/twin-in-world.ts';
import type { StreamAddress, Streams } from './streams.ts';

export class StreamListeners implements AsyncDisposable {
  readonly #streams: Streams;
  readonly #opened = new AsyncDisposableStack();
  readonly #at = new Map<string, StreamAddress>();

  constructor(streams: Streams) {
    this.#streams = streams;
  }

  /** Listens for every twin whose protocol this host speaks. */
  async open(site: Site, twins: readonly TwinInWorld[]): Promise<void> {
    for (const { id, twin } of twins) {
      const stream = site.stream(id, twin.twin.manifest.stream?.id ?? '');
      if (stream === null || !this.#streams.speaks(stream.protocol)) continue;
      this.#at.set(id, this.#opened.use(await this.#streams.listen(stream)).at);
    }
  }

  /** Null where nothing listens for that twin. */
  at(vendor: string): StreamAddress | null {
    return this.#at.get(vendor) ?? null;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#opened.disposeAsync();
  }
}
