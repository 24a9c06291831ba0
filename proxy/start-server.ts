// Builds one data plane from the configuration: the process's only one, or one of each worker.
import type { SecureContext } from 'node:tls';
import { loadAuthority } from '../certs/authority.ts';
import { LeafCache } from '../certs/cache.ts';
import type { ProxyConfig } from './config.ts';
import { TRUST_AFTER_MS } from './limits.ts';
import { ProxyServer, type ProxyServerOptions } from './server.ts';
import { systemLookup } from './upstream/dial.ts';
import { upstreamTrust } from './upstream/trust.ts';

/** `ticketKeys`: of the TLS sessions, where several workers must be able to resume each other's. */
export type ServerParts = Omit<
  ProxyServerOptions,
  | 'host'
  | 'port'
  | 'guestPort'
  | 'runsSocket'
  | 'nextProxies'
  | 'leaves'
  | 'trust'
  | 'lookup'
  | 'controlSocket'
> & {
  readonly port?: number;
  readonly guestPort?: number | null;
  readonly runsSocket?: string | null;
  readonly ticketKeys?: Buffer;
};

/** Rejects where it cannot listen or the authority cannot be used. */
export async function startServer(config: ProxyConfig, parts: ServerParts): Promise<ProxyServer> {
  const loaded = await loadAuthority(config.authorityFolder);
  if (!loaded.ok) throw new Error(`the certificate authority cannot be used: ${loaded.why}`);
  // Parsing a few hundred roots takes tens of milliseconds, which nobody needs before the first origin is dialled.
  let trusted: SecureContext | null = null;
  const trust = (): SecureContext => (trusted ??= upstreamTrust(config.trustFiles));
  const server = await ProxyServer.start({
    host: config.host,
    port: config.port,
    guestPort: config.guestPort,
    runsSocket: config.runsSocket,
    nextProxies: config.nextProxies,
    leaves: new LeafCache(loaded.authority, parts.ticketKeys),
    trust,
    lookup: systemLookup,
    controlSocket: config.twinsSocket,
    ...parts,
  });
  setTimeout(trust, TRUST_AFTER_MS).unref();
  return server;
}
