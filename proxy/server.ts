// The data plane as one value: listens, owns every client connection, and can be drained.
import { rm } from 'node:fs/promises';
import { type AddressInfo, createServer, type ListenOptions, type Server, type Socket } from 'node:net';
import type { SecureContext } from 'node:tls';
import type { LeafCache } from '../certs/cache.ts';
import type { RefusalRecord } from '../policy/refusal.ts';
import type { Run } from '../policy/run.ts';
import type { Snapshot } from '../policy/snapshot.ts';
import { Deadlines } from './deadlines.ts';
import { ClientConnection } from './http1/client.ts';
import type { RequestHead } from './http1/request.ts';
import { Journal } from './journal.ts';
import { LIMITS, type Limits, SHUTDOWN_MS_MAX, TURNED_AWAY_MAX } from './limits.ts';
import { Metrics } from './metrics.ts';
import { metricsText } from './metrics-text.ts';
import { ownPage } from './own-pages.ts';
import type { Place, TunnelAsk } from './place.ts';
import type { Plane } from './plane.ts';
import type { Answer } from './refuse.ts';
import { TokenBucket } from './token-bucket.ts';
import { Tunnel } from './tunnel.ts';
import { turnAway } from './turn-away.ts';
import type { Lookup } from './upstream/dial.ts';
import type { NextProxies } from './upstream/next-proxy.ts';
import { Upstreams } from './upstream/upstream.ts';

export type ProxyServerOptions = {
  readonly host: string;
  readonly port: number;
  /** Where guests come in (7.2 `guest-*`): plain HTTP requests only. Null: nowhere. */
  readonly guestPort: number | null;
  /** Unix socket on which contained runs come in; nowhere unless given. */
  readonly runsSocket?: string | null;
  /** The proxies that the machine itself reaches the internet by. */
  readonly nextProxies: NextProxies;
  readonly snapshot: () => Snapshot;
  readonly leaves: LeafCache;
  readonly trust: () => SecureContext;
  readonly lookup: Lookup;
  readonly controlSocket: string;
  readonly refused: (run: Run, record: RefusalRecord, agent: string | null) => void;
  /** Metrics without lines unless given. */
  readonly journal?: Journal;
  /** The metrics of all workers, this one's among them, where there are several. */
  readonly allMetrics?: readonly Metrics[];
  readonly warn?: (fields: object, message: string) => void;
  readonly limits?: Partial<Limits>;
  /** Other workers listen on the same port. */
  readonly reusePort?: boolean;
};

/** What is told of in the log by its count. */
type Told = 'mints' | 'connections' | 'descriptors';

const LOOPBACK = /^(127\.\d+\.\d+\.\d+|::1|localhost)$/;

export class ProxyServer implements Plane {
  readonly upstreams: Upstreams;
  readonly deadlines: Deadlines;
  readonly loopback: boolean;
  readonly journal: Journal;
  readonly limits: Limits;
  draining = false;
  readonly #options: ProxyServerOptions;
  readonly #server: Server;
  readonly #guests: Server;
  readonly #runs: Server;
  readonly #mints: TokenBucket;
  /** Tunnels open by name of run. */
  readonly #tunnels = new Map<string, number>();
  /** Client connections open. */
  #open = 0;
  /** Counts as they were when they were last told of. */
  readonly #told: { [what in Told]: number } = { mints: 0, connections: 0, descriptors: 0 };

  private constructor(options: ProxyServerOptions) {
    this.#options = options;
    this.journal = options.journal ?? new Journal(new Metrics(), null);
    this.limits = { ...LIMITS, ...options.limits };
    this.loopback = LOOPBACK.test(options.host);
    this.upstreams = new Upstreams({
      trust: options.trust,
      lookup: options.lookup,
      nextProxies: options.nextProxies,
      own: () => [this.#server, this.#guests].map(portOf),
      controlSocket: options.controlSocket,
      connectionsMax: () => Math.min(this.limits.upstreamConnections, this.limits.connections - this.#open),
    });
    this.deadlines = new Deadlines(this.limits.sweepMs, now => this.#sweep(now));
    this.#mints = new TokenBucket({
      perSecond: this.limits.leafMintsPerSecond,
      burst: this.limits.leafMintsBurst,
      now: this.deadlines.now,
    });
    this.#server = this.#listener({ at: 'proxy', guest: false });
    this.#guests = this.#listener({ at: 'proxy', guest: true });
    this.#runs = this.#listener({ at: 'proxy', guest: false, contained: true });
  }

  #listener(place: Place): Server {
    const { metrics } = this.journal;
    const { clientConnections, connections } = this.limits;
    const server = createServer({ noDelay: true, keepAlive: true, allowHalfOpen: true }, socket => {
      if (this.#open >= Math.min(clientConnections, connections - this.upstreams.open)) {
        metrics.add('connectionsRefused');
        turnAway(socket);
        return;
      }
      this.#open++;
      metrics.add('connections');
      metrics.move('connectionsOpen', 1);
      socket.once('close', () => {
        this.#open--;
        metrics.move('connectionsOpen', -1);
      });
      new ClientConnection(socket, place, this);
    });
    server.maxConnections = clientConnections + TURNED_AWAY_MAX;
    server.on('drop', () => metrics.add('connectionsRefused'));
    // Once it listens, an error is one of accepting; it goes on listening.
    server.on('error', () => metrics.add('acceptsFailed'));
    return server;
  }

