// The socket that a proxy forwards twin requests to, where the twins are in a world that is served somewhere else
// (4.2): each request goes on to that world as it came, with the token that lets it in, and so does each upgrade.

import type { IncomingMessage, OutgoingMessage, ServerResponse } from 'node:http';
import { Agent as ClearAgent, type ClientRequest, createServer, request as requestInClear } from 'node:http';
import { request as requestInTls, Agent as TlsAgent } from 'node:https';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream';
import { createWebSocketStream, WebSocket } from 'ws';
import { STREAM_PROTOCOL } from '../../policy/push.ts';
import type { Log } from '../ports/log.ts';
import { bind } from './listener.ts';
import { asksForStream } from './streams.ts';
import { WebSockets } from './web-sockets.ts';

export type FarTwinsOptions = {
  /** Of the unix socket. */
  readonly path: string;
  /** Where the world is served: `https://worlds.example.com`. */
  readonly origin: string;
  readonly token: string;
  readonly log: Log;
};

/** Of one connection, or the proxy's own word for this machine. */
const DROPPED =
  /^(connection|host|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|x-twins-key|x-wrld-.*)$/i;

export async function forwardTwins({ path, origin, token, log }: FarTwinsOptions): Promise<AsyncDisposable> {
  const secure = origin.startsWith('https:');
  const agent = secure ? new TlsAgent({ keepAlive: true }) : new ClearAgent({ keepAlive: true });
  const open = new Set<Duplex>();

  function ask(request: IncomingMessage, more: readonly string[] = []): ClientRequest {
    const headers = ['host', new URL(origin).host, 'x-twins-key', token, ...more];
    for (const [name, value] of fieldsOf(request)) if (!DROPPED.test(name)) headers.push(name, value);
    // Its length is told by a field that went along, or by chunks.
    if (request.headers['transfer-encoding'] !== undefined) headers.push('transfer-encoding', 'chunked');
    const { method = 'GET', url = '/' } = request;
    return (secure ? requestInTls : requestInClear)(`${origin}${url}`, { method, headers, agent });
  }

  function forward(request: IncomingMessage, response: ServerResponse): void {
    const asked = ask(request);
    asked.on('response', answer => {
      const headers = fieldsOf(answer).filter(([name]) => !DROPPED.test(name));
      response.writeHead(answer.statusCode ?? 502, headers.flat());
      // A stream's first byte may be a while.
      response.flushHeaders();
      pipeline(answer, response, error => {
        if (error) response.destroy();
      });
    });
    asked.on('error', (error: NodeJS.ErrnoException) => {
      if (response.headersSent) {
        response.destroy();
        return;
      }
      log.warn({ err: error }, 'the world did not answer');
      // A cut that the twin means reads like any other; the proxy cuts its client on this.
      if (error.code === 'ECONNRESET') response.writeHead(502, { 'x-wrld-fault': 'reset' }).end();
      else response.writeHead(502).end(`The world at ${origin} does not answer: ${error.message}\n`);
    });
    response.on('close', () => asked.destroy());
    pipeline(request, asked as OutgoingMessage & NodeJS.WritableStream, () => {});
  }

  const server = createServer(
    { shouldUpgradeCallback: request => asksForStream(request) || WebSockets.asksForOne(request) },
    forward,
  );
  server.on('checkContinue', (request, response) => {
    response.writeContinue();
    forward(request, response);
  });
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, first: Buffer) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
    socket.on('error', () => socket.destroy());
    if (first.length > 0) socket.unshift(first);
    if (asksForStream(request)) return carry(request, socket);
    const asked = ask(request, ['connection', 'Upgrade', 'upgrade', 'websocket']);
    asked.on('upgrade', (answer, far, early) => {
      if (early.length > 0) far.unshift(early);
      socket.write(headOf(answer, 'Switching Protocols'));
      join(socket, far);
    });
    asked.on('response', answer => {
      socket.write(headOf(answer, 'Refused', ['connection', 'close']));
      answer.pipe(socket);
    });
    asked.on('error', () => socket.destroy());
    asked.end();
  });

  /** `/<org>/<world>/<vendor>/streams/<id>` here is a WebSocket there. */
  function carry(request: IncomingMessage, socket: Duplex): void {
    const [, world, vendor] = /^\/([^/]+\/[^/]+)\/([^/]+)\/streams\//.exec(request.url ?? '') ?? [];
    const ws = new WebSocket(`${origin.replace(/^http/, 'ws')}/-/${world}/streams/${vendor}`, {
      perMessageDeflate: false,
    });
    ws.on('error', error => {
      log.warn({ err: error }, 'a stream of the world could not be opened');
      socket.destroy();
    });
    ws.on('open', () => {
      ws.send(token);
      socket.write(
        `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${STREAM_PROTOCOL}\r\n\r\n`,
      );
      join(socket, createWebSocketStream(ws));
    });
    socket.on('close', () => ws.close());
  }

  await bind(server, { path }, log);
  return {
    [Symbol.asyncDispose]: async () => {
      for (const socket of open) socket.destroy();
      const closed = new Promise<void>(resolve => server.close(() => resolve()));
      server.closeAllConnections();
      agent.destroy();
      await closed;
    },
  };
}

function join(near: Duplex, far: Duplex): void {
  near.allowHalfOpen = far.allowHalfOpen = false;
  pipeline(near, far, near, () => {
    near.destroy();
    far.destroy();
  });
}

function fieldsOf({ rawHeaders }: IncomingMessage): (readonly [name: string, value: string])[] {
  return Array.from({ length: rawHeaders.length / 2 }, (_, at) => [
    rawHeaders[2 * at]!,
    rawHeaders[2 * at + 1]!,
  ]);
}

/** As it came, but for how its body is framed: that ends with the connection. */
function headOf(answer: IncomingMessage, otherwise: string, more: readonly string[] = []): string {
  const { statusCode = 502, statusMessage } = answer;
  const fields = fieldsOf(answer).filter(
    ([name]) => statusCode === 101 || !/^(connection|keep-alive|transfer-encoding)$/i.test(name),
  );
  if (more.length > 0) fields.push([more[0]!, more[1]!]);
  const lines = fields.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return `HTTP/1.1 ${statusCode} ${statusMessage || otherwise}\r\n${lines}\r\n`;
}
