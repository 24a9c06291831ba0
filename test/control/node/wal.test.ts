import { copyFileSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import t from 'tap';
import { openSqlite } from '../../../control/node/sqlite.ts';
import { lossInWal } from '../../../control/node/wal.ts';

const HEADER_BYTES = 32;
const FRAME_BYTES = 24 + 4096;
const COMMITS = 20;

/** A log of twenty commits of a page or more each, as a killed process leaves it. */
function killedLog(folder: string): string {
  const sql = openSqlite(join(folder, 'world.db'));
  sql.run('CREATE TABLE kept(n INTEGER PRIMARY KEY, text TEXT)');
  for (let n = 1; n <= COMMITS; n++) sql.run('INSERT INTO kept VALUES (?, ?)', n, 'x'.repeat(5000));
  for (const name of ['world.db', 'world.db-wal'])
    copyFileSync(join(folder, name), join(folder, `killed-${name}`));
  sql.close();
  return join(folder, 'killed-world.db-wal');
}

t.test('a log that a crash left whole has lost nothing, wherever its last write was cut off', t => {
  const wal = killedLog(t.testdir());
  t.equal(lossInWal(wal), null);
  t.equal(lossInWal(`${wal}-that-is-not-there`), null);
  for (let size = statSync(wal).size; size > 0; size -= 3_000) {
    truncateSync(wal, size);
    if (lossInWal(wal) !== null) t.fail(`cut off at ${size}`);
  }
  t.end();
});

t.test('a byte that changed is told wherever commits come after it', t => {
  const folder = t.testdir();
  const wal = killedLog(folder);
  const whole = readFileSync(wal);
  const frames = (whole.length - HEADER_BYTES) / FRAME_BYTES;
  for (const at of [
    0,
    5,
    17,
    31,
    HEADER_BYTES + 9,
    HEADER_BYTES + 100,
    HEADER_BYTES + 7 * FRAME_BYTES + 2_000,
  ]) {
    const flipped = Buffer.from(whole);
    flipped[at]! ^= 0x10;
    writeFileSync(wal, flipped);
    t.match(lossInWal(wal), /write-ahead log is damaged/, `at ${at}`);
  }
  const middle = Buffer.from(whole);
  middle[HEADER_BYTES + 10 * FRAME_BYTES + 50]! ^= 1;
  writeFileSync(wal, middle);
  t.match(lossInWal(wal), `damaged after 10 of ${frames} pages`);
  const database = new DatabaseSync(join(folder, 'killed-world.db'), { readOnly: true });
  const { n } = database.prepare('SELECT count(*) AS n FROM kept').get() as { n: number };
  database.close();
  t.ok(n < COMMITS, `SQLite itself says nothing and has ${n} of ${COMMITS}`);
  t.end();
});

t.test('what an older log left behind the newest is no loss', t => {
  const folder = t.testdir();
  const sql = openSqlite(join(folder, 'world.db'));
  sql.run('CREATE TABLE kept(n INTEGER PRIMARY KEY, text TEXT)');
  for (let n = 1; n <= COMMITS; n++) sql.run('INSERT INTO kept VALUES (?, ?)', n, 'x'.repeat(5000));
  const reader = new DatabaseSync(join(folder, 'world.db'));
  reader.exec('PRAGMA wal_checkpoint(RESTART)');
  sql.run('INSERT INTO kept VALUES (?, ?)', 1_000, 'short');
  const wal = join(folder, 'world.db-wal');
  t.ok(statSync(wal).size > 2 * FRAME_BYTES + HEADER_BYTES);
  t.equal(lossInWal(wal), null);
  reader.close();
  sql.close();
  t.end();
});
