// The journal of requests (4.4, 6): a line for each request that reached a twin, counted for the report (counts.ts). A
// line costs the request a push to a list; lines are written in batches, and what is too old goes with the same batches. A
// host has hundreds of worlds that are each asked a little, and a batch of one line costs half of what a write to a twin
// does. What a crash takes is the last batch: the journal is for looking, and nothing else rests on it.
import type { Alarms } from '../../ports/alarms.ts';
import type { WallClock } from '../../ports/clock.ts';
import type { Durability } from '../../ports/durability.ts';
import type { Log } from '../../ports/log.ts';
import type { Sql } from '../../ports/sql.ts';
import {
  JOURNAL_BATCH_LINES,
  JOURNAL_BATCH_MS,
  JOURNAL_FOLLOWED_MS,
  JOURNAL_LINES_MAX,
  JOURNAL_MS_MAX,
  JOURNAL_SWEPT_LINES,
} from '../limits.ts';
import type { Newsroom } from '../log/news.ts';
import { describeFault } from '../store/fault.ts';
import type { CountedLine, RequestCounts } from './counts.ts';
import { routeOf } from './route.ts';

/** How a link's lines are told from a twin's: no twin is called so. */
const LINK = 'link:';
export const linkRow = (link: string): string => LINK + link;
/** The link's name; null for a twin's row. */
export const linkOf = (row: string): string | null => (row.startsWith(LINK) ? row.slice(LINK.length) : null);

/** A request to a twin, answered. */
export type Line = {
  /** Wall time. */
  readonly at: number;
  /** The twin; or a link, by `linkRow`. */
  readonly name: string;
  readonly method: string;
  readonly path: string;
  /** Template of the operation that answered, where the twin names it. */
  readonly route: string | undefined;
  /** 0: the connection was cut instead (a handler's `timeout` or `reset`). */
  readonly status: number;
  readonly ms: number;
  /** No handler and no operation of the twin answered it. */
  readonly unmatched: boolean;
  readonly caller: string | null;
  readonly trace: string;
  /** The span that the world minted for the request; an entry it caused carries the same. */
  readonly span: string;
  /** What the vendor calls the request in its answer. */
  readonly answered: string | null;
};

type Parts = {
  readonly sql: Sql;
  readonly durability: Pick<Durability, 'resting'>;
  readonly wall: WallClock;
  readonly alarms: Alarms;
  readonly processLog: Log;
  readonly news: Newsroom;
  readonly counts: RequestCounts;
};

export class Journal {
  readonly #parts: Parts;
  #lines: Line[] = [];
  #armed = false;
  #failures = 0;
  #closed = false;

  constructor(parts: Parts) {
    this.#parts = parts;
    parts.alarms.onWake(() => this.#soon());
  }

  /** Lines that failed to be kept since the world was opened. */
  get failures(): number {
    return this.#failures;
  }

  /** Those that are not in the store yet, oldest first. */
  get waiting(): readonly Line[] {
    return this.#lines;
  }

  add(line: Line): void {
    if (this.#closed) {
      this.#failures += 1;
      return;
    }
    if (this.#lines.push(line) >= JOURNAL_BATCH_LINES) this.#soon();
    else if (!this.#armed) this.#arm();
  }

  /** Writes what waits. Not inside a transaction. Lines that the store does not take are counted and dropped. */
  flush(): void {
    if (this.#armed) this.#parts.alarms.set(null);
    this.#armed = false;
    if (this.#lines.length === 0) return;
    const lines = this.#lines;
    this.#lines = [];
    const { sql, processLog, news, wall, counts } = this.#parts;
    try {
      sql.transaction(() => {
        counts.add(
          lines.map(line => this.#insert(line)),
          wall.now(),
        );
        this.#sweep();
      });
      news.tell({ kind: 'requests' });
    } catch (error) {
      counts.forget();
      this.#failures += lines.length;
      processLog.error(
        { lines: lines.length, fault: describeFault(error) },
        'the journal of requests lost lines',
      );
    }
  }

  /** As the store has time for it: nobody waits for these lines. */
  #soon(): void {
    const resting = this.#parts.durability.resting();
    if (resting === null) this.flush();
    else void resting.then(() => this.flush());
  }

  close(): void {
    this.flush();
    this.#closed = true;
  }

  #arm(): void {
    const { alarms, news, wall } = this.#parts;
    this.#armed = true;
    alarms.set(wall.now() + (news.followers > 0 ? JOURNAL_FOLLOWED_MS : JOURNAL_BATCH_MS));
  }

  #insert(line: Line): CountedLine {
    const { at, name, status, caller, trace, span, answered } = line;
    const route = routeOf(line.method, line.path, line.route);
    const us = Math.round(line.ms * 1000);
    const unmatched = line.unmatched ? 1 : 0;
    this.#parts.sql.run(
      `INSERT INTO journal(at, name, route, status, us, unmatched, caller, trace, span, answered)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      at,
      name,
      route,
      status,
      us,
      unmatched,
      caller,
      trace,
      span,
      answered,
    );
    return { at, name, route, status, us, unmatched };
  }

  // A few lines a batch, and more than a batch adds: it keeps up, and no request waits for a great clearing. What is not
  // counted yet stays.
  #sweep(): void {
    const { sql, wall, counts } = this.#parts;
    sql.run(
      'DELETE FROM journal WHERE id IN (SELECT id FROM journal WHERE at < ? AND id <= ? ORDER BY at LIMIT +?)',
      wall.now() - JOURNAL_MS_MAX,
      counts.counted,
      JOURNAL_SWEPT_LINES,
    );
    sql.run(
      `DELETE FROM journal WHERE id IN (SELECT id FROM journal
         WHERE id <= min((SELECT max(id) FROM journal) - ?, ?) ORDER BY id LIMIT +?)`,
      JOURNAL_LINES_MAX,
      counts.counted,
      JOURNAL_SWEPT_LINES,
    );
  }
}
