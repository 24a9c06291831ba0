// A branch that answers while its parent's state is still being copied, held beside one that had copied all of it before
// (storage.md, invariants 7, 8 and 9). A failure prints its seed and its shortest history.
import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import t from 'tap';
import type { Entropy } from '../../../../control/ports/entropy.ts';
import type { HydrationPace } from '../../../../control/world/work/hydration.ts';
import { branchOff } from '../../../kit/branch-world.ts';
import { checkStore } from '../../../kit/log-fold.ts';
import { noteTwin } from '../../../kit/note-twin.ts';
import { EPOCH, type NoteWorld, openNoteWorld } from '../../../kit/note-world.ts';
import { fc } from '../../../kit/property.ts';

const VENDORS = ['a', 'b'];
const TWINS = Object.fromEntries(VENDORS.map(vendor => [vendor, noteTwin({ vendor })]));
/** Nothing is waited for, and copied is one record after the other. */
const SLOWEST: HydrationPace = { recordsPerTurn: 1, turnsWaitedFor: 0 };
const RUNS = 40;

const seeded = (): Entropy => {
  let drawn = 0;
  return {
    bytes: length => createHash('sha512').update(String(drawn++)).digest().subarray(0, Math.min(length, 64)),
  };
};
const open = () => openNoteWorld({ twins: TWINS, entropy: seeded(), wall: { at: EPOCH } });
const branch = (parent: NoteWorld, more: { at?: string; hydration?: HydrationPace; file?: string }) =>
  branchOff(parent, { twins: TWINS, entropy: seeded(), wall: { ...parent.wall }, ...more });

type Ask = readonly [vendor: string, method: string, path: string, body?: unknown];

const vendor = fc.constantFrom(...VENDORS);
const id = fc.constantFrom('m', 'n', 'o', 'p', 'q', 'r', 's', 't');
const note = fc.record({ tag: fc.constantFrom('x', 'y', null), n: fc.nat(3) });
const instant = fc.nat(40).map(n => EPOCH + n * 1000);
const query = fc.record(
  {
    limit: fc.integer({ min: 1, max: 5 }),
    order: fc.constantFrom('newest', 'oldest'),
    where: fc.constantFrom({ tag: 'x' }, { tag: ['x', 'y'] }),
    after: id,
    before: id,
    skip: fc.nat(3),
    createdFrom: instant,
    createdBefore: instant,
  },
  { requiredKeys: ['limit'] },
);
const changes: fc.Arbitrary<Ask> = fc.oneof(
  fc.tuple(vendor, id, note).map(([v, key, body]): Ask => [v, 'PUT', `/notes/${key}`, body]),
  fc.tuple(vendor, id).map(([v, key]): Ask => [v, 'DELETE', `/notes/${key}`]),
  fc
    .tuple(vendor, fc.array(fc.tuple(id, note), { maxLength: 6 }), fc.array(id, { maxLength: 3 }))
    .map(([v, puts, deletes]): Ask => [v, 'POST', '/bulk', { puts, deletes }]),
);
const looks: fc.Arbitrary<Ask> = fc.oneof(
  fc.tuple(vendor, id).map(([v, key]): Ask => [v, 'GET', `/notes/${key}`]),
  fc.tuple(vendor, query).map(([v, asked]): Ask => [v, 'POST', '/list', asked]),
);
const history = fc.array(changes, { minLength: 1, maxLength: 20 });
const use = fc.array(fc.oneof(changes, looks, looks), { minLength: 1, maxLength: 12 });

const take = async (at: NoteWorld, asks: readonly Ask[]): Promise<void> => {
  for (const [vendor, method, path, body] of asks) {
    at.wall.at += 1000;
    await at.ask(method, path, body, { vendor });
  }
};
const answers = async (at: NoteWorld, asks: readonly Ask[]): Promise<readonly string[]> => {
  const told: string[] = [];
  for (const [vendor, method, path, body] of asks) {
    const answer = await at.ask(method, path, body, { vendor });
    told.push(
      `${vendor} ${method} ${path} ${JSON.stringify(body)}: ${answer.status} ${JSON.stringify(answer.body)}`,
    );
  }
  return told;
};
const isCopied = ({ sql }: NoteWorld): boolean =>
  sql.get('SELECT 1 AS left FROM base WHERE hydrated = 0 AND pos > 0') === undefined;
const copied = async (at: NoteWorld): Promise<void> => {
  for (const vendor of VENDORS) await at.ask('GET', '/notes/none', undefined, { vendor });
  while (!isCopied(at)) await turn();
};
const tables = ({ sql }: NoteWorld): readonly string[] =>
  ['head', 'idx', 'ver', 'gone', 'tally'].map(table => {
    const rows = sql.all(`SELECT * FROM ${table}`).map(row => JSON.stringify(row));
    return `${table}: ${rows
      .filter(row => !row.endsWith('"records":0}'))
      .sort()
      .join('\n')}`;
  });
