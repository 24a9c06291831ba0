// Everything the proxy judges by, as one versioned value: the document that control pushes, and the
// compiled form whose look-ups do not grow with the number of grants.
import type { Declaration } from './run.ts';

/** One world's `runtime.network` (7.2 `not-granted`): origins, exact paths, or subtrees that end in `/`. */
export type NetworkGrants = {
  readonly egress: readonly string[];
  readonly writes: readonly string[];
  /** Whole origins that are tunnelled unread; only in a `phase: build` world. */
  readonly passthrough: readonly string[];
  readonly ownLoopback: boolean;
};

/** A twin answers this host under this path prefix. `path` starts and ends with `/`. */
export type TwinRoute = {
  readonly host: string;
  readonly path: string;
  readonly vendor: string;
  /** The variable that points a client at the twin (`raw-socket-twinned` names it), when it has one. */
  readonly endpointVariable?: string;
};

export type ServiceRoute = { readonly name: string; readonly host: string; readonly port: number };

export type RunGrant = {
  readonly name: string;
  /** SHA-256 of the run's proxy password, hex. */
  readonly secretHash: string;
  readonly declaration: Declaration;
};

/** The wire form; plain JSON. */
export type SnapshotDocument = {
  /** Which start of control made it; versions are ordered within an epoch. */
  readonly epoch: string;
  readonly version: number;
  /** `<org>/<world>`. */
  readonly world: string;
  /** Base of the reference pages: `{docs_url}` of 2.1. */
  readonly docsUrl: string;
  readonly sandbox: boolean;
  readonly phase: 'build' | null;
  readonly network: NetworkGrants;
  /** The grants of the parent worlds, nearest first; a request must pass each. */
  readonly parents: readonly NetworkGrants[];
  readonly routes: readonly TwinRoute[];
  /** `host:port` of the world's own endpoints. */
  readonly endpoints: readonly string[];
  readonly services: readonly ServiceRoute[];
  readonly app: { readonly hosts: readonly string[]; readonly upstream: string } | null;
  /** Names pinned to addresses, as compose's `extra_hosts` does. */
  readonly extraHosts: { readonly [name: string]: string };
  readonly runs: readonly RunGrant[];
  /** False on a non-loopback bind: a client must name its run (407 otherwise). */
  readonly anonymousRuns: boolean;
};
