// How a request of a world's client gets to the shard that has the world, and its answer back: as they came, but for what is of
// one connection alone. A WebSocket's bytes are passed on both ways.
import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { http } from '../../../../process/http.ts';
import { problem } from '../../../http/answer.ts';
import { REQUEST_BODY_BYTES_MAX } from '../../../world/limits.ts';
import { discardBody } from '../../exchange.ts';
import { DISCARDED_BODY_BYTES_MAX } from '../../limits.ts';
import { PIPE_CLOSE_MS_MAX, SHARD_CONNECTIONS_KEPT_MAX } from './limits.ts';
import type { Shard } from './shard.ts';

/** The world that is asked, and its shard. */
export type Way = { readonly shard: Shard; readonly world: string };

const OF_A_CONNECTION = /^(?:connection|keep-alive|transfer-encoding)$/i;
const OF_A_CLIENT = /^(?:connection|keep-alive)$/i;
const FRAMES = /^(?:content-length|transfer-encoding)$/i;
const WITHOUT_BODY = /^(?:GET|HEAD|DELETE|OPTIONS|TRACE)$/;

export class Passage {
  readonly #agent = new http.Agent({ keepAlive: true, maxFreeSockets: SHARD_CONNECTIONS_KEPT_MAX });
  readonly #pipes = new Set<Duplex>();

  /** `expectsContinue`: the client waits for a 100, which is the shard's to send. */
  pass(
    { shard, world }: Way,
    request: IncomingMessage,
    response: ServerResponse,
    expectsContinue: boolean,
  ): void {
    void shard.ready().then(ready => {
      if (response.destroyed) return;
      if (ready) this.#send({ shard, world }, request, response, expectsContinue);
      else refuse(request, response, AWAY);
    });
  }

  #send(
    { shard, world }: Way,
    request: IncomingMessage,
    response: ServerResponse,
    expectsContinue: boolean,
  ): void {
    const begun = shard.asked(world);
    const held = expectsContinue || isLarge(request);
    const outgoing = http.request({
      agent: this.#agent,
      socketPath: shard.socket,
      method: request.method ?? 'GET',
      path: request.url ?? '/',
      setHost: false,
      headers: headersOf(request, held && !expectsContinue),
    });
    if (!held) sendBody(request, outgoing);
    else {
      outgoing.flushHeaders();
      outgoing.once('continue', () => {
        if (expectsContinue) response.writeContinue();
        sendBody(request, outgoing);
      });
    }
    outgoing.once('response', incoming => {
      begun();
      // It wants no more of the body.
      if (incoming.headers.connection === 'close' && !request.readableEnded) {
        request.unpipe(outgoing);
        discardBody(request, response, held);
      }
      relay(incoming, response);
    });
    outgoing.on('error', () => {
      if (response.headersSent || response.destroyed) return begun();
      // A fault that its twin has on purpose is the client's to see; one of the process is ours to tell of.
      void shard.lives().then(lives => {
        begun();
        if (lives) response.socket?.resetAndDestroy();
        else refuse(request, response, ENDED);
      });
    });
    // Who leaves is seen leaving by the world.
    response.once('close', () => {
      if (!response.writableFinished) outgoing.destroy();
      begun();
    });
  }

  /** As `pass`, of what asks for a WebSocket. */
  upgrade({ shard }: Way, request: IncomingMessage, client: Duplex, head: Buffer): void {
    this.#pipes.add(client);
    client.once('close', () => this.#pipes.delete(client));
    client.on('error', () => client.destroy());
    void shard.ready().then(ready => {
      if (client.destroyed) return;
      if (ready) join(client, connect(shard.socket), Buffer.concat([headOf(request), head]));
      else client.end(AWAY_TEXT);
    });
  }

  /** Resolves when no WebSocket is left: their shards end them, or they are cut. */
  async close(): Promise<void> {
    const pipes = [...this.#pipes];
    const cut = setTimeout(() => {
      for (const pipe of pipes) pipe.destroy();
    }, PIPE_CLOSE_MS_MAX);
    await Promise.all(pipes.map(pipe => new Promise<void>(resolve => pipe.once('close', () => resolve()))));
    clearTimeout(cut);
  }

  /** No connection to a shard is kept. */
  end(): void {
    this.#agent.destroy();
  }
}

const AWAY = problem(
  503,
  'shard-away',
  'The process that serves this world ended, and is being started again; ask again in a moment.',
  { headers: [['retry-after', '1']] },
);
const ENDED = problem(
  503,
  'shard-ended',
  'The process that serves this world ended while it was asked; whether this was done cannot be known. Look, and ask again.',
  { headers: [['retry-after', '1']] },
);
const AWAY_TEXT =
  'HTTP/1.1 503 Service Unavailable\r\nretry-after: 1\r\ncontent-length: 0\r\nconnection: close\r\n\r\n';

/** Of what the client sends, but for its connection: that to the shard is another, and is kept. */
function headersOf({ method = 'GET', rawHeaders }: IncomingMessage, expects: boolean): readonly string[] {
  const passed: string[] = [];
  let framed = WITHOUT_BODY.test(method);
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!;
    if (OF_A_CLIENT.test(name)) continue;
    framed ||= FRAMES.test(name);
    passed.push(name, rawHeaders[at + 1]!);
  }
  // Node would send a body that has no end yet.
  if (!framed) passed.push('content-length', '0');
  if (expects) passed.push('expect', '100-continue');
  return passed;
}