const same = (what: string, found: readonly string[], wanted: readonly string[]): void => {
  found.forEach((each, n) => {
    if (each !== wanted[n]) throw new Error(`${what}:\n  found  ${each}\n  wanted ${wanted[n]}`);
  });
};
const holds = (what: string, property: fc.IAsyncPropertyWithHooks<never>) =>
  t.test(what, async t => {
    const details = await fc.check(property as fc.IAsyncProperty<unknown>, {
      numRuns: RUNS,
      includeErrorInReport: true,
    });
    if (details.failed) t.fail(fc.defaultReportMessage(details) ?? 'failed');
    else t.equal(details.numRuns, RUNS);
  });
/** A branch as of the middle of a history, or as of now, after which the parent goes on. */
const cutOf = async (parent: NoteWorld, past: boolean): Promise<{ at?: string }> => {
  const page = await parent.world.timeline({ limit: 200 });
  if (!page.ok || !past) return {};
  const at = page.entries[Math.floor(page.entries.length / 2)]?.entry.occurredAt;
  return at === undefined ? {} : { at };
};

holds(
  'invariant 8: who asks while a branch is copied is told what he would be told after it',
  fc.asyncProperty(history, history, use, fc.boolean(), async (before, theirs, ours, past) => {
    await using parent = await open();
    await take(parent, before);
    const cut = await cutOf(parent, past);
    await using lazy = await branch(parent, { ...cut, hydration: SLOWEST });
    await using eager = await branch(parent, cut);
    await copied(eager);
    await take(parent, theirs);
    same('answers', await answers(lazy, ours), await answers(eager, ours));
    same(
      'what there is of each',
      [JSON.stringify(await lazy.world.map())],
      [JSON.stringify(await eager.world.map())],
    );
    await copied(lazy);
    same('tables', tables(lazy), tables(eager));
    await checkStore(lazy);
  }) as never,
);

holds(
  'invariants 8, 25: a copy that a crash cut short in the middle of use is gone on with',
  fc.asyncProperty(history, use, use, fc.nat(6), async (before, ours, then, turns) => {
    const folder = await mkdtemp(join(tmpdir(), 'wrld-'));
    try {
      const file = join(folder, 'world.db');
      await using parent = await open();
      await take(parent, before);
      await using eager = await branch(parent, {});
      await copied(eager);
      await answers(eager, ours);
      {
        await using lazy = await branch(parent, { hydration: SLOWEST, file });
        await answers(lazy, ours);
        for (let n = 0; n < turns; n++) await turn();
      }
      const { source } = parent.world.past;
      const wall = { ...parent.wall };
      const again = { twins: TWINS, file, wall, parent: source, hydration: SLOWEST, name: 'acme/notes-1' };
      await using lazy = await openNoteWorld({ ...again, entropy: seeded() });
      same('answers', await answers(lazy, then), await answers(eager, then));
      await copied(lazy);
      same('tables', tables(lazy), tables(eager));
      await checkStore(lazy);
    } finally {
      await rm(folder, { recursive: true });
    }
  }) as never,
);

holds(
  'invariant 9: a branch of a branch that is still being copied is what its parent was',
  fc.asyncProperty(history, use, use, async (before, ours, then) => {
    await using parent = await open();
    await take(parent, before);
    await using lazy = await branch(parent, { hydration: SLOWEST });
    await using eager = await branch(parent, {});
    await copied(eager);
    await answers(lazy, ours);
    await answers(eager, ours);
    await using child = await branch(lazy, { hydration: SLOWEST });
    await using wanted = await branch(eager, {});
    same('answers', await answers(child, then), await answers(wanted, then));
    await copied(child);
    await copied(wanted);
    same('tables', tables(child), tables(wanted));
  }) as never,
);

t.test('[4.9] the first answers of a branch do not wait for all that its parent has', async t => {
  await using parent = await openNoteWorld();
  for (let n = 0; n < 6; n++) {
    const puts = Array.from({ length: 2000 }, (_, nth) => [
      `n${n}-${nth}`,
      { n, tag: n === 0 ? 'first' : 'x' },
    ]);
    await parent.ask('POST', '/bulk', { puts });
  }
  await using child = await branchOff(parent, {});
  const here = (): number => child.sql.get<{ n: number }>('SELECT count(*) AS n FROM head')!.n;
  t.equal((await child.ask('GET', '/notes/n0-7')).body.tag, 'first');
  t.ok(here() < 4000, `one of the oldest is there, with ${here()} of 12,000`);
  t.same(
    (await child.ask('POST', '/list', { limit: 2 })).body.items.map((note: { id: string }) => note.id),
    ['n5-1999', 'n5-1998'],
  );
  await child.ask('PUT', '/notes/n0-8', { tag: 'ours' });
  await child.ask('DELETE', '/notes/n0-9');
  t.ok(here() < 6000, `a page of the newest and two changes are, with ${here()}`);
  t.notOk(isCopied(child));
  t.match(await child.world.map(), [{ resources: [{ type: 'note', count: 11_999 }] }]);
  const first = await child.ask('POST', '/list', { where: { tag: 'first' }, limit: 3000 });
  t.equal(first.body.items.length, 1998, 'what may be anywhere is waited for');
  t.equal(here(), 11_999);
});
