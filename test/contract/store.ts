// What the core relies on in a host's store (control/ports/sql.ts, durability.ts, blobs.ts), written against the ports
// alone: every host's store runs it unchanged.
import type { Blobs } from '../../control/ports/blobs.ts';
import type { Durability } from '../../control/ports/durability.ts';
import type { Sql } from '../../control/ports/sql.ts';
import { ROW_BODY_BYTES_MAX } from '../../control/world/limits.ts';
import { migrate, SCHEMA_VERSION, StoreError, schemaVersion } from '../../control/world/store/schema.ts';
import type { Case, Expect } from './suite.ts';

/** Empty when a case gets it. */
export type Store = { readonly sql: Sql; readonly durability: Durability; readonly blobs: Blobs };

/** A row of a Durable Object ends here; the core bounds itself below. */
const ROW_BYTES_MAX = 2_000_000;
const BOUND_PARAMETERS_MAX = 100;
const SHA = 'ab'.repeat(32);
const OTHER = 'cd'.repeat(32);

const numbers = (sql: Sql): number[] =>
  sql.all<{ n: number }>('SELECT n FROM x ORDER BY n').map(({ n }) => n);

const withTable = (sql: Sql): Sql => {
  sql.run('CREATE TABLE x(n INTEGER PRIMARY KEY, v) ');
  return sql;
};

const VALUES: readonly Case<Store>[] = [
  {
    name: 'values come back as they went in, of every kind and up to the edges',
    run: ({ sql }, is) => {
      withTable(sql);
      const values = [null, '', 'ü\u{1F600}\n', 0, -1.5, Number.MAX_SAFE_INTEGER, -Number.MAX_SAFE_INTEGER];
      values.forEach((value, n) => {
        sql.run('INSERT INTO x VALUES (?, ?)', n, value);
        is.equal(sql.get<{ v: never }>('SELECT v FROM x WHERE n = ?', n)?.v, value);
      });
      sql.run('INSERT INTO x VALUES (?, ?)', 99, Uint8Array.of(0, 255, 7));
      const bytes = sql.get<{ v: Uint8Array }>('SELECT v FROM x WHERE n = 99')?.v;
      is.ok(bytes instanceof Uint8Array, 'bytes are bytes');
      is.same([...bytes!], [0, 255, 7]);
      is.equal(sql.get('SELECT v FROM x WHERE n = ?', 1000), undefined, 'no row is undefined');
      is.same(sql.all('SELECT v FROM x WHERE n = ?', 1000), []);
      is.equal(sql.run('DELETE FROM x WHERE n < 3'), 3, 'run tells how many rows changed');
      is.equal(sql.run('DELETE FROM x WHERE n < 3'), 0);
    },
  },
  {
    name: 'run counts rows of the table, not of its indexes; and what returns rows can be run',
    run: ({ sql }, is) => {
      sql.run('CREATE TABLE y(n INTEGER PRIMARY KEY, v TEXT)');
      sql.run('CREATE INDEX y_v ON y(v)');
      is.equal(sql.run("INSERT INTO y VALUES (1, 'a'), (2, 'b')"), 2);
      is.equal(sql.run("UPDATE y SET v = 'c'"), 2);
      const put = 'INSERT INTO y VALUES (?, ?) ON CONFLICT(n) DO UPDATE SET v = excluded.v';
      is.equal(sql.run(put, 2, 'd'), 1);
      is.equal(sql.run('INSERT INTO y VALUES (2, ?) ON CONFLICT DO NOTHING', 'e'), 0);
      is.equal(sql.get<{ n: number }>("INSERT INTO y(v) VALUES ('f') RETURNING n")?.n, 3);
      is.equal(sql.all('SELECT n FROM y').length, 3);
    },
  },
  {
    name: 'a statement takes as many parameters and as long a row as the core ever gives it',
    run: ({ sql }, is) => {
      const many = Array.from({ length: BOUND_PARAMETERS_MAX }, (_, n) => n);
      const row = sql.get(`SELECT ${many.map(n => `? AS v${n}`).join()}`, ...many);
      is.equal(row?.[`v${BOUND_PARAMETERS_MAX - 1}`], BOUND_PARAMETERS_MAX - 1);
      withTable(sql).run('INSERT INTO x VALUES (1, ?)', 'x'.repeat(ROW_BODY_BYTES_MAX));
      is.equal(sql.get<{ n: number }>('SELECT length(v) AS n FROM x')?.n, ROW_BODY_BYTES_MAX);
      is.ok(ROW_BODY_BYTES_MAX < ROW_BYTES_MAX);
    },
  },
];

type Kind = 'transaction' | 'durable';
const KINDS: readonly Kind[] = ['transaction', 'durable'];
const within = <T>({ sql, durability }: Store, kind: Kind, work: () => T): T =>
  kind === 'transaction' ? sql.transaction(work) : durability.durable(work);

