// The clock that every twin stamps from (4.9): frozen at an instant, or the wall clock while none is set. It
// never shows less than the newest entry, so the log's instants never decrease.
import type { Instant } from '../../../twins/kit/tx.ts';
import type { WallClock } from '../../ports/clock.ts';
import type { Sql } from '../../ports/sql.ts';
import { INSTANT_MS_MAX } from '../limits.ts';
import type { EntryLog } from '../log/entry-log.ts';
import type { Newsroom } from '../log/news.ts';
import { parseDuration } from '../store/duration.ts';
import { formatInstant, parseInstant } from '../store/instant.ts';
import type { ClockReading, ClockResult } from '../world.ts';

export class WorldClock {
  readonly #sql: Sql;
  readonly #wall: WallClock;
  readonly #log: EntryLog;
  readonly #news: Newsroom;
  #frozenAt: Instant | null;

  constructor({ sql, wall, log, news }: { sql: Sql; wall: WallClock; log: EntryLog; news: Newsroom }) {
    this.#sql = sql;
    this.#wall = wall;
    this.#log = log;
    this.#news = news;
    const stored = sql.get<{ v: string }>("SELECT v FROM meta WHERE k = 'clock'")?.v;
    this.#frozenAt = stored === undefined ? null : Number(stored);
  }

  get frozen(): boolean {
    return this.#frozenAt !== null;
  }

  now(): Instant {
    return this.#frozenAt ?? Math.max(this.#wall.now(), this.#log.lastAt);
  }

  reading(): ClockReading {
    return { at: formatInstant(this.now()), frozen: this.frozen };
  }

  set(text: string): ClockResult {
    const at = parseInstant(text);
    if (at === null) {
      return refused('not-an-instant', '`at` is an ISO 8601 instant with its offset: 2026-03-01T00:00:00Z.');
    }
    if (at < this.#log.lastAt) {
      const newest = formatInstant(this.#log.lastAt);
      return refused(
        'would-move-back',
        `The newest entry of the log is of ${newest}; the clock cannot be set before it.`,
      );
    }
    if (this.#frozenAt !== null && at < this.#frozenAt) {
      return refused(
        'would-move-back',
        `The clock stands at ${formatInstant(this.#frozenAt)} and only moves forward.`,
      );
    }
    return this.#freeze(at);
  }

  advance(text: string): ClockResult {
    const by = parseDuration(text);
    if (by === null || (this.#frozenAt ?? 0) + by > INSTANT_MS_MAX) {
      return refused('not-a-duration', '`by` is an integer followed by s, m, h or d: 90s, 36h, 31d.');
    }
    if (this.#frozenAt === null) {
      return refused('clock-unset', 'The clock follows the wall clock; set it first (PUT …/clock { at }).');
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
    this.#frozenAt = at;
    this.#news.tell({ kind: 'clock' });
    return { ok: true, clock: this.reading() };
  }
}

const refused = (
  why: 'would-move-back' | 'clock-unset' | 'not-an-instant' | 'not-a-duration',
  message: string,
): ClockResult => ({
  ok: false,
  why,
  message,
});
