// The data plane as one value: listens, owns every client connection, and can be drained.
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import type { SecureContext } from 'node:tls';
import type { LeafCache } from '../certs/cache.ts';
import { type Authority, parseAuthority } from '../policy/authority.ts';
import { decide } from '../policy/decide.ts';
import type { RefusalRecord } from '../policy/refusal.ts';
import type { Run } from '../policy/run.ts';
import type { Snapshot } from '../policy/snapshot.ts';
import { Deadlines } from './deadlines.ts';
import { ClientConnection } from './http1/client.ts';
import type { RequestHead } from './http1/request.ts';
import { CLIENT_CONNECTIONS_MAX, SHUTDOWN_MS_MAX } from './limits.ts';
import type { Plane, TunnelAsked } from './plane.ts';
import { Tunnel } from './tunnel.ts';
import type { Lookup } from './upstream/dial.ts';
import { Upstreams } from './upstream/upstream.ts';

export type ProxyServerOptions = {
  readonly host: string;
  readonly port: number;
  readonly snapshot: () => Snapshot;
  readonly leaves: LeafCache;
  readonly trust: () => SecureContext;
  readonly lookup: Lookup;
  readonly controlSocket: string;
  readonly refused: (run: Run, record: RefusalRecord) => void;
};

const LOOPBACK = /^(127\.\d+\.\d+\.\d+|::1|localhost)$/;

export class ProxyServer implements Plane {
  readonly upstreams: Upstreams;
  readonly deadlines: Deadlines;
  readonly loopback: boolean;
  draining = false;
  readonly #options: ProxyServerOptions;
  readonly #server: Server;

  private constructor(options: ProxyServerOptions) {
    this.#options = options;
    this.loopback = LOOPBACK.test(options.host);
    this.upstreams = new Upstreams({
      trust: options.trust,
      lookup: options.lookup,
      own: () => this.address,
      controlSocket: options.controlSocket,
    });
    this.deadlines = new Deadlines(now => this.upstreams.pool.sweep(now));
    this.#server = createServer({ noDelay: true, keepAlive: true, allowHalfOpen: true }, socket =>
      this.#accept(socket),
    );
    this.#server.maxConnections = CLIENT_CONNECTIONS_MAX;
  }

  static async start(options: ProxyServerOptions): Promise<ProxyServer> {
    const proxy = new ProxyServer(options);
    await new Promise<void>((resolve, reject) => {
      proxy.#server.once('error', reject);
      proxy.#server.listen(options.port, options.host, () => {
        proxy.#server.off('error', reject);
        resolve();
      });
    });
    return proxy;
  }

  get address(): { readonly host: string; readonly port: number } {
    const bound = this.#server.address() as AddressInfo | null;
    return { host: bound?.address ?? this.#options.host, port: bound?.port ?? 0 };
  }

  snapshot(): Snapshot {
    return this.#options.snapshot();
  }

  refused(run: Run, record: RefusalRecord): void {
    this.#options.refused(run, record);
  }

  #accept(socket: Socket): void {
    new ClientConnection(socket, { at: 'proxy' }, this);
  }

  /** A CONNECT is refused itself only where no answer could be given inside: an unreadable authority. */
  tunnelTo(head: RequestHead, run: Run, snapshot: Snapshot): TunnelAsked {
    const authority = parseAuthority(head.target, null);
    if (authority.ok) return { ok: true, authority };
    const decision = decide(
      { method: 'CONNECT', scheme: 'https', authority, path: '', transport: 'raw', run, guest: false },
      snapshot,
    );
    if (decision.to !== 'refuse') throw new Error('policy permitted an authority that nobody can read');
    return { ok: false, refusal: decision.refusal };
  }

  openTunnel(socket: Socket, authority: Authority, run: Run, rest: Buffer): void {
    const { leaves } = this.#options;
    new Tunnel({ socket, authority, run, plane: this, leaves }).feed(rest);
  }

  /** Stops accepting, lets what is in flight finish within SHUTDOWN_MS_MAX, then closes everything. */
  async drain(): Promise<void> {
    this.draining = true;
    const closed = new Promise<void>(resolve => this.#server.close(() => resolve()));
    for (const held of this.deadlines) held.drain();
    const limit = setTimeout(() => {
      for (const held of this.deadlines) held.expire();
    }, SHUTDOWN_MS_MAX);
    await closed;
    clearTimeout(limit);
    this.deadlines.stop();
    this.upstreams.pool.close();
  }
}
