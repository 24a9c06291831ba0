// What the core relies on in a host's store (control/ports/sql.ts, control/ports/blobs.ts), written against the
// ports alone: every host's store runs it unchanged.
import type { Test } from 'tap';
import type { Blobs } from '../../control/ports/blobs.ts';
import type { Sql } from '../../control/ports/sql.ts';
import { ROW_BODY_BYTES_MAX } from '../../control/world/limits.ts';
import { migrate, SCHEMA_VERSION, StoreError, schemaVersion } from '../../control/world/store/schema.ts';

export type StoreHost = {
  /** A store that is empty, ended by the host when the test ends. */
  open(t: Test): { readonly sql: Sql; readonly blobs: Blobs };
};

/** A row of a Durable Object ends here; the core bounds itself below. */
const ROW_BYTES_MAX = 2_000_000;
const BOUND_PARAMETERS_MAX = 100;
const SHA = 'ab'.repeat(32);
const OTHER = 'cd'.repeat(32);

export const storeContract = (t: Test, host: StoreHost): void => {
  sqlContract(t, host);
  blobContract(t, host);
};

const numbers = (sql: Sql): number[] =>
  sql.all<{ n: number }>('SELECT n FROM x ORDER BY n').map(({ n }) => n);

const withTable = (sql: Sql): Sql => {
  sql.run('CREATE TABLE x(n INTEGER PRIMARY KEY, v) ');
  return sql;
};