/** The shard may refuse it before it is here, and close: what is written to it then would take the answer along. */
function isLarge({ headers }: IncomingMessage): boolean {
  return (
    headers['transfer-encoding'] !== undefined ||
    Number(headers['content-length'] ?? 0) > DISCARDED_BODY_BYTES_MAX
  );
}

/** No more of it than any request may have: the shard answers then, and reads no further. */
function sendBody(request: IncomingMessage, outgoing: ClientRequest): void {
  const { headers } = request;
  if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) {
    outgoing.end();
    return;
  }
  let size = 0;
  request.pipe(outgoing);
  // After the pipe's own: the piece that is too much goes, and nothing after it.
  request.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > REQUEST_BODY_BYTES_MAX) request.unpipe(outgoing);
  });
}

function relay(incoming: IncomingMessage, response: ServerResponse): void {
  if (response.destroyed) {
    incoming.destroy();
    return;
  }
  const { statusCode = 502, statusMessage, rawHeaders, headers } = incoming;
  const passed: string[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (!OF_A_CONNECTION.test(rawHeaders[at]!)) passed.push(rawHeaders[at]!, rawHeaders[at + 1]!);
  if (headers.connection === 'close') response.shouldKeepAlive = false;
  response.writeHead(statusCode, statusMessage, passed);
  response.flushHeaders();
  // What came before a cut still goes out, and is seen to be cut.
  incoming.once('error', () => response.socket?.destroySoon());
  incoming.pipe(response);
}

function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers, body }: ReturnType<typeof problem>,
): void {
  if (response.headersSent || response.destroyed) return;
  request.unpipe();
  request.resume();
  const text = Buffer.from(String(body));
  response.shouldKeepAlive = false;
  response.writeHead(status, [...headers.flat(), 'content-length', String(text.length)]);
  response.end(text);
}

function headOf({ method, url, rawHeaders }: IncomingMessage): Buffer {
  let text = `${method} ${url} HTTP/1.1\r\n`;
  for (let at = 0; at < rawHeaders.length; at += 2) text += `${rawHeaders[at]}: ${rawHeaders[at + 1]}\r\n`;
  return Buffer.from(`${text}\r\n`, 'latin1');
}

function join(client: Duplex, shard: Socket, first: Buffer): void {
  shard.on('error', () => client.destroy());
  shard.on('close', () => client.destroy());
  client.on('close', () => shard.destroy());
  shard.write(first);
  shard.pipe(client);
  client.pipe(shard);
}
