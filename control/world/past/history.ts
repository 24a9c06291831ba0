// The past of a world: its own entries, and below its base those of the world it branched off, read as one. For
// the endpoints, and for the branches of this world, which read it in the same way.
import type { Instant } from '../../../twins/kit/tx.ts';
import type { Sql } from '../../ports/sql.ts';
import { type DueRow, dueAt } from '../log/due.ts';
import { cursorOf, type EntryPage, type EntryRow, newerFirst } from '../log/entry.ts';
import type { EntryLog } from '../log/entry-log.ts';
import type {
  Counted,
  Entries,
  EntriesAsked,
  HistorySource,
  PastRecord,
  RecordKey,
} from '../log/history-source.ts';
import { rowsBefore, rowsUpTo } from '../log/timeline.ts';
import type { BlobStore } from '../store/blob-store.ts';
import type { BranchBase } from '../store/branch-base.ts';
import { versionRow } from '../store/versions.ts';
import { recordsAt } from './state-at.ts';

type Parts = {
  readonly sql: Sql;
  readonly blobs: BlobStore;
  readonly log: EntryLog;
  readonly base: BranchBase;
  /** Of the world it branched off. */
  readonly parent: HistorySource | null;
};

export class History implements HistorySource {
  readonly #parts: Parts;
  readonly #counted = new Map<string, readonly Counted[]>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** The past itself was changed (rewind.ts). */
  forget(): void {
    this.#counted.clear();
  }

  /** Every twin that has a history, mounted or not. */
  get twins(): readonly string[] {
    const { sql, base } = this.#parts;
    const found = new Set(base.twins);
    // From one twin to the next: the log is long and its twins are few.
    for (let after = ''; ; ) {
      const row = sql.get<{ twin: string }>(
        'SELECT twin FROM entry WHERE twin > ? ORDER BY twin LIMIT 1',
        after,
      );
      if (row === undefined) return [...found].sort();
      found.add(row.twin);
      after = row.twin;
    }
  }

  async positionsAt(at: Instant): Promise<ReadonlyMap<string, number>> {
    const { sql, base, parent } = this.#parts;
    const before = at < base.at && parent !== null ? await parent.positionsAt(at) : null;
    const positions = this.twins.map((twin): [string, number] => {
      if (before !== null) return [twin, Math.min(before.get(twin) ?? 0, base.position(twin))];
      const row = sql.get<{ pos: number }>(
        'SELECT pos FROM entry WHERE twin = ? AND at <= ? ORDER BY at DESC, pos DESC LIMIT 1',
        twin,
        at,
      );
      return [twin, row?.pos ?? base.position(twin)];
    });
    return new Map(positions);
  }

  /** One page of a twin's log, whosever entries they are; `next` leads over the base. */
  async page(twin: string, after: number): Promise<EntryPage> {
    const { blobs, log, base } = this.#parts;
    if (after >= base.position(twin)) return blobs.reading(() => log.page(twin, after));
    const { entries, more } = await this.log(twin, after, base.position(twin));
    const last = entries.at(-1)?.position ?? base.position(twin);
    return { entries, next: more || log.tip(twin) > last ? String(last) : null };
  }

  async log(twin: string, after: number, upTo: number): Promise<Entries> {
    const { blobs, log, base, parent } = this.#parts;
    const below = base.position(twin);
    if (after < below && parent !== null) {
      const { entries, more } = await parent.log(twin, after, Math.min(upTo, below));
      return { entries, more: more || (upTo > below && log.tip(twin) > below) };
    }
    const { entries, next } = await blobs.reading(() => log.page(twin, after, upTo));
    return { entries, more: next !== null };
  }

  /** Everything there is: the newest end of the timeline is this world's own. */
  async newest(asked: Omit<EntriesAsked, 'upTo'>): Promise<Entries> {
    const { sql, base } = this.#parts;
    const own = await this.#entries(rowsBefore(sql, { ...asked, limit: asked.limit + 1 }), asked.limit);
    return this.#withParents(own, asked, new Map(base.twins.map(twin => [twin, base.position(twin)])));
  }

  async timeline(asked: EntriesAsked): Promise<Entries> {
    const { sql, base } = this.#parts;
    const own = await this.#entries(rowsUpTo(sql, { ...asked, limit: asked.limit + 1 }), asked.limit);
    const upTo = [...asked.upTo].map(([twin, position]): [string, number] => [
      twin,
      Math.min(position, base.position(twin)),
    ]);
    return this.#withParents(own, asked, new Map(upTo));
  }

