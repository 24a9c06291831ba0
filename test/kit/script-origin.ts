// The other end of the script of requests: an origin over TLS, one in the clear and one of WebSockets, which answer in
// every way that HTTP has, and write down what reached them.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createSecureServer, type Http2SecureServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { createGzip, gzipSync } from 'node:zlib';
import { WebSocketServer } from 'ws';
import { startHttpOrigin } from './origin.ts';
import type { TestAuthority } from './test-ca.ts';

/** Of one hop, and no business of whom it is for. */
const OWN_TO_A_HOP = /^(connection|keep-alive)$/i;
/** Those the proxy writes by itself: their place and their case are its own, their values the client's. */
const WRITTEN_ANEW = /^(host|transfer-encoding)$/i;

export type Seen = { readonly what: string; readonly headers: readonly string[]; readonly body: string };

export type ScriptOrigin = AsyncDisposable & {
  /** `https://diff.test:…`, `http://plain.test:…`, `https://whole.test:…` (HTTP/2 too), `ws://sockets.test:…`. */
  readonly bases: { readonly [name in 'inspected' | 'plain' | 'whole' | 'sockets']: string };
  readonly hosts: readonly string[];
  /** Forgets what it saw until now. */
  begin(): void;
  /** What it saw since, by request: parallel ones come in any order. Waits for whoever gave up to be noticed. */
  saw(): Promise<{ readonly [what: string]: readonly Seen[] }>;
};

class Record {
  seen: Seen[] = [];
  /** Of requests that are being read, and of answers that the client is to give up. */
  ending: Promise<unknown>[] = [];
  /** Answers that wait for the client to say that it has what was sent until now. */
  readonly waiting = new Map<string, () => void>();
}

function shownHeaders(raw: readonly string[]): readonly string[] {
  const pairs = Array.from(
    { length: raw.length / 2 },
    (_, nth) => [raw[2 * nth]!, raw[2 * nth + 1]!] as const,
  );
  const shown = pairs.filter(([name]) => !OWN_TO_A_HOP.test(name));
  const anew = shown.filter(([name]) => WRITTEN_ANEW.test(name));
  return [
    ...anew.map(([name, value]) => `${name.toLowerCase()}: ${value}`).sort(),
    ...shown.filter(([name]) => !WRITTEN_ANEW.test(name)).map(pair => pair.join(': ')),
  ];
}

async function serve(record: Record, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const what = `${request.method} ${request.url}`;
  const hash = createHash('sha256');
  let length = 0;
  const gone = once(response, 'close');
  try {
    for await (const chunk of request) {
      hash.update(chunk);
      length += chunk.length;
    }
  } catch {
    // The client gave up in the middle of its body.
    record.seen.push({ what: `${what} given up`, headers: [], body: '' });
    return;
  }
  const headers = [...shownHeaders(request.rawHeaders), ...request.rawTrailers];
  record.seen.push({ what, headers, body: `${length} ${hash.digest('hex').slice(0, 8)}` });
  const url = new URL(request.url!, 'http://x');
  const answer = ANSWERS[url.pathname];
  if (answer === undefined)
    return void response.end(`${request.method} ${request.url} HTTP/${request.httpVersion}`);
  answer({ record, request, response, url, gone });
}

type Asked = {
  readonly record: Record;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly url: URL;
  readonly gone: Promise<unknown>;
};

