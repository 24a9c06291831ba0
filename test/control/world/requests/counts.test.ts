import { join } from 'node:path';
import t from 'tap';
import { openSqlite, type SqliteFile } from '../../../../control/node/sqlite.ts';
import {
  COUNTED_LINES_PER_TURN,
  COUNTED_ROUTES_MAX,
  COUNTS_WRITTEN_LINES,
  JOURNAL_LINES_MAX,
} from '../../../../control/world/limits.ts';
import { beginningOf, type CountedLine, RequestCounts } from '../../../../control/world/requests/counts.ts';
import { reportRequests } from '../../../../control/world/requests/report.ts';
import { migrate } from '../../../../control/world/store/schema.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** Half past ten in the morning. */
const NOW = Date.UTC(2026, 2, 10, 10, 30, 15);

const insert = (sql: SqliteFile, lines: readonly CountedLine[]): void => {
  sql.run(
    `INSERT INTO journal(at, name, route, status, us, unmatched)
     SELECT value->>0, value->>1, value->>2, value->>3, value->>4, value->>5 FROM json_each(?)`,
    JSON.stringify(
      lines.map(({ at, name, route, status, us, unmatched }) => [at, name, route, status, us, unmatched]),
    ),
  );
};
const line = (at: number, more: Partial<CountedLine> = {}): CountedLine => ({
  at,
  name: 'note',
  route: 'GET /x',
  status: 200,
  us: 1000,
  unmatched: 0,
  ...more,
});
const storeOf = (): SqliteFile => {
  const sql = openSqlite(':memory:');
  migrate(sql);
  return sql;
};
const write = (sql: SqliteFile, counts: RequestCounts, lines: readonly CountedLine[]): void =>
  sql.transaction(() => {
    insert(sql, lines);
    counts.add(lines, NOW);
  });
const requestsSince = (counts: RequestCounts, from: number): number =>
  counts.read(beginningOf(from, NOW)).get('note')?.all.requests ?? 0;

t.test('[4.4] any period is counted to its minute, or its hour where it is longer than a day', t => {
  using sql = storeOf();
  const counts = new RequestCounts(sql);
  // One a minute for a week, the newest first: a clock may go back.
  const minutes = Array.from({ length: 7 * 24 * 60 }, (_, n) => line(NOW - n * MINUTE_MS));
  for (let n = 0; n < minutes.length; n += 500) write(sql, counts, minutes.slice(n, n + 500));
  for (const hours of [1, 2, 11, 23, 24, 25, 34, 35, 36, 100]) {
    const from = NOW - hours * HOUR_MS;
    const begin =
      hours <= 24 ? Math.floor(from / MINUTE_MS) * MINUTE_MS : Math.floor(from / HOUR_MS) * HOUR_MS;
    t.equal(requestsSince(counts, from), minutes.filter(({ at }) => at >= begin).length, `${hours} hours`);
  }
  const rows = (span: number): number =>
    sql.get<{ n: number }>('SELECT count(*) AS n FROM request_count WHERE span = ?', span)!.n;
  t.ok(rows(MINUTE_MS) <= 24 * 60 + 3, `${rows(MINUTE_MS)} rows of minutes: old ones are not kept`);
  t.equal(rows(DAY_MS), 8);
  t.end();
});

t.test('[4.4] a report reads what it shows, however many requests there were', t => {
  using sql = storeOf();
  const counts = new RequestCounts(sql);
  for (let n = 0; n < 20_000; n += 500)
    write(
      sql,
      counts,
      Array.from({ length: 500 }, (_, nth) => line(NOW - n * 200, { route: `GET /${nth % 10}` })),
    );
  const { all } = sql;
  let rows = 0;
  Object.assign(sql, {
    all: (...asked: Parameters<typeof all>) => {
      const found = all(...asked);
      rows += found.length;
      return found;
    },
  });
  t.equal(requestsSince(counts, NOW - 2 * HOUR_MS), 20_000);
  t.ok(rows <= 9 + 5 + 5 + 3 + 2, `${rows} rows`);
  t.end();
});

