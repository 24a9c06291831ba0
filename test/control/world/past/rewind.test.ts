// A world brought back is, to the last row, the world that it was.
import { join } from 'node:path';
import t from 'tap';
import {
  branchesAfter,
  branchPoint,
  emptyWorld,
  LEFT_BY_ENTRIES,
  pointAt,
  rewindTo,
  takeBranch,
} from '../../../../control/world/past/rewind.ts';
import { faultsOf, SCRUB_RULES } from '../../../../control/world/store/scrub.ts';
import { branchOff } from '../../../kit/branch-world.ts';
import { type Chance, chanceOf } from '../../../kit/chance.ts';
import { checkStore, wholeLog } from '../../../kit/log-fold.ts';
import { EPOCH, type NoteWorld, openNoteWorld } from '../../../kit/note-world.ts';
import { SEED } from '../../../kit/seed.ts';

const MINUTE = 60_000;
const IDS = ['a', 'b', 'c', 'd', 'e'];

/** One of what a twin does to its records and to what it waits for. */
async function change(at: NoteWorld, chance: Chance): Promise<void> {
  const id = chance.one(IDS);
  const acts: (() => Promise<unknown>)[] = [
    () => at.ask('PUT', `/notes/${id}`, { tag: `t${chance.below(3)}`, n: chance.below(1_000_000) }),
    () => at.ask('PUT', `/notes/${id}`, { text: 'x'.repeat(chance.below(300_000)) }),
    () => at.ask('DELETE', `/notes/${id}`),
    () =>
      at.ask('POST', '/bulk', {
        puts: [
          [id, { n: chance.below(9) }],
          [chance.one(IDS), {}],
        ],
        deletes: [chance.one(IDS)],
      }),
    () => at.ask('POST', `/due/${id}`, { at: at.wall.at + (1 + chance.below(9)) * MINUTE }),
    () => at.ask('DELETE', `/due/${id}`),
    () => at.ask('POST', `/once/${id}`, { seconds: 1_000 }),
  ];
  await chance.one(acts)();
}

/** All that somebody can tell of a world, apart from its requests. */
async function told({ world, sql }: NoteWorld): Promise<unknown> {
  const checkpoint = (await world.past.checkpoint('note', null))!;
  if (!checkpoint.ok) throw new Error(checkpoint.message);
  let records = '';
  for await (const bytes of checkpoint.body) records += Buffer.from(bytes).toString();
  return {
    records: records.replaceAll(/x{100,}/g, xs => `${xs.length} x`),
    log: (await wholeLog(world, 'note')).map(entry =>
      JSON.stringify(entry).replaceAll(/x{100,}/g, xs => `${xs.length} x`),
    ),
    due: sql.all('SELECT key, at, payload FROM due ORDER BY key').map(row => ({ ...row })),
    lists: sql.all('SELECT * FROM idx').map(row => ({ ...row })),
  };
}

const faults = ({ sql }: NoteWorld): readonly string[] => SCRUB_RULES.flatMap(rule => faultsOf(sql, rule));

t.test(`a world goes back to each instant it had (WRLD_SEED=${SEED})`, async t => {
  const chance = chanceOf(SEED);
  for (let round = 0; round < 15; round++) {
    await using at = await openNoteWorld();
    await at.ask('PUT', '/hooks/h', { url: 'https://app.test/h', secret: 's' });
    const stood: { readonly instant: number; readonly was: unknown }[] = [];
    for (let step = 0; step < 12; step++) {
      at.wall.at += MINUTE;
      for (let n = chance.below(4); n >= 0; n--) await change(at, chance);
      await at.world.settled();
      stood.push({ instant: at.wall.at, was: await told(at) });
    }
    for (const { instant, was } of stood.reverse()) {
      if (chance.below(3) === 0) continue;
      await at.world.rewrite(() => at.sql.durable(() => rewindTo(at.sql, pointAt(at.sql, instant))));
      t.strictSame(await told(at), was, `round ${round}, ${new Date(instant).toISOString()}`);
      await checkStore(at);
      t.strictSame(faults(at), []);
      t.match(await at.world.clock(), { at: new Date(instant).toISOString(), frozen: true });
    }
    await at.ask('PUT', '/notes/after', { tag: 't1' });
    await at.world.advanceClock('1h');
    await checkStore(at);
    t.strictSame(faults(at), []);
  }
});

