// Index rows made anew, when a twin declares other indexes than the store was written with.
import type { RecordBody } from '../../../twins/kit/tx.ts';
import type { Sql } from '../../ports/sql.ts';
import type { BlobStore } from './blob-store.ts';
import type { Listed } from './record-scans.ts';
import { describeRecordTypes, type RecordTypes } from './record-types.ts';
import type { Records } from './records.ts';

/** Rows rewritten at once. */
const REINDEX_ROWS = 128;

type Parts = {
  readonly sql: Sql;
  readonly blobs: BlobStore;
  /** The vendor id. */
  readonly twin: string;
  readonly types: RecordTypes;
  readonly records: Records;
};

/** Nothing when the store was written with the same. */
export const reindexWhenDeclaredAnew = (parts: Parts): void => {
  const { sql, twin, types } = parts;
  const key = `indexes:${twin}`;
  const declared = describeRecordTypes(types);
  const written = sql.get<{ v: string }>('SELECT v FROM meta WHERE k = ?', key)?.v;
  if (written === declared) return;
  sql.transaction(() => {
    sql.run('DELETE FROM idx WHERE twin = ?', twin);
    for (const type of types.keys()) reindex(parts, type);
    sql.run(
      'INSERT INTO meta(k, v) VALUES (?, ?) ON CONFLICT(k) DO UPDATE SET v = excluded.v',
      key,
      declared,
    );
  });
};

const reindex = ({ sql, blobs, twin, records }: Parts, type: string): void => {
  for (let after = -1; ; ) {
    const rows = sql.all<Listed>(
      'SELECT ord, body FROM head WHERE twin = ? AND type = ? AND ord > ? ORDER BY ord LIMIT +?',
      twin,
      type,
      after,
      REINDEX_ROWS,
    );
    for (const { ord, body } of rows) {
      records.index(type, ord, records.values(type, JSON.parse(blobs.text(body)) as RecordBody));
      after = ord;
    }
    if (rows.length < REINDEX_ROWS) return;
  }
};
