// The unix socket that the proxy forwards twin requests to. Its folder is open to this user alone, which is
// why the headers that only the proxy may set are believed here and nowhere else.
import { chmod, rm } from 'node:fs/promises';
import type { ExchangeOptions } from './exchange.ts';
import { bind, drain, serverFor } from './listener.ts';
import { asksForStream, type FindStream, type Streams } from './streams.ts';
import { serveUpgrades, WebSockets } from './web-sockets.ts';

export type TwinsListener = AsyncDisposable & { readonly path: string; close(): Promise<void> };

/** How the proxy's clients reach streams, and the WebSockets of twins. */
export type StreamsForProxy = { readonly streams: Streams; readonly find: FindStream };

/** A socket file that an earlier control left behind is replaced: the caller holds the world's lock. */
export async function listenForTwins(
  path: string,
  options: Omit<ExchangeOptions, 'from'>,
  { streams, find }: StreamsForProxy,
): Promise<TwinsListener> {
  const server = serverFor(
    { ...options, from: 'proxy' },
    request => asksForStream(request) || WebSockets.asksForOne(request),
  );
  const sockets = new WebSockets({ ...options, from: 'proxy', streams });
  serveUpgrades(server, sockets, (request, socket, first) => {
    void streams.hand(request, socket, first, find);
  });
  // The proxy's connections idle between requests for as long as the app does; it closes them by itself.
  server.keepAliveTimeout = 0;
  await rm(path, { force: true });
  await bind(server, { path }, options.log);
  await chmod(path, 0o600);
  const close = async (): Promise<void> => {
    // Their end cannot be known; the server's waits for them.
    streams.cut();
    await Promise.all([sockets.close(), drain(server)]);
  };
  return { path, close, [Symbol.asyncDispose]: close };
}