  #sweep(now: number): void {
    this.upstreams.pool.sweep(now);
    this.#gauge();
    const { metrics } = this.journal;
    const { leafMintsPerSecond, clientConnections } = this.limits;
    const tell = (what: Told, count: number, limit: number | null, message: string): void => {
      const more = count - this.#told[what];
      if (more > 0) this.#options.warn?.({ count: more, ...(limit === null ? {} : { limit }) }, message);
      this.#told[what] = count;
    };
    const mints = metrics.counter('leafMintsRefused');
    tell('mints', mints, leafMintsPerSecond, 'tunnels closed: too many new hosts in a short time');
    const connections = metrics.counter('connectionsRefused');
    tell('connections', connections, clientConnections, 'connections refused: too many at once (ulimit -n)');
    const descriptors = metrics.counter('acceptsFailed') + metrics.stage('descriptors');
    tell('descriptors', descriptors, null, 'no file descriptors left for connections (ulimit -n)');
  }

  #gauge(): void {
    const { metrics } = this.journal;
    const { unread, version } = this.snapshot();
    metrics.set('upstreamsIdle', this.upstreams.pool.idle);
    metrics.set('leavesHeld', this.#options.leaves.size);
    metrics.set('snapshotVersion', unread === null ? version : 0);
  }

  static async start(options: ProxyServerOptions): Promise<ProxyServer> {
    const proxy = new ProxyServer(options);
    const { host, port, guestPort, runsSocket = null, reusePort = false } = options;
    await bind(proxy.#server, { host, port, reusePort });
    if (guestPort !== null) await bind(proxy.#guests, { host, port: guestPort, reusePort });
    if (runsSocket !== null) {
      // What a proxy that was killed left behind; whoever started this one knows that there is no other.
      await rm(runsSocket, { force: true });
      await bind(proxy.#runs, { path: runsSocket });
    }
    return proxy;
  }

  get address(): { readonly host: string; readonly port: number } {
    const bound = this.#server.address() as AddressInfo | null;
    return { host: bound?.address ?? this.#options.host, port: bound?.port ?? 0 };
  }

  /** Null where there is no guest listener. */
  get guestPort(): number | null {
    return this.#guests.listening ? portOf(this.#guests) : null;
  }

  snapshot(): Snapshot {
    return this.#options.snapshot();
  }

  refused(run: Run, record: RefusalRecord, agent: string | null): void {
    this.#options.refused(run, record, agent);
  }

  mayTunnel(run: Run): boolean {
    if ((this.#tunnels.get(run.name) ?? 0) < this.limits.tunnelsPerRun) return true;
    this.journal.metrics.add('tunnelsRefused');
    return false;
  }

  openTunnel(socket: Socket, ask: TunnelAsk, rest: Buffer): void {
    const { metrics } = this.journal;
    const { name } = ask.run;
    metrics.add('tunnels');
    metrics.move('tunnelsOpen', 1);
    this.#tunnels.set(name, (this.#tunnels.get(name) ?? 0) + 1);
    socket.once('close', () => {
      metrics.move('tunnelsOpen', -1);
      const left = this.#tunnels.get(name)! - 1;
      if (left > 0) this.#tunnels.set(name, left);
      else this.#tunnels.delete(name);
    });
    new Tunnel({ socket, ask, plane: this }).open(rest);
  }

  leafFor(host: string): SecureContext | null {
    const { leaves } = this.#options;
    if (leaves.has(host)) return leaves.contextFor(host);
    const may = this.#mints.take(performance.now());
    this.journal.metrics.add(may ? 'leafMints' : 'leafMintsRefused');
    return may ? leaves.contextFor(host) : null;
  }

  ownPage(head: RequestHead, peer: string | undefined): Answer | null {
    const snapshot = this.snapshot();
    const metrics = (): string => {
      this.#gauge();
      return metricsText(Metrics.sum(this.#options.allMetrics ?? [this.journal.metrics]), snapshot.epoch);
    };
    return ownPage(head, { peer, snapshot, metrics });
  }

  /** Stops accepting, lets what is in flight finish within `ms`, then closes everything. */
  async drain(ms: number = SHUTDOWN_MS_MAX): Promise<void> {
    this.draining = true;
    const closed = Promise.all([this.#server, this.#guests, this.#runs].map(close));
    for (const held of this.deadlines) held.drain();
    const limit = setTimeout(() => {
      for (const held of this.deadlines) held.expire();
    }, ms);
    await closed;
    clearTimeout(limit);
    this.deadlines.stop();
    this.upstreams.pool.close();
  }
}

/** Rejects with the system's error when it cannot listen. */
function bind(server: Server, options: ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(options, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

/** Resolves when the last connection is closed; at once for one that never listened. */
function close(server: Server): Promise<void> {
  return new Promise(resolve => server.close(() => resolve()));
}

/** 0 where it does not listen, which is nobody's port. */
function portOf(server: Server): number {
  return (server.address() as AddressInfo | null)?.port ?? 0;
}
