// A twin in its place in the world: what it is, and the part of the store that is its own.
import type { MountedTwin, Twin } from '../../../twins/kit/twin.ts';
import type { Sql } from '../../ports/sql.ts';
import { TwinLog } from '../log/twin-log.ts';
import type { BlobStore } from '../store/blob-store.ts';
import type { BranchBase } from '../store/branch-base.ts';
import { Memos } from '../store/memos.ts';
import { compileRecordTypes, compileShowing } from '../store/record-types.ts';
import { Records } from '../store/records.ts';
import { reindexWhenDeclaredAnew } from '../store/reindex.ts';
import type { VersionOf } from '../store/versions.ts';
import type { TwinInWorld } from '../twins/twin-in-world.ts';
import type { Arrival } from './arrival.ts';
import { ArrivingRecords } from './arriving-records.ts';

export type Seat = {
  /** The vendor id. */
  readonly id: string;
  readonly twin: Twin;
  readonly mounted: MountedTwin;
  readonly package: TwinInWorld['package'];
  readonly records: Records;
  readonly memos: Memos;
  readonly log: TwinLog;
  /** The rows that lists scan, made anew where they are not what the twin declares. */
  readonly reindex: () => void | Promise<void>;
};

type Parts = {
  readonly sql: Sql;
  readonly blobs: BlobStore;
  readonly base: BranchBase;
  /** Versions of the world that this one branched off. */
  readonly inherited?: VersionOf | undefined;
  /** Of a twin whose state may still be the parent's. */
  readonly arrival: Arrival | undefined;
};

export const seatTwin = async (
  { sql, blobs, base, inherited, arrival }: Parts,
  { id, twin: mounted, package: origin }: TwinInWorld,
): Promise<Seat> => {
  const types = compileRecordTypes(mounted.twin.records);
  const showing = compileShowing(mounted.twin.records);
  const own = { sql, blobs, base, twin: id, types, showing, inherited };
  const records = arrival === undefined ? new Records(own) : new ArrivingRecords(own, arrival);
  const reindex = () =>
    blobs.reading(() => reindexWhenDeclaredAnew({ sql, blobs, twin: id, types, records }));
  await reindex();
  const memos = new Memos({ sql, blobs, twin: id });
  const log = new TwinLog(sql, id);
  return { id, mounted, package: origin, twin: mounted.twin, records, memos, log, reindex };
};
