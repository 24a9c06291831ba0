// The requests of a world, counted as their lines are written, so that a report costs what it shows and not what
// happened. Counts are kept of each minute and of spans of several sizes, up to a day: a period is read as the few spans
// that fill it. What is counted follows from the lines alone: the store knows up to which one, and whatever is behind
// (the lines of an older store, or those before a crash) is taken up in slices.
import type { Sql } from '../../ports/sql.ts';
import {
  COUNTED_LINES_PER_TURN,
  COUNTED_MINUTES_MS,
  COUNTED_ROUTES_MAX,
  COUNTS_SWEPT_ROWS,
  COUNTS_WRITTEN_LINES,
  JOURNAL_MS_MAX,
} from '../limits.ts';
import type { Tally } from './tally.ts';
import { TwinCounts } from './twin-counts.ts';

export type CountedLine = {
  /** Wall time. */
  readonly at: number;
  /** The twin. */
  readonly name: string;
  readonly route: string;
  readonly status: number;
  readonly us: number;
  /** 1 or 0. */
  readonly unmatched: number;
};

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** Each is a part of the next. */
const SPANS = [MINUTE_MS, 10 * MINUTE_MS, HOUR_MS, 6 * HOUR_MS, DAY_MS] as const;

type Counted = { readonly since: number; readonly name: string; readonly counts: TwinCounts };
type Row = { readonly name: string; readonly counts: string };

export class RequestCounts {
  readonly #sql: Sql;
  /** By minute and name, what is in the lines and not in the tables yet. */
  readonly #waiting = new Map<string, Counted>();
  #waitingLines = 0;
  /** The last line that the tables count; null until the store is asked. */
  #counted: number | null = null;
  /** The last line that is counted here or there. */
  #seen = 0;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** What was noted was lost, or is not there any more: the store is asked anew. */
  forget(): void {
    this.#waiting.clear();
    this.#waitingLines = 0;
    this.#counted = null;
  }

  /** The last line that the tables count: what is older can go. */
  get counted(): number {
    this.#open();
    return this.#counted!;
  }

  /** Inside the transaction that wrote these lines, the last ones there are; `wall` is now. */
  add(lines: readonly CountedLine[], wall: number): void {
    this.#open();
    const last = this.#lastLine();
    // Behind, they are counted in their turn.
    if (this.#seen === last - lines.length) {
      for (const line of lines) this.#note(line);
      this.#seen = last;
    } else this.#takeSlice();
    if (this.#waitingLines >= COUNTS_WRITTEN_LINES) this.#write(wall);
  }

  /** Whether all lines are counted when it returns. Does no more than is done in one turn; not inside a transaction. */
  catchUp(wall: number): boolean {
    this.#open();
    const last = this.#lastLine();
    if (this.#seen < last) this.#takeSlice();
    if (this.#waitingLines >= COUNTS_WRITTEN_LINES) this.#sql.transaction(() => this.#write(wall));
    return this.#seen >= last;
  }

  /** From when on requests are counted: an older store may have lost lines that nobody had counted. */
  get since(): number {
    return Number(this.#sql.get<{ v: string }>('SELECT v FROM meta WHERE k = ?', SINCE)?.v ?? 0);
  }

  /** By twin, of a period that begins there (`beginningOf`) and ends now. */
  read(from: number): Map<string, TwinCounts> {
    const twins = new Map<string, TwinCounts>();
    const of = (name: string): TwinCounts => entryOf(twins, name, () => new TwinCounts());
    for (const { since, name, counts } of this.#waiting.values()) if (since >= from) of(name).merge(counts);
    let begin = from;
    for (const [nth, span] of SPANS.entries()) {
      // A wall clock that has gone back since then dates some lines later than now: the last span has no end.
      const next = SPANS[nth + 1];
      const end = next === undefined ? Number.MAX_SAFE_INTEGER : Math.ceil(begin / next) * next;
      if (begin === end) continue;
      const rows = this.#sql.all<Row>(
        'SELECT name, counts FROM request_count WHERE span = ? AND since >= ? AND since < ?',
        span,
        begin,
        end,
      );
      for (const { name, counts } of rows) of(name).read(counts);
      begin = end;
    }
    return twins;
  }

  /** Of the minutes since then, by twin; those that were asked nothing are not told. */
  minutes(from: number): readonly { readonly since: number; readonly name: string; readonly all: Tally }[] {
    const waiting = [...this.#waiting.values()].filter(({ since }) => since >= from);
    const rows = this.#sql.all<Row & { readonly since: number }>(
      'SELECT since, name, counts FROM request_count WHERE span = ? AND since >= ?',
      MINUTE_MS,
      from,
    );
    return [
      ...rows.map(({ since, name, counts }) => {
        // Of its routes nobody asked.
        const read = new TwinCounts(0);
        read.read(counts);
        return { since, name, all: read.all };
      }),
      ...waiting.map(({ since, name, counts }) => ({ since, name, all: counts.all })),
    ];
  }

  #open(): void {
    if (this.#counted !== null) return;
    this.#counted = Number(this.#sql.get<{ v: string }>('SELECT v FROM meta WHERE k = ?', COUNTED)?.v ?? 0);
    this.#seen = this.#counted;
  }

  #lastLine(): number {
    return this.#sql.get<{ id: number | null }>('SELECT max(id) AS id FROM journal')?.id ?? 0;
  }

  #takeSlice(): void {
    const lines = this.#sql.all<CountedLine & { readonly id: number }>(
      'SELECT id, at, name, route, status, us, unmatched FROM journal WHERE id > ? ORDER BY id LIMIT +?',
      this.#seen,
      COUNTED_LINES_PER_TURN,
    );
    for (const line of lines) this.#note(line);
    this.#seen = lines.length < COUNTED_LINES_PER_TURN ? this.#lastLine() : lines.at(-1)!.id;
  }

  #note({ at, name, route, status, us, unmatched }: CountedLine): void {
    const since = slotOf(at, MINUTE_MS);
    const counted = entryOf(this.#waiting, `${since} ${name}`, () => countedOf(since, name));
    counted.counts.count(route, status, us, unmatched === 1);
    this.#waitingLines += 1;
  }

  #write(wall: number): void {
    let counted: readonly Counted[] = [...this.#waiting.values()];
    for (const span of SPANS) {
      const kept = wall - keptMs(span);
      if (span !== MINUTE_MS) counted = widened(counted, span);
      for (const each of counted) if (each.since >= kept) this.#merge(span, each);
      this.#sql.run(
        `DELETE FROM request_count WHERE (span, since, name) IN (
           SELECT span, since, name FROM request_count WHERE span = ? AND since < ? LIMIT +?)`,
        span,
        kept,
        COUNTS_SWEPT_ROWS,
      );
    }
    this.#sql.run(
      'INSERT INTO meta(k, v) VALUES (?, ?) ON CONFLICT(k) DO UPDATE SET v = excluded.v',
      COUNTED,
      String(this.#seen),
    );
    this.#waiting.clear();
    this.#waitingLines = 0;
    this.#counted = this.#seen;
  }

