// The proxy in the test's own process, with the real leaf cache and real sockets: for wire tests that want
// many worlds quickly. Tests about the process itself (IPC, signals) use proxy-process.ts.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSecureContext } from 'node:tls';
import { loadAuthority } from '../../certs/authority.ts';
import { LeafCache } from '../../certs/cache.ts';
import type { RefusalRecord } from '../../policy/refusal.ts';
import { compileSnapshot, type SnapshotDocument, unreadSnapshot } from '../../policy/snapshot.ts';
import { Journal } from '../../proxy/journal.ts';
import type { Limits } from '../../proxy/limits.ts';
import { Metrics } from '../../proxy/metrics.ts';
import { ProxyServer } from '../../proxy/server.ts';
import { type Lookup, systemLookup } from '../../proxy/upstream/dial.ts';
import { readNextProxies } from '../../proxy/upstream/next-proxy.ts';
import { connectTunnel, type Tunnel, type TunnelOptions } from './wire.ts';

export type TestProxy = AsyncDisposable & {
  readonly port: number;
  readonly server: ProxyServer;
  /** Where its guests come in. */
  readonly guestPort: number;
  /** PEM of the world's authority. */
  readonly ca: string;
  /** Records of all refusals, in order. */
  readonly refusals: readonly RefusalRecord[];
  /** Access lines, in order. */
  readonly lines: readonly string[];
  readonly metrics: Metrics;
  /** Judges by another snapshot from now on. */
  push(world: Partial<SnapshotDocument>): void;
  /** As before the first policy came. */
  forget(): void;
  /** CONNECT and TLS, verified with the world's authority. */
  tunnel(authority: string, options?: TunnelOptions): Promise<Tunnel>;
};

export type TestProxyOptions = {
  readonly world?: Partial<SnapshotDocument>;
  /** PEM of the authority that upstreams are verified with. */
  readonly upstreamCa?: string;
  readonly controlSocket?: string;
  readonly lookup?: Lookup;
  readonly limits?: Partial<Limits>;
  /** The address to listen on; loopback unless told. */
  readonly host?: string;
  /** Unix socket on which it takes contained runs. */
  readonly runsSocket?: string;
  /** Variables of the proxy's own environment that name the proxies on its way out. */
  readonly env?: NodeJS.ProcessEnv;
};

/** A snapshot document with nothing granted but what is given. */
export function document(world: Partial<SnapshotDocument> = {}): SnapshotDocument {
  return {
    epoch: 'test',
    version: 1,
    world: 'acme/shop',
    docsUrl: 'http://127.0.0.1:1/docs',
    sandbox: false,
    phase: null,
    network: { egress: [], writes: [], passthrough: [], ownLoopback: true },
    parents: [],
    routes: [],
    endpoints: [],
    services: [],
    app: null,
    extraHosts: {},
    runs: [],
    anonymousRuns: true,
    ...world,
  };
}

/** A world that may read and write these origins (`https://p.test:8443`), each pinned to loopback. */
export function granting(...origins: readonly string[]): Partial<SnapshotDocument> {
  return {
    network: { egress: origins, writes: origins, passthrough: [], ownLoopback: true },
    extraHosts: Object.fromEntries(origins.map(origin => [new URL(origin).hostname, '127.0.0.1'])),
  };
}

function compiled(world: Partial<SnapshotDocument>) {
  const result = compileSnapshot(document(world));
  if (!result.ok) throw new Error(result.why);
  return result.snapshot;
}

export async function startProxy(options: TestProxyOptions = {}): Promise<TestProxy> {
  const folder = mkdtempSync(join(tmpdir(), 'wrld-proxy-'));
  const loaded = await loadAuthority(join(folder, 'ca'));
  if (!loaded.ok) throw new Error(loaded.why);
  const trust = createSecureContext(options.upstreamCa === undefined ? {} : { ca: [options.upstreamCa] });
  const refusals: RefusalRecord[] = [];
  const lines: string[] = [];
  const metrics = new Metrics();
  let snapshot = compiled(options.world ?? {});
  const server = await ProxyServer.start({
    host: options.host ?? '127.0.0.1',
    port: 0,
    guestPort: 0,
    runsSocket: options.runsSocket ?? null,
    nextProxies: readNextProxies(options.env ?? {}),
    snapshot: () => snapshot,
    leaves: new LeafCache(loaded.authority),
    trust: () => trust,
    lookup: options.lookup ?? systemLookup,
    controlSocket: options.controlSocket ?? join(folder, 'nobody.sock'),
    refused: (_run, record) => refusals.push(record),
    journal: new Journal(metrics, { write: line => lines.push(line) }),
    limits: options.limits ?? {},
  });
  const ca = loaded.authority.certificatePem;
  return {
    port: server.address.port,
    server,
    guestPort: server.guestPort!,
    ca,
    refusals,
    lines,
    metrics,
    push: world => {
      snapshot = compiled(world);
    },
    forget: () => {
      snapshot = unreadSnapshot(snapshot.docsUrl);
    },
    tunnel: (authority, tunnel) => connectTunnel(server.address.port, authority, { tls: { ca }, ...tunnel }),
    async [Symbol.asyncDispose]() {
      for (const held of server.deadlines) held.expire();
      await server.drain();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
