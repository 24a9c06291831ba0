// TCP twins: the proxy asks for a twin's stream by an upgrade on the socket for twins, and from then on the bytes
// of the app's connection are the twin's. Wire servers are host code (sockets, timers): a table of this host.
import { type IncomingMessage, type Server, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { STREAM_PROTOCOL } from '../../policy/push.ts';
import type { Manifest } from '../../twins/kit/manifest.ts';
import type { Log } from '../ports/log.ts';

/** Speaks a twin's protocol on one connection, from its first byte to its end; it may speak first. */
export type StreamServer = (socket: Duplex) => void;

/** By the vendor that the twin's manifest names. */
export type StreamServers = { readonly [vendor: string]: StreamServer };

/** The protocols that this host speaks. */
export const STREAM_SERVERS: StreamServers = {};

export type StreamOptions = {
  /** `<org>/<world>`. */
  readonly world: string;
  /** The twin of that name in this world. */
  readonly manifest: (twin: string) => Manifest | undefined;
  readonly servers: StreamServers;
  readonly log: Log;
};

/** What the proxy alone can ask: no client's header of this name comes so far. */
export function asksForStream(request: IncomingMessage): boolean {
  return request.headers.upgrade === STREAM_PROTOCOL && request.headers['x-wrld-scheme'] === 'tcp';
}

/** Answers upgrades on `server`; the answer cuts the streams that are open. */
export function serveStreams(server: Server, options: StreamOptions): () => void {
  const open = new Set<Duplex>();
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, first: Buffer) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
    socket.on('error', () => socket.destroy());
    const serve = find(request.url ?? '', options);
    if (typeof serve === 'string') {
      options.log.warn({ target: request.url, host: request.headers['x-wrld-host'] }, serve);
      return answer(socket, 404);
    }
    socket.write(
      `HTTP/1.1 101 ${STATUS_CODES[101]}\r\nConnection: Upgrade\r\nUpgrade: ${STREAM_PROTOCOL}\r\n\r\n`,
    );
    if (first.length > 0) socket.unshift(first);
    try {
      serve(socket);
    } catch (error) {
      options.log.error({ err: error, target: request.url }, 'a stream ended in a bug');
      socket.destroy();
    }
  });
  return () => {
    for (const socket of open) socket.destroy();
  };
}

/** The server of the stream that was asked for, or why there is none. */
function find(target: string, { world, manifest, servers }: StreamOptions): StreamServer | string {
  const prefix = `/${world}/`;
  const [, twin, stream] =
    (target.startsWith(prefix) && /^([^/]+)\/streams\/([^/]+)$/.exec(target.slice(prefix.length))) || [];
  if (twin === undefined) return 'a stream was asked for at a path that has none';
  const found = manifest(twin);
  if (found?.stream?.id !== stream) return `the twin ${twin} has no stream of this name`;
  return Object.hasOwn(servers, found!.vendor)
    ? servers[found!.vendor]!
    : `nothing here speaks the protocol of the twin ${twin}`;
}

function answer(socket: Duplex, status: number): void {
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`);
}
