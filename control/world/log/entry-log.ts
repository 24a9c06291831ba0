// The log of a world: entries of every twin, append-only. Positions are dense per twin, and `at` never
// decreases, neither within a twin nor in the order of appending.
import type { Trace } from '../../../twins/kit/call.ts';
import type { Instant } from '../../../twins/kit/tx.ts';
import type { Sql } from '../../ports/sql.ts';
import { ENTRY_PATH_CHARS_MAX, LOG_PAGE_ENTRIES_MAX, PAGE_BODY_CHARS_MAX } from '../limits.ts';
import type { BlobStore } from '../store/blob-store.ts';
import type { BranchBase } from '../store/branch-base.ts';
import type { RecordChange } from '../store/outcome.ts';
import type { WholeText } from '../store/records.ts';
import {
  type Actor,
  asEntry,
  type Change,
  type DeliveryNote,
  type Entry,
  type EntryPage,
  type EntryRow,
} from './entry.ts';

export type NewEntry = {
  readonly twin: string;
  readonly position: number;
  readonly at: Instant;
  readonly wall: number;
  readonly kind: string;
  readonly actor: Actor;
  readonly changes: readonly RecordChange[];
  readonly caller?: string | null;
  readonly request?: { readonly method: string; readonly path: string };
  readonly trace?: Trace | null;
  readonly cause?: string | null;
  readonly delivery?: DeliveryNote;
};

export class EntryLog {
  readonly #sql: Sql;
  readonly #blobs: BlobStore;
  readonly #base: BranchBase;
  readonly #whole: WholeText;
  readonly #tips = new Map<string, number>();
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
    const { twin, position, at, wall, kind, actor, request, trace, delivery } = entry;
    this.#sql.run(
      'INSERT INTO entry VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL, NULL)',
      twin,
      position,
      at,
      wall,
      kind,
      actor.type,
      actor.id ?? null,
      entry.caller ?? null,
      request?.method ?? null,
      request?.path.slice(0, ENTRY_PATH_CHARS_MAX) ?? null,
      trace?.traceId ?? null,
      trace?.spanId ?? null,
      trace?.parentId ?? null,
      entry.cause ?? null,
      delivery === undefined ? null : JSON.stringify(delivery),
      JSON.stringify(entry.changes),
    );
  }

  /** What `note` was told of was lost before it lasted: the store is asked anew, when it can be. */
  forget(): void {
    this.#tips.clear();
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
  page(twin: string, after: number, upTo: number = Number.MAX_SAFE_INTEGER): EntryPage {
    const rows = this.#sql.all<EntryRow>(
      'SELECT * FROM entry WHERE twin = ? AND pos > ? AND pos <= ? ORDER BY pos LIMIT ?',
      twin,
      after,
      upTo,
      LOG_PAGE_ENTRIES_MAX + 1,
    );
    const { entries, more } = this.entries(rows, LOG_PAGE_ENTRIES_MAX);
    return { entries, next: more ? String(entries.at(-1)!.position) : null };
  }

  /** Rows as entries, with the bodies of their changes; ends early when those grow large. */
  entries(rows: readonly EntryRow[], max: number): { entries: Entry[]; more: boolean } {
    const entries: Entry[] = [];
    let chars = 0;
    for (const row of rows) {
      if (entries.length === max || chars > PAGE_BODY_CHARS_MAX) return { entries, more: true };
      const changes = (JSON.parse(row.changes) as RecordChange[]).map(({ op, type, id }): Change => {
        if (op === 'blob') return { op, type, id };
        const before = this.#before(row, type, id);
        const after = op === 'put' ? this.#after(row, type, id) : null;
        chars += (before?.length ?? 0) + (after?.length ?? 0);
        return {
          op,
          type,
          id,
          ...(before === null ? {} : { before: JSON.parse(before) }),
          ...(after === null ? {} : { after: JSON.parse(after) }),
        };
      });
      entries.push(asEntry(row, changes));
    }
    return { entries, more: false };
  }

  #before({ twin, pos }: EntryRow, type: string, id: string): string | null {
    return this.#body(
      'SELECT body FROM ver WHERE twin = ? AND type = ? AND id = ? AND pos < ? ORDER BY pos DESC LIMIT 1',
      twin,
      type,
      id,
      pos,
    );
  }

  #after({ twin, pos }: EntryRow, type: string, id: string): string | null {
    const key = [twin, type, id, pos] as const;
    return (
      this.#body('SELECT body FROM ver WHERE twin = ? AND type = ? AND id = ? AND pos = ?', ...key) ??
      this.#body('SELECT body FROM head WHERE twin = ? AND type = ? AND id = ? AND pos = ?', ...key)
    );
  }

  #body(text: string, ...key: readonly [string, string, string, number]): string | null {
    const body = this.#sql.get<{ body: string | null }>(text, ...key)?.body ?? null;
    return body === null ? null : this.#whole(key[0], key[1], this.#blobs.text(body));
  }
}
