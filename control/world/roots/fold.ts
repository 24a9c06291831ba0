// What a root has of one record, brought into the world by the three-way merge: what the world changed and has not deployed
// stays, what the root changed comes, and where both changed one field, ours stays and the conflict is kept with what both
// began with (conflicts.ts).
import type { RecordBody } from '../../../twins/kit/tx.ts';
import type { Sql } from '../../ports/sql.ts';
import type { BlobStore } from '../store/blob-store.ts';
import type { Head, Records } from '../store/records.ts';
import { type FieldConflict, mergeRecord } from '../store/three-way.ts';
import type { Transaction } from '../store/transaction.ts';
import { versionRow } from '../store/versions.ts';
import {
  dropObserved,
  type NewObserved,
  type ObservedRow,
  readObserved,
  writeObserved,
} from './observed-row.ts';

type Parts = {
  readonly sql: Sql;
  readonly blobs: BlobStore;
  readonly records: Records;
  readonly twin: string;
};

type RecordKey = { readonly type: string; readonly id: string };
type Body = RecordBody | null;

/** One transaction's worth of records, each once. */
export class Fold {
  readonly #parts: Parts;
  readonly #tx: Pick<Transaction, 'put' | 'delete'>;
  /** Of the entry that this becomes, where it changes anything. */
  readonly #position: number;
  readonly #pass: number;
  readonly #rows: NewObserved[] = [];

  constructor(
    parts: Parts,
    into: {
      readonly tx: Pick<Transaction, 'put' | 'delete'>;
      readonly position: number;
      readonly pass: number;
    },
  ) {
    this.#parts = parts;
    this.#tx = into.tx;
    this.#position = into.position;
    this.#pass = into.pass;
  }

  /** Null: the root has no such record. */
  take(key: RecordKey, theirs: Body): void {
    const { sql, records, twin } = this.#parts;
    const { type, id } = key;
    const row = readObserved(sql, twin, type, id);
    const head = records.head(type, id);
    const untouched = row !== undefined && row.theirs === null && head?.pos === row.pos;
    if (theirs !== null && head !== undefined && untouched) return this.#renew(key, row, head, theirs);
    if (head === undefined && row === undefined) {
      if (theirs !== null) this.#put(key, theirs);
      return;
    }
    // A record of the world's own, of an id that the root never had.
    if (row === undefined && theirs === null && !this.#isTheirs(head!)) return;
    const ours = head === undefined ? null : records.read<RecordBody>(type, head.body);
    const base = untouched ? ours : this.#base(key, row, head, ours);
    this.#merge(key, { row, head, base, ours, theirs });
  }

  /** After the last. */
  end(): void {
    writeObserved(this.#parts.sql, this.#parts.twin, this.#rows);
  }

  /** Nobody here has changed it. */
  #renew(key: RecordKey, row: ObservedRow, head: Head, theirs: RecordBody): void {
    if (JSON.stringify(theirs) !== head.body) return this.#put(key, theirs);
    if (row.pass !== this.#pass) this.#note(key, row.pos);
  }

  #put(key: RecordKey, theirs: RecordBody): void {
    this.#tx.put(key.type, key.id, theirs);
    this.#note(key, this.#position);
  }

  #note(
    { type, id }: RecordKey,
    pos: number,
    theirs: string | null = null,
    base: string | null = null,
  ): void {
    this.#rows.push({ type, id, pos, pass: this.#pass, theirs, base });
  }

  #merge(
    key: RecordKey,
    {
      row,
      head,
      base,
      ours,
      theirs,
    }: {
      readonly row: ObservedRow | undefined;
      readonly head: Head | undefined;
      readonly base: Body;
      readonly ours: Body;
      readonly theirs: Body;
    },
  ): void {
    const { sql, blobs, twin } = this.#parts;
    const { type, id } = key;
    const { merged, conflicts } = mergeRecord(base, ours, theirs);
    const kept = withFields(merged, conflicts, 'ours');
    let pos = head?.pos ?? row?.pos ?? this.#position;
    const text = kept === null ? null : JSON.stringify(kept);
    if (kept === null) {
      if (head !== undefined) this.#tx.delete(type, id);
      // Both sides are without it.
      if (theirs === null) return dropObserved(sql, twin, type, id);
    } else if (text !== head?.body) {
      this.#tx.put(type, id, kept);
      pos = this.#position;
    }
    const there = JSON.stringify(theirs);
    if (there === text) return this.#note(key, pos);
    const began = conflicts.length === 0 ? null : JSON.stringify(withFields(theirs, conflicts, 'base'));
    this.#note(key, pos, blobs.rowText(there), began === null ? null : blobs.rowText(began));
  }

  #base({ type, id }: RecordKey, row: ObservedRow | undefined, head: Head | undefined, ours: Body): Body {
    const { sql, blobs, records, twin } = this.#parts;
    // What came since by another way, a deploy or a webhook, is what the root had then.
    if (head !== undefined && head.pos > (row?.pos ?? 0) && this.#isTheirs(head)) return ours;
    // The world's own doing, before it was ever seen there.
    if (row === undefined) return {};
    const kept = row.base ?? row.theirs;
    if (kept !== null) return JSON.parse(blobs.text(kept)) as Body;
    const version = versionRow(sql, twin, type, id, row.pos);
    return version === undefined ? {} : records.read<RecordBody>(type, blobs.text(version));
  }

  /** Whether the root is where the newest version came from, or, in a branch, the world that it left. */
  #isTheirs({ pos }: Head): boolean {
    const { sql, twin } = this.#parts;
    const actor = sql.get<{ actor: string }>(
      'SELECT actor FROM entry WHERE twin = ? AND pos = ?',
      twin,
      pos,
    )?.actor;
    return actor === undefined || actor === 'root' || actor === 'webhook';
  }
}

/** The body with one side's values in the fields of the conflicts. */
export const withFields = (
  body: Body,
  conflicts: readonly FieldConflict[],
  side: 'base' | 'ours' | 'theirs',
): Body => {
  let made: unknown = body;
  for (const conflict of conflicts)
    made = replaced(made, conflict.field.split('/').slice(1).map(unescaped), conflict[side]);
  return (made as RecordBody | undefined) ?? null;
};

const replaced = (held: unknown, [name, ...rest]: readonly string[], value: unknown): unknown => {
  if (name === undefined) return value;
  const fields = { ...(held as { readonly [name: string]: unknown }) };
  const next = replaced(Object.hasOwn(fields, name) ? fields[name] : undefined, rest, value);
  if (next === undefined) delete fields[name];
  else
    Object.defineProperty(fields, name, {
      value: next,
      enumerable: true,
      configurable: true,
      writable: true,
    });
  return fields;
};

const unescaped = (name: string): string => name.replaceAll('~1', '/').replaceAll('~0', '~');
