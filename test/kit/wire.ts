// The raw client of wire tests: what it sends and what it sees is bytes, so a test can ask for malformed
// heads, early ClientHellos, half-closes, and can assert case, order and framing of what comes back.
import { once } from 'node:events';
import { connect as connectTcp, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { within } from './deadline.ts';
import { type Head, parseHead, statusOf } from './http-text.ts';
import { Peer } from './peer.ts';

/** A plain connection to a port of this machine. */
export async function openWire(port: number): Promise<Peer> {
  return new Peer(await dial(port));
}

export type TlsOptions = {
  /** PEM of the authority that must have signed the leaf. */
  readonly ca: string;
  readonly alpn?: readonly string[];
  /** The SNI and the name verified; the CONNECT host unless told. */
  readonly servername?: string;
};

export type TunnelOptions = {
  /** Absent: bytes go through the tunnel as they are. */
  readonly tls?: TlsOptions;
  /** Extra header lines of the CONNECT, each with its CRLF. */
  readonly headers?: string;
  /** Send the ClientHello in the same packet as the CONNECT, as some clients do. */
  readonly early?: boolean;
};

export type Tunnel = {
  /** The answer to the CONNECT. */
  readonly connect: Head;
  /** What goes through the tunnel; with `tls`, the cleartext inside. */
  readonly peer: Peer;
  readonly alpn: string | null;
};

/** Thrown by `connectTunnel` for an answer other than 2xx; the body, if any, is still to be read. */
export class TunnelRefused extends Error {
  override readonly name = 'TunnelRefused';
  readonly connect: Head;
  readonly peer: Peer;
  constructor(connect: Head, peer: Peer) {
    super(`CONNECT answered: ${connect.start}`);
    this.connect = connect;
    this.peer = peer;
  }
}

export async function connectTunnel(
  proxyPort: number,
  authority: string,
  { tls, headers = '', early = false }: TunnelOptions = {},
): Promise<Tunnel> {
  const ask = `CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n${headers}\r\n`;
  const host = authority.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1');
  if (tls && early) {
    const behind = new BehindConnect(await dial(proxyPort), ask);
    const secure = await handshake(behind, host, tls);
    return { connect: behind.connect!, peer: new Peer(secure), alpn: secure.alpnProtocol || null };
  }
  const peer = await openWire(proxyPort);
  void peer.send(ask);
  const connect = await peer.readHead(`an answer to CONNECT ${authority}`);
  const status = statusOf(connect);
  if (status < 200 || status > 299) throw new TunnelRefused(connect, peer);
  if (!tls) return { connect, peer, alpn: null };
  const secure = await handshake(peer.release(), host, tls);
  return { connect, peer: new Peer(secure), alpn: secure.alpnProtocol || null };
}

async function dial(port: number): Promise<Socket> {
  const socket = connectTcp({ host: '127.0.0.1', port, allowHalfOpen: true, noDelay: true });
  await within(`a connection to port ${port}`, once(socket, 'connect'));
  return socket;
}

async function handshake(socket: Duplex, host: string, tls: TlsOptions): Promise<TLSSocket> {
  const isName = /[a-z]/i.test(host) && !host.includes(':');
  const servername = tls.servername ?? (isName ? host : undefined);
  // Half-open as the socket under it is: a FIN from the proxy leaves our side to the test.
  const secure = connectTls({
    socket,
    ca: tls.ca,
    host,
    ...(servername === undefined ? {} : { servername }),
    ...(tls.alpn ? { ALPNProtocols: [...tls.alpn] } : {}),
  });
  await within(`a TLS handshake with ${host}`, once(secure, 'secureConnect'));
  return secure;
}

/** A socket whose first write is preceded by a CONNECT and whose first bytes in, its answer, are kept apart. */
class BehindConnect extends Duplex {
  connect: Head | null = null;
  readonly #socket: Socket;
  #ask: string;
  #head = '';

  constructor(socket: Socket, ask: string) {
    super({ allowHalfOpen: true });
    this.#socket = socket;
    this.#ask = ask;
    socket.on('data', (bytes: Buffer) => {
      const inner = this.connect ? bytes : this.#splitHead(bytes);
      if (inner.length > 0 && !this.push(inner)) socket.pause();
    });
    socket.on('end', () => this.push(null));
    socket.on('error', error => this.destroy(error));
    socket.on('close', () => this.destroy());
  }

  #splitHead(bytes: Buffer): Buffer {
    this.#head += bytes.toString('latin1');
    const end = this.#head.indexOf('\r\n\r\n') + 4;
    if (end < 4) return Buffer.alloc(0);
    this.connect = parseHead(this.#head.slice(0, end));
    return Buffer.from(this.#head.slice(end), 'latin1');
  }

  override _read(): void {
    this.#socket.resume();
  }

  override _write(bytes: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    const ask = this.#ask;
    this.#ask = '';
    this.#socket.write(ask ? Buffer.concat([Buffer.from(ask, 'latin1'), bytes]) : bytes, done);
  }

  override _final(done: () => void): void {
    this.#socket.end(done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#socket.destroy();
    done(error);
  }
}
