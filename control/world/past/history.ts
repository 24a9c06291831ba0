// The past of a world: its own entries, and below its base those of the world it branched off, read as one. For
// the endpoints, and for the branches of this world, which read it in the same way.
import type { Instant } from '../../../twins/kit/tx.ts';
import type { Sql } from '../../ports/sql.ts';
import { type DueRow, dueAt } from '../log/due.ts';
import { type Cursor, type EntryPage, entryPage, newerFirst } from '../log/entry.ts';
import type { EntryLog } from '../log/entry-log.ts';
import type {
  Counted,
  EntriesAsked,
  EntryLines,
  HistorySource,
  PastRecord,
  RecordKey,
} from '../log/history-source.ts';
import { placesBefore, placesUpTo } from '../log/timeline.ts';
import type { BlobStore } from '../store/blob-store.ts';
import type { BranchBase } from '../store/branch-base.ts';
import { ORDER_FIRST } from '../store/record-order.ts';
import { versionRow } from '../store/versions.ts';
import type { Seat } from '../work/seat.ts';
import { type KeptFrom, keptFrom } from './kept-from.ts';
import { countsAt, recordAt, recordsAt, recordsBefore, typesOf } from './state-at.ts';

type Parts = {
  readonly sql: Sql;
  readonly blobs: BlobStore;
  readonly log: EntryLog;
  readonly base: BranchBase;
  /** Of the world it branched off. */
  readonly parent: HistorySource | null;
  /** What a branch has of a twin is whole when it resolves. */
  readonly whole: (twin: string) => Promise<void>;
  readonly seats: ReadonlyMap<string, Seat>;
};

export class History implements HistorySource {
  readonly #parts: Parts;
  readonly #counted = new Map<string, readonly Counted[]>();
  /** By twin and type, how many records stand before a place: they are over, and are counted once. */
  readonly #over = new Map<string, { readonly before: number; readonly records: number }>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** The past itself was changed (rewind.ts). */
  forget(): void {
    this.#counted.clear();
    this.#over.clear();
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
    const { log, base } = this.#parts;
    const below = base.position(twin);
    const { lines, more } = await this.log(twin, after, after < below ? below : Number.MAX_SAFE_INTEGER);
    const last = lines.at(-1)?.pos ?? below;
    return entryPage(lines, more || (after < below && log.tip(twin) > last) ? String(last) : null);
  }

  async log(twin: string, after: number, upTo: number): Promise<EntryLines> {
    const { blobs, log, base, parent } = this.#parts;
    const below = base.position(twin);
    if (after < below && parent !== null) {
      const { lines, more } = await parent.log(twin, after, Math.min(upTo, below));
      return { lines, more: more || (upTo > below && log.tip(twin) > below) };
    }
    return blobs.reading(() => log.page(twin, after, upTo));
  }

  /** Everything there is: the newest end of the timeline is this world's own. */
  async newest(asked: Omit<EntriesAsked, 'upTo'>): Promise<EntryLines> {
    const { sql, base } = this.#parts;
    const own = await this.#lines(placesBefore(sql, { ...asked, limit: asked.limit + 1 }), asked.limit);
    return this.#withParents(own, asked, new Map(base.twins.map(twin => [twin, base.position(twin)])));
  }

  async timeline(asked: EntriesAsked): Promise<EntryLines> {
    const { sql, base } = this.#parts;
    const own = await this.#lines(placesUpTo(sql, { ...asked, limit: asked.limit + 1 }), asked.limit);
    const upTo = [...asked.upTo].map(([twin, position]): [string, number] => [
      twin,
      Math.min(position, base.position(twin)),
    ]);
    return this.#withParents(own, asked, new Map(upTo));
  }

