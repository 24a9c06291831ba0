// What speaks a TCP twin's protocol on this host, and what it has of the host for that.
import type { Duplex } from 'node:stream';
import type { LeafCache } from '../../certs/cache.ts';
import type { WireSession } from '../../twins/kit/wire.ts';
import type { Log } from '../ports/log.ts';

/**
 * Speaks a protocol on one connection, from its first byte to its end; it may speak first. `world`: `<org>/<world>`,
 * for limits that are each world's own. `port`: the vendor's that its client asked for; null where it was pointed elsewhere.
 */
export type StreamServer = (socket: Duplex, session: WireSession, world: string, port: number | null) => void;

export type WireHost = {
  /** For STARTTLS and the like: contexts by the name that the client asked for. */
  readonly contexts: LeafCache;
  readonly log: Log;
};

/** By `Manifest.protocol`; loaded when a twin of the world has that protocol. */
export type StreamServers = { readonly [protocol: string]: () => Promise<(host: WireHost) => StreamServer> };
