// Connections through a world's proxy, for this process's own HTTP clients: a CONNECT for each, made here and not by Node's
// agents. Those know proxies since 24.5 alone, and an older one sends a test's requests to the real vendor instead.
import { Agent, type AgentOptions } from 'node:https';
import { connect as connectInClear, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as connectInTls } from 'node:tls';
import { CONNECT_HEAD_BYTES_MAX } from './limits.ts';

export type ProxyPlace = {
  readonly proxyUrl: string;
  /** PEM of the world's authority. */
  readonly ca: string;
};

type Done = (error: Error | null, socket?: Duplex) => void;

/** Of a client's request, in the words of `node:http` and of undici alike. */
type Asked = {
  readonly host?: string | null | undefined;
  readonly hostname?: string | null | undefined;
  readonly port?: number | string | null | undefined;
  readonly servername?: string | undefined;
};

/** As `https.Agent`; for http: URLs too, where it is told so. */
export class WorldAgent extends Agent {
  readonly #place: ProxyPlace;
  readonly #secure: boolean;

  constructor(place: ProxyPlace, { secure }: { readonly secure: boolean }, options: AgentOptions = {}) {
    super({ keepAlive: true, ...options });
    this.#place = place;
    this.#secure = secure;
    // `node:http` holds an agent against the protocol of its request.
    if (!secure) Object.assign(this, { protocol: 'http:', defaultPort: 80 });
  }

  override createConnection(options: object, done?: unknown): undefined {
    connectThrough(this.#place, options as Asked, this.#secure, done as Done);
  }
}

/** What undici calls a connector. */
export function connectorOf(place: ProxyPlace): (asked: Asked & { protocol: string }, done: Done) => void {
  return (asked, done) => connectThrough(place, asked, asked.protocol === 'https:', done);
}

function connectThrough(place: ProxyPlace, asked: Asked, secure: boolean, done: Done): void {
  const host = (asked.hostname ?? asked.host ?? '').replace(/^\[|\]$/g, '');
  const port = Number(asked.port || (secure ? 443 : 80));
  openTunnel(place.proxyUrl, { host, port }, (error, tunnel) => {
    if (error !== null || !secure) return done(error, tunnel);
    const name = asked.servername || host;
    const socket = connectInTls({
      socket: tunnel as Socket,
      ca: place.ca,
      // No name is sent for an address.
      ...(/^[\d.]+$|:/.test(name) ? { host: name } : { servername: name }),
      ALPNProtocols: ['http/1.1'],
    });
    const failed = (fault: Error): void => done(fault);
    socket.once('error', failed);
    socket.once('secureConnect', () => {
      socket.off('error', failed);
      done(null, socket);
    });
  });
}

function openTunnel(
  proxyUrl: string,
  { host, port }: { readonly host: string; readonly port: number },
  done: Done,
): void {
  const proxy = new URL(proxyUrl);
  const socket = connectInClear(Number(proxy.port), proxy.hostname.replace(/^\[|\]$/g, ''));
  socket.setNoDelay(true);
  const authority = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  const { username, password } = proxy;
  const credentials = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`);
  const who = username === '' ? '' : `Proxy-Authorization: Basic ${credentials.toString('base64')}\r\n`;
  let head = '';
  const end = (error: Error): void => {
    socket.destroy();
    done(error);
  };
  const failed = (error: Error): void => end(error);
  const closed = (): void =>
    end(new Error(`the world's proxy closed the connection for ${authority}: ${head}`.trim()));
  const heard = (): void => {
    for (let chunk: Buffer | null = socket.read(); chunk !== null; chunk = socket.read()) {
      const before = head.length;
      head += chunk.toString('latin1');
      const at = head.indexOf('\r\n\r\n');
      if (at < 0 && head.length < CONNECT_HEAD_BYTES_MAX) continue;
      if (at < 0) return closed();
      // A refusal says why in its body, and closes.
      if (!/^HTTP\/1\.1 200 /.test(head)) continue;
      socket.off('readable', heard);
      socket.off('error', failed);
      socket.off('end', closed);
      const rest = chunk.subarray(at + 4 - before);
      if (rest.length > 0) socket.unshift(rest);
      return done(null, socket);
    }
  };
  socket.once('error', failed);
  socket.once('end', closed);
  socket.on('readable', heard);
  socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n${who}\r\n`);
}
