// From a world's config and its twins to the document that the proxy judges by.
import type { NetworkGrants, SnapshotDocument } from '../../policy/snapshot.ts';
import type { Manifest } from '../../twins/kit/manifest.ts';
import { routesOf, streamsOf } from '../http/twin-routes.ts';
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
