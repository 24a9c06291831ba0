// The attacher's side of a stream (4.2): a listener on this machine's loopback, each connection to it a WebSocket of
// the world, so that a client that knows nothing of worlds connects to the host and the port its variables name.
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { pipeline } from 'node:stream/promises';
import type { Environment } from './environment.ts';

export type StreamPlace = { readonly host: string; readonly port: number };

/** The variables of a stream in the order of the twin's manifest: the host's, then the port's. */
export function streamVariables(names: readonly string[], at: StreamPlace | undefined): Environment {
  const [host, port] = names;
  if (at === undefined || host === undefined || port === undefined) return {};
  return { [host]: at.host, [port]: String(at.port) };
}

/** The `streams` of a world's manifest (2.4), as far as an attacher uses them. */
export type StreamsOfWorld = {
  readonly [vendor: string]: {
    readonly url: string;
    readonly env: readonly string[];
    /** Where it listens on the world's own machine already. */
    readonly listen?: StreamPlace;
  };
};

export type StreamListeners = AsyncDisposable & {
  readonly set: Environment;
  /** Of this machine's loopback. */
  readonly ports: readonly number[];
};

/** A listener for every stream, and the variables that point clients at the listeners. `worldUrl`: as the attacher found the world. */
export async function listenForStreams(
  streams: StreamsOfWorld,
  { worldUrl, ...asked }: { readonly worldUrl: string } & Pick<StreamAsked, 'token' | 'tell'>,
): Promise<StreamListeners> {
  await using opened = new AsyncDisposableStack();
  const set: { [name: string]: string } = {};
  const ports: number[] = [];
  for (const { url, env } of Object.values(streams)) {
    // The world's own idea of its address may be another.
    const at = new URL(new URL(url).pathname, worldUrl);
    at.protocol = at.protocol === 'https:' ? 'wss:' : 'ws:';
    const listener = opened.use(await listenForStream({ url: at.href, ...asked }));
    Object.assign(set, streamVariables(env, listener.at));
    ports.push(listener.at.port);
  }
  const kept = opened.move();
  return { set, ports, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

export type StreamListener = AsyncDisposable & { readonly at: StreamPlace };

export type StreamAsked = {
  /** Of the WebSocket: `ws://…/-/<org>/<world>/streams/<id>`. */
  readonly url: string;
  readonly token: string;
  /** Why a connection ended that the world did not want. */
  readonly tell: (line: string) => void;
};

export async function listenForStream({ url, token, tell }: StreamAsked): Promise<StreamListener> {
  // Most worlds have no streams that somebody has to listen for.
  const { createWebSocketStream, WebSocket } = await import('ws');
  const open = new Set<Socket>();
  const server = createServer({ noDelay: true, allowHalfOpen: false }, socket => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
    socket.on('error', () => socket.destroy());
    // Past whatever proxy this process's own environment names: ws asks for none.
    const ws = new WebSocket(url, { perMessageDeflate: false });
    ws.on('error', error => {
      tell(`${url}: ${error.message}`);
      socket.destroy();
    });
    ws.on('close', (code, reason) => {
      if (code !== 1000 && code !== 1005 && code !== 1006) tell(`${url}: ${reason.toString() || code}`);
      socket.end();
    });
    socket.on('close', () => ws.close());
    ws.on('open', () => {
      ws.send(token);
      // Each side is read as fast as the other takes it.
      const stream = createWebSocketStream(ws);
      pipeline(socket, stream, socket).catch(() => socket.destroy());
    });
  });
  server.listen({ host: '127.0.0.1', port: 0 });
  await once(server, 'listening');
  // From here on an error is one of accepting (no file descriptors left): it goes on listening.
  server.on('error', error => tell(`a connection could not be accepted: ${error.message}`));
  const { address, port } = server.address() as AddressInfo;
  return {
    at: { host: address, port },
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const socket of open) socket.destroy();
      await closed;
    },
  };
}
