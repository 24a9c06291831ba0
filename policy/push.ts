// The only place where proxy and control meet: the messages on the IPC socket, one JSON document a line.
import type { RefusalRecord } from './refusal.ts';
import type { SnapshotDocument } from './snapshot.ts';

export const PUSH_PROTOCOL = 1;

/** Longest line either side reads; a longer one ends the connection. 100,000 grants take about 12 MB. */
export const PUSH_LINE_BYTES_MAX = 64 * 1024 * 1024;

/** Proxy → control. */
export type FromProxy =
  | {
      readonly type: 'hello';
      readonly protocol: number;
      readonly pid: number;
      /** Where it listens; control adopts a proxy that outlived the control before it. */
      readonly listen: { readonly host: string; readonly port: number };
      readonly snapshot: { readonly epoch: string; readonly version: number } | null;
    }
  | { readonly type: 'ack'; readonly epoch: string; readonly version: number }
  | { readonly type: 'reject'; readonly epoch: string; readonly version: number; readonly reason: string }
  /** A refusal that a client got, for the world's own pages. Best effort: never waited for. */
  | { readonly type: 'refused'; readonly at: number; readonly run: string; readonly record: RefusalRecord };

/** Control → proxy. */
export type FromControl =
  | { readonly type: 'snapshot'; readonly snapshot: SnapshotDocument }
  /** Stop accepting, finish what is in flight, exit. */
  | { readonly type: 'drain' };
