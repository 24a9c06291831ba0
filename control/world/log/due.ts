// What the twins asked to be woken for. One queue for the whole world, in (at, twin, key) order: a queue a
// twin would let one twin's past be written after another's present.
import type { Instant } from '../../../twins/kit/tx.ts';
import type { Sql, SqlValue } from '../../ports/sql.ts';

export type DueRow = {
  readonly twin: string;
  readonly key: string;
  readonly at: Instant;
  readonly payload: string;
  /** The entry that scheduled it. */
  readonly cause: string | null;
};

/** Where in a twin's history the queue changed: the world's instant, and the twin's newest entry by then. */
export type Moment = { readonly since: Instant; readonly position: number };

export class DueQueue {
  readonly #sql: Sql;
  readonly #first: string;
  readonly #left: string;
  readonly #values: readonly SqlValue[];
  #follow: () => void = () => {};
  /** What `first` answers, which every request asks; undefined until it is looked up again. */
  #known: { readonly first: DueRow | undefined } | undefined;

  constructor(sql: Sql, mounted: readonly string[]) {
    this.#sql = sql;
    const waiting = sql.all<{ twin: string }>('SELECT DISTINCT twin FROM due').map(({ twin }) => twin);
    const absent = waiting.filter(twin => !mounted.includes(twin));
    // What a twin that is not in the world any more asked for waits until it is again.
    const here = absent.length === 0 ? '' : 'twin NOT IN (SELECT value FROM json_each(?))';
    const where = here === '' ? '' : `WHERE ${here}`;
    this.#values = absent.length === 0 ? [] : [JSON.stringify(absent)];
    this.#first = `SELECT twin, key, at, payload, cause FROM due ${where} ORDER BY at, twin, key LIMIT 1`;
    this.#left = `SELECT count(*) AS n FROM due WHERE at <= ? ${here === '' ? '' : `AND ${here}`}`;
  }

  first(): DueRow | undefined {
    this.#known ??= { first: this.#sql.get<DueRow>(this.#first, ...this.#values) };
    return this.#known.first;
  }

  /** How many wait for an instant or an earlier one, now; each may bring others. */
  left(until: Instant): number {
    return this.#sql.get<{ n: number }>(this.#left, until, ...this.#values)!.n;
  }

  /** `changed` is called after transactions that changed the queue. */
  follow(changed: () => void): void {
    this.#follow = changed;
  }

  /** The transaction that changed the queue is done. */
  announce(): void {
    this.#follow();
  }

  /** Something was rolled back. */
  forget(): void {
    this.#known = undefined;
  }

  /** What a twin asked for, remembered with its moment so that a branch of the past has it too. */
  schedule(row: DueRow, moment: Moment): void {
    this.set(row);
    const { at, payload, cause } = row;
    this.#remember(row, moment, JSON.stringify({ at, payload, cause } satisfies Waiting));
  }

  /** It happened, or the twin wants it no more. */
  cancel(event: { readonly twin: string; readonly key: string }, moment: Moment): void {
    if (this.remove(event.twin, event.key)) this.#remember(event, moment, null);
  }

  #remember({ twin, key }: { twin: string; key: string }, moment: Moment, body: string | null): void {
    // A wall clock may go back while nothing is written to the log; what changed last must still come last.
    this.#sql.run(
      `INSERT INTO due_past(twin, key, since, pos, cuts, body) VALUES (?, ?, max(?, coalesce(
         (SELECT since FROM due_past WHERE twin = ? AND key = ? ORDER BY since DESC LIMIT 1), 0)), ?,
         coalesce((SELECT CAST(v AS INTEGER) FROM meta WHERE k = 'cuts'), 0), ?)
       ON CONFLICT(twin, key, since, pos, cuts) DO UPDATE SET body = excluded.body`,
      twin,
      key,
      moment.since,
      twin,
      key,
      moment.position,
      body,
    );
  }

  /** Without a memory of it: retries of webhooks, which a branch does not inherit. */
  set(row: DueRow): void {
    this.#noteSet(row);
    this.#sql.run(
      `INSERT INTO due(twin, key, at, payload, cause) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT(twin, key) DO UPDATE SET at = excluded.at, payload = excluded.payload, cause = excluded.cause`,
      row.twin,
      row.key,
      row.at,
      row.payload,
      row.cause,
    );
  }

  /** What comes first is still known where this comes later, as most does, whether the transaction stands or not. */
  #noteSet({ twin, key, at }: DueRow): void {
    const first = this.#known?.first;
    const isFirst = first !== undefined && first.twin === twin && first.key === key;
    if (first === undefined || isFirst || at <= first.at) this.#known = undefined;
  }

  /** Without a memory of it, as `set`. Whether there was one. */
  remove(twin: string, key: string): boolean {
    const first = this.#known?.first;
    if (first !== undefined && first.twin === twin && first.key === key) this.#known = undefined;
    return this.#sql.run('DELETE FROM due WHERE twin = ? AND key = ?', twin, key) > 0;
  }
}

/** The first that wait for an instant or an earlier one; of the twins that are in the world. */
export const waitingUntil = (
  sql: Pick<Sql, 'all'>,
  vendors: readonly string[],
  until: Instant,
  limit: number,
): readonly DueRow[] =>
  sql.all<DueRow>(
    `SELECT twin, key, at, payload, cause FROM due WHERE at <= ? AND twin IN (SELECT value FROM json_each(?))
     ORDER BY at, twin, key LIMIT +?`,
    until,
    JSON.stringify(vendors),
    limit,
  );

/** How many branches have left this world so far. */
export const cutsOf = (sql: Pick<Sql, 'get'>): number =>
  Number(sql.get<{ v: string }>("SELECT v FROM meta WHERE k = 'cuts'")?.v ?? 0);

/** A branch leaves: what the queue does from here on it does without it. Returns what the branch was made at. */
export const cutDue = (sql: Sql): number => {
  const cuts = cutsOf(sql);
  sql.transaction(() =>
    sql.run(
      "INSERT INTO meta(k, v) VALUES ('cuts', ?) ON CONFLICT(k) DO UPDATE SET v = excluded.v",
      String(cuts + 1),
    ),
  );
  return cuts;
};

type Waiting = Pick<DueRow, 'at' | 'payload' | 'cause'>;

/** What a twin waited for at an instant, when `position` was its newest entry; in the order it would have happened. */
export const dueAt = (
  sql: Pick<Sql, 'all'>,
  twin: string,
  at: Instant,
  position: number,
  /** How many branches had left (`cutsOf`); any number when it is not given. */
  cuts: number = Number.MAX_SAFE_INTEGER,
): DueRow[] => {
  const rows = sql.all<{ key: string; body: string | null }>(
    `SELECT key, body FROM due_past AS past
     WHERE twin = ? AND since <= ? AND pos <= ? AND cuts <= ? AND body IS NOT NULL AND NOT EXISTS (
       SELECT 1 FROM due_past AS later
       WHERE later.twin = past.twin AND later.key = past.key
         AND (later.since, later.pos, later.cuts) > (past.since, past.pos, past.cuts)
         AND later.since <= ? AND later.pos <= ? AND later.cuts <= ?)`,
    twin,
    at,
    position,
    cuts,
    at,
    position,
    cuts,
  );
  return rows
    .map(({ key, body }) => ({ twin, key, ...(JSON.parse(body!) as Waiting) }))
    .sort((a, b) => a.at - b.at || (a.key < b.key ? -1 : 1));
};