const allOrNothing = async (store: Store, kind: Kind, is: Expect): Promise<void> => {
  const { sql, durability } = store;
  withTable(sql);
  is.throws(
    () =>
      within(store, kind, () => {
        sql.run('INSERT INTO x(n) VALUES (1)');
        throw new Error('no');
      }),
    /^no$/,
    'what the work throws is thrown',
  );
  is.same(numbers(sql), []);
  const inside = within(store, kind, () => {
    sql.run('INSERT INTO x(n) VALUES (2)');
    return numbers(sql);
  });
  is.same(inside, [2], 'it sees its own writes, and its result is returned');
  is.throws(() => within(store, kind, () => sql.run('INSERT INTO x(n) VALUES (3), (2)')));
  is.same(numbers(sql), [2], 'a refused statement changes nothing');
  for (const other of KINDS)
    is.throws(
      () => within(store, kind, () => within(store, other, () => 1)),
      undefined,
      `no ${other} inside`,
    );
  within(store, kind, () => sql.run('INSERT INTO x(n) VALUES (4)'));
  is.same(numbers(sql), [2, 4], 'the next one works');
  await durability.lasting();
};

const TRANSACTIONS: readonly Case<Store>[] = [
  ...KINDS.map(
    (kind): Case<Store> => ({
      name: `${kind}: all of it or nothing`,
      run: (store, is) => allOrNothing(store, kind, is),
    }),
  ),
  {
    name: 'a group: one that fails takes none of its neighbours with it, and all of them last together',
    run: async ({ sql, durability }, is) => {
      withTable(sql);
      is.equal(durability.lasting(), null, 'nothing waits');
      sql.transaction(() => sql.run('INSERT INTO x(n) VALUES (1)'));
      is.throws(() =>
        sql.transaction(() => {
          sql.run('INSERT INTO x(n) VALUES (2)');
          throw new Error('no');
        }),
      );
      sql.transaction(() => sql.run('INSERT INTO x(n) VALUES (3)'));
      is.same(numbers(sql), [1, 3], 'all see it at once');
      await durability.lasting();
      is.equal(durability.lasting(), null);
      is.same(numbers(sql), [1, 3]);
    },
  },
  {
    name: 'whatever lasts by itself makes the group before it last too',
    run: ({ sql, durability }, is) => {
      withTable(sql);
      const steps = [
        () => sql.run('INSERT INTO x(n) VALUES (100)'),
        () => durability.durable(() => sql.run('INSERT INTO x(n) VALUES (101)')),
      ];
      steps.forEach((step, n) => {
        sql.transaction(() => sql.run('INSERT INTO x(n) VALUES (?)', n));
        step();
        is.equal(durability.lasting(), null);
      });
      is.same(numbers(sql), [0, 1, 100, 101]);
    },
  },
  {
    name: 'the schema is made by migrations, once',
    run: ({ sql, durability }, is) => {
      const store = { ...sql, durable: <T>(work: () => T): T => durability.durable(work) };
      is.equal(schemaVersion(sql), 0);
      migrate(store);
      is.equal(schemaVersion(sql), SCHEMA_VERSION);
      sql.run("INSERT INTO meta VALUES ('k', 'v')");
      migrate(store);
      is.equal(sql.get<{ v: string }>("SELECT v FROM meta WHERE k = 'k'")?.v, 'v');
      sql.run("UPDATE meta SET v = '999' WHERE k = 'schema'");
      is.throws(() => migrate(store), StoreError, 'a newer one is left alone');
      is.equal(schemaVersion(sql), 999);
    },
  },
];

const BLOBS: readonly Case<Store>[] = [
  {
    name: 'blobs: whole, by name, once',
    run: async ({ blobs }, is) => {
      is.same(await blobs.list(), []);
      is.equal(await blobs.get(SHA), undefined);
      is.equal(await blobs.has(SHA), false);
      await blobs.remove(SHA);
      const bytes = Uint8Array.from({ length: 300_000 }, (_, n) => n % 251);
      await blobs.put(SHA, bytes);
      await blobs.put(SHA, bytes);
      const putting = blobs.put(OTHER, new Uint8Array(0));
      await putting;
      bytes.fill(0);
      const kept = (await blobs.get(SHA))!;
      is.ok(kept instanceof Uint8Array);
      is.same([...kept.subarray(250, 253)], [250, 0, 1], 'kept as it was when it was put');
      is.equal(kept.length, 300_000);
      is.equal((await blobs.get(OTHER))!.length, 0);
      is.same([...(await blobs.list())].sort(), [SHA, OTHER]);
      is.ok(await blobs.has(OTHER));
      await blobs.remove(OTHER);
      is.same(await blobs.list(), [SHA]);
      is.equal(await blobs.get(OTHER), undefined);
    },
  },
];

export const STORE_CONTRACT: readonly Case<Store>[] = [...VALUES, ...TRANSACTIONS, ...BLOBS];
