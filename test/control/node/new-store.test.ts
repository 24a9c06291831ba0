// New stores are whole and alike, whether SQLite made them or they are copies of one that it made.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { beginStore, makeStore } from '../../../control/node/new-store.ts';
import { openSqlite } from '../../../control/node/sqlite.ts';
import { storeName } from '../../../control/node/store-guard.ts';
import { migrate, SCHEMA_VERSION, schemaVersion } from '../../../control/world/store/schema.ts';

t.test('[storage] the second is a copy of the first, and a store of its own', async t => {
  const folder = t.testdir();
  const [first, second] = ['first.db', 'second.db'].map(name => join(folder, name)) as [string, string];
  for (const file of [first, second]) {
    await makeStore(file);
    t.notOk(existsSync(`${file}-wal`), 'nothing is beside it');
    t.equal(statSync(file).mode & 0o777, 0o600);
  }
  t.ok(readFileSync(second).equals(readFileSync(first)));
  using one = openSqlite(first);
  using other = openSqlite(second);
  for (const sql of [one, other]) {
    t.equal(schemaVersion(sql), SCHEMA_VERSION);
    migrate(sql);
    t.equal(sql.get<{ n: number }>("SELECT count(*) AS n FROM meta WHERE k <> 'schema'")?.n, 0);
    t.equal(sql.get<{ quick_check: string }>('PRAGMA quick_check')?.quick_check, 'ok');
  }
  one.run("INSERT INTO meta(k, v) VALUES ('store', 'one')");
  t.equal(other.get("SELECT v FROM meta WHERE k = 'store'"), undefined);
});

t.test(
  '[storage] one that is begun has a name of its own and what it begins with, and waits for the disk once',
  async t => {
    const folder = t.testdir();
    const names = new Set<string>();
    for (const file of [join(folder, 'first.db'), join(folder, 'second.db')]) {
      const waits = await beginStore(file, async sql => {
        sql.durable(() => sql.run("INSERT INTO meta(k, v) VALUES ('origin', '{}')"));
        return sql.get<{ synchronous: number }>('PRAGMA synchronous')?.synchronous;
      });
      t.equal(waits, 0, 'on the way it does not');
      t.notOk(existsSync(`${file}-wal`), 'nothing is beside it');
      t.equal(statSync(file).mode & 0o777, 0o600);
      using sql = openSqlite(file);
      names.add(storeName(sql));
      t.equal(sql.get<{ v: string }>("SELECT v FROM meta WHERE k = 'origin'")?.v, '{}');
      t.equal(sql.get<{ quick_check: string }>('PRAGMA quick_check')?.quick_check, 'ok');
    }
    t.equal(names.size, 2);
    t.notOk(names.has(''));
  },
);