t.test('[4.4] lines that nobody has counted are counted in slices, and none of them twice', async t => {
  const file = join(t.testdir(), 'world.db');
  {
    using sql = openSqlite(file);
    migrate(sql);
    const many = 5 * COUNTED_LINES_PER_TURN + 5;
    insert(
      sql,
      Array.from({ length: many }, () => line(NOW)),
    );
    const counts = new RequestCounts(sql);
    let slices = 1;
    for (; !counts.catchUp(NOW); slices++)
      // Others come meanwhile.
      if (slices === 1) write(sql, counts, [line(NOW)]);
    t.equal(requestsSince(counts, NOW - HOUR_MS), many + 1);
    t.ok(slices >= 2, 'in several turns');
  }
  using sql = openSqlite(file);
  const counts = new RequestCounts(sql);
  const kept = sql.get<{ v: string }>("SELECT v FROM meta WHERE k = 'requests-counted'");
  t.ok(Number(kept?.v) >= COUNTS_WRITTEN_LINES, 'the store knows up to which line it counts');
  const report = await reportRequests(counts, { to: NOW, hours: 1, failures: 0 });
  t.equal(report.twins[0]?.requests, 5 * COUNTED_LINES_PER_TURN + 6, 'after a crash too');
});

t.test('[4.4] a batch that is rolled back is not counted', t => {
  using sql = storeOf();
  const counts = new RequestCounts(sql);
  write(sql, counts, [line(NOW)]);
  t.throws(() =>
    sql.transaction(() => {
      insert(sql, [line(NOW)]);
      counts.add([line(NOW)], NOW);
      throw new Error('full');
    }),
  );
  counts.forget();
  while (!counts.catchUp(NOW));
  t.equal(requestsSince(counts, NOW - HOUR_MS), 1);
  t.end();
});

t.test('an app that asks for anything makes no row of everything', t => {
  using sql = storeOf();
  const counts = new RequestCounts(sql);
  const lines = Array.from({ length: COUNTS_WRITTEN_LINES }, (_, n) => line(NOW, { route: `GET /${n}` }));
  write(sql, counts, lines);
  const note = counts.read(NOW - (NOW % MINUTE_MS)).get('note');
  t.equal(note?.all.requests, lines.length, 'all of them are counted');
  t.equal(note?.routes.size, COUNTED_ROUTES_MAX, 'so many by name');
  t.end();
});

/** What the migrations after the fourth made. */
const LATER_TABLES = [
  ...['request_count', 'ingested', 'ingested_record', 'root', 'refresh', 'observed', 'alias', 'stand_in'],
  ...['deploying', 'shared', 'shared_next', 'sent_changeset'],
];
const LATER_COLUMNS = [
  ['entry', 'asked'],
  ['entry', 'occurred'],
  ['receipt', 'sent'],
  ['child', 'positions'],
  ['session', 'site'],
  ['session', 'parent'],
  ['journal', 'answered'],
];

t.test('[4.4] the report of an older store says from when on it is whole', async t => {
  const file = join(t.testdir(), 'world.db');
  const since = NOW - 3 * HOUR_MS;
  {
    using sql = openSqlite(file);
    migrate(sql);
    insert(sql, [line(since)]);
    sql.run('UPDATE journal SET id = 7');
    sql.run(
      `INSERT INTO journal(id, at, name, route, status, us, unmatched)
       SELECT 6 + ?, ?, name, route, status, us, unmatched FROM journal`,
      JOURNAL_LINES_MAX,
      NOW,
    );
    for (const index of [...['entry_changeset', 'entry_uncut', 'receipt_settled'], 'session_parent'])
      sql.run(`DROP INDEX ${index}`);
    for (const table of LATER_TABLES) sql.run(`DROP TABLE ${table}`);
    for (const [table, column] of LATER_COLUMNS) sql.run(`ALTER TABLE ${table} DROP COLUMN ${column}`);
    sql.run("UPDATE meta SET v = '4' WHERE k = 'schema'");
  }
  using sql = openSqlite(file);
  migrate(sql);
  const report = await reportRequests(new RequestCounts(sql), { to: NOW, hours: 24, failures: 0 });
  t.match(report, { from: new Date(since).toISOString(), twins: [{ requests: 2 }] });
});
