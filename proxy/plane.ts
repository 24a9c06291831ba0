// What every connection of the data plane shares: the snapshot in force, the upstreams, the deadlines.
import type { Socket } from 'node:net';
import type { Authority } from '../policy/authority.ts';
import type { RefusalRecord } from '../policy/refusal.ts';
import type { Run } from '../policy/run.ts';
import type { Snapshot } from '../policy/snapshot.ts';
import type { Deadlines } from './deadlines.ts';
import type { RequestHead } from './http1/request.ts';
import type { Upstreams } from './upstream/upstream.ts';

export type TunnelAsked =
  | { readonly ok: true; readonly authority: Authority }
  | { readonly ok: false; readonly refusal: RefusalRecord };

export type Plane = {
  /** The newest acknowledged snapshot. Read once a request: each is judged by exactly one. */
  snapshot(): Snapshot;
  readonly upstreams: Upstreams;
  readonly deadlines: Deadlines;
  /** The proxy listens on loopback only: clients without credentials are of this machine. */
  readonly loopback: boolean;
  /** No connection is kept for another exchange. */
  readonly draining: boolean;
  refused(run: Run, record: RefusalRecord): void;
  tunnelTo(head: RequestHead, run: Run, snapshot: Snapshot): TunnelAsked;
  openTunnel(socket: Socket, authority: Authority, run: Run, rest: Buffer): void;
};
