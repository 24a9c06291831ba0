// Marks follow a store that is written to, and its file is the whole of it when nobody has written for a moment.
import { copyFileSync, existsSync, readFileSync, statSync, watch } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { type Marks, readMarks } from '../../../control/node/marks.ts';
import { openSqlite, readSqlite, type SqliteFile } from '../../../control/node/sqlite.ts';
import { StoreKeeper } from '../../../control/node/store-keeper.ts';
import type { Log } from '../../../control/ports/log.ts';
import { migrate } from '../../../control/world/store/schema.ts';
import { readTips } from '../../../control/world/store/tips.ts';

const SILENT: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

const write = (sql: SqliteFile, twin: string, position: number): number =>
  sql.transaction(() =>
    sql.run(
      `INSERT INTO entry(twin, pos, at, wall, kind, actor, changes) VALUES (?, ?, 1, 1, 'note.put', 'client', '[]')`,
      twin,
      position,
    ),
  );

/** The marks, once they are as they should be. */
async function marksWhen(path: string, folder: string, are: (marks: Marks) => boolean): Promise<Marks> {
  const changed = watch(folder);
  try {
    for (;;) {
      const next = new Promise(resolve => changed.once('change', resolve));
      const marks = await readMarks(path);
      if (marks !== null && are(marks)) return marks;
      await next;
    }
  } finally {
    changed.close();
  }
}

t.test('an idle store is all in its file, and its marks tell of all of it', async t => {
  const folder = t.testdir();
  const files = { database: join(folder, 'world.db'), marks: join(folder, 'marks.json') };
  const sql = openSqlite(files.database);
  migrate(sql);
  const keeper = new StoreKeeper({ sql, files, log: SILENT, limits: { idleMs: 5, marksMs: 60_000 } });
  for (let n = 1; n <= 7; n++) write(sql, 'stripe', n);
  write(sql, 'smtp', 1);
  await marksWhen(files.marks, folder, ({ positions }) => positions['stripe'] === 7);
  t.equal(statSync(`${files.database}-wal`).size, 0, 'nothing is in the log alone');
  const copy = join(folder, 'copy.db');
  copyFileSync(files.database, copy);
  t.strictSame(readSqlite(copy, readTips), { smtp: 1, stripe: 7 });
  write(sql, 'stripe', 8);
  await keeper[Symbol.asyncDispose]();
  t.match(await readMarks(files.marks), { positions: { smtp: 1, stripe: 8 } }, 'and those of the end');
  t.notOk(existsSync(`${files.database}-wal`));
});

t.test('a store that is never idle has its marks too, of what is on disk', async t => {
  const folder = t.testdir();
  const files = { database: join(folder, 'world.db'), marks: join(folder, 'marks.json') };
  const sql = openSqlite(files.database);
  migrate(sql);
  const keeper = new StoreKeeper({ sql, files, log: SILENT, limits: { idleMs: 2, marksMs: 0 } });
  let position = 0;
  const writing = setInterval(() => write(sql, 'stripe', (position += 1)), 1);
  await marksWhen(files.marks, folder, ({ positions }) => (positions['stripe'] ?? 0) > 20);
  clearInterval(writing);
  await keeper[Symbol.asyncDispose]();
  const { store } = JSON.parse(readFileSync(files.marks, 'utf8')) as Marks;
  t.match(store, /^[0-9a-f]{16}$/);
});

t.test('what was rolled back is in no marks', async t => {
  const folder = t.testdir();
  const files = { database: join(folder, 'world.db'), marks: join(folder, 'marks.json') };
  const sql = openSqlite(files.database);
  migrate(sql);
  const keeper = new StoreKeeper({ sql, files, log: SILENT });
  write(sql, 'stripe', 1);
  t.throws(() =>
    sql.transaction(() => {
      sql.run(
        `INSERT INTO entry(twin, pos, at, wall, kind, actor, changes) VALUES ('stripe', 2, 1, 1, 'k', 'client', '[]')`,
      );
      throw new Error('no');
    }),
  );
  await keeper.mark();
  t.match(await readMarks(files.marks), { positions: { stripe: 1 } });
  await keeper[Symbol.asyncDispose]();
});

t.test('while a store goes back on purpose, its marks tell of nothing that it may lack', async t => {
  const folder = t.testdir();
  const files = { database: join(folder, 'world.db'), marks: join(folder, 'marks.json') };
  const sql = openSqlite(files.database);
  migrate(sql);
  const keeper = new StoreKeeper({ sql, files, log: SILENT });
  for (let n = 1; n <= 3; n++) write(sql, 'stripe', n);
  await keeper.mark();
  await keeper.goingBack(async () => {
    t.strictSame((await readMarks(files.marks))!.positions, {});
    sql.run('DELETE FROM entry WHERE pos > 1');
  });
  t.strictSame((await readMarks(files.marks))!.positions, { stripe: 1 });
  await keeper[Symbol.asyncDispose]();
});