const ANSWERS: { readonly [path: string]: (asked: Asked) => void } = {
  '/redirect': ({ response, url }) =>
    response.writeHead(Number(url.searchParams.get('status')), { location: '/landed' }).end('on the way'),
  '/cookies': ({ request, response }) => {
    response.setHeader('Set-Cookie', ['a=1; Path=/', 'b=2; HttpOnly']);
    response.end(request.headers.cookie ?? 'none');
  },
  '/gzip': ({ response }) => {
    response.writeHead(200, { 'content-encoding': 'gzip', 'content-type': 'text/plain' });
    response.end(gzipSync('compressed '.repeat(1_000)));
  },
  '/gzip-stream': ({ response }) => {
    response.writeHead(200, { 'content-encoding': 'gzip' });
    const gzip = createGzip();
    gzip.pipe(response);
    for (let i = 0; i < 50; i++) gzip.write(`line ${i}\n`);
    gzip.end();
  },
  // Each event after the first is sent when the client has said that it has the one before: what is held back on the way
  // would never come.
  '/events': ({ record, response, url }) => {
    const name = url.searchParams.get('name') ?? '';
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    let nth = 0;
    const next = (): void => {
      response.write(`id: ${nth}\ndata: event ${nth}\n\n`);
      nth += 1;
      if (nth < 4) return void record.waiting.set(name, next);
      record.waiting.delete(name);
      response.end();
    };
    next();
  },
  '/heard': ({ record, response, url }) => {
    response.end('go on');
    record.waiting.get(url.searchParams.get('name') ?? '')?.();
  },
  '/large': ({ response }) =>
    response.writeHead(200, { 'content-length': 3_000_000 }).end(Buffer.alloc(3_000_000, 'x')),
  '/endless': ({ record, response, gone }) => {
    record.ending.push(gone);
    response.writeHead(200);
    response.write('first');
  },
  '/empty': ({ response }) => response.writeHead(204).end(),
  '/not-modified': ({ response }) => response.writeHead(304, { etag: '"x"' }).end(),
  '/trailers': ({ response }) => {
    response.writeHead(200, { trailer: 'x-sum' });
    response.write('body');
    response.addTrailers({ 'x-sum': '4' });
    response.end();
  },
  '/status': ({ response, url }) => {
    response.writeHead(Number(url.searchParams.get('code')), 'As It Likes', [
      ...['x-a', '1', 'X-Case', 'Kept', 'x-a', '2', 'X-Last', ' spaced  inside '.trim()],
    ]);
    response.end('said');
  },
  '/hints': ({ response }) => {
    response.writeEarlyHints({ link: '</a.css>; rel=preload' });
    response.end('hinted');
  },
  // The server breaks off: before it has said anything, in a body of known length, in chunks.
  '/hung-up': ({ response }) => response.socket!.destroy(),
  '/short': ({ response }) => {
    response.writeHead(200, { 'content-length': 100 });
    response.write('not all of it', () => response.socket!.destroySoon());
  },
  '/broken-chunks': ({ response }) => {
    response.writeHead(200);
    response.write('a chunk', () => response.socket!.destroySoon());
  },
  '/until-closed': ({ response }) => {
    response.useChunkedEncodingByDefault = false;
    response.shouldKeepAlive = false;
    response.writeHead(200, { connection: 'close' });
    response.end('as long as it lasts');
  },
};

export async function startScriptOrigin(authority: TestAuthority): Promise<ScriptOrigin> {
  await using opened = new AsyncDisposableStack();
  const record = new Record();
  const handler = (request: IncomingMessage, response: ServerResponse): void => {
    record.ending.push(serve(record, request, response));
  };
  const inspected = opened.use(await startHttpOrigin({ tls: { authority, hosts: ['diff.test'] }, handler }));
  const plain = opened.use(await startHttpOrigin({ handler }));
  const whole = createSecureServer({ ...(await authority.leaf(['whole.test'])), allowHTTP1: true });
  // Of HTTP/1 the same objects, and of HTTP/2 others that do the same.
  whole.on('request', handler as never);
  const socketServer = createServer();
  const tellSockets = socketsOn(record, [whole, socketServer]);
  for (const server of [whole, socketServer]) {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    opened.defer(() => {
      server.close();
      if ('closeAllConnections' in server) server.closeAllConnections();
    });
  }
  opened.defer(tellSockets);
  const kept = opened.move();
  const port = (server: Server | Http2SecureServer): number => (server.address() as AddressInfo).port;
  return {
    bases: {
      inspected: `https://diff.test:${inspected.port}`,
      plain: `http://plain.test:${plain.port}`,
      whole: `https://whole.test:${port(whole)}`,
      sockets: `ws://sockets.test:${port(socketServer)}`,
    },
    hosts: ['diff.test', 'plain.test', 'whole.test', 'sockets.test'],
    begin: () => {
      record.seen = [];
      record.ending = [];
    },
    saw: async () => {
      // An answer's end is waited for by what was waited for first.
      for (let nth = 0; nth < record.ending.length; nth++) await record.ending[nth];
      const by = new Map<string, Seen[]>();
      for (const each of record.seen) by.set(each.what, [...(by.get(each.what) ?? []), each]);
      return Object.fromEntries([...by].sort());
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

/** WebSockets that say again what they are told. The answer ends them. */
function socketsOn(record: Record, servers: readonly (Server | Http2SecureServer)[]): () => void {
  const all = servers.map(server => new WebSocketServer({ server: server as Server }));
  for (const sockets of all)
    sockets.on('connection', (socket, request) => {
      const what = `upgrade ${request.url} ${request.headers['sec-websocket-protocol']}`;
      record.seen.push({ what, headers: [], body: '' });
      socket.on('message', (data, binary) => socket.send(data, { binary }));
      socket.on('close', (code, reason) => {
        record.seen.push({ what: `closed ${code} ${reason}`, headers: [], body: '' });
      });
    });
  return () => {
    for (const sockets of all) for (const socket of sockets.clients) socket.terminate();
  };
}
