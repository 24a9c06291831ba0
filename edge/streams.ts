// The streams of TCP twins on the edge (4.2, 4.11-4): who speaks which protocol on the bytes of one connection.
import type { Log } from '../control/ports/log.ts';
import type { WireSession } from '../twins/kit/wire.ts';

/** The client's end. */
export type StreamEnd = {
  send(bytes: Uint8Array): void;
  /** After what was sent. */
  end(): void;
  readonly log: Log;
};

export type StreamServer = (
  session: WireSession,
  client: StreamEnd,
) => {
  /** In the order in which they came. */
  readonly take: (bytes: Uint8Array) => void;
  /** The client is gone. */
  readonly over: () => void;
};

/** By `Manifest.protocol`. */
export type StreamServers = { readonly [protocol: string]: StreamServer };