const sqlContract = (t: Test, host: StoreHost): void => {
  t.test('values come back as they went in, of every kind and up to the edges', async t => {
    const sql = withTable(host.open(t).sql);
    const values = [null, '', 'ü\u{1F600}\n', 0, -1.5, Number.MAX_SAFE_INTEGER, -Number.MAX_SAFE_INTEGER];
    values.forEach((value, n) => {
      sql.run('INSERT INTO x VALUES (?, ?)', n, value);
      t.strictSame(sql.get<{ v: never }>('SELECT v FROM x WHERE n = ?', n)?.v, value);
    });
    sql.run('INSERT INTO x VALUES (?, ?)', 99, Uint8Array.of(0, 255, 7));
    const bytes = sql.get<{ v: Uint8Array }>('SELECT v FROM x WHERE n = 99')?.v;
    t.strictSame([...new Uint8Array(bytes!)], [0, 255, 7]);
    t.equal(sql.get('SELECT v FROM x WHERE n = ?', 1000), undefined, 'no row is undefined');
    t.strictSame(sql.all('SELECT v FROM x WHERE n = ?', 1000), []);
    t.equal(sql.run('DELETE FROM x WHERE n < 3'), 3, 'run tells how many rows changed');
    t.equal(sql.run('DELETE FROM x WHERE n < 3'), 0);
  });

  t.test('a statement takes as many parameters and as long a row as the core ever gives it', async t => {
    const { sql } = host.open(t);
    const many = Array.from({ length: BOUND_PARAMETERS_MAX }, (_, n) => n);
    const row = sql.get(`SELECT ${many.map(n => `? AS v${n}`).join()}`, ...many);
    t.equal(row?.[`v${BOUND_PARAMETERS_MAX - 1}`], BOUND_PARAMETERS_MAX - 1);
    withTable(sql).run('INSERT INTO x VALUES (1, ?)', 'x'.repeat(ROW_BODY_BYTES_MAX));
    t.equal(sql.get<{ n: number }>('SELECT length(v) AS n FROM x')?.n, ROW_BODY_BYTES_MAX);
    t.ok(ROW_BODY_BYTES_MAX < ROW_BYTES_MAX);
  });

  for (const kind of ['transaction', 'grouped', 'durable'] as const) {
    t.test(`${kind}: all of it or nothing`, async t => {
      const sql = withTable(host.open(t).sql);
      t.throws(
        () =>
          sql[kind](() => {
            sql.run('INSERT INTO x(n) VALUES (1)');
            throw new Error('no');
          }),
        /^no$/,
        'what the work throws is thrown',
      );
      t.strictSame(numbers(sql), []);
      const inside = sql[kind](() => {
        sql.run('INSERT INTO x(n) VALUES (2)');
        return numbers(sql);
      });
      t.strictSame(inside, [2], 'it sees its own writes, and its result is returned');
      t.throws(() => sql[kind](() => sql.run('INSERT INTO x(n) VALUES (3), (2)')), 'a refused statement');
      t.strictSame(numbers(sql), [2]);
      for (const other of ['transaction', 'grouped', 'durable'] as const) {
        t.throws(() => sql[kind](() => sql[other](() => 1)), `no ${other} inside`);
      }
      sql[kind](() => sql.run('INSERT INTO x(n) VALUES (4)'));
      t.strictSame(numbers(sql), [2, 4], 'the next one works');
      await sql.lasting();
    });
  }

  t.test(
    'a group: one that fails takes none of its neighbours with it, and all of them last together',
    async t => {
      const sql = withTable(host.open(t).sql);
      t.equal(sql.lasting(), null, 'nothing waits');
      sql.grouped(() => sql.run('INSERT INTO x(n) VALUES (1)'));
      t.throws(() =>
        sql.grouped(() => {
          sql.run('INSERT INTO x(n) VALUES (2)');
          throw new Error('no');
        }),
      );
      sql.grouped(() => sql.run('INSERT INTO x(n) VALUES (3)'));
      t.strictSame(numbers(sql), [1, 3], 'all see it at once');
      await sql.lasting();
      t.equal(sql.lasting(), null);
      t.strictSame(numbers(sql), [1, 3]);
    },
  );

  t.test('whatever lasts by itself makes the group before it last too', async t => {
    const sql = withTable(host.open(t).sql);
    const steps = [
      () => sql.run('INSERT INTO x(n) VALUES (100)'),
      () => sql.transaction(() => sql.run('INSERT INTO x(n) VALUES (101)')),
      () => sql.durable(() => sql.run('INSERT INTO x(n) VALUES (102)')),
    ];
    steps.forEach((step, n) => {
      sql.grouped(() => sql.run('INSERT INTO x(n) VALUES (?)', n));
      step();
      t.equal(sql.lasting(), null);
    });
    t.strictSame(numbers(sql), [0, 1, 2, 100, 101, 102]);
  });

  t.test('the schema is made by migrations, once', async t => {
    const { sql } = host.open(t);
    t.equal(schemaVersion(sql), 0);
    migrate(sql);
    t.equal(schemaVersion(sql), SCHEMA_VERSION);
    sql.run("INSERT INTO meta VALUES ('k', 'v')");
    migrate(sql);
    t.equal(sql.get<{ v: string }>("SELECT v FROM meta WHERE k = 'k'")?.v, 'v');
    sql.run("UPDATE meta SET v = '999' WHERE k = 'schema'");
    t.throws(() => migrate(sql), StoreError, 'a newer one is left alone');
    t.equal(schemaVersion(sql), 999);
  });
};

const blobContract = (t: Test, host: StoreHost): void => {
  t.test('blobs: whole, by name, once', async t => {
    const { blobs } = host.open(t);
    t.strictSame(blobs.list(), []);
    t.equal(blobs.get(SHA), undefined);
    t.equal(blobs.has(SHA), false);
    blobs.remove(SHA);
    const bytes = Uint8Array.from({ length: 300_000 }, (_, n) => n % 251);
    blobs.put(SHA, bytes);
    blobs.put(SHA, bytes);
    blobs.put(OTHER, new Uint8Array(0));
    bytes.fill(0);
    t.strictSame([...blobs.get(SHA)!.subarray(250, 253)], [250, 0, 1], 'kept as it was when it was put');
    t.equal(blobs.get(SHA)!.length, 300_000);
    t.equal(blobs.get(OTHER)!.length, 0);
    t.strictSame([...blobs.list()].sort(), [SHA, OTHER]);
    t.ok(blobs.has(OTHER));
    blobs.remove(OTHER);
    t.strictSame(blobs.list(), [SHA]);
    t.equal(blobs.get(OTHER), undefined);
  });
};
