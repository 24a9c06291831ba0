// Where the world and a root changed the same field of a record, as it stands now: whoever writes the root's value into the
// record has resolved it, and so has who says which side is taken.
import type { RecordBody } from '../../../twins/kit/tx.ts';
import type { Sql } from '../../ports/sql.ts';
import type { BlobStore } from '../store/blob-store.ts';
import type { Records } from '../store/records.ts';
import { type FieldConflict, mergeRecord } from '../store/three-way.ts';
import type { Transaction } from '../store/transaction.ts';
import { withFields } from './fold.ts';
import { dropObserved, type NewObserved, writeObserved } from './observed-row.ts';

/** Values are as JSON has them; one that is not there is missing. */
export type Conflict = { readonly type: string; readonly id: string } & FieldConflict;

export type Side = 'theirs' | 'ours';

type Parts = {
  readonly sql: Sql;
  readonly blobs: BlobStore;
  readonly records: Records;
  readonly twin: string;
};

type Row = NewObserved & { readonly theirs: string; readonly base: string };

/** Of one record, or of the next so many after one. */
type Which =
  | { readonly of: { readonly type: string; readonly id: string } }
  | { readonly after: { readonly type: string; readonly id: string } | null; readonly limit: number };

export const conflictRows = ({ sql, twin }: Pick<Parts, 'sql' | 'twin'>, which: Which): readonly Row[] => {
  const columns = 'type, id, pos, pass, theirs, base';
  if ('of' in which)
    return sql.all<Row>(
      `SELECT ${columns} FROM observed WHERE twin = ? AND type = ? AND id = ? AND base IS NOT NULL`,
      twin,
      which.of.type,
      which.of.id,
    );
  const { type, id } = which.after ?? { type: '', id: '' };
  return sql.all<Row>(
    `SELECT ${columns} FROM observed WHERE twin = ? AND base IS NOT NULL AND (type, id) > (?, ?)
     ORDER BY type, id LIMIT +?`,
    twin,
    type,
    id,
    which.limit,
  );
};

export const conflictsOf = (parts: Parts, row: Row): readonly Conflict[] =>
  mergeOf(parts, row).conflicts.map(conflict => ({ type: row.type, id: row.id, ...conflict }));

/** Inside an entry of the root's; `position` is that entry's. */
export const resolve = (
  parts: Parts,
  rows: readonly Row[],
  side: Side,
  { tx, position }: { readonly tx: Pick<Transaction, 'put' | 'delete'>; readonly position: number },
): void => {
  const { sql, blobs, records, twin } = parts;
  const settled: NewObserved[] = [];
  for (const row of rows) {
    const { type, id } = row;
    const there = blobs.text(row.theirs);
    const { merged, conflicts } = mergeOf(parts, row);
    const head = records.head(type, id);
    const kept = withFields(merged, conflicts, side);
    const text = kept === null ? null : JSON.stringify(kept);
    let pos = head?.pos ?? row.pos;
    if (kept === null) {
      if (head !== undefined) tx.delete(type, id);
      if (there === GONE) {
        dropObserved(sql, twin, type, id);
        continue;
      }
    } else if (text !== head?.body) {
      tx.put(type, id, kept);
      pos = position;
    }
    // What is left of ours is a change of the world's own from here on, over what the root has.
    settled.push({ type, id, pos, pass: row.pass, base: null, theirs: there === text ? null : row.theirs });
  }
  writeObserved(sql, twin, settled);
};

/** As JSON says that the root has it no more. */
const GONE = 'null';

const mergeOf = ({ blobs, records }: Parts, { type, id, theirs, base }: Row) => {
  const head = records.head(type, id);
  const ours = head === undefined ? null : records.read<RecordBody>(type, head.body);
  return mergeRecord(parse(blobs.text(base)), ours, parse(blobs.text(theirs)));
};

const parse = (text: string): RecordBody | null => JSON.parse(text) as RecordBody | null;
