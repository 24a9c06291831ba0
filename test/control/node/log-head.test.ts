// After a store has come to rest, its next commit does not wait for the disk, and a power cut in the middle of it leaves the store as
// it was before or as it was after.
import { copyFileSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import t from 'tap';
import { Checkpointer } from '../../../control/node/checkpointer.ts';
import { isLogEmpty, LogHead } from '../../../control/node/log-head.ts';
import { Settler } from '../../../control/node/settler.ts';
import { openSqlite, type SqliteFile } from '../../../control/node/sqlite.ts';
import type { Log } from '../../../control/ports/log.ts';
import { migrate } from '../../../control/world/store/schema.ts';

const SILENT: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
/** SQLite's words for `PRAGMA synchronous`. */
const OFF = 0;
const NORMAL = 1;
const ROWS = 40;

type Store = { readonly file: string; readonly sql: SqliteFile };

function openStore(folder: string): Store {
  const file = join(folder, 'world.db');
  const sql = openSqlite(file);
  migrate(sql);
  sql.run('CREATE TABLE held(n INTEGER PRIMARY KEY, round INTEGER, text TEXT)');
  return { file, sql };
}

const waits = (sql: SqliteFile): unknown =>
  sql.get<{ synchronous: number }>('PRAGMA synchronous')?.synchronous;
const pagesUntilCheckpoint = (sql: SqliteFile): unknown =>
  sql.get<{ wal_autocheckpoint: number }>('PRAGMA wal_autocheckpoint')?.wal_autocheckpoint;

/** Every row is changed: a store of which a part is older shows two rounds. */
const writeRound = (sql: SqliteFile, round: number): void =>
  sql.transaction(() => {
    for (let n = 0; n < ROWS; n++)
      sql.run(
        'INSERT INTO held VALUES (?, ?, ?) ON CONFLICT(n) DO UPDATE SET round = excluded.round',
        n,
        round,
        'x'.repeat(900),
      );
  });

const settlers = {
  'by the thread of many stores': () => new Settler(),
  'by the loop': () => undefined,
};
for (const [how, make] of Object.entries(settlers)) {
  t.test(
    `[storage] the first group after a rest, ${how}, does not wait, and the next one does as ever`,
    async t => {
      const { file, sql } = openStore(t.testdir());
      await using settler = make();
      await using checkpointer = new Checkpointer({ sql, file, log: SILENT, settler });
      const pages = pagesUntilCheckpoint(sql);
      for (const round of [1, 2]) {
        writeRound(sql, round);
        await sql.lasting();
        await checkpointer.settle();
        t.equal(statSync(`${file}-wal`).size, 0);
        t.equal(waits(sql), NORMAL, 'at rest');
        writeRound(sql, round + 10);
        t.equal(waits(sql), OFF, 'while the group is open');
        t.equal(pagesUntilCheckpoint(sql), 0, 'and no checkpoint is made so');
        await sql.lasting();
        t.equal(waits(sql), NORMAL);
        t.equal(pagesUntilCheckpoint(sql), pages);
        writeRound(sql, round + 20);
        t.equal(waits(sql), NORMAL, 'the group after it');
        await sql.lasting();
      }
      sql.close();
    },
  );
}

t.test(
  '[storage] of a store that is opened, the first group waits only where its log has something',
  async t => {
    const folder = t.testdir();
    const { file, sql } = openStore(folder);
    writeRound(sql, 1);
    await sql.lasting();
    const left = join(folder, 'left.db');
    for (const end of ['', '-wal']) copyFileSync(`${file}${end}`, `${left}${end}`);
    sql.close();
    const cut = join(folder, 'cut.db');
    copyFileSync(file, cut);
    writeFileSync(`${cut}-wal`, '');
    for (const [opened, emptyLog] of [
      [file, true],
      [cut, true],
      [left, false],
    ] as const) {
      t.equal(await isLogEmpty(opened), emptyLog, opened);
      using again = openSqlite(opened, { emptyLog });
      writeRound(again, 2);
      t.equal(waits(again), emptyLog ? OFF : NORMAL);
      await again.lasting();
      writeRound(again, 3);
      t.equal(waits(again), NORMAL);
    }
  },
);

t.test('[storage] of a store that is forsaken nothing is waited for', async t => {
  const { sql } = openStore(t.testdir());
  writeRound(sql, 1);
  sql.forsake();
  t.equal(waits(sql), OFF);
  t.equal(
    sql.durable(() => waits(sql)),
    OFF,
  );
  writeRound(sql, 2);
  await sql.lasting();
  t.equal(waits(sql), OFF);
  sql.close();
});

t.test('[storage] a store is forsaken, be it that its disk takes nothing any more', async t => {
  const { sql } = openStore(t.testdir());
  sql.run('CREATE TABLE owner(id INTEGER PRIMARY KEY)');
  sql.run('CREATE TABLE owed(id INTEGER REFERENCES owner(id) DEFERRABLE INITIALLY DEFERRED)');
  // What a full disk does to a commit, this does as well: it fails, and with it what was done before.
  sql.transaction(() => sql.run('INSERT INTO owed VALUES (404)'));
  const lasting = sql.lasting();
  sql.forsake();
  await t.rejects(lasting!, /constraint/i);
  t.equal(waits(sql), OFF);
  sql.close();
});

t.test('[storage] a group that is rolled back, or lost, leaves the store waiting as ever', async t => {
  const { file, sql } = openStore(t.testdir());
  await using checkpointer = new Checkpointer({ sql, file, log: SILENT });
  writeRound(sql, 1);
  await sql.lasting();
  await checkpointer.settle();
  t.throws(() =>
    sql.transaction(() => {
      sql.run('DELETE FROM held');
      throw new Error('no');
    }),
  );
  await sql.lasting();
  t.equal(waits(sql), NORMAL);
  await checkpointer.settle();
  const other = new DatabaseSync(file);
  other.exec('BEGIN IMMEDIATE');
  t.throws(() => writeRound(sql, 2), /in use|locked|used now/);
  t.equal(waits(sql), NORMAL, 'one that did not begin');
  other.exec('ROLLBACK');
  other.close();
  sql.close();
});

t.test('[storage] what is durable waits, after a rest too', async t => {
  const { file, sql } = openStore(t.testdir());
  await using checkpointer = new Checkpointer({ sql, file, log: SILENT });
  await checkpointer.settle();
  let within: unknown;
  sql.durable(() => {
    within = waits(sql);
    return sql.run("INSERT INTO held VALUES (1, 1, 'x')");
  });
  t.equal(within, 2, 'FULL');
  writeRound(sql, 1);
  t.equal(waits(sql), NORMAL, 'the log is not empty any more');
  sql.close();
});

t.test('[storage] a log that may be cut again is not known to be empty on the disk', t => {
  const file = join(t.testdir(), 'world.db');
  const database = new DatabaseSync(file);
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
  const synchronous = (): unknown => database.prepare('PRAGMA synchronous').get()?.['synchronous'];
  const head = new LogHead(database, file, 1_000);
  const begun = (): unknown => {
    head.begin();
    const found = synchronous();
    head.end();
    return found;
  };
  writeFileSync(`${file}-wal`, '');
  t.equal(begun(), NORMAL, 'nobody has said so');
  head.emptied(true);
  head.emptied(false);
  t.equal(begun(), NORMAL, 'somebody was asked to cut it since');
  head.emptied(true);
  t.equal(begun(), OFF);
  t.equal(begun(), NORMAL, 'once');
  head.emptied(true);
  writeFileSync(`${file}-wal`, 'x');
  t.equal(begun(), NORMAL, 'it has something');
  database.close();
  t.end();
});

t.test('[storage] of a log that a power cut left in parts, the store is as before or as after', async t => {
  const folder = t.testdir();
  const { file, sql } = openStore(folder);
  await using checkpointer = new Checkpointer({ sql, file, log: SILENT });
  // A log that was long: what of it still lay behind a shorter one would be told apart by nothing but this.
  for (let round = 1; round <= 6; round++) {
    writeRound(sql, round);
    await sql.lasting();
  }
  await checkpointer.settle();
  writeRound(sql, 7);
  t.equal(waits(sql), OFF);
  await sql.lasting();
  const log = readFileSync(`${file}-wal`);
  const PAGE = 4096;
  const pages = Math.floor(log.length / PAGE);
  // Which pages reached the disk: any one missing, all up to one, all from one on, every other one.
  const lost: ((page: number) => boolean)[] = [page => page % 2 === 0, page => page % 2 === 1];
  for (let at = 0; at <= pages; at++)
    lost.push(
      page => page === at,
      page => page >= at,
      page => page < at,
    );
  const rounds = new Set<string>();
  for (const isLost of lost) {
    const copy = join(folder, 'copy.db');
    copyFileSync(file, copy);
    const left = Buffer.from(log);
    for (let page = 0; page < pages; page++) if (isLost(page)) left.fill(0, page * PAGE, (page + 1) * PAGE);
    writeFileSync(`${copy}-wal`, left);
    writeFileSync(`${copy}-shm`, '');
    const found = new DatabaseSync(copy);
    t.equal(found.prepare('PRAGMA integrity_check').get()?.['integrity_check'], 'ok');
    rounds.add(
      String(found.prepare('SELECT group_concat(DISTINCT round) AS rounds FROM held').get()?.['rounds']),
    );
    found.close();
  }
  t.strictSame([...rounds].sort(), ['6', '7']);
  sql.close();
});
