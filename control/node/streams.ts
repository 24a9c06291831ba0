// The streams of TCP twins on this host: whoever brings a connection (the proxy, a listener on loopback, a WebSocket),
// the wire server of the twin's protocol speaks on it, and does in the world what it is asked.
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Authority } from '../../certs/authority.ts';
import { LeafCache } from '../../certs/cache.ts';
import { STREAM_PROTOCOL } from '../../policy/push.ts';
import type { WireSession } from '../../twins/kit/wire.ts';
import type { Stream } from '../http/upgrade.ts';
import type { Log } from '../ports/log.ts';
import { STREAM_CONNECTIONS_MAX } from '../world/limits.ts';
import type { StreamServer, StreamServers, WireHost } from './stream-server.ts';

type StreamPlace = Pick<Stream, 'protocol' | 'world'>;

/** The protocols that this host speaks. */
const SHIPPED: StreamServers = { smtp: async () => (await import('./smtp-wire.ts')).openSmtp };

/** Where a program on this machine reaches a stream. */
export type StreamAddress = { readonly host: string; readonly port: number };

export type StreamListener = AsyncDisposable & { readonly at: StreamAddress };

/** Who the log says it was, where nobody had to say so: that the connection came at all lets it in (4.9). */
const CALLER = 'token';

export type StreamsOptions = {
  readonly authority: Authority;
  readonly log: Log;
  /** In the place of the servers that this host has. */
  readonly servers?: StreamServers;
};

export class Streams {
  readonly #host: WireHost;
  readonly #known: StreamServers;
  readonly #servers = new Map<string, StreamServer>();
  /** Connections by the world that they are to. */
  readonly #open = new Map<string, Set<Duplex>>();

  constructor({ authority, log, servers = SHIPPED }: StreamsOptions) {
    this.#host = { contexts: new LeafCache(authority), log };
    this.#known = servers;
  }

  /** The protocols of the twins that will be served. What this host does not speak stays unknown to it. */
  async load(protocols: readonly string[]): Promise<void> {
    for (const protocol of protocols) {
      if (this.#servers.has(protocol) || !Object.hasOwn(this.#known, protocol)) continue;
      const open = await this.#known[protocol]!();
      this.#servers.set(protocol, open(this.#host));
    }
  }

  /** Connections open now, to whatever world. */
  get open(): number {
    let count = 0;
    for (const sockets of this.#open.values()) count += sockets.size;
    return count;
  }

  isOpenTo(world: string): boolean {
    return this.#open.has(world);
  }

  speaks(protocol: string): boolean {
    return this.#servers.has(protocol);
  }

  /** The stream's twin has a protocol that this host `speaks`. */
  serve(
    { protocol, world }: StreamPlace,
    socket: Duplex,
    session: WireSession,
    port: number | null = null,
  ): void {
    const { log } = this.#host;
    const sockets = this.#open.get(world) ?? new Set();
    if (sockets.size >= STREAM_CONNECTIONS_MAX) {
      log.warn({ protocol, world }, 'too many connections to a world’s streams; one was cut');
      socket.destroy();
      return;
    }
    this.#open.set(world, sockets.add(socket));
    // A client that has said its last is gone: the sockets that HTTP's upgrades leave us would stay half open.
    socket.allowHalfOpen = false;
    socket.on('close', () => {
      sockets.delete(socket);
      // Another connection may have come to the world after the last of these was gone.
      if (sockets.size === 0 && this.#open.get(world) === sockets) this.#open.delete(world);
    });
    socket.on('error', () => socket.destroy());
    try {
      this.#servers.get(protocol)!(socket, session, world, port);
    } catch (error) {
      log.error({ err: error, protocol }, 'a stream ended in a bug');
      socket.destroy();
    }
  }

  /** A listener on this machine's loopback, for programs that are pointed at it by variables. */
  async listen(stream: Stream): Promise<StreamListener> {
    const sockets = new Set<Socket>();
    const server = createServer({ noDelay: true }, socket => {
      sockets.add(socket);
      socket.on('close', () => sockets.delete(socket));
      this.serve(stream, socket, stream.enter(CALLER));
    });
    server.listen({ host: '127.0.0.1', port: 0 });
    await once(server, 'listening');
    server.on('error', error =>
      this.#host.log.error({ err: error }, 'a connection to a stream could not be accepted'),
    );
    const { address, port } = server.address() as AddressInfo;
    return {
      at: { host: address, port },
      [Symbol.asyncDispose]: async () => {
        const closed = once(server, 'close');
        server.close();
        for (const socket of sockets) socket.destroy();
        await closed;
      },
    };
  }

  /** Answers the proxy, which asks for the stream that the client's CONNECT named. */
  async hand(request: IncomingMessage, socket: Duplex, first: Buffer, find: FindStream): Promise<void> {
    socket.on('error', () => socket.destroy());
    const found = await findIn(request.url ?? '', find);
    if (socket.destroyed) return;
    const why =
      found === null
        ? 'a stream was asked for that no twin has'
        : this.speaks(found.protocol)
          ? null
          : `nothing here speaks ${found.protocol}`;
    if (why !== null || found === null) {
      this.#host.log.warn({ target: request.url, host: request.headers['x-wrld-host'] }, why ?? '');
      socket.end('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
      return;
    }
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${STREAM_PROTOCOL}\r\n\r\n`,
    );
    if (first.length > 0) socket.unshift(first);
    const host = request.headers['x-wrld-host'];
    const port = Number((typeof host === 'string' ? /:(\d+)$/.exec(host)?.[1] : undefined) ?? Number.NaN);
    this.serve(found, socket, found.enter(CALLER), Number.isInteger(port) ? port : null);
  }

  /** Of that world, which is gone; or all of them: their end cannot be known, and waiting for it would be long. */
  cut(gone?: string): void {
    for (const [world, sockets] of this.#open)
      if (gone === undefined || world === gone) for (const socket of sockets) socket.destroy();
  }
}

/** What the proxy alone can ask: no client's header of this name comes so far. */
export function asksForStream(request: IncomingMessage): boolean {
  return request.headers.upgrade === STREAM_PROTOCOL && request.headers['x-wrld-scheme'] === 'tcp';
}

/** `Sites.stream`, of a world that is opened first. Never rejects. */
export type FindStream = (
  world: string,
  vendor: string,
  id: string,
) => Stream | null | Promise<Stream | null>;

function findIn(target: string, find: FindStream): ReturnType<FindStream> {
  const [, world, vendor, id] = /^\/([^/]+\/[^/]+)\/([^/]+)\/streams\/([^/]+)$/.exec(target) ?? [];
  return world === undefined ? null : find(world, vendor!, id!);
}