  #merge(span: number, { since, name, counts }: Counted): void {
    const there = this.#sql.get<Row>(
      'SELECT counts FROM request_count WHERE span = ? AND since = ? AND name = ?',
      span,
      since,
      name,
    );
    // An app that asks for anything must not make a count of everything.
    const sum = new TwinCounts(COUNTED_ROUTES_MAX);
    if (there !== undefined) sum.read(there.counts);
    sum.merge(counts);
    this.#sql.run(
      `INSERT INTO request_count(span, since, name, counts) VALUES (?, ?, ?, ?)
       ON CONFLICT(span, since, name) DO UPDATE SET counts = excluded.counts`,
      span,
      since,
      name,
      sum.text,
    );
  }
}

const COUNTED = 'requests-counted';
const SINCE = 'requests-since';

const countedOf = (since: number, name: string): Counted => ({
  since,
  name,
  counts: new TwinCounts(COUNTED_ROUTES_MAX),
});

/** The same by a longer span. */
const widened = (counted: readonly Counted[], span: number): readonly Counted[] => {
  const wider = new Map<string, Counted>();
  for (const { since: part, name, counts } of counted) {
    const since = slotOf(part, span);
    entryOf(wider, `${since} ${name}`, () => countedOf(since, name)).counts.merge(counts);
  }
  return [...wider.values()];
};

const slotOf = (at: number, span: number): number => Math.floor(at / span) * span;

/** Those under an hour only for what is told to the minute. */
const keptMs = (span: number): number => (span < HOUR_MS ? COUNTED_MINUTES_MS : JOURNAL_MS_MAX) + span;

const entryOf = <T>(map: Map<string, T>, key: string, make: () => T): T => {
  let entry = map.get(key);
  if (entry === undefined) map.set(key, (entry = make()));
  return entry;
};

/** Of an instant the beginning of its minute, or of its hour where minutes are not kept any more. */
export const beginningOf = (at: number, wall: number): number =>
  slotOf(at, wall - at < COUNTED_MINUTES_MS ? MINUTE_MS : HOUR_MS);
