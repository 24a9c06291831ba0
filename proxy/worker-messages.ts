// What the main thread and its workers say to each other. Documents travel, compiled snapshots do not.
import type { Refused } from '../policy/push.ts';
import type { SnapshotDocument } from '../policy/snapshot.ts';

/** What a worker starts with. */
export type WorkerStart = {
  readonly nth: number;
  /** The process's command line; a worker reads its configuration from it anew. */
  readonly args: readonly string[];
  /** How many share the limits. */
  readonly workers: number;
  readonly port: number;
  readonly guestPort: number | null;
  /** The shared memory of every worker's metrics; the `nth` is its own. */
  readonly metrics: readonly SharedArrayBuffer[];
  readonly ticketKeys: Uint8Array;
  /** The policy in force; null before the first. */
  readonly document: SnapshotDocument | null;
};

export type ToWorker =
  | { readonly type: 'snapshot'; readonly document: SnapshotDocument }
  /** Stop accepting, finish what is in flight, end. */
  | { readonly type: 'drain' };

export type FromWorker =
  | {
      readonly type: 'listening';
      readonly host: string;
      readonly port: number;
      readonly guestPort: number | null;
    }
  /** It judges by this snapshot from now on. */
  | { readonly type: 'in-force'; readonly epoch: string; readonly version: number }
  | ({ readonly type: 'refused' } & Refused);
