// WebSockets of this host (ws): those of twins, whose messages are transactions of their world, and those that carry
// the bytes of a stream (4.2). Every one ends when its client is gone, its credential is, or the listener closes.
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { createWebSocketStream, type RawData, type WebSocket, WebSocketServer } from 'ws';
import { http } from '../../process/http.ts';
import { type Reply, withRetryAfter } from '../../twins/kit/reply.ts';
import { RETRY_SECONDS } from '../http/answer.ts';
import type { Arrived } from '../http/arrived.ts';
import type { Admitting } from '../http/sites.ts';
import { type SocketWire, TwinSocketRun } from '../http/twin-socket.ts';
import type { UpgradeAdmission } from '../http/upgrade.ts';
import type { Log } from '../ports/log.ts';
import {
  SOCKET_IDLE_MS_MAX,
  SOCKET_MESSAGE_BYTES_MAX,
  SOCKET_PING_MS,
  SOCKETS_MAX,
  STREAM_TOKEN_MS_MAX,
} from '../world/limits.ts';
import { isLoopback } from './addresses.ts';
import { SOCKET_CLOSE_MS_MAX } from './limits.ts';
import type { Streams } from './streams.ts';

export type WebSocketOptions = {
  readonly site: Admitting;
  readonly from: Arrived['from'];
  readonly streams: Streams;
  readonly log: Log;
  readonly limits?: Partial<WebSocketLimits>;
  /** As `ExchangeOptions` has them. */
  readonly loopback?: boolean;
  readonly behindFront?: boolean;
};

export type WebSocketLimits = {
  /** Of one world at once. */
  readonly sockets: number;
  readonly pingMs: number;
  readonly idleMs: number;
  readonly tokenMs: number;
};

const LIMITS: WebSocketLimits = {
  sockets: SOCKETS_MAX,
  pingMs: SOCKET_PING_MS,
  idleMs: SOCKET_IDLE_MS_MAX,
  tokenMs: STREAM_TOKEN_MS_MAX,
};

type Admitted = Exclude<UpgradeAdmission, { at: 'answered' }>;
type Held = { readonly ws: WebSocket; readonly world: string; stands: () => boolean };

// RFC 6455, 7.4.1.
const GOING_AWAY = 1001;
const POLICY_VIOLATION = 1008;
export class WebSockets {
  readonly #options: WebSocketOptions;
  readonly #limits: WebSocketLimits;
  readonly #held = new Set<Held>();
  readonly #protocols = new WeakMap<IncomingMessage, string | null>();
  readonly #server: WebSocketServer;
  #closing = false;

  constructor(options: WebSocketOptions) {
    this.#options = options;
    this.#limits = { ...LIMITS, ...options.limits };
    options.site.onGone?.(world => void this.#end('the world is gone', world));
    this.#server = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      perMessageDeflate: false,
      maxPayload: SOCKET_MESSAGE_BYTES_MAX,
      handleProtocols: (_offered, request) => this.#protocols.get(request) ?? false,
    });
  }

  /** Whether a request is one for a WebSocket: what else asks for an upgrade is a request like others. */
  static asksForOne({ headers }: IncomingMessage): boolean {
    return headers.upgrade?.toLowerCase() === 'websocket';
  }

  take(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on('error', () => socket.destroy());
    const { site, from, behindFront } = this.#options;
    const admission = site.upgrade({
      method: request.method ?? 'GET',
      target: request.url ?? '/',
      rawHeaders: request.rawHeaders,
      from,
      local:
        behindFront === true
          ? this.#options.loopback === true
          : isLoopback(request.socket.remoteAddress ?? ''),
    });
    if (admission.at === 'opening') {
      void admission.opened.then(() => this.take(request, socket, head));
      return;
    }
    if (admission.at === 'answered') return answer(socket, admission.reply);
    if (!isHandshake(request)) return answer(socket, NO_HANDSHAKE);
    if (this.#closing || this.#count(admission.world) >= this.#limits.sockets)
      return answer(socket, tooMany(this.#limits));
    void this.#open(admission, request, socket, head);
  }

  async #open(admission: Admitted, request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    try {
      if (admission.at === 'stream') {
        const ws = await this.#shake(request, socket, head, admission);
        return this.#carry(ws, admission);
      }
      const opened = await admission.open();
      if ('status' in opened) return answer(socket, opened);
      this.#protocols.set(request, opened.protocol);
      if (socket.destroyed) return await opened.closed();
      const ws = await this.#shake(request, socket, head, admission);
      runTwinSocket(ws.ws, new TwinSocketRun(wireOf(ws.ws), opened, this.#options.log));
    } catch (error) {
      this.#options.log.error({ err: error, world: admission.world }, 'a WebSocket ended in a bug');
      socket.destroy();
    }
  }

  #shake(
    request: IncomingMessage,
    socket: Duplex,
    head: Buffer,
    { world, ...admission }: Admitted,
  ): Promise<Held> {
    return new Promise(resolve => {
      this.#server.handleUpgrade(request, socket, head, ws => {
        const held: Held = { ws, world, stands: admission.at === 'socket' ? admission.stands : () => true };
        this.#hold(held);
        resolve(held);
      });
    });
  }

  /** Ends it when it is dead, idle, or no longer let in. */
  #hold(held: Held): void {
    const { ws } = held;
    const { pingMs, idleMs } = this.#limits;
    this.#held.add(held);
    let answered = true;
    let idleSince = Date.now();
    const used = (): void => {
      idleSince = Date.now();
    };
    ws.on('pong', () => {
      answered = true;
    });
    ws.on('message', used);
    ws.on('error', () => ws.terminate());
    const watch = setInterval(() => {
      if (!answered) return ws.terminate();
      if (!stillStands(held)) return ws.close(POLICY_VIOLATION, 'the credential is no longer good');
      if (Date.now() - idleSince > idleMs) return ws.close(GOING_AWAY, 'idle for too long');
      answered = false;
      ws.ping();
    }, pingMs);
    ws.on('close', () => {
      clearInterval(watch);
      this.#held.delete(held);
    });
    if (this.#closing) ws.close(GOING_AWAY, 'the world is shutting down');
  }

  /** 4.2: the first message is a token, and what follows are the bytes of a TCP connection, both ways. */
  #carry(held: Held, { protocol, enter, stands }: Extract<Admitted, { at: 'stream' }>): void {
    const { ws, world } = held;
    const { streams } = this.#options;
    const late = setTimeout(() => ws.close(POLICY_VIOLATION, 'no token came'), this.#limits.tokenMs);
    ws.on('close', () => clearTimeout(late));
    ws.once('message', (data: RawData) => {
      clearTimeout(late);
      const token = bytesOf(data).toString('utf8');
      const session = enter(token);
      if (session === null) return ws.close(POLICY_VIOLATION, 'this token opens no stream');
      if (!streams.speaks(protocol)) return ws.close(POLICY_VIOLATION, `nothing here speaks ${protocol}`);
      held.stands = () => stands(token);
      // At once: a message that came together with the token is the stream's first.
      streams.serve({ protocol, world }, createWebSocketStream(ws), session);
    });
  }

  #count(world: string): number {
    let count = 0;
    for (const held of this.#held) if (held.world === world) count += 1;
    return count;
  }

  /** Ends every one with 1001; resolves when they are closed. */
  async close(): Promise<void> {
    this.#closing = true;
    await this.#end('the world is shutting down');
  }

  async #end(why: string, gone?: string): Promise<void> {
    const ending = [...this.#held].filter(({ world }) => gone === undefined || world === gone);
    const closed = ending.map(({ ws }) => {
      const cut = setTimeout(() => ws.terminate(), SOCKET_CLOSE_MS_MAX);
      const end = new Promise<void>(resolve => ws.once('close', () => resolve()));
      ws.close(GOING_AWAY, why);
      return end.finally(() => clearTimeout(cut));
    });
    await Promise.all(closed);
  }
}

