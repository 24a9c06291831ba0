// What a branch reads of the world it left: positions at or below its base, which never change. Asynchronous,
// because the parent may be in another place (on the edge another object). Bytes by their name are given at once by a
// parent that has them near: a twin reads them while it answers.
import type { Instant } from '../../../twins/kit/tx.ts';
import type { DueRow } from './due.ts';
import type { Cursor, Entry } from './entry.ts';

/** A record as it was at a position. */
export type PastRecord = {
  readonly type: string;
  readonly id: string;
  /** Of the entry that last changed it. */
  readonly position: number;
  /** Its place by creation (record-order.ts), and when it was made. */
  readonly order: number;
  readonly at: Instant;
  /** As it stands in a row (blob-store.ts). */
  readonly body: string;
};

export type RecordKey = Pick<PastRecord, 'type' | 'order'>;

export type EntriesAsked = {
  readonly cursor: Cursor;
  readonly limit: number;
  readonly twin?: string;
  readonly trace?: string;
  /** The newest position of each twin that is told; a twin that is not named is not. */
  readonly upTo: ReadonlyMap<string, number>;
};

export type Entries = { readonly entries: readonly Entry[]; readonly more: boolean };

export type Counted = { readonly type: string; readonly count: number };

export type HistorySource = {
  /** The position of every twin with a history, at an instant. */
  positionsAt(at: Instant): Promise<ReadonlyMap<string, number>>;
  /** Oldest first: those after a position and up to another; may end early. */
  log(twin: string, after: number, upTo: number): Promise<Entries>;
  /** Newest first, by instant, twin, position; may end early. */
  timeline(asked: EntriesAsked): Promise<Entries>;
  /** By type, each in the order they were made; fewer than `limit` are the last. */
  records(
    twin: string,
    position: number,
    after: RecordKey | null,
    limit: number,
  ): Promise<readonly PastRecord[]>;
  /** What a twin waited for, in the order it would have happened. `cuts`: see `Origin`. */
  due(twin: string, at: Instant, position: number, cuts: number): Promise<readonly DueRow[]>;
  /** How many records of each type there were, by type. */
  counts(twin: string, position: number): Promise<readonly Counted[]>;
  /** One version of a record, as it stands in a row; undefined when there is none. */
  version(
    twin: string,
    type: string,
    id: string,
    position: number,
  ): string | undefined | Promise<string | undefined>;
  /** May throw `BlobAway` where the parent has to wait for them itself. */
  blob(sha256: string): Uint8Array | undefined | Promise<Uint8Array | undefined>;
};
