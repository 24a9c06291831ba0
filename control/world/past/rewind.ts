// A world brought back: to nothing, to how it was at an instant, or to what another store holds. Each is done inside one
// transaction of whoever calls, and leaves alone who gets in. What the world remembered of itself is wrong afterwards
// (World.rewrite), and the rows that lists scan are made anew when its twins take their seats.
import type { Instant } from '../../../twins/kit/tx.ts';
import type { Sql } from '../../ports/sql.ts';
import { dueAt } from '../log/due.ts';
import { orderFrom } from '../store/record-order.ts';
import { readTips } from '../store/tips.ts';

/** Who gets in: tokens, keys, sessions, passes that were used. A world keeps them whatever becomes of its content. */
export const ACCESS_TABLES: readonly string[] = ['token', 'apikey', 'session', 'pass_used'];

/** How a world is set up: which real vendors it has, what is shown to them, and the checks of its changesets. It stays too. */
const SET_UP_TABLES: readonly string[] = ['root', 'link', 'seal', 'world_check'];

/** Rows that an entry left beside the records: each names its position, and is there no longer than the entry. */
export const LEFT_BY_ENTRIES: readonly string[] = [
  'alias',
  'stand_in',
  'ingested',
  'ingested_record',
  'observed',
];

/** What a store is, and no content of its world. */
export const OWN_META = "k IN ('schema', 'store', 'tokens-adopted')";
/** Which origin it has (origin/shared-history.ts): set up, as its token is. */
const SET_UP_META = "k = 'shared-with'";

/** Rows that name the branches; they are theirs. */
const BRANCHES = 'child';

export const contentTables = (sql: Sql): readonly string[] =>
  sql
    .all<{ name: string }>(
      // What begins so is its host's: what a platform keeps there, a savepoint.
      `SELECT name FROM main.sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
         AND name NOT LIKE '\\_%' ESCAPE '\\'`,
    )
    .map(({ name }) => name)
    .filter(name => name !== 'meta' && name !== BRANCHES && !KEPT_TABLES.includes(name));

const KEPT_TABLES: readonly string[] = [...ACCESS_TABLES, ...SET_UP_TABLES];

/** The branches that left this world after an instant: their past would not be there any more. */
export const branchesAfter = (sql: Pick<Sql, 'all'>, at: Instant): readonly string[] =>
  sql
    .all<{ world: string }>('SELECT world FROM child WHERE at > ? ORDER BY world', at)
    .map(({ world }) => world);

/** As it was made. */
export const emptyWorld = (sql: Sql): void => {
  for (const table of contentTables(sql)) sql.run(`DELETE FROM ${table}`);
  sql.run(`DELETE FROM meta WHERE NOT ${OWN_META} AND NOT ${SET_UP_META}`);
};

/** All that the tables hold whose names have `before` in front, at the same schema: `source.` of a store that is attached. */
export const takeWorld = (sql: Sql, before: string): void => {
  emptyWorld(sql);
  for (const table of contentTables(sql))
    sql.run(`INSERT INTO main.${table} SELECT * FROM ${before}${table}`);
  sql.run(
    `INSERT OR REPLACE INTO main.meta(k, v) SELECT k, v FROM ${before}meta WHERE NOT ${OWN_META} AND k <> 'backup'`,
  );
};

export type Point = {
  readonly at: Instant;
  /** The position of each twin there. */
  readonly positions: ReadonlyMap<string, number>;
  /** How many branches had left by then (log/due.ts); any number when it is not given. */
  readonly cuts?: number;
};

/** Where this world, which is no branch, was at an instant. */
export const pointAt = (sql: Sql, at: Instant): Point => {
  const positions = Object.keys(readTips(sql)).map((twin): [string, number] => {
    const found = sql.get<{ pos: number }>(
      'SELECT pos FROM entry WHERE twin = ? AND at <= ? ORDER BY at DESC, pos DESC LIMIT 1',
      twin,
      at,
    );
    return [twin, found?.pos ?? 0];
  });
  return { at, positions: new Map(positions) };
};

