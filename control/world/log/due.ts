// What the twins asked to be woken for. One queue for the whole world, in (at, twin, key) order: a queue a
// twin would let one twin's past be written after another's present.
import type { Instant } from '../../../twins/kit/tx.ts';
import type { Sql, SqlValue } from '../../ports/sql.ts';
import { ManyRows } from '../store/many-rows.ts';

export type DueRow = {
  readonly twin: string;
  readonly key: string;
  readonly at: Instant;
  readonly payload: string;
  /** The entry that scheduled it. */
  readonly cause: string | null;
};

/** What waits, without its name. */
export type Waiting = Omit<DueRow, 'twin' | 'key'>;

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
  schedule({ twin, key, ...waiting }: DueRow, moment: Moment): void {
    this.change(twin, new Map([[key, waiting]]), moment);
  }

  /** It happened, or the twin wants it no more. */
  cancel({ twin, key }: { readonly twin: string; readonly key: string }, moment: Moment): void {
    this.change(twin, new Map([[key, null]]), moment);
  }

  /** All that one call asked for, by key; null cancels. Few statements, however many they are. */
  change(twin: string, wanted: ReadonlyMap<string, Waiting | null>, moment: Moment): void {
    const canceled: string[] = [];
    const scheduled: SqlValue[] = [];
    const remembered: SqlValue[] = [];
    const remember = (key: string, body: string | null): void => {
      remembered.push(twin, key, moment.since, twin, key, moment.position, body);
    };
    for (const [key, event] of wanted) {
      if (event === null) {
        canceled.push(key);
        continue;
      }
      const { at, payload, cause } = event;
      this.#noteSet(twin, key, at);
      scheduled.push(twin, key, at, payload, cause);
      remember(key, JSON.stringify({ at, payload, cause } satisfies Waiting));
    }
    DUE_ROWS.write(this.#sql, scheduled);
    for (const key of this.#removed(twin, canceled)) remember(key, null);
    PAST_ROWS.write(this.#sql, remembered);
  }

  /** Without a memory of it: retries of webhooks, which a branch does not inherit. */
  set({ twin, key, at, payload, cause }: DueRow): void {
    this.#noteSet(twin, key, at);
    DUE_ROWS.write(this.#sql, [twin, key, at, payload, cause]);
  }

  /** What comes first is still known where this comes later, as most does, whether the transaction stands or not. */
  #noteSet(twin: string, key: string, at: Instant): void {
    const first = this.#known?.first;
    if (first === undefined || at <= first.at || (first.twin === twin && first.key === key))
      this.#known = undefined;
  }

  /** Without a memory of it, as `set`. */
  remove(twin: string, key: string): void {
    this.#removed(twin, [key]);
  }

  /** Those of the keys that waited. */
  #removed(twin: string, keys: readonly string[]): readonly string[] {
    if (keys.length === 0) return keys;
    const first = this.#known?.first;
    if (first !== undefined && first.twin === twin && keys.includes(first.key)) this.#known = undefined;
    const found: string[] = [];
    for (let at = 0; at < keys.length; at += KEYS_A_STATEMENT) {
      const some = keys.slice(at, at + KEYS_A_STATEMENT);
      const marks = some.map(() => '?').join(', ');
      const text = `DELETE FROM due WHERE twin = ? AND key IN (${marks}) RETURNING key`;
      for (const { key } of this.#sql.all<{ key: string }>(text, twin, ...some)) found.push(key);
    }
    return found;
  }
}

/** So that a store prepares few statements of this kind. */
const KEYS_A_STATEMENT = 10;

const DUE_ROWS = new ManyRows(
  'INSERT INTO due(twin, key, at, payload, cause) VALUES',
  5,
  'ON CONFLICT(twin, key) DO UPDATE SET at = excluded.at, payload = excluded.payload, cause = excluded.cause',
);

/** A wall clock may go back while nothing is written to the log; what changed last must still come last. */
const PAST_ROWS = new ManyRows(
  'INSERT INTO due_past(twin, key, since, pos, cuts, body) VALUES',
  7,
  'ON CONFLICT(twin, key, since, pos, cuts) DO UPDATE SET body = excluded.body',
  `(?, ?, max(?, coalesce(
     (SELECT since FROM due_past WHERE twin = ? AND key = ? ORDER BY since DESC LIMIT 1), 0)), ?,
     coalesce((SELECT CAST(v AS INTEGER) FROM meta WHERE k = 'cuts'), 0), ?)`,
);

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
