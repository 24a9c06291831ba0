// The simulated disk keeps what the port of a store promises, so that what is simulated could happen.
import t from 'tap';
import { STORE_CONTRACT } from '../contract/store.ts';
import { runContract } from '../kit/run-contract.ts';
import { Store } from './disk.ts';
import { Life } from './life.ts';

runContract(t, STORE_CONTRACT, t => {
  const store = new Store();
  t.teardown(() => store.close());
  const sql = store.open(new Life(() => store.crash()));
  // What waits to last does so by itself here, as on a real host.
  const durability = {
    ...sql,
    lasting: () => {
      const lasting = sql.lasting();
      setImmediate(() => store.commit());
      return lasting;
    },
  };
  return { sql, durability, blobs: store.blobs };
});

t.test('a crash takes what had not lasted, wherever it comes, and nothing else', async t => {
  const store = new Store();
  t.teardown(() => store.close());
  const numbers = () => store.peek<{ n: number }>('SELECT n FROM x ORDER BY n').map(({ n }) => n);
  for (const after of [0, 1, 2, 3]) {
    const life = new Life(() => store.crash());
    const sql = store.open(life);
    sql.run('DROP TABLE IF EXISTS x');
    sql.run('CREATE TABLE x(n INTEGER PRIMARY KEY)');
    sql.transaction(() => sql.run('INSERT INTO x VALUES (1)'));
    store.commit();
    life.crashAfter(after);
    t.throws(() => {
      sql.transaction(() => sql.run('INSERT INTO x VALUES (2)'));
      sql.transaction(() => sql.run('INSERT INTO x VALUES (3)'));
    }, /gone/);
    t.strictSame([numbers(), life.alive], [[1], false]);
    t.throws(() => sql.get('SELECT 1'), /gone/, 'what still runs of the process reaches nothing');
  }
});

t.test('a full disk takes the whole group, and those who wait are told', async t => {
  const store = new Store();
  t.teardown(() => store.close());
  const sql = store.open(new Life(() => store.crash()));
  sql.run('CREATE TABLE x(n INTEGER PRIMARY KEY)');
  let lost = 0;
  sql.onLost(() => {
    lost += 1;
  });
  sql.transaction(() => sql.run('INSERT INTO x VALUES (1)'));
  const lasting = sql.lasting()!;
  store.failAfter(0, 'full');
  t.throws(() => sql.transaction(() => sql.run('INSERT INTO x VALUES (2)')), /full/);
  await t.rejects(lasting, /full/);
  t.strictSame([lost, store.peek('SELECT n FROM x')], [1, []]);
  sql.transaction(() => sql.run('INSERT INTO x VALUES (3)'));
  t.equal(store.isOpen, true, 'there is room again');
});