  #lines(places: readonly Cursor[], limit: number): EntryLines | Promise<EntryLines> {
    const { blobs, log } = this.#parts;
    return blobs.reading(() => log.linesAt(places, limit));
  }

  async #withParents(
    own: EntryLines,
    asked: Omit<EntriesAsked, 'upTo'>,
    upTo: ReadonlyMap<string, number>,
  ): Promise<EntryLines> {
    const { parent, base } = this.#parts;
    if (parent === null) return own;
    const oldest = own.lines.at(-1);
    // The parent's are all of the base's instant or earlier: a page that ends above it has none of them.
    if (own.more && oldest !== undefined && oldest.at > base.at) return own;
    const theirs = await parent.timeline({ ...asked, upTo });
    return union(own, theirs, asked.limit);
  }

  async records(
    twin: string,
    position: number,
    after: RecordKey | null,
    limit: number,
  ): Promise<readonly PastRecord[]> {
    const from = await this.#from(twin, position);
    return from === null
      ? recordsAt(this.#parts.sql, twin, position, after, limit, this.#keptFrom(twin, position))
      : from.source.records(twin, from.position, after, limit);
  }

  async types(twin: string, position: number): Promise<readonly string[]> {
    const from = await this.#from(twin, position);
    return from === null ? typesOf(this.#parts.sql, twin) : from.source.types(twin, from.position);
  }

  async recordsBefore(
    twin: string,
    position: number,
    type: string,
    before: number,
    limit: number,
  ): Promise<readonly PastRecord[]> {
    const from = await this.#from(twin, position);
    return from === null
      ? recordsBefore(this.#parts.sql, twin, position, type, before, limit, this.#keptFrom(twin, position))
      : from.source.recordsBefore(twin, from.position, type, before, limit);
  }

  async record(twin: string, position: number, type: string, id: string): Promise<PastRecord | null> {
    const from = await this.#from(twin, position);
    return from === null
      ? recordAt(this.#parts.sql, twin, position, type, id)
      : from.source.record(twin, from.position, type, id);
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
    if (parent !== null && !base.isTallied(twin)) {
      // The past of the parent does not change: it is counted once.
      let counted = this.#counted.get(twin);
      if (counted === undefined) {
        counted = await this.counts(twin, base.position(twin));
        this.#counted.set(twin, counted);
      }
      // While it is copied, the branch's own are what it made and ended itself.
      return base.isTallied(twin) ? this.#standing(twin) : added(counted, tallied(sql, twin));
    }
    return this.#standing(twin);
  }

  /** Of this world's own tables, which have all of the twin. */
  #standing(twin: string): readonly Counted[] {
    const { sql, log } = this.#parts;
    const kept = this.#keptFrom(twin, log.tip(twin));
    const standing = tallied(sql, twin);
    const over = standing.map(({ type }) => ({ type, count: -this.#overBefore(twin, type, kept(type)) }));
    return added(standing, over);
  }

  #overBefore(twin: string, type: string, place: number): number {
    if (place === ORDER_FIRST) return 0;
    const key = `${twin}/${type}`;
    const known = this.#over.get(key);
    // What a disk lost is counted anew.
    const since = known === undefined || known.before > place ? { before: ORDER_FIRST, records: 0 } : known;
    const { records } = this.#parts.sql.get<{ records: number }>(
      'SELECT count(*) AS records FROM head WHERE twin = ? AND type = ? AND ord >= ? AND ord < ?',
      twin,
      type,
      since.before,
      place,
    )!;
    const found = { before: place, records: since.records + records };
    this.#over.set(key, found);
    return found.records;
  }

  async counts(twin: string, position: number): Promise<readonly Counted[]> {
    const from = await this.#from(twin, position);
    if (from !== null) return from.source.counts(twin, from.position);
    return countsAt(this.#parts.sql, twin, position, this.#keptFrom(twin, position));
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

  #keptFrom(twin: string, position: number): KeptFrom {
    const { sql, seats } = this.#parts;
    const types = seats.get(twin)?.twin.records ?? {};
    return keptFrom(sql, type => types[type]?.keptMs ?? null, { twin, position });
  }

  /** Whose tables have the state at a position; null for this world's own, which are whole then. */
  async #from(twin: string, position: number): Promise<{ source: HistorySource; position: number } | null> {
    const { base, parent, whole } = this.#parts;
    if (parent === null) return null;
    const below = base.position(twin);
    if (position < below || (position === below && !base.isCopied(twin))) return { source: parent, position };
    if (!base.isCopied(twin)) await whole(twin);
    return null;
  }
}

const tallied = (sql: Sql, twin: string): readonly Counted[] =>
  sql
    .all<{ type: string; records: number }>('SELECT type, records FROM tally WHERE twin = ?', twin)
    .map(({ type, records }) => ({ type, count: records }));

/** By type, those of which there are any. */
const added = (some: readonly Counted[], others: readonly Counted[]): readonly Counted[] => {
  const counted = new Map<string, number>();
  for (const { type, count } of [...some, ...others]) counted.set(type, (counted.get(type) ?? 0) + count);
  return [...counted]
    .filter(([, count]) => count > 0)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([type, count]) => ({ type, count }));
};

/** Two pages as one. What comes after the end of a page that ended early is not known to be next. */
const union = (own: EntryLines, theirs: EntryLines, limit: number): EntryLines => {
  const all = [...own.lines, ...theirs.lines].sort(newerFirst);
  const ends = [own, theirs].filter(({ more }) => more).map(({ lines }) => lines.at(-1)!);
  const known = all.filter(line => ends.every(end => newerFirst(line, end) <= 0));
  return { lines: known.slice(0, limit), more: own.more || theirs.more || known.length > limit };
};
