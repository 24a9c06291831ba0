// What every connection of the data plane shares: the snapshot in force, the upstreams, the deadlines.
import type { Socket } from 'node:net';
import type { SecureContext } from 'node:tls';
import type { RefusalRecord } from '../policy/refusal.ts';
import type { Run } from '../policy/run.ts';
import type { Snapshot } from '../policy/snapshot.ts';
import type { Deadlines } from './deadlines.ts';
import type { RequestHead } from './http1/request.ts';
import type { Journal } from './journal.ts';
import type { Limits } from './limits.ts';
import type { TunnelAsk } from './place.ts';
import type { Answer } from './refuse.ts';
import type { Upstreams } from './upstream/upstream.ts';

export type Plane = {
  /** The newest acknowledged snapshot. Read once a request: each is judged by exactly one. */
  snapshot(): Snapshot;
  readonly upstreams: Upstreams;
  readonly deadlines: Deadlines;
  readonly journal: Journal;
  readonly limits: Limits;
  /** The proxy listens on loopback only: clients without credentials are of this machine. */
  readonly loopback: boolean;
  /** No connection is kept for another exchange. */
  readonly draining: boolean;
  /** `agent`: what the client calls itself, where it says so. */
  refused(run: Run, record: RefusalRecord, agent: string | null): void;
  /** False when the run has as many open as it may (TUNNELS_PER_RUN_MAX). */
  mayTunnel(run: Run): boolean;
  /** `rest`: what came in the same packet as the CONNECT. */
  openTunnel(socket: Socket, ask: TunnelAsk, rest: Buffer): void;
  /** What ends TLS for this host; null while too many hosts are new (LEAF_MINTS_PER_SECOND_MAX). */
  leafFor(host: string): SecureContext | null;
  /** A page of the proxy's own (`/-/health`); null where the request is for none. */
  ownPage(head: RequestHead, peer: string | undefined): Answer | null;
};
