// Opens what a client of a proxy opens: TCP, CONNECT, TLS with the chain and the host verified.
import { connect as connectTcp, type Socket } from 'node:net';
import {
  connect as connectTls,
  createSecureContext,
  type DetailedPeerCertificate,
  type SecureContext,
  type TLSSocket,
} from 'node:tls';

/** The origin that kept-alive measures ask. */
export const HOST = 'bench.test';

const DIAL_MS_MAX = 20_000;

/** Where requests go. */
export type Route = {
  /** The proxy's port, or with `tunnel: false` that of the server itself. */
  readonly port: number;
  readonly tunnel: boolean;
  /** True for a server that speaks HTTP in the clear; `ca` is then of no use. */
  readonly plain?: boolean;
  /** PEM of the one authority that may have signed what the client sees: proof of who terminated TLS. */
  readonly ca: string;
  /** The origin's port, named in the CONNECT and in Host. */
  readonly originPort: number;
};

const UNREAD = {} as DetailedPeerCertificate;

const contexts = new Map<string, SecureContext>();

export function dial(route: Route, host: string): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const socket = connectTcp({ port: route.port, host: '127.0.0.1', noDelay: true });
  const fail = (error: Error): void => {
    socket.destroy();
    reject(error);
  };
  socket.setTimeout(DIAL_MS_MAX, () => fail(new Error(`no tunnel to ${host} within ${DIAL_MS_MAX} ms`)));
  socket.once('error', fail);
  socket.once('close', () => fail(new Error(`the connection for ${host} closed`)));
  const secure = (): void => {
    const tls: TLSSocket = connectTls({
      socket,
      servername: host,
      secureContext: contextOf(route.ca),
      checkServerIdentity: () =>
        tls.getPeerX509Certificate()?.checkHost(host) ? undefined : new Error(`a leaf not for ${host}`),
    });
    // Node translates the whole chain to objects before it asks; that is a quarter of this client's cost of a
    // connection, and the check above does not read it.
    tls.getPeerCertificate = () => UNREAD;
    tls.once('error', fail);
    tls.once('secureConnect', () => {
      socket.setTimeout(0);
      socket.removeAllListeners('timeout').off('error', fail);
      tls.off('error', fail);
      resolve(tls);
    });
  };
  const dialled = (): void => {
    socket.setTimeout(0);
    socket.removeAllListeners('timeout').off('error', fail);
    resolve(socket);
  };
  if (route.plain === true) socket.once('connect', dialled);
  else if (!route.tunnel) socket.once('connect', secure);
  else socket.once('connect', () => askTunnel(socket, `${host}:${route.originPort}`, secure, fail));
  return promise;
}

function askTunnel(socket: Socket, authority: string, done: () => void, fail: (error: Error) => void): void {
  let head = '';
  const read = (bytes: Buffer): void => {
    head += bytes.toString('latin1');
    const end = head.indexOf('\r\n\r\n') + 4;
    if (end < 4) return;
    socket.off('data', read).pause();
    if (!/^HTTP\/1\.[01] 200/.test(head)) fail(new Error(`CONNECT answered ${head.slice(0, 200)}`));
    else done();
  };
  socket.on('data', read);
  socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`);
}

function contextOf(ca: string): SecureContext {
  let context = contexts.get(ca);
  if (context === undefined) contexts.set(ca, (context = createSecureContext({ ca, ecdhCurve: 'X25519' })));
  return context;
}

/** A plain read of that path, as latin1. */
export function getRequest(host: string, port: number, path: string): string {
  const fields = ['User-Agent: bench', 'Accept: */*', 'Authorization: Bearer sk_test_0123456789abcdef'];
  return `GET ${path} HTTP/1.1\r\nHost: ${host}:${port}\r\n${fields.join('\r\n')}\r\n\r\n`;
}