/** As it was then, with its clock standing there. Webhooks that wait are not sent, and kept answers are forgotten. */
export const rewindTo = (sql: Sql, point: Point): void => {
  const whole = entriesCut(sql);
  for (const twin of Object.keys(readTips(sql))) rewindTwin(sql, twin, point);
  const left = entriesCut(sql);
  for (const [name, entries] of whole) if (left.get(name) !== entries) breakUp(sql, name);
  for (const table of ['delivery', 'delivery_under_way', 'memo']) sql.run(`DELETE FROM ${table}`);
  setClock(sql, point.at);
  forgetIndexes(sql);
};

/** How many entries each changeset has. */
const entriesCut = (sql: Sql): ReadonlyMap<string, number> =>
  new Map(
    sql
      .all<{ name: string; entries: number }>(
        `SELECT changeset AS name, count(*) AS entries FROM entry WHERE changeset IS NOT NULL GROUP BY changeset`,
      )
      .map(({ name, entries }) => [name, entries]),
  );

/** A changeset that has lost entries is none: what is left of it may be cut again. What a vendor has of it stays told. */
const breakUp = (sql: Sql, name: string): void => {
  if (sql.get('SELECT 1 AS found FROM receipt WHERE name = ?', name) !== undefined) return;
  for (const table of ['changeset', 'approval', 'sent_changeset'])
    sql.run(`DELETE FROM ${table} WHERE name = ?`, name);
  sql.run('UPDATE entry SET changeset = NULL WHERE changeset = ?', name);
};

const rewindTwin = (sql: Sql, twin: string, { at, positions, cuts }: Point): void => {
  const position = positions.get(twin) ?? 0;
  const due = dueAt(sql, twin, at, position, cuts);
  rewindRecords(sql, twin, position);
  for (const table of LEFT_BY_ENTRIES)
    sql.run(`DELETE FROM ${table} WHERE twin = ? AND pos > ?`, twin, position);
  forgetRoot(sql, twin);
  rewindShared(sql, twin, position);
  sql.run('DELETE FROM due WHERE twin = ?', twin);
  sql.run(
    'DELETE FROM due_past WHERE twin = ? AND (since > ? OR pos > ? OR cuts > ?)',
    twin,
    at,
    position,
    cuts ?? Number.MAX_SAFE_INTEGER,
  );
  for (const { key, at: when, payload, cause } of due)
    sql.run(
      'INSERT INTO due(twin, key, at, payload, cause) VALUES (?, ?, ?, ?, ?)',
      twin,
      key,
      when,
      payload,
      cause,
    );
};

/** The records of a twin as they were at a position, and its log up to there. The rows that lists scan are not touched. */
export const rewindRecords = (sql: Sql, twin: string, position: number): void => {
  const later = orderFrom(position + 1);
  sql.run('DELETE FROM head WHERE twin = ? AND ord >= ?', twin, later);
  // What was changed or ended since stands again as its newest version by then.
  sql.run(
    `INSERT OR REPLACE INTO head(twin, type, id, pos, ord, at, body)
     SELECT ver.twin, ver.type, ver.id, ver.pos, life.ord, life.at, ver.body
     FROM (SELECT type, id, ord, at FROM head WHERE twin = ?1 AND pos > ?2
       UNION ALL SELECT type, id, ord, at FROM gone WHERE twin = ?1 AND pos > ?2 AND ord < ?3) AS life
     JOIN ver ON ver.twin = ?1 AND ver.type = life.type AND ver.id = life.id AND ver.pos = (
       SELECT max(pos) FROM ver AS then_newest WHERE then_newest.twin = ?1 AND then_newest.type = life.type
         AND then_newest.id = life.id AND then_newest.pos <= ?2)`,
    twin,
    position,
    later,
  );
  for (const table of ['gone', 'ver', 'entry'])
    sql.run(`DELETE FROM ${table} WHERE twin = ? AND pos > ?`, twin, position);
  settleTwin(sql, twin);
};

/** A version stands or is written over, never both; and what stands is counted. */
const settleTwin = (sql: Sql, twin: string): void => {
  sql.run(
    `DELETE FROM ver WHERE twin = ? AND EXISTS (SELECT 1 FROM head
       WHERE head.twin = ver.twin AND head.type = ver.type AND head.id = ver.id AND head.pos = ver.pos)`,
    twin,
  );
  sql.run('DELETE FROM tally WHERE twin = ?', twin);
  sql.run(
    'INSERT INTO tally(twin, type, records) SELECT twin, type, count(*) FROM head WHERE twin = ? GROUP BY type',
    twin,
  );
};

