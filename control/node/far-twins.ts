// The socket that a proxy forwards twin requests to, where the twins are in a world that is served somewhere else
// (4.2): each request goes on to that world as it came, with the token that lets it in, and so does each upgrade.

import type { Agent, ClientRequest, IncomingMessage, OutgoingMessage, ServerResponse } from 'node:http';
import { request as requestInTls, Agent as TlsAgent } from 'node:https';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream';
import { createWebSocketStream, WebSocket } from 'ws';
import { STREAM_PROTOCOL } from '../../policy/push.ts';
import { http } from '../../process/http.ts';
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

/** Whose requests and bytes go to the far world. */
class FarTwins {
  readonly #origin: string;
  readonly #token: string;
  readonly #log: Log;
  readonly #request: typeof http.request;
  readonly #agent: Agent;
  /** Connections that were upgraded; a server does not end those by itself. */
  readonly #open = new Set<Duplex>();

  constructor({ origin, token, log }: Omit<FarTwinsOptions, 'path'>) {
    const secure = origin.startsWith('https:');
    this.#origin = origin;
    this.#token = token;
    this.#log = log;
    this.#request = secure ? requestInTls : http.request;
    this.#agent = secure ? new TlsAgent({ keepAlive: true }) : new http.Agent({ keepAlive: true });
  }

  forward(request: IncomingMessage, response: ServerResponse): void {
    const asked = this.#ask(request);
    asked.on('response', answer => {
      const headers = fieldsOf(answer).filter(([name]) => !DROPPED.test(name));
      response.writeHead(answer.statusCode ?? 502, headers.flat());
      // A stream's first byte may be a while.
      response.flushHeaders();
      pipeline(answer, response, error => {
        if (error) response.destroy();
      });
    });
    asked.on('error', (error: NodeJS.ErrnoException) => this.#fail(error, response));
    response.on('close', () => asked.destroy());
    pipeline(request, asked as OutgoingMessage & NodeJS.WritableStream, () => {});
  }

  upgrade(request: IncomingMessage, socket: Duplex, first: Buffer): void {
    this.#open.add(socket);
    socket.on('close', () => this.#open.delete(socket));
    socket.on('error', () => socket.destroy());
    if (first.length > 0) socket.unshift(first);
    if (asksForStream(request)) return this.#carry(request, socket);
    const asked = this.#ask(request, ['connection', 'Upgrade', 'upgrade', 'websocket']);
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
  }

  /** Ends the upgraded connections, and the requests that the far world has not answered. */
  cut(): void {
    for (const socket of this.#open) socket.destroy();
    this.#agent.destroy();
  }

  #ask(request: IncomingMessage, more: readonly string[] = []): ClientRequest {
    const headers = ['host', new URL(this.#origin).host, 'x-twins-key', this.#token, ...more];
    for (const [name, value] of fieldsOf(request)) if (!DROPPED.test(name)) headers.push(name, value);
    // Its length is told by a field that went along, or by chunks.
    if (request.headers['transfer-encoding'] !== undefined) headers.push('transfer-encoding', 'chunked');
    const { method = 'GET', url = '/' } = request;
    return this.#request(`${this.#origin}${url}`, { method, headers, agent: this.#agent });
  }

  #fail(error: NodeJS.ErrnoException, response: ServerResponse): void {
    if (response.headersSent) {
      response.destroy();
      return;
    }
    this.#log.warn({ err: error }, 'the world did not answer');
    // A cut that the twin means reads like any other; the proxy cuts its client on this.
    if (error.code === 'ECONNRESET') response.writeHead(502, { 'x-wrld-fault': 'reset' }).end();
    else response.writeHead(502).end(`The world at ${this.#origin} does not answer: ${error.message}\n`);
  }

  /** `/<org>/<world>/<vendor>/streams/<id>` here is a WebSocket there. */
  #carry(request: IncomingMessage, socket: Duplex): void {
    const [, world, vendor] = /^\/([^/]+\/[^/]+)\/([^/]+)\/streams\//.exec(request.url ?? '') ?? [];
    const ws = new WebSocket(`${this.#origin.replace(/^http/, 'ws')}/-/${world}/streams/${vendor}`, {
      perMessageDeflate: false,
    });
    ws.on('error', error => {
      this.#log.warn({ err: error }, 'a stream of the world could not be opened');
      socket.destroy();
    });
    ws.on('open', () => {
      ws.send(this.#token);
      socket.write(
        `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${STREAM_PROTOCOL}\r\n\r\n`,
      );
      join(socket, createWebSocketStream(ws));
    });
    socket.on('close', () => ws.close());
  }
}

export async function forwardTwins({ path, ...options }: FarTwinsOptions): Promise<AsyncDisposable> {
  const twins = new FarTwins(options);
  const server = http.createServer(
    { shouldUpgradeCallback: request => asksForStream(request) || WebSockets.asksForOne(request) },
    (request, response) => twins.forward(request, response),
  );
  server.on('checkContinue', (request, response) => {
    response.writeContinue();
    twins.forward(request, response);
  });
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, first: Buffer) =>
    twins.upgrade(request, socket, first),
  );
  await bind(server, { path }, options.log);
  return {
    [Symbol.asyncDispose]: async () => {
      const closed = new Promise<void>(resolve => server.close(() => resolve()));
      server.closeAllConnections();
      twins.cut();
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
