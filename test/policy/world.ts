// The world of bad-input's examples, for tables of asks.
import type { Ask } from '../../policy/ask.ts';
import { parseAuthority } from '../../policy/authority.ts';
import { DEFAULT_RUN } from '../../policy/run.ts';
import {
  compileSnapshot,
  type NetworkGrants,
  type Snapshot,
  type SnapshotDocument,
} from '../../policy/snapshot.ts';

export const DOCS = 'http://docs.test';

export const NOTHING: NetworkGrants = { egress: [], writes: [], passthrough: [], ownLoopback: true };

/** egress: a subtree, an exact path and an origin; a writable subtree; twins; a service; an application. */
export const WORLD: SnapshotDocument = {
  epoch: 'e',
  version: 1,
  world: 'acme/shop',
  docsUrl: DOCS,
  sandbox: false,
  phase: null,
  network: {
    ...NOTHING,
    egress: ['https://p.test/v1/', 'https://e.test/v1/x', 'https://o.test'],
    writes: ['https://p.test/v1/w/'],
  },
  parents: [],
  routes: [
    { host: 'tw.test', path: '/v1/', vendor: 'tw', endpointVariable: 'TW_URL' },
    { host: 'whole.test', path: '/', vendor: 'whole' },
    { host: 'shared.test', path: '/', vendor: 'one' },
    { host: 'shared.test', path: '/two/', vendor: 'two' },
    { host: 'odd.test:8443', path: '/', vendor: 'odd' },
  ],
  streams: [
    { host: 'mail.test', port: 25, vendor: 'mail', stream: 'smtp' },
    { host: 'odd.test', port: 25, vendor: 'odd', stream: 'tcp' },
  ],
  endpoints: ['127.0.0.1:4000', 'shop.acme.localhost:4000'],
  services: [{ name: 'db', host: 'db', port: 5432 }],
  app: { hosts: ['shop.test'], upstream: 'http://127.0.0.1:3000' },
  extraHosts: { 'pinned.test': '127.0.0.1' },
  runs: [],
  anonymousRuns: true,
};

/** The world with some of its parts replaced, compiled. */
export function world(changes: Partial<SnapshotDocument> = {}): Snapshot {
  const result = compileSnapshot({ ...WORLD, ...changes });
  if (!result.ok) throw new Error(result.why);
  return result.snapshot;
}

/** The world with other grants. */
export function granting(network: Partial<NetworkGrants>, changes: Partial<SnapshotDocument> = {}): Snapshot {
  return world({ ...changes, network: { ...NOTHING, ...network } });
}

/** An ask for a URL, its path kept raw: `GET https://p.test/v1/../x`. */
export function ask(url: string, changes: Partial<Ask> = {}): Ask {
  const [, scheme, authority, path] = /^(https?):\/\/([^/?#\\]*)([\s\S]*)$/.exec(url)!;
  return {
    method: 'GET',
    scheme: scheme as 'http' | 'https',
    authority: parseAuthority(authority!, scheme === 'https' ? 443 : 80),
    path: path!,
    transport: 'http1',
    run: DEFAULT_RUN,
    guest: false,
    ...changes,
  };
}

/** Bytes that are no request, to `host:port`. */
export function rawAsk(authority: string, changes: Partial<Ask> = {}): Ask {
  return { ...ask(`https://${authority}`), method: 'CONNECT', path: '', transport: 'raw', ...changes };
}
