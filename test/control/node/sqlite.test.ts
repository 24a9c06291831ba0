import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import t from 'tap';
import { openBlobs } from '../../../control/node/blobs.ts';
import { openSqlite, type SqliteFile } from '../../../control/node/sqlite.ts';
import { dueAt } from '../../../control/world/log/due.ts';
import { recordsAt } from '../../../control/world/past/state-at.ts';
import { migrate, SCHEMA_VERSION, StoreError, schemaVersion } from '../../../control/world/store/schema.ts';
import { STORE_CONTRACT } from '../../contract/store.ts';
import { runContract } from '../../kit/run-contract.ts';
import { VERSION_1 } from '../../kit/schema-1.ts';

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

t.test('the store, its log and its index are for this user alone, also where they were not', async t => {
  const file = fresh();
  writeFileSync(file, '', { mode: 0o644 });
  withStore(file, sql => {
    sql.run('CREATE TABLE x(y)');
    for (const part of ['', '-wal', '-shm']) t.equal(statSync(file + part).mode & 0o777, 0o600, part);
  });
});

runContract(t, STORE_CONTRACT, t => {
  const home = join(folder, `host-${files++}`);
  mkdirSync(home);
  const sql = openSqlite(join(home, 'world.db'));
  t.teardown(() => sql.close());
  return { sql, durability: sql, blobs: openBlobs(join(home, 'blobs')) };
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

t.test('a store that version 1 wrote is brought up to date with all it held', async t => {
  const file = fresh();
  const old = new DatabaseSync(file);
  for (const text of VERSION_1) old.exec(text);
  old.close();
  withStore(file, sql => {
    t.equal(schemaVersion(sql), 1);
    const before = ['entry', 'tally', 'due', 'memo', 'token'].map(name => sql.all(`SELECT * FROM ${name}`));
    migrate(sql);
    t.equal(schemaVersion(sql), SCHEMA_VERSION);
    const after = ['entry', 'tally', 'due', 'memo', 'token'].map(name => sql.all(`SELECT * FROM ${name}`));
    const [entries = [], ...rest] = before;
    const unlanded = { changeset: null, action: null, asked: null, occurred: null };
    t.same(after, [entries.map(row => ({ ...row, ...unlanded })), ...rest]);
    t.strictSame(
      sql.all('SELECT * FROM ver ORDER BY twin, type, id, pos').map(row => Object.values(row)),
      [
        ['note', 'note', 'a', 1, '{"id":"a","n":1}'],
        ['note', 'note', 'b', 2, '{"id":"b"}'],
        ['note', 'note', 'b', 3, null],
      ],
      'what was written over',
    );
    t.strictSame(
      sql.all('SELECT * FROM gone').map(row => ({ ...row })),
      [{ twin: 'note', type: 'note', ord: 2 * 8192 + 1, at: 200, id: 'b', pos: 3 }],
      'what ended, with the place at which it was made',
    );
    const stood = (position: number) =>
      recordsAt(sql, 'note', position, null, 9).map(({ id, position, order, at }) => [
        id,
        position,
        order,
        at,
      ]);
    t.strictSame(stood(1), [['a', 1, 8192, 100]]);
    t.strictSame(stood(2), [
      ['a', 2, 8192, 100],
      ['b', 2, 2 * 8192 + 1, 200],
    ]);
    t.strictSame(stood(3), [['a', 2, 8192, 100]]);
    t.strictSame(
      sql.all('SELECT * FROM head').map(row => Object.values(row)),
      [['note', 'note', 'a', 2, 8192, 100, '{"id":"a","n":2}']],
    );
    t.strictSame(dueAt(sql, 'note', 100, 1), [], 'before it was scheduled');
    const waiting = { twin: 'note', key: 'k', at: 900, payload: '{"times":1}', cause: 'note:2' };
    t.strictSame(dueAt(sql, 'note', 200, 2), [waiting], 'from the entry that scheduled it');
    t.equal(sql.get<{ n: number }>('SELECT count(*) AS n FROM due_past')?.n, 1, 'not the retry of a webhook');
  });
});

t.test('a migration that fails leaves the store at the version it had', async t => {
  const file = fresh();
  const old = new DatabaseSync(file);
  for (const text of VERSION_1) old.exec(text);
  old.exec('CREATE TABLE blob(mine)');
  old.close();
  withStore(file, sql => {
    t.throws(() => migrate(sql), /blob/);
    t.equal(schemaVersion(sql), 1);
    t.equal(sql.get<{ n: number }>('SELECT count(*) AS n FROM ver')?.n, 4);
    t.equal(sql.get("SELECT 1 FROM sqlite_master WHERE name = 'due_past'"), undefined);
  });
});

t.test(
  'a disk that is full: the group is lost as a whole and said to be, and the store works on',
  async t => {
    const file = fresh();
    const sql = openSqlite(file);
    t.teardown(() => sql.close());
    sql.run('CREATE TABLE x(n INTEGER PRIMARY KEY, v TEXT)');
    sql.get(
      `PRAGMA max_page_count = ${sql.get<{ page_count: number }>('PRAGMA page_count')!.page_count + 2}`,
    );
    sql.transaction(() => sql.run("INSERT INTO x VALUES (1, 'small')"));
    const lasting = sql.lasting()!;
    t.throws(
      () => sql.transaction(() => sql.run('INSERT INTO x VALUES (2, ?)', 'x'.repeat(100_000))),
      /full/,
    );
    await lasting.then(
      () =>
        t.strictSame(
          sql.all<{ n: number }>('SELECT n FROM x').map(({ n }) => n),
          [1],
        ),
      () => t.strictSame(sql.all('SELECT n FROM x'), []),
    );
    sql.get('PRAGMA max_page_count = 100000');
    sql.transaction(() => sql.run("INSERT INTO x VALUES (3, 'after')"));
    await sql.lasting();
    t.equal(sql.get<{ v: string }>('SELECT v FROM x WHERE n = 3')?.v, 'after');
  },
);

t.test('a group that is lost is said to be, whatever those who are told of it do', async t => {
  const sql = openSqlite(fresh());
  t.teardown(() => sql.close());
  sql.run('CREATE TABLE x(n INTEGER PRIMARY KEY CHECK(n < 5), v TEXT)');
  sql.run('PRAGMA foreign_keys = ON');
  sql.run('CREATE TABLE y(n INTEGER REFERENCES x(n) DEFERRABLE INITIALLY DEFERRED)');
  sql.onLost(() => {
    throw new Error('the disk fails still');
  });
  sql.transaction(() => sql.run('INSERT INTO y VALUES (1)'));
  const lasting = sql.lasting()!;
  await t.rejects(lasting, /FOREIGN KEY/, 'it cannot be committed');
});

t.test('a newer schema is refused by the migration as well, for hosts without files', async t => {
  withStore(':memory:', sql => {
    migrate(sql);
    sql.run("UPDATE meta SET v = '999' WHERE k = 'schema'");
    t.equal(refusal(() => migrate(sql)).code, 'newer-schema');
  });
});
