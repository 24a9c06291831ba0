// From a world's config and its twins to the document that the proxy judges by.
import type { TwinRoute } from '../../policy/route-table.ts';
import type { NetworkGrants, SnapshotDocument } from '../../policy/snapshot.ts';
import type { Manifest } from '../../twins/kit/manifest.ts';
import { twinUrlVariable } from '../http/well-known.ts';
import type { LoadedConfig } from './config-file.ts';
import type { Policy } from './ipc.ts';

export type PolicyParts = {
  readonly loaded: LoadedConfig;
  /** The name of the world at boot: a running world is not renamed. */
  readonly world: string;
  /** The twins that run, by their names in this world. */
  readonly twins: readonly { readonly id: string; readonly manifest: Manifest }[];
  readonly docsUrl: string;
  readonly sandbox: boolean;
  /** `host:port` of the world's own endpoints. */
  readonly endpoints: readonly string[];
  readonly runs: SnapshotDocument['runs'];
  readonly anonymousRuns: boolean;
  /** Where the real vendors of the host's worlds are; absent: there are none. */
  readonly vendors?: NonNullable<SnapshotDocument['vendors']>;
};

const NOTHING: NetworkGrants = { egress: [], writes: [], passthrough: [], ownLoopback: true };

export function policyOf(parts: PolicyParts): Policy {
  const { config, parents } = parts.loaded;
  const named = new Set(config.twins.map(twin => twin.vendor));
  return {
    world: parts.world,
    docsUrl: parts.docsUrl,
    sandbox: parts.sandbox,
    phase: config.phase,
    // 7.2 `sealed`: in a sandbox no grant lists anything. What is the run's own stays its own.
    network: parts.sandbox ? { ...NOTHING, ownLoopback: config.network.ownLoopback } : config.network,
    parents,
    // A twin that the config no longer names runs on until the restart, but answers nobody's host.
    routes: parts.twins.filter(twin => named.has(twin.id)).flatMap(routesOf),
    streams: streamsOf(parts.twins.filter(twin => named.has(twin.id))),
    endpoints: parts.endpoints,
    services: config.services,
    app: config.app,
    extraHosts: config.extraHosts,
    runs: parts.runs,
    anonymousRuns: parts.anonymousRuns,
    ...(parts.vendors !== undefined && parts.vendors.length > 0 && { vendors: parts.vendors }),
  };
}

/** Of two twins of one protocol the first has its hosts: each is named by its service, and has its own variables. */
export function streamsOf(twins: PolicyParts['twins']): NonNullable<SnapshotDocument['streams']> {
  const at = new Map<string, NonNullable<SnapshotDocument['streams']>[number]>();
  for (const { id, manifest } of twins) {
    for (const { host, port } of manifest.stream?.hosts ?? []) {
      const known = at.get(`${host}:${port}`);
      if (known === undefined)
        at.set(`${host}:${port}`, { host, port, vendor: id, stream: manifest.stream!.id });
    }
  }
  return [...at.values()];
}

export function routesOf({ id, manifest }: PolicyParts['twins'][number]): TwinRoute[] {
  // A variable of the vendor's own is left as it is where interception stands in for it, so the twin's own is named.
  const endpointVariable = twinUrlVariable(id);
  return manifest.hosts.flatMap(({ host, paths }) =>
    paths.map(path => ({
      host,
      path,
      vendor: id,
      endpointVariable,
    })),
  );
}