  #entries(rows: readonly EntryRow[], limit: number): Entries | Promise<Entries> {
    const { blobs, log } = this.#parts;
    return blobs.reading(() => log.entries(rows, limit));
  }

  async #withParents(
    own: Entries,
    asked: Omit<EntriesAsked, 'upTo'>,
    upTo: ReadonlyMap<string, number>,
  ): Promise<Entries> {
    const { parent, base } = this.#parts;
    if (parent === null) return own;
    const oldest = own.entries.at(-1);
    // The parent's are all of the base's instant or earlier: a page that ends above it has none of them.
    if (own.more && oldest !== undefined && cursorOf(oldest).at > base.at) return own;
    const theirs = await parent.timeline({ ...asked, upTo });
    return union(own, theirs, asked.limit);
  }

  async records(
    twin: string,
    position: number,
    after: RecordKey | null,
    limit: number,
  ): Promise<readonly PastRecord[]> {
    const { sql, parent } = this.#parts;
    return this.#isParents(twin, position)
      ? parent!.records(twin, this.#parentsPosition(twin, position), after, limit)
      : recordsAt(sql, twin, position, after, limit);
  }

  async due(twin: string, at: Instant, position: number, cuts: number): Promise<readonly DueRow[]> {
    const { sql, base, parent } = this.#parts;
    if (parent !== null && (at < base.at || !base.isDueCopied))
      return parent.due(
        twin,
        Math.min(at, base.at),
        Math.min(position, base.position(twin)),
        base.origin!.cuts,
      );
    return dueAt(sql, twin, at, position, cuts);
  }

  /** How many records of each type there are now. */
  async resources(twin: string): Promise<readonly Counted[]> {
    const { sql, base, parent } = this.#parts;
    if (parent !== null && !base.isCopied(twin)) {
      // The past of the parent does not change: it is counted once.
      let counted = this.#counted.get(twin);
      if (counted === undefined) {
        counted = await this.counts(twin, base.position(twin));
        this.#counted.set(twin, counted);
      }
      return counted;
    }
    return sql
      .all<{ type: string; records: number }>(
        'SELECT type, records FROM tally WHERE twin = ? AND records > 0 ORDER BY type',
        twin,
      )
      .map(({ type, records }) => ({ type, count: records }));
  }

  async counts(twin: string, position: number): Promise<readonly Counted[]> {
    if (this.#isParents(twin, position))
      return this.#parts.parent!.counts(twin, this.#parentsPosition(twin, position));
    const counted = new Map<string, number>();
    for (let after: RecordKey | null = null; ; ) {
      const records: readonly PastRecord[] = await this.records(twin, position, after, COUNTED_PER_TURN);
      for (const { type } of records) counted.set(type, (counted.get(type) ?? 0) + 1);
      if (records.length < COUNTED_PER_TURN) break;
      after = records.at(-1)!;
    }
    return [...counted].map(([type, count]) => ({ type, count }));
  }

  version(
    twin: string,
    type: string,
    id: string,
    position: number,
  ): string | undefined | Promise<string | undefined> {
    const { sql, base, parent } = this.#parts;
    const inherited = parent !== null && position <= base.position(twin);
    return inherited ? parent.version(twin, type, id, position) : versionRow(sql, twin, type, id, position);
  }

  blob(sha256: string): Uint8Array | undefined {
    return this.#parts.blobs.get(sha256);
  }

  #isParents(twin: string, position: number): boolean {
    const { base, parent } = this.#parts;
    if (parent === null) return false;
    const below = base.position(twin);
    return position < below || (position === below && !base.isCopied(twin));
  }

  #parentsPosition(twin: string, position: number): number {
    return Math.min(position, this.#parts.base.position(twin));
  }
}

const COUNTED_PER_TURN = 1000;

/** Two pages as one. What comes after the end of a page that ended early is not known to be next. */
const union = (own: Entries, theirs: Entries, limit: number): Entries => {
  const all = [...own.entries, ...theirs.entries].sort((a, b) => newerFirst(cursorOf(a), cursorOf(b)));
  const ends = [own, theirs].filter(({ more }) => more).map(({ entries }) => entries.at(-1)!);
  const known = all.filter(entry => ends.every(end => newerFirst(cursorOf(entry), cursorOf(end)) <= 0));
  return { entries: known.slice(0, limit), more: own.more || theirs.more || known.length > limit };
};