/** What was seen of its root since is not here any more: it is looked at from the beginning. */
const forgetRoot = (sql: Sql, twin: string): void => {
  sql.run('DELETE FROM refresh WHERE twin = ?', twin);
  sql.run("DELETE FROM timer WHERE kind = 'refresh' AND key = ?", twin);
};

/** What the origin has beyond it is fetched again. */
const rewindShared = (sql: Sql, twin: string, position: number): void => {
  const rewound = sql.run(
    "UPDATE shared SET pos = ?, print = '' WHERE twin = ? AND pos > ?",
    position,
    twin,
    position,
  );
  if (rewound > 0) sql.run('DELETE FROM shared_next WHERE twin = ?', twin);
};

const setClock = (sql: Sql, at: Instant | null): void => {
  sql.run("DELETE FROM meta WHERE k = 'clock'");
  if (at !== null) sql.run("INSERT INTO meta(k, v) VALUES ('clock', ?)", String(at));
};

const forgetIndexes = (sql: Sql): void => {
  sql.run('DELETE FROM idx');
  sql.run("DELETE FROM meta WHERE k LIKE 'indexes:%'");
};

/** Where a branch of this world left it; null when the store attached as `source` is none of its branches. */
export const branchPoint = (sql: Sql, source: string, world: string): Point | null => {
  const stored = sql.get<{ v: string }>(`SELECT v FROM ${source}.meta WHERE k = 'origin'`)?.v;
  const origin =
    stored === undefined ? null : (JSON.parse(stored) as { world: string; at: Instant; cuts: number });
  if (origin === null || origin.world !== world) return null;
  const rows = sql.all<{ twin: string; pos: number }>(`SELECT twin, pos FROM ${source}.base`);
  return { at: origin.at, cuts: origin.cuts, positions: new Map(rows.map(({ twin, pos }) => [twin, pos])) };
};

/** As a branch of this world is: back to where it left, then on with what the branch did since. */
export const takeBranch = (sql: Sql, source: string, point: Point): void => {
  rewindTo(sql, point);
  // A twin that the branch never touched is as it was at its base.
  const touched = sql
    .all<{ twin: string }>(
      `SELECT twin FROM ${source}.base WHERE hydrated = 1 UNION SELECT DISTINCT twin FROM ${source}.entry`,
    )
    .map(({ twin }) => twin);
  sql.run(`INSERT INTO main.entry SELECT * FROM ${source}.entry`);
  sql.run(`INSERT OR IGNORE INTO main.blob SELECT * FROM ${source}.blob`);
  for (const table of ['changeset', 'approval', 'receipt', ...LEFT_BY_ENTRIES])
    sql.run(`INSERT OR REPLACE INTO main.${table} SELECT * FROM ${source}.${table}`);
  for (const twin of touched) {
    sql.run(
      'INSERT OR IGNORE INTO ver(twin, type, id, pos, body) SELECT twin, type, id, pos, body FROM head WHERE twin = ?',
      twin,
    );
    // What the branch has not copied yet is as it was at its base.
    sql.run(
      `DELETE FROM head WHERE twin = ?1 AND (
         EXISTS (SELECT 1 FROM ${source}.head AS theirs
           WHERE theirs.twin = ?1 AND theirs.type = head.type AND theirs.id = head.id)
         OR EXISTS (SELECT 1 FROM ${source}.gone AS theirs
           WHERE theirs.twin = ?1 AND theirs.type = head.type AND theirs.ord = head.ord))`,
      twin,
    );
    for (const table of ['head', 'ver', 'gone'])
      sql.run(`INSERT OR IGNORE INTO main.${table} SELECT * FROM ${source}.${table} WHERE twin = ?`, twin);
    settleTwin(sql, twin);
  }
  if (sql.get(`SELECT 1 AS found FROM ${source}.meta WHERE k = 'due-copied'`) !== undefined) {
    sql.run('DELETE FROM due');
    // Retries of webhooks are the branch's own.
    sql.run(`INSERT INTO main.due SELECT * FROM ${source}.due WHERE substr(key, 1, 1) <> '~'`);
    sql.run(`INSERT OR REPLACE INTO main.due_past SELECT * FROM ${source}.due_past`);
  }
  const clock = sql.get<{ v: string }>(`SELECT v FROM ${source}.meta WHERE k = 'clock'`)?.v;
  setClock(sql, clock === undefined ? null : Number(clock));
};