function runTwinSocket(ws: WebSocket, run: TwinSocketRun): void {
  ws.on('message', (data: RawData, binary: boolean) => {
    const bytes = bytesOf(data);
    run.message(binary ? new Uint8Array(bytes) : bytes.toString('utf8'), bytes.length);
  });
  ws.on('close', () => run.gone());
  run.start();
}

function wireOf(ws: WebSocket): SocketWire {
  return {
    send: message => new Promise(resolve => ws.send(message, () => resolve())),
    close: (code, reason) => ws.close(code, reason),
    cut: () => ws.terminate(),
    pace: behind => {
      if (behind && !ws.isPaused) ws.pause();
      else if (!behind && ws.isPaused) ws.resume();
    },
  };
}

function bytesOf(data: RawData): Buffer {
  if (Array.isArray(data)) return Buffer.concat(data);
  return Buffer.isBuffer(data) ? data : Buffer.from(data);
}

/** A world that was closed meanwhile lets nobody in. */
function stillStands({ stands }: Held): boolean {
  try {
    return stands();
  } catch {
    return false;
  }
}

/** What ws itself would refuse: asked before the twin is, which would else have answered for nothing. */
function isHandshake({ headers, method }: IncomingMessage): boolean {
  const key = headers['sec-websocket-key'];
  const version = headers['sec-websocket-version'];
  return (
    method === 'GET' &&
    typeof key === 'string' &&
    /^[+/0-9A-Za-z]{22}==$/.test(key) &&
    (version === '13' || version === '8')
  );
}

const NO_HANDSHAKE = plain(400, 'This is no WebSocket handshake (RFC 6455).');

function tooMany({ sockets }: WebSocketLimits): Reply {
  return withRetryAfter(plain(503, `A world has at most ${sockets} WebSockets at once.`), RETRY_SECONDS);
}

function plain(status: number, message: string): Reply {
  return { status, headers: [['content-type', 'text/plain; charset=utf-8']], body: `${message}\n` };
}

function answer(socket: Duplex, { status, headers, body }: Reply): void {
  const text = typeof body === 'string' ? Buffer.from(body) : body instanceof Uint8Array ? body : NOTHING;
  const fields = headers
    .filter(([name]) => !/^(content-length|connection|transfer-encoding)$/i.test(name))
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');
  socket.write(
    `HTTP/1.1 ${status} ${http.STATUS_CODES[status] ?? ''}\r\n${fields}content-length: ${text.length}\r\nconnection: close\r\n\r\n`,
    'latin1',
  );
  socket.end(text);
}

const NOTHING = new Uint8Array(0);

/** Answers the upgrades that `server` is asked for: WebSockets by `sockets`, other protocols by `others`. */
export function serveUpgrades(
  server: Server,
  sockets: WebSockets,
  others?: (request: IncomingMessage, socket: Duplex, head: Buffer) => void,
): void {
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (WebSockets.asksForOne(request)) sockets.take(request, socket, head);
    else if (others !== undefined) others(request, socket, head);
    else socket.destroy();
  });
}
