// The write-ahead log of a store that is written to goes into its file on a thread; the loop's own connection does it
// only where there is no thread.
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as immediate } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import t from 'tap';
import { Checkpointer } from '../../../control/node/checkpointer.ts';
import { WAL_BYTES_MAX, WAL_GROWTH_BYTES, WAL_THREAD_BYTES } from '../../../control/node/limits.ts';
import { openSqlite, readSqlite, type SqliteFile } from '../../../control/node/sqlite.ts';
import type { Log } from '../../../control/ports/log.ts';

const ROW_BYTES = 256 * 1024;

const open = (folder: string) => {
  const file = join(folder, 'world.db');
  const sql = openSqlite(file);
  sql.run('CREATE TABLE held(n INTEGER PRIMARY KEY, bytes BLOB)');
  const warned: string[] = [];
  const log: Log = {
    debug: () => {},
    info: () => {},
    warn: (_fields, text) => void warned.push(text),
    error: () => {},
  };
  return { file, sql, warned, checkpointer: new Checkpointer({ sql, file, log }) };
};

/** One commit. */
const write = (sql: SqliteFile): number =>
  sql.run('INSERT INTO held(bytes) VALUES (?)', new Uint8Array(ROW_BYTES));

const walBytes = (file: string): number => statSync(`${file}-wal`).size;
const held = (file: string): number | undefined =>
  readSqlite(file, sql => sql.get<{ n: number }>('SELECT count(*) AS n FROM held'))?.n;

t.test('[storage] a log that stays short needs no thread', async t => {
  const { file, sql, checkpointer } = open(t.testdir());
  for (let n = 0; n < 4; n++) write(sql);
  checkpointer.look();
  t.notOk(checkpointer.onThread);
  await checkpointer.settle();
  t.equal(walBytes(file), 0);
  await checkpointer[Symbol.asyncDispose]();
  sql.close();
});

t.test('[storage] a log that grows is bounded while it is written to, and nothing is lost', async t => {
  const { file, sql, warned, checkpointer } = open(t.testdir());
  let most = 0;
  const rows = (3 * WAL_BYTES_MAX) / ROW_BYTES;
  for (let n = 0; n < rows; n++) {
    write(sql);
    checkpointer.look();
    most = Math.max(most, walBytes(file));
    // No disk keeps up with a loop that does nothing but write.
    if ((n * ROW_BYTES) % (2 * WAL_GROWTH_BYTES) === 0) await checkpointer.working;
  }
  t.ok(checkpointer.onThread);
  t.ok(most < 2 * WAL_BYTES_MAX, `the log had ${most} bytes`);
  await checkpointer.settle();
  t.notOk(checkpointer.onThread, 'nobody writes: the thread has ended');
  t.equal(walBytes(file), 0, 'and the file is the store');
  write(sql);
  await checkpointer[Symbol.asyncDispose]();
  sql.close();
  t.notOk(existsSync(`${file}-wal`));
  t.equal(held(file), rows + 1);
  t.strictSame(warned, []);
});

t.test('[storage] a writer is locked out for nothing that waits, be it the disk or a reader', async t => {
  const { file, sql, checkpointer } = open(t.testdir());
  const reader = new DatabaseSync(file, { readOnly: true });
  const writer = new DatabaseSync(file, { timeout: 0 });
  write(sql);
  reader.exec('BEGIN');
  t.match(reader.prepare('SELECT count(*) AS n FROM held').get(), { n: 1 });
  for (let bytes = 0; bytes <= WAL_BYTES_MAX; bytes += ROW_BYTES) write(sql);
  checkpointer.look();
  let over = false;
  void checkpointer.working!.then(() => (over = true));
  let tries = 0;
  for (; !over; tries++) {
    writer.exec('BEGIN IMMEDIATE');
    writer.exec('ROLLBACK');
    await immediate();
  }
  t.ok(tries > 1, `${tries} times while the thread was at it`);
  t.ok(walBytes(file) > WAL_BYTES_MAX, 'what is read stays');
  reader.close();
  writer.close();
  await checkpointer.settle();
  t.equal(walBytes(file), 0);
  await checkpointer[Symbol.asyncDispose]();
  sql.close();
});

/** Writes until the log is so long that it is begun anew, and the thread has its turn; how many rows that were. */
async function writeUntilResting(sql: SqliteFile, checkpointer: Checkpointer): Promise<number> {
  let rows = 0;
  for (; sql.resting() === null; rows++) {
    write(sql);
    checkpointer.look();
    await immediate();
  }
  return rows;
}

t.test('[storage] whoever can wait while the log is begun anew lets the loop go on', async t => {
  const { file, sql, checkpointer } = open(t.testdir());
  let rows = 0;
  // A disk that is too slow the first time is given more the next.
  do {
    rows += await writeUntilResting(sql, checkpointer);
    await sql.resting();
    t.equal(sql.resting(), null, 'its turn is over, and nobody stood still for it');
  } while (walBytes(file) > 0);
  write(sql);
  await checkpointer[Symbol.asyncDispose]();
  sql.close();
  t.equal(held(file), rows + 1);
});

t.test('[storage] who writes all the same waits for the thread, and everything is there', async t => {
  const { file, sql, checkpointer } = open(t.testdir());
  const rows = await writeUntilResting(sql, checkpointer);
  sql.transaction(() => write(sql));
  t.equal(sql.resting(), null, 'its turn is over');
  await sql.lasting();
  await checkpointer[Symbol.asyncDispose]();
  sql.close();
  t.equal(held(file), rows + 1);
});

t.test('[storage] a thread that dies is told of, and the loop does its work', async t => {
  const { file, sql, warned, checkpointer } = open(t.testdir());
  const started = new Promise<Worker>(resolve => process.once('worker', resolve));
  while (!checkpointer.onThread) {
    write(sql);
    checkpointer.look();
  }
  const thread = await started;
  const ended = new Promise(resolve => thread.once('exit', resolve));
  await thread.terminate();
  await ended;
  t.notOk(checkpointer.onThread);
  t.match(warned, [/requests wait for that from here on/]);
  const grown = (2 * (WAL_THREAD_BYTES + WAL_GROWTH_BYTES)) / ROW_BYTES;
  for (let n = 0; n < grown; n++) {
    write(sql);
    checkpointer.look();
  }
  t.notOk(checkpointer.onThread, 'no other is begun');
  await checkpointer.settle();
  t.equal(walBytes(file), 0);
  await checkpointer[Symbol.asyncDispose]();
  sql.close();
});

t.test('[storage] a store that is closed while its log is brought over is whole', async t => {
  const { file, sql, checkpointer } = open(t.testdir());
  let rows = 0;
  while (!checkpointer.onThread) {
    rows += write(sql);
    checkpointer.look();
  }
  await checkpointer[Symbol.asyncDispose]();
  sql.close();
  t.notOk(existsSync(`${file}-wal`));
  t.equal(held(file), rows);
});
