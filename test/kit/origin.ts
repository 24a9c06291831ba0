// Stand-in upstreams on loopback. `startOrigin` answers with scripted bytes and keeps what it was sent, for
// tests about exact heads, trailers, 1xx, half-closes and resets; `startHttpOrigin` is Node's own server,
// for tests that only need a good answer.
import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TLSSocket } from 'node:tls';
import { within } from './deadline.ts';
import { Peer, PeerGone } from './peer.ts';
import type { TestAuthority } from './test-ca.ts';

export type OriginTls = {
  readonly authority: TestAuthority;
  readonly hosts: readonly string[];
  readonly alpn?: readonly string[];
  /** The leaf's validity; see `TestAuthority.leaf`. */
  readonly days?: number;
};

export type OriginOptions = {
  /** Absent: cleartext. */
  readonly tls?: OriginTls;
  /** Runs once a connection; when it rejects, the connection is reset. Rejecting because the other side left is fine; any other error fails `stop`. */
  readonly script: (peer: Peer, nth: number) => Promise<void>;
};

export type Origin = AsyncDisposable & {
  readonly port: number;
  /** Connections so far, in order of arrival (for TLS: of finished handshakes). */
  readonly connections: readonly Peer[];
  /** The connection of that number, from 0; waits for it. */
  connection(nth: number): Promise<Peer>;
  /** Cuts every connection; rejects with the first script error. */
  stop(): Promise<void>;
};

export async function startOrigin({ tls, script }: OriginOptions): Promise<Origin> {
  const connections: Peer[] = [];
  const failures: unknown[] = [];
  let arrived = Promise.withResolvers<void>();

  const accept = (socket: Socket | TLSSocket): void => {
    const peer = new Peer(socket);
    connections.push(peer);
    arrived.resolve();
    arrived = Promise.withResolvers();
    script(peer, connections.length - 1).catch(error => {
      if (!(error instanceof PeerGone)) failures.push(error);
      peer.reset();
    });
  };
  const server = tls
    ? createTlsServer(
        { ...(await leafOf(tls)), ALPNProtocols: [...(tls.alpn ?? [])], allowHalfOpen: true },
        accept,
      )
    : createServer({ allowHalfOpen: true }, accept);
  const stopListening = await listen(server);

  const nth = async (index: number): Promise<Peer> => {
    while (connections.length <= index) await arrived.promise;
    return connections[index]!;
  };
  const stop = async (): Promise<void> => {
    for (const peer of connections) peer.socket.destroy();
    await stopListening();
    if (failures.length > 0) throw failures[0];
  };
  return {
    port: portOf(server),
    connections,
    connection: index => within(`connection ${index} at the origin`, nth(index)),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

export type HttpOriginOptions = {
  readonly tls?: OriginTls;
  readonly handler: (request: IncomingMessage, response: ServerResponse) => void;
};

export type HttpOrigin = AsyncDisposable & {
  readonly port: number;
  /** Requests so far, oldest first. */
  readonly requests: readonly IncomingMessage[];
  stop(): Promise<void>;
};

export async function startHttpOrigin({ tls, handler }: HttpOriginOptions): Promise<HttpOrigin> {
  const requests: IncomingMessage[] = [];
  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    requests.push(request);
    handler(request, response);
  };
  const server = tls ? createHttpsServer(await leafOf(tls), listener) : createHttpServer(listener);
  const stop = await listen(server);
  return { port: portOf(server), requests, stop, [Symbol.asyncDispose]: stop };
}

function leafOf({ authority, hosts, days }: OriginTls): ReturnType<TestAuthority['leaf']> {
  return authority.leaf(hosts, days === undefined ? {} : { days });
}

/** Listens on loopback; the answer stops it and cuts what is open. */
async function listen(server: Server): Promise<() => Promise<void>> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    // A failed handshake is the tested client's affair, seen there.
    socket.on('error', () => {}).once('close', () => sockets.delete(socket));
  });
  server.on('tlsClientError', () => {});
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return async () => {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    for (const socket of sockets) socket.destroy();
    await within('the origin to close', closed);
  };
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}
