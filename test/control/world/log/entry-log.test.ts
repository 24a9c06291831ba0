import t from 'tap';
import type { Change, Entry } from '../../../../control/world/log/entry.ts';
import { noteTwin } from '../../../kit/note-twin.ts';
import { type NoteWorld, openNoteWorld } from '../../../kit/note-world.ts';
import { fc } from '../../../kit/property.ts';

const TWINS = { a: noteTwin({ vendor: 'a' }), b: noteTwin({ vendor: 'b' }) };
/** What vendors' ids never hold, and nothing forbids. */
const IDS = ['n1', 'n2', 'two words', '"quoted"', "it's", 'nul\u0000 and more', '{"$blob":"', 'ü😀', '12'];

const step = fc.record({
  vendor: fc.constantFrom('a', 'b'),
  puts: fc.uniqueArray(fc.constantFrom(...IDS), { maxLength: 4 }),
  deletes: fc.uniqueArray(fc.constantFrom(...IDS), { maxLength: 2 }),
  text: fc.string({ maxLength: 8 }),
});

type Bodies = ReadonlyMap<string, unknown>;

/** The changes of a log, each with what a reader who applied all before it has. */
const foldedChanges = (entries: readonly Entry[]): readonly (readonly Change[])[] => {
  const held = new Map<string, unknown>();
  return entries.map(({ changes }) =>
    changes.map(({ op, type, id, after }) => {
      const before = held.get(id);
      if (op === 'delete') held.delete(id);
      else held.set(id, after);
      return {
        op,
        type,
        id,
        ...(before === undefined ? {} : { before }),
        ...(op === 'put' ? { after } : {}),
      };
    }),
  );
};

/** Statements that `work` puts to the store. */
const counted = async (at: NoteWorld, work: () => Promise<unknown>): Promise<number> => {
  const { all, get } = at.sql;
  let statements = 0;
  Object.assign(at.sql, {
    all: (...asked: Parameters<typeof all>) => {
      statements += 1;
      return all(...asked);
    },
    get: (...asked: Parameters<typeof get>) => {
      statements += 1;
      return get(...asked);
    },
  });
  await work();
  Object.assign(at.sql, { all, get });
  return statements;
};

t.test('[4.4] each change has what was before it and what it made, whatever was written since', async t => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async steps => {
      await using at = await openNoteWorld({ twins: TWINS });
      const state: { readonly [vendor: string]: Map<string, unknown> } = { a: new Map(), b: new Map() };
      const told: { readonly [vendor: string]: Bodies[] } = { a: [], b: [] };
      for (const [n, { vendor, puts, deletes, text }] of steps.entries()) {
        const notes = puts.map((id): [string, object] => [id, { text, n }]);
        await at.ask('POST', '/bulk', { puts: notes, deletes }, { vendor });
        const held = state[vendor]!;
        const wrote = new Map(held);
        for (const [id, note] of notes) wrote.set(id, { id, ...note });
        for (const id of deletes) wrote.delete(id);
        if (JSON.stringify([...wrote]) !== JSON.stringify([...held])) told[vendor]!.push(wrote);
        held.clear();
        for (const [id, note] of wrote) held.set(id, note);
      }
      for (const vendor of at.world.vendors) {
        const { entries } = (await at.world.log(vendor, 0))!;
        t.strictSame(
          entries.map(({ changes }) => changes),
          foldedChanges(entries),
        );
        // Applied one after the other they give each state that there was.
        const replayed = new Map<string, unknown>();
        const states = entries.map(({ changes }) => {
          for (const { op, id, after } of changes)
            op === 'put' ? replayed.set(id, after) : replayed.delete(id);
          return new Map(replayed);
        });
        t.strictSame(
          states.map(each => [...each].sort()),
          told[vendor]!.map(each => [...each].sort()),
        );
      }
      const logs = await Promise.all(
        at.world.vendors.map(async each => (await at.world.log(each, 0))!.entries),
      );
      const page = await at.world.timeline({ limit: 200 });
      const again = await at.world.timeline({ limit: 200 });
      if (!page.ok || !again.ok) throw new Error('no page');
      t.strictSame(
        page.entries.map(({ entry }) => entry.id).sort(),
        logs
          .flat()
          .map(({ id }) => id)
          .sort(),
      );
      for (const { entry } of page.entries)
        t.strictSame(
          entry,
          logs.flat().find(({ id }) => id === entry.id),
        );
      t.equal(again.json, page.json, 'what was kept of it is what it was');
    }),
    { numRuns: 40 },
  );
});

t.test('[4.9] a page is read with a handful of statements, and again with one', async t => {
  await using at = await openNoteWorld({ twins: TWINS });
  for (let n = 0; n < 600; n++) {
    const puts = [
      [`own-${n}`, { n }],
      [`shared-${n % 7}`, { n }],
    ];
    await at.ask('POST', '/bulk', { puts }, { vendor: n % 2 === 0 ? 'a' : 'b' });
  }
  // Its places; of two twins their rows; and, in two slices, the records as they stand and what was written over.
  const first = await counted(at, () => at.world.timeline({ limit: 50 }));
  t.ok(first <= 11, `${first} statements`);
  t.equal(await counted(at, () => at.world.timeline({ limit: 50 })), 1, 'entries never change');
  await at.ask('PUT', '/notes/more', { n: 1 }, { vendor: 'a' });
  const next = await counted(at, () => at.world.timeline({ limit: 50 }));
  t.ok(next <= 4, `${next} statements for one that is new`);
  const log = await counted(at, async () => {
    const page = await at.world.log('a', 0);
    t.equal(page?.entries.length, 301);
  });
  t.ok(log <= 5, `${log} statements for a page of the log`);
});

t.test('[4.9] what is kept of the entries goes with what was lost or taken back', async t => {
  await using at = await openNoteWorld({ twins: { a: TWINS.a } });
  await at.ask('PUT', '/notes/n', { n: 1 });
  await at.world.timeline({});
  await at.world.rewrite(() => {
    at.sql.run("UPDATE entry SET kind = 'other'");
  });
  t.match(await at.world.timeline({}), { entries: [{ entry: { kind: 'other' } }] });
});
