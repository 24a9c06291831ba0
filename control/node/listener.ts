// The HTTP server of `{base_url}`: the world's endpoints and its twins, by URL.
import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { type AddressInfo, type ListenOptions, Server as NetServer, type Socket } from 'node:net';
import { setTimeout as pass } from 'node:timers/promises';
import { http } from '../../process/http.ts';
import type { Log } from '../ports/log.ts';
import { isLoopback } from './addresses.ts';
import { Crowd } from './crowd.ts';
import { type ExchangeOptions, exchange } from './exchange.ts';
import {
  DRAIN_FIRST_MS,
  DRAIN_LOOK_MS,
  DRAIN_MS_MAX,
  HEAD_BYTES_MAX,
  HEAD_MS_MAX,
  IDLE_CONNECTION_MS_MAX,
  REQUEST_MS_MAX,
} from './limits.ts';
import type { Streams } from './streams.ts';
import { serveUpgrades, WebSockets } from './web-sockets.ts';

/** Takes a request that another process answers; false for one that it does not. */
export type Elsewhere = (
  request: IncomingMessage,
  response: ServerResponse,
  expectsContinue: boolean,
) => boolean;

export type ServerOptions = ExchangeOptions & {
  /** Of a test; what the system's descriptors allow unless given. */
  readonly connectionsMax?: number;
  readonly elsewhere?: Elsewhere;
};

export type ListenerOptions = ExchangeOptions & {
  readonly host: string;
  readonly port: number;
  /** Who speaks on the streams that WebSockets carry; without it a WebSocket is a request like others. */
  readonly streams?: Streams;
  /** Of a test; what the system's descriptors allow unless given. */
  readonly connectionsMax?: number;
};

export type Listener = AsyncDisposable & {
  readonly host: string;
  readonly port: number;
  close(): Promise<void>;
};

/** Rejects with the system's error (`EADDRINUSE`, `EACCES`) when it cannot listen. */
export async function listen({ host, port, streams, ...options }: ListenerOptions): Promise<Listener> {
  const sockets = streams === undefined ? null : new WebSockets({ ...options, streams });
  const loopback = isLoopback(host);
  const server = serverFor({ ...options, loopback }, ...(sockets === null ? [] : [WebSockets.asksForOne]));
  if (sockets !== null) serveUpgrades(server, sockets);
  await bind(server, { host, port }, options.log);
  let closed: Promise<unknown> | null = null;
  const close = async (): Promise<void> => {
    await (closed ??= Promise.all([sockets?.close(), drain(server)]));
  };
  const address = server.address() as AddressInfo;
  return { host, port: address.port, close, [Symbol.asyncDispose]: close };
}

/** Of each server, the connections that are open. */
const ACCEPTED = new WeakMap<Server, ReadonlySet<Socket>>();

/** `upgrades`: which requests go to the server's `upgrade` event; all others are exchanges, whatever they ask. */
export function serverFor(options: ServerOptions, upgrades?: (request: IncomingMessage) => boolean): Server {
  const take = (request: IncomingMessage, response: ServerResponse, expectsContinue: boolean): void => {
    if (crowd.turnsAway(request, response)) return;
    if (options.elsewhere?.(request, response, expectsContinue) === true) return;
    exchange(options, request, response, expectsContinue);
  };
  const server = http.createServer(
    {
      headersTimeout: HEAD_MS_MAX,
      requestTimeout: REQUEST_MS_MAX,
      keepAliveTimeout: IDLE_CONNECTION_MS_MAX,
      maxHeaderSize: HEAD_BYTES_MAX,
      noDelay: true,
      ...(upgrades && { shouldUpgradeCallback: upgrades }),
    },
    (request, response) => take(request, response, false),
  );
  const crowd = new Crowd(server, options.log, options.connectionsMax);
  const accepted = new Set<Socket>();
  ACCEPTED.set(server, accepted);
  server.on('connection', socket => {
    accepted.add(socket);
    socket.once('close', () => accepted.delete(socket));
  });
  server.on('checkContinue', (request, response) => take(request, response, true));
  return server;
}

export async function bind(
  server: Server,
  where: ListenOptions | { readonly fd: number },
  log: Log,
): Promise<void> {
  server.listen(where);
  // Rejects when 'error' comes first.
  await once(server, 'listening');
  // From here on an error is one of accepting (no file descriptors left): the server goes on listening.
  server.on('error', error => log.error({ err: error }, 'a connection could not be accepted'));
}

/**
 * Stops accepting, lets what is in flight finish, then cuts what is left. A client whose connection was accepted a moment ago
 * is about to ask: it is answered too.
 */
export async function drain(server: Server): Promise<void> {
  // That of an HTTP server takes those who have asked nothing yet for idle.
  const closed = new Promise<void>(resolve => NetServer.prototype.close.call(server, () => resolve()));
  const cut = setTimeout(() => server.closeAllConnections(), DRAIN_MS_MAX);
  const until = performance.now() + DRAIN_FIRST_MS;
  const asksYet = (): boolean => [...(ACCEPTED.get(server) ?? [])].some(socket => socket.bytesRead === 0);
  while (asksYet() && performance.now() < until) await pass(DRAIN_LOOK_MS);
  // Whom this cuts had asked nothing in that time.
  server.close(() => {});
  server.closeIdleConnections();
  // One that carried an answer until now idles from then on, and Node would wait for its client to close it.
  const idle = setInterval(() => server.closeIdleConnections(), DRAIN_LOOK_MS);
  await closed;
  clearInterval(idle);
  clearTimeout(cut);
}
