// What a transaction of a twin amounts to, for the world to write down (work/ledger.ts).
import type { DeliveryRequest, Instant } from '../../../twins/kit/tx.ts';

export type RecordChange = {
  /** A blob has the type `blob` and its SHA-256 for an id. */
  readonly op: 'put' | 'delete' | 'blob';
  readonly type: string;
  readonly id: string;
  /** Place of a new record among the records the call touched, where that is not its place among the changes. */
  readonly n?: number;
};

export type PastVersion = {
  readonly type: string;
  readonly id: string;
  readonly pos: number;
  /** As it stands in a row (blob-store.ts). */
  readonly body: string;
};

/** With its place by creation, and when that was. */
export type EndedRecord = {
  readonly type: string;
  readonly id: string;
  readonly ord: number;
  readonly at: Instant;
};

/** What a transaction amounts to, for the world to write down. */
export type Outcome = {
  readonly kind: string;
  readonly changes: readonly RecordChange[];
  /** What was written over, each with its own position. */
  readonly versions: readonly PastVersion[];
  /** What ended. */
  readonly ended: readonly EndedRecord[];
  readonly tallies: ReadonlyMap<string, number>;
  /** Null cancels. */
  readonly due: ReadonlyMap<string, { readonly at: Instant; readonly payload: string } | null>;
  readonly deliveries: readonly DeliveryRequest[];
  readonly remembered: boolean;
};

/** What a caller sent is larger than a record may be; the answer is 413 in the vendor's shape. */
export class RecordTooLarge extends Error {
  override readonly name = 'RecordTooLarge';
}
