import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import t from 'tap';
import { openSqlite, type SqliteFile } from '../../../control/node/sqlite.ts';
import { migrate, SCHEMA_VERSION, StoreError } from '../../../control/world/schema.ts';

const folder = t.testdir();
let files = 0;
const fresh = (): string => join(folder, `store-${files++}.db`);

const refusal = (work: () => unknown): StoreError => {
  try {
    work();
  } catch (error) {
    if (error instanceof StoreError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
};

const withStore = (file: string, work: (sql: SqliteFile) => void): void => {
  const sql = openSqlite(file);
  try {
    work(sql);
  } finally {
    sql.close();
  }
};

t.test('what a transaction throws undoes all of it, and the next one works', async t => {
  withStore(fresh(), sql => {
    sql.run('CREATE TABLE x(n INTEGER PRIMARY KEY) STRICT');
    t.throws(
      () =>
        sql.transaction(() => {
          sql.run('INSERT INTO x VALUES (?)', 1);
          throw new Error('no');
        }),
      /^no$/,
    );
    t.equal(
      sql.transaction(() => sql.run('INSERT INTO x VALUES (?), (?)', 2, 3)),
      2,
    );
    t.strictSame(
      sql.all<{ n: number }>('SELECT n FROM x ORDER BY n').map(({ n }) => n),
      [2, 3],
    );
    t.throws(() => sql.transaction(() => sql.transaction(() => 1)), 'not re-entrant');
    t.equal(sql.get('SELECT n FROM x WHERE n = ?', 1), undefined);
  });
});

t.test('durable writes are synced, the others are not, also after a durable one failed', async t => {
  withStore(fresh(), sql => {
    const level = () => sql.get<{ synchronous: number }>('PRAGMA synchronous')!.synchronous;
    t.equal(level(), 1, 'NORMAL');
    t.equal(sql.durable(level), 2, 'FULL');
    t.throws(() =>
      sql.durable(() => {
        throw new Error('no');
      }),
    );
    t.equal(level(), 1);
    t.equal(sql.get<{ journal_mode: string }>('PRAGMA journal_mode')!.journal_mode, 'wal');
  });
});

t.test('what was committed is there after a reopen; a second migration changes nothing', async t => {
  const file = fresh();
  withStore(file, sql => {
    migrate(sql);
    sql.run("INSERT INTO meta VALUES ('k', 'v')");
  });
  withStore(file, sql => {
    migrate(sql);
    t.equal(sql.get<{ v: string }>("SELECT v FROM meta WHERE k = 'k'")?.v, 'v');
    t.equal(sql.get<{ v: string }>("SELECT v FROM meta WHERE k = 'schema'")?.v, String(SCHEMA_VERSION));
  });
});

t.test('a store that cannot be used is refused with its reason and left byte for byte as it was', async t => {
  const store = fresh();
  withStore(store, sql => {
    migrate(sql);
    for (let n = 0; n < 2000; n++) sql.run('INSERT INTO meta VALUES (?, ?)', `k${n}`, 'v'.repeat(100));
  });
  const whole = readFileSync(store);
  const text = fresh();
  writeFileSync(text, 'This is a letter, and no database at all.');
  const torn = fresh();
  writeFileSync(torn, whole.subarray(0, whole.length / 2));
  const scribbled = fresh();
  writeFileSync(scribbled, Buffer.from(whole).fill(0x5a, 8192, 40_960));
  const foreign = fresh();
  const other = new DatabaseSync(foreign);
  other.exec('CREATE TABLE theirs(x)');
  other.close();
  const newer = fresh();
  withStore(newer, sql => {
    migrate(sql);
    sql.run("UPDATE meta SET v = ? WHERE k = 'schema'", String(SCHEMA_VERSION + 1));
  });
  const table = [
    [text, 'not-a-store', /not a SQLite database/],
    [torn, 'damaged', /damaged .* not changed/],
    [scribbled, 'damaged', /damaged .* not changed/],
    [foreign, 'not-a-store', /another program/],
    [newer, 'newer-schema', new RegExp(`version ${SCHEMA_VERSION + 1}.*up to ${SCHEMA_VERSION}`)],
  ] as const;
  for (const [file, code, message] of table) {
    const before = readFileSync(file);
    const error = refusal(() => openSqlite(file));
    t.equal(error.code, code);
    t.match(error.message, message);
    t.ok(before.equals(readFileSync(file)), `${code}: untouched`);
  }
});

t.test('a newer schema is refused by the migration as well, for hosts without files', async t => {
  withStore(':memory:', sql => {
    migrate(sql);
    sql.run("UPDATE meta SET v = '999' WHERE k = 'schema'");
    t.equal(refusal(() => migrate(sql)).code, 'newer-schema');
  });
});