t.test('a world that is emptied is a new one, for those who got in before', async t => {
  const chance = chanceOf(SEED);
  await using at = await openNoteWorld();
  await using fresh = await openNoteWorld();
  const asNew = await told(fresh);
  at.sql.run("INSERT INTO token(scope, hash) VALUES ('write', x'01')");
  await at.world.setClock('2030-01-01T00:00:00Z');
  for (let n = 0; n < 30; n++) await change(at, chance);
  await at.world.rewrite(() => at.sql.durable(() => emptyWorld(at.sql)));
  t.strictSame(await told(at), asNew);
  t.match(await at.world.clock(), { at: new Date(EPOCH).toISOString(), frozen: false });
  t.equal(at.sql.all('SELECT * FROM token').length, 1);
  for (let n = 0; n < 30; n++) await change(at, chance);
  await checkStore(at);
  t.strictSame(faults(at), []);
});

t.test('[2.8] [4.7] an emptied world keeps how it is set up', async t => {
  await using at = await openNoteWorld();
  const kept = {
    root: "INSERT INTO root VALUES ('note', '{}')",
    link: "INSERT INTO link VALUES ('mail', 'https://mail.test')",
    seal: "INSERT INTO seal VALUES ('note', 'https://notes.test', 'key', '', x'00', x'00', 1, 1)",
    world_check: "INSERT INTO world_check VALUES ('no-gold', 'export default () => []')",
    meta: `INSERT INTO meta VALUES ('shared-with', '{"url":"https://a.test/b/c"}')`,
  };
  for (const text of Object.values(kept)) at.sql.run(text);
  at.sql.run("INSERT INTO shared VALUES ('note', 3, 'print', 4)");
  await at.world.rewrite(() => at.sql.durable(() => emptyWorld(at.sql)));
  for (const table of Object.keys(kept))
    t.equal(
      at.sql.all(`SELECT * FROM ${table} WHERE ${table === 'meta' ? "k = 'shared-with'" : '1'}`).length,
      1,
      table,
    );
  t.strictSame(at.sql.all('SELECT * FROM shared'), [], 'it has nothing of the origin’s yet');
});

t.test('every row that names a position is taken back with its entry, or said why not', async t => {
  await using at = await openNoteWorld();
  const tables = at.sql
    .all<{ name: string }>(
      `SELECT name FROM sqlite_master AS made WHERE type = 'table'
         AND EXISTS (SELECT 1 FROM pragma_table_info(made.name) WHERE name = 'twin')
         AND EXISTS (SELECT 1 FROM pragma_table_info(made.name) WHERE name = 'pos') ORDER BY name`,
    )
    .map(({ name }) => name);
  // `base` is a branch's, which is not reset; what is fetched of an origin is at the origin's positions.
  const otherwise = ['entry', 'ver', 'head', 'gone', 'due_past', 'shared', 'shared_next', 'base'];
  t.strictSame(tables, [...LEFT_BY_ENTRIES, ...otherwise].sort());
});

t.test('[4.5] a reset leaves no changeset without its entries', async t => {
  await using at = await openNoteWorld();
  const cut = (name: string) => at.world.changesets.cut({ message: name, name, by: 'token', owner: null });
  await at.ask('PUT', '/notes/a', {});
  await cut('whole');
  await at.ask('PUT', '/notes/b', {});
  const instant = at.wall.at;
  at.wall.at += MINUTE;
  await at.ask('PUT', '/notes/c', {});
  await cut('broken');
  await at.world.rewrite(() => at.sql.durable(() => rewindTo(at.sql, pointAt(at.sql, instant))));
  const names = (await at.world.changesets.list()).map(({ name }) => name);
  t.strictSame(names, ['whole']);
  t.match(await cut('again'), { ok: true });
  t.equal((await at.world.changesets.get('again'))!.entries, 1, 'what is left of it is cut again');
});

t.test(`a world becomes what its branch is (WRLD_SEED=${SEED})`, async t => {
  const chance = chanceOf(SEED + 1);
  const folder = t.testdir();
  for (let round = 0; round < 8; round++) {
    const file = join(folder, `branch-${round}.db`);
    await using at = await openNoteWorld();
    for (let n = 0; n < 20; n++) {
      at.wall.at += MINUTE;
      await change(at, chance);
    }
    let was: unknown;
    {
      await using branch = await branchOff(at, { file });
      if (round > 0) {
        await branch.world.setClock(new Date(at.wall.at + MINUTE).toISOString());
        for (let n = 0; n < 10; n++) await change(branch, chance);
        await branch.world.advanceClock('3m');
      } else await branch.ask('GET', '/notes/a');
      was = await told(branch);
      await checkStore(branch);
    }
    for (let n = 0; n < 10; n++) {
      at.wall.at += MINUTE;
      await change(at, chance);
    }
    await at.world.rewrite(() =>
      at.sql.durableBeside(file, () =>
        takeBranch(at.sql, 'source', branchPoint(at.sql, 'source', 'acme/notes')!),
      ),
    );
    t.strictSame(await told(at), was, `round ${round}`);
    await checkStore(at);
    t.strictSame(faults(at), []);
    t.strictSame(branchesAfter(at.sql, 0), []);
  }
});
