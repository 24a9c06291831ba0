// The log of a world: entries of every twin, append-only. Positions are dense per twin, and `at` never
// decreases, neither within a twin nor in the order of appending.
import type { Trace } from '../../../twins/kit/call.ts';
import type { Instant } from '../../../twins/kit/tx.ts';
import type { Sql } from '../../ports/sql.ts';
import { LOG_PAGE_ENTRIES_MAX, PAGE_BODY_CHARS_MAX, PAGE_FIRST_CHANGES } from '../limits.ts';
import type { BlobStore } from '../store/blob-store.ts';
import type { BranchBase } from '../store/branch-base.ts';
import type { RecordChange } from '../store/outcome.ts';
import type { WholeText } from '../store/records.ts';
import { type Asked, askedPath } from './asked.ts';
import { type ChangedBody, readChangedBodies } from './changed-bodies.ts';
import {
  type Actor,
  type Cursor,
  type DeliveryNote,
  ENTRY_COLUMNS,
  type EntryLine,
  type EntryRow,
  entryId,
  entryLine,
} from './entry.ts';
import type { EntryLines } from './history-source.ts';
import { KeptLines } from './kept-lines.ts';
import { readReceipt } from './receipt-row.ts';

export type NewEntry = {
  readonly twin: string;
  readonly position: number;
  readonly at: Instant;
  readonly wall: number;
  readonly kind: string;
  readonly actor: Actor;
  readonly changes: readonly RecordChange[];
  readonly caller?: string | null;
  readonly request?: Pick<Asked, 'method' | 'path'>;
  /** `askedText` of it. */
  readonly asked?: string | null;
  readonly trace?: Trace | null;
  readonly cause?: string | null;
  readonly delivery?: DeliveryNote;
  readonly replayed?: Replayed;
};

/** Of an entry that another world made, what it is to keep. */
export type Replayed = {
  readonly occurred: Instant;
  readonly wall: number;
  readonly changeset: string | null;
  /** The action that it belongs to; null for none. */
  readonly action: string | null;
};

export class EntryLog {
  readonly #sql: Sql;
  readonly #blobs: BlobStore;
  readonly #base: BranchBase;
  readonly #whole: WholeText;
  readonly #tips = new Map<string, number>();
  readonly #kept = new KeptLines();
  /** Undefined until the store is asked. */
  #lastAt: Instant | undefined;

  constructor(sql: Sql, blobs: BlobStore, base: BranchBase, whole: WholeText) {
    this.#sql = sql;
    this.#blobs = blobs;
    this.#base = base;
    this.#whole = whole;
  }

  /** Of the newest entry of any twin, or of the instant the branch left at; 0 when there is neither. */
  get lastAt(): Instant {
    this.#lastAt ??= this.#newestAt();
    return this.#lastAt;
  }

