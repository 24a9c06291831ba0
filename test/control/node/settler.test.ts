// Stores that come to rest are brought into their files on a thread, one after the other, while they stay open and are written to.
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import t from 'tap';
import { Checkpointer } from '../../../control/node/checkpointer.ts';
import { type Settled, Settler } from '../../../control/node/settler.ts';
import { openSqlite, readSqlite, type SqliteFile } from '../../../control/node/sqlite.ts';
import type { Log } from '../../../control/ports/log.ts';

const SILENT: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const ROWS = 50;

function open(folder: string, name: string): { readonly file: string; readonly sql: SqliteFile } {
  const file = join(folder, name);
  const sql = openSqlite(file);
  sql.run('CREATE TABLE held(n INTEGER PRIMARY KEY, text TEXT)');
  return { file, sql };
}

const write = (sql: SqliteFile): number => sql.run("INSERT INTO held(text) VALUES ('x')");
const walBytes = (file: string): number => statSync(`${file}-wal`).size;
const held = (file: string): number | undefined =>
  readSqlite(file, sql => sql.get<{ n: number }>('SELECT count(*) AS n FROM held'))?.n;

t.test(
  '[storage] many stores that come to rest at once have empty logs, and are written to again',
  async t => {
    const folder = t.testdir();
    await using settler = new Settler();
    const stores = Array.from({ length: 20 }, (_, n) => open(folder, `${n}.db`));
    for (const round of [1, 2]) {
      for (const { sql } of stores) for (let n = 0; n < ROWS; n++) write(sql);
      for (const { sql } of stores) await sql.lasting();
      const settled = await Promise.all(stores.map(({ file }) => settler.settle(file)));
      t.strictSame(new Set(settled), new Set(['whole']));
      for (const { file } of stores) {
        t.equal(walBytes(file), 0);
        t.equal(held(file), round * ROWS);
      }
    }
    for (const { file, sql } of stores) {
      write(sql);
      sql.close();
      t.notOk(existsSync(`${file}-wal`), 'nobody else has it open');
      t.equal(held(file), 2 * ROWS + 1);
    }
  },
);

t.test('[storage] one that is written to meanwhile loses nothing, whatever becomes of its log', async t => {
  await using settler = new Settler();
  const { file, sql } = open(t.testdir(), 'world.db');
  let written = 0;
  let over = false;
  const settling = (async () => {
    for (let n = 0; n < 30; n++) t.ok(['whole', 'busy'].includes((await settler.settle(file)) as string));
    over = true;
  })();
  while (!over) {
    write(sql);
    written += 1;
    await sql.lasting();
    await setImmediate();
  }
  await settling;
  sql.close();
  t.equal(held(file), written);
});

t.test('one that is released is not taken any more, and one that is gone is not made', async t => {
  const folder = t.testdir();
  await using settler = new Settler();
  const { file, sql } = open(folder, 'world.db');
  const first = settler.settle(file);
  const other = settler.settle(join(folder, 'gone.db'));
  const again = settler.settle(file);
  t.equal(settler.settle(file), again, 'it waits once');
  await settler.release(file);
  t.equal(await first, 'whole');
  t.equal(await again, 'released');
  t.match(await other, { fault: /unable to open/ });
  t.notOk(existsSync(join(folder, 'gone.db')));
  sql.close();
});

t.test(
  '[storage] a checkpointer that has one leaves its log to it, and does it itself where that is lost',
  async t => {
    await using settler = new Settler();
    const { file, sql } = open(t.testdir(), 'world.db');
    const options = { sql, file, log: SILENT };
    const checkpointer = new Checkpointer({ ...options, settler });
    write(sql);
    await sql.lasting();
    await checkpointer.settle();
    t.equal(walBytes(file), 0);
    await checkpointer[Symbol.asyncDispose]();
    const answering = (settled: Settled) =>
      ({ settle: async () => settled, release: async () => {} }) as unknown as Settler;
    const alone = new Checkpointer({ ...options, settler: answering('lost') });
    write(sql);
    t.not(walBytes(file), 0);
    await alone.settle();
    t.equal(walBytes(file), 0);
    await alone[Symbol.asyncDispose]();
    const failing = new Checkpointer({ ...options, settler: answering({ fault: 'disk full' }) });
    await t.rejects(failing.settle(), { message: 'disk full' }, 'whoever keeps the store tells of it');
    await failing[Symbol.asyncDispose]();
    sql.close();
  },
);
