// A world of note twins with real vendors behind it: peers of the test's own on this machine, reached through a policy
// that says where they are, as a host has it.

import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openOutbound } from '../../control/node/outbound.ts';
import { VendorRegistry } from '../../control/node/vendor-registry.ts';
import type { Outbound } from '../../control/ports/outbound.ts';
import type { Reach } from '../../control/ports/reach.ts';
import { compileSnapshot, type Snapshot, type SnapshotDocument } from '../../policy/snapshot.ts';
import { type StandInSealer, standInSealer } from './stand-in-sealer.ts';

export type VendorPorts = {
  readonly outbound: Outbound;
  readonly reach: Reach;
  readonly sealer: StandInSealer['sealer'];
  readonly vault: StandInSealer;
};

/** `document`: what the policy says besides. */
export const vendorPorts = (
  world: string,
  document: Partial<SnapshotDocument> = {},
  resolver?: Parameters<typeof openOutbound>[1],
): VendorPorts => {
  const vault = standInSealer();
  const registry: VendorRegistry = new VendorRegistry({
    ownMachine: true,
    changed: async () => {
      policy.snapshot = compiled({ ...document, vendors: registry.all });
    },
  });
  const policy = { snapshot: compiled(document), inForce: Promise.resolve() };
  return {
    vault,
    sealer: vault.sealer,
    reach: registry.reach(world),
    outbound: openOutbound(policy, resolver),
  };
};

const compiled = (more: Partial<SnapshotDocument>): Snapshot => {
  const result = compileSnapshot({
    epoch: 'e',
    version: 1,
    world: 'acme/notes',
    docsUrl: 'http://127.0.0.1:4000',
    sandbox: false,
    phase: null,
    network: { egress: [], writes: [], passthrough: [], ownLoopback: false },
    parents: [],
    routes: [],
    endpoints: [],
    services: [],
    app: null,
    extraHosts: {},
    runs: [],
    anonymousRuns: true,
    ...more,
  });
  if (!result.ok) throw new Error(result.why);
  return result.snapshot;
};

/** A vendor that answers as it is told. */
export const openVendor = async (
  answer: RequestListener,
): Promise<AsyncDisposable & { readonly origin: string }> => {
  const server = createServer(answer);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};