  /** Position of the twin's newest entry, be it one of those before the branch; 0 when it has none. */
  tip(twin: string): number {
    let tip = this.#tips.get(twin);
    if (tip === undefined) {
      const row = this.#sql.get<{ pos: number }>(
        'SELECT pos FROM entry WHERE twin = ? ORDER BY pos DESC LIMIT 1',
        twin,
      );
      tip = row?.pos ?? this.#base.position(twin);
      this.#tips.set(twin, tip);
    }
    return tip;
  }

  /** Inside the transaction that the entry stands for. Call `note` once that is done. */
  append(entry: NewEntry): void {
    const { twin, position, at, wall, kind, actor, request, trace, delivery, replayed } = entry;
    this.#sql.run(
      'INSERT INTO entry VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
      twin,
      position,
      at,
      replayed?.wall ?? wall,
      kind,
      actor.type,
      actor.id ?? null,
      entry.caller ?? null,
      request?.method ?? null,
      request === undefined ? null : askedPath(request.path),
      trace?.traceId ?? null,
      trace?.spanId ?? null,
      trace?.parentId ?? null,
      entry.cause ?? null,
      delivery === undefined ? null : JSON.stringify(delivery),
      JSON.stringify(entry.changes),
      replayed?.changeset ?? null,
      replayed?.action ?? null,
      entry.asked ?? null,
      replayed?.occurred ?? null,
    );
  }

  /** What is said of entries besides was changed. */
  forgetLines(): void {
    this.#kept.forget();
  }

  /** What `note` was told of was lost before it lasted: the store is asked anew, when it can be. */
  forget(): void {
    this.#tips.clear();
    this.#kept.forget();
    this.#lastAt = undefined;
  }

  #newestAt(): Instant {
    const newest = this.#sql.get<{ at: number }>('SELECT at FROM entry ORDER BY at DESC LIMIT 1')?.at ?? 0;
    return Math.max(newest, this.#base.at);
  }

  /** The entry stands: everybody inside sees it from here on. */
  note({ twin, position, at }: { twin: string; position: number; at: Instant }): void {
    this.#tips.set(twin, position);
    this.#lastAt = at;
  }

  /** Entries after a position and up to another, oldest first. */
  page(twin: string, after: number, upTo: number = Number.MAX_SAFE_INTEGER): EntryLines {
    const rows = this.#sql.all<EntryRow>(
      `SELECT ${ENTRY_COLUMNS} FROM entry WHERE twin = ? AND pos > ? AND pos <= ? ORDER BY pos LIMIT +?`,
      twin,
      after,
      upTo,
      LOG_PAGE_ENTRIES_MAX + 1,
    );
    return this.lines(rows, LOG_PAGE_ENTRIES_MAX);
  }

  /** The entries at these places, in their order; ends early when they grow large. */
  linesAt(places: readonly Cursor[], max: number): EntryLines {
    const wanted = places.slice(0, max);
    const unknown = this.#rowsAt(wanted.filter(place => this.#kept.get(place) === undefined));
    const { lines: read } = this.lines(unknown, unknown.length);
    const lines: EntryLine[] = [];
    let chars = 0;
    let next = 0;
    for (const place of wanted) {
      const line = this.#kept.get(place) ?? read[next++];
      if (line === undefined || chars > PAGE_BODY_CHARS_MAX) break;
      lines.push(line);
      chars += line.json.length;
    }
    for (const line of read) this.#kept.keep(line);
    return { lines, more: lines.length < places.length };
  }

  /** In the order of the places. */
  #rowsAt(places: readonly Cursor[]): readonly EntryRow[] {
    const rows = new Map<string, EntryRow>();
    for (const [twin, asked] of Map.groupBy(places, place => place.twin)) {
      const found = this.#sql.all<EntryRow>(
        `SELECT ${ENTRY_COLUMNS} FROM entry WHERE twin = ? AND pos IN (SELECT value FROM json_each(?))`,
        twin,
        JSON.stringify(asked.map(({ pos }) => pos)),
      );
      for (const row of found) rows.set(entryId(twin, row.pos), row);
    }
    return places.map(({ twin, pos }) => rows.get(entryId(twin, pos))!);
  }

  /** Rows as entries, with the bodies of their changes; ends early when those grow large. */
  lines(rows: readonly EntryRow[], max: number): EntryLines {
    const lines: EntryLine[] = [];
    const wanted = Math.min(rows.length, max);
    let chars = 0;
    let changes = 0;
    while (lines.length < wanted && chars <= PAGE_BODY_CHARS_MAX) {
      // Few at first: from there on it is known how large bodies are, and so how many of them the page still takes.
      const usual = Math.max(chars / changes, 1);
      const room = changes === 0 ? PAGE_FIRST_CHANGES : (PAGE_BODY_CHARS_MAX - chars) / usual;
      const slice = changedIn(rows.slice(lines.length, wanted), room);
      readChangedBodies(
        this.#sql,
        slice.flatMap(entry => entry.changes).filter(change => change.op !== 'blob'),
      );
      for (const { row, changes: made } of slice) {
        if (chars > PAGE_BODY_CHARS_MAX) break;
        const texts = made.map(change => this.#text(change)).join(',');
        const receipt =
          row.action === null || row.changeset === null
            ? null
            : readReceipt(this.#sql, row.changeset, row.action);
        lines.push(entryLine(row, `[${texts}]`, receipt));
        chars += texts.length;
        changes += made.length;
      }
    }
    return { lines, more: lines.length < rows.length };
  }

  #text({ twin, op, type, id, before, after }: ChangedBody): string {
    let text = `{"op":"${op}","type":${JSON.stringify(type)},"id":${JSON.stringify(id)}`;
    if (before !== null) text += `,"before":${this.#whole(twin, type, this.#blobs.text(before))}`;
    if (after !== null) text += `,"after":${this.#whole(twin, type, this.#blobs.text(after))}`;
    return `${text}}`;
  }
}

type ChangedEntry = { readonly row: EntryRow; readonly changes: readonly ChangedBody[] };

/** The first of them that make so many changes, and one at least. */
const changedIn = (rows: readonly EntryRow[], room: number): ChangedEntry[] => {
  const entries: ChangedEntry[] = [];
  let taken = 0;
  for (const row of rows) {
    const { twin, pos } = row;
    const changes = (JSON.parse(row.changes) as RecordChange[]).map(({ op, type, id }): ChangedBody => {
      return { twin, pos, op, type, id, before: null, after: null };
    });
    if (entries.length > 0 && taken + changes.length > room) break;
    entries.push({ row, changes });
    taken += changes.length;
  }
  return entries;
};
