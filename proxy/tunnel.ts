// What comes after CONNECT: looks at the first bytes, ends the client's TLS with a leaf for the CONNECT's
// host, and hands the connection to the HTTP/1 reader. Anything else is judged as a raw socket and closed.
import { isIP, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { LeafCache } from '../certs/cache.ts';
import type { Scheme } from '../policy/ask.ts';
import type { Authority } from '../policy/authority.ts';
import { decide } from '../policy/decide.ts';
import type { Decision } from '../policy/decision.ts';
import type { Run } from '../policy/run.ts';
import { sniff } from './core/sniff.ts';
import type { Held } from './deadlines.ts';
import { ClientConnection } from './http1/client.ts';
import { Http2Connection } from './http2/connection.ts';
import type { Place } from './judge.ts';
import { HANDSHAKE_MS_MAX } from './limits.ts';
import type { Plane } from './plane.ts';
import { Relay } from './relay.ts';

/** In the order we prefer. A twin speaks both; what is granted is read over HTTP/1.1, and a client that speaks
 * only HTTP/2 is let in to be told so (design.md, ALPN). */
const HTTP2_FIRST = ['h2', 'http/1.1'];
const HTTP1_FIRST = ['http/1.1', 'h2'];

export class Tunnel implements Held {
  deadline: number;
  readonly #authority: Authority;
  readonly #run: Run;
  readonly #plane: Plane;
  readonly #leaves: LeafCache;
  #socket: Socket;
  #seen: Buffer | null = null;

  constructor(options: {
    readonly socket: Socket;
    readonly authority: Authority;
    readonly run: Run;
    readonly plane: Plane;
    readonly leaves: LeafCache;
  }) {
    this.#socket = options.socket;
    this.#authority = options.authority;
    this.#run = options.run;
    this.#plane = options.plane;
    this.#leaves = options.leaves;
    this.deadline = this.#plane.deadlines.now + HANDSHAKE_MS_MAX;
    this.#plane.deadlines.add(this);
    this.#socket.on('data', this.#onData);
    this.#socket.on('end', this.#onEnd);
    this.#socket.on('error', this.#onEnd);
    this.#socket.on('close', this.#onClose);
  }

  /** Bytes that came in the same packet as the CONNECT. */
  feed(bytes: Buffer): void {
    if (bytes.length > 0) this.#onData(bytes);
  }

  drain(): void {
    this.#socket.destroy();
  }

  expire(): void {
    this.#socket.destroy();
  }

  readonly #onData = (chunk: Buffer): void => {
    const bytes = this.#seen === null ? chunk : Buffer.concat([this.#seen, chunk]);
    const carried = sniff(bytes);
    switch (carried) {
      case 'more':
        this.#seen = bytes;
        return;
      case 'tls':
        return this.#secure(bytes);
      case 'http1':
        this.#release(this.#socket);
        return this.#serve(this.#socket, 'http', null).feed(bytes);
      case 'h2c':
        return this.#unread('http2', bytes);
      case 'other':
        return this.#unread('raw', bytes);
    }
  };

  /** The run's own loopback listeners have certificates of their own, which their clients know. */
  #secure(bytes: Buffer): void {
    const own = this.#authority.class === 'loopback' && this.#decide('raw').to === 'tunnel';
    if (own) this.#unread('raw', bytes);
    else this.#terminate(bytes);
  }

  #terminate(bytes: Buffer): void {
    const raw = this.#socket;
    raw.pause();
    this.#release(raw);
    // The hello goes back to where TLS will read it.
    raw.unshift(bytes);
    const tls = new TLSSocket(raw, {
      isServer: true,
      // The leaf is for the CONNECT's host whatever the hello names: what a client says here mints nothing.
      secureContext: this.#leaves.contextFor(this.#authority.host),
      ALPNProtocols:
        this.#plane.snapshot().twins.find(this.#authority.host) === undefined ? HTTP1_FIRST : HTTP2_FIRST,
    });
    this.#socket = tls;
    this.deadline = this.#plane.deadlines.now + HANDSHAKE_MS_MAX;
    this.#plane.deadlines.add(this);
    tls.on('error', this.#onEnd);
    // A server-side TLSSocket that no tls.Server made reports TLS errors by this event alone.
    tls.on('_tlsError', this.#onEnd);
    tls.on('close', this.#onClose);
    tls.once('secure', () => {
      this.#release(tls);
      // Likewise nobody else says that the handshake is over, and HTTP/2 waits until it is.
      (tls as TLSSocket & { secureConnecting: boolean }).secureConnecting = false;
      const stray = strayName(tls, this.#authority);
      if (tls.alpnProtocol === 'h2') new Http2Connection(tls, this.#place('https', stray), this.#plane);
      else this.#serve(tls, 'https', stray);
    });
  }

  #serve(socket: Socket, scheme: Scheme, strayName: string | null): ClientConnection {
    return new ClientConnection(socket, this.#place(scheme, strayName), this.#plane);
  }

  #place(scheme: Scheme, strayName: string | null): Place & { readonly at: 'tunnel' } {
    return { at: 'tunnel', scheme, authority: this.#authority, run: this.#run, strayName };
  }

  #decide(transport: 'raw' | 'http2'): Decision {
    const { port } = this.#authority;
    return decide(
      {
        method: 'CONNECT',
        scheme: port === 80 ? 'http' : 'https',
        authority: this.#authority,
        path: '',
        transport,
        run: this.#run,
        guest: false,
      },
      this.#plane.snapshot(),
    );
  }

  /**
   * Bytes that are no request. Where policy lets them through, they are relayed; otherwise the connection is
   * closed and the record logged, for there is no answer that this client could read.
   */
  #unread(transport: 'raw' | 'http2', bytes: Buffer): void {
    const decision = this.#decide(transport);
    if (decision.to === 'refuse') this.#plane.refused(this.#run, decision.refusal);
    // Only own loopback is relayed here: a passthrough origin's hello must first be seen to name it.
    if (decision.to !== 'tunnel' || !decision.permit.loopback) {
      this.#socket.destroy();
      return;
    }
    const client = this.#socket;
    client.off('data', this.#onData);
    client.pause();
    void this.#plane.upstreams.unread(decision.permit).then(dialled => {
      if (!dialled.ok || client.destroyed) {
        client.destroy();
        if (dialled.ok) dialled.socket.destroy();
        return;
      }
      this.#release(client);
      new Relay(client, dialled.socket, bytes, this.#plane.deadlines);
    });
  }

  #release(socket: Socket): void {
    this.#plane.deadlines.delete(this);
    socket.off('data', this.#onData);
    socket.off('end', this.#onEnd);
    socket.off('error', this.#onEnd);
    socket.off('close', this.#onClose);
  }

  readonly #onEnd = (): void => {
    this.#socket.destroy();
  };

  readonly #onClose = (): void => {
    this.#plane.deadlines.delete(this);
  };
}

/** The hello's server name where it is another than the tunnel's; an address has no server name. */
function strayName(tls: TLSSocket, authority: Authority): string | null {
  const named = (tls as TLSSocket & { readonly servername?: string | false }).servername;
  if (typeof named !== 'string' || named === '') return null;
  const name = named.toLowerCase();
  if (name === authority.host || isIP(name) !== 0) return null;
  return name.endsWith('.') && name.slice(0, -1) === authority.host ? null : name;
}
