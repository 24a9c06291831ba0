// The clock that every twin stamps from (4.9): frozen at an instant, or the wall clock while none is set. It never shows
// less than the newest entry or than it has shown before, so the log's instants never decrease; where the wall is behind
// that, it goes on at half the wall's pace until the wall has caught up (docs/decisions/0012).
import type { Instant } from '../../../twins/kit/tx.ts';
import type { WallClock } from '../../ports/clock.ts';
import type { Sql } from '../../ports/sql.ts';
import { INSTANT_MS_MAX } from '../limits.ts';
import type { DueQueue } from '../log/due.ts';
import type { EntryLog } from '../log/entry-log.ts';
import type { Newsroom } from '../log/news.ts';
import { parseDuration } from '../store/duration.ts';
import { formatInstant, parseInstant } from '../store/instant.ts';

/** `{ at, frozen }` of 2.13; `at` is ISO 8601. `catchingUp` while events that are due by `at` still happen. */
export type ClockReading = {
  readonly at: string;
  readonly frozen: boolean;
  readonly catchingUp?: CatchUpProgress;
};

/** How far the world is: events that have happened, events that are due and have not, and the instant (ISO 8601) it has reached. */
export type CatchUpProgress = { readonly done: number; readonly left: number; readonly at: string };

export type ClockResult =
  | { readonly ok: true; readonly clock: ClockReading }
  | {
      readonly ok: false;
      readonly why: 'would-move-back' | 'clock-unset' | 'not-an-instant' | 'not-a-duration';
      readonly message: string;
    };

type Parts = {
  readonly sql: Sql;
  readonly wall: WallClock;
  readonly log: EntryLog;
  readonly due: DueQueue;
  readonly news: Newsroom;
};

export class WorldClock {
  readonly #sql: Sql;
  readonly #wall: WallClock;
  readonly #log: EntryLog;
  readonly #due: DueQueue;
  readonly #news: Newsroom;
  /** Undefined until the store is asked. */
  #known: Instant | null | undefined;
  /** What a clock that is not set showed last, to a fraction of a millisecond, and what the wall said then. */
  #shownAt = 0;
  #shownWall: number;

  constructor({ sql, wall, log, due, news }: Parts) {
    this.#sql = sql;
    this.#wall = wall;
    this.#log = log;
    this.#due = due;
    this.#news = news;
    this.#shownWall = wall.now();
  }

  /** What was set was lost before it lasted: the store is asked anew, when it can be. */
  forget(): void {
    this.#known = undefined;
  }

  get #frozenAt(): Instant | null {
    if (this.#known === undefined) this.#known = this.#read();
    return this.#known;
  }

  #read(): Instant | null {
    const kept = this.#sql.get<{ v: string }>("SELECT v FROM meta WHERE k = 'clock'")?.v;
    return kept === undefined ? null : Number(kept);
  }

  get frozen(): boolean {
    return this.#frozenAt !== null;
  }

  now(): Instant {
    return this.#frozenAt ?? this.#following();
  }

  #following(): Instant {
    const wall = this.#wall.now();
    const least = Math.max(this.#shownAt, this.#log.lastAt);
    const behind = wall < least;
    const at = behind ? least + Math.max(0, wall - this.#shownWall) / 2 : wall;
    this.#shownAt = at;
    this.#shownWall = wall;
    return Math.floor(at);
  }

  /** Of an entry that the world itself appends now: while events are still due, it has not arrived at `now` yet. */
  stamp(): Instant {
    const now = this.now();
    return Math.max(this.#log.lastAt, Math.min(now, this.#due.first()?.at ?? now));
  }

  reading(): ClockReading {
    return { at: formatInstant(this.now()), frozen: this.frozen };
  }

  set(text: string): ClockResult {
    const at = parseInstant(text);
    if (at === null) {
      return refusal('not-an-instant', '`at` is an ISO 8601 instant with its offset: 2026-03-01T00:00:00Z.');
    }
    if (at < this.#log.lastAt) {
      const newest = formatInstant(this.#log.lastAt);
      return refusal(
        'would-move-back',
        `The newest entry of the log is of ${newest}; the clock cannot be set before it.`,
      );
    }
    if (this.#frozenAt !== null && at < this.#frozenAt) {
      return refusal(
        'would-move-back',
        `The clock stands at ${formatInstant(this.#frozenAt)} and only moves forward.`,
      );
    }
    return this.#freeze(at);
  }

  advance(text: string): ClockResult {
    const by = parseDuration(text);
    if (by === null || (this.#frozenAt ?? 0) + by > INSTANT_MS_MAX) {
      return refusal('not-a-duration', '`by` is an integer followed by s, m, h or d: 90s, 36h, 31d.');
    }
    if (this.#frozenAt === null) {
      return refusal('clock-unset', 'The clock follows the wall clock; set it first (PUT …/clock { at }).');
    }
    return this.#freeze(this.#frozenAt + by);
  }

  #freeze(at: Instant): ClockResult {
    this.#sql.transaction(() => {
      this.#sql.run(
        "INSERT INTO meta(k, v) VALUES ('clock', ?) ON CONFLICT(k) DO UPDATE SET v = excluded.v",
        String(at),
      );
    });
    this.#known = at;
    this.#news.tell({ kind: 'clock' });
    return { ok: true, clock: this.reading() };
  }
}

type Refusal = Extract<ClockResult, { ok: false }>;

const refusal = (why: Refusal['why'], message: string): Refusal => ({ ok: false, why, message });
