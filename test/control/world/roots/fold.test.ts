// The three-way merge of a record with its root, as a model: whatever both sides do, what only one of them changed is there,
// and what both changed is a conflict that keeps the world's own.
import t from 'tap';
import { chanceOf } from '../../../kit/chance.ts';
import { type NoteWorld, openNoteWorld } from '../../../kit/note-world.ts';
import { noteVendor, put, ROOT, rootedNote } from '../../../kit/rooted-note.ts';
import { SEED } from '../../../kit/seed.ts';

type Body = { readonly [field: string]: unknown };

/** A world whose root holds one note, which the test writes. */
async function openOne(body: Body | null) {
  const there: { body: Body | null } = { body };
  const vendor = noteVendor(() =>
    there.body === null
      ? { gone: [{ type: 'note', id: 'a' }], cursor: 'x' }
      : { put: [put('a', { ...there.body, id: 'a' })], cursor: 'x' },
  );
  const notes = await openNoteWorld({ twins: { note: rootedNote() }, vendors: { asks: vendor } });
  await notes.world.roots.put('note', ROOT);
  return {
    notes,
    there,
    refresh: async () => {
      await notes.world.roots.refresh('note', { force: true });
      await notes.world.roots.settled();
    },
    conflicts: () => notes.world.roots.standing('note').conflicts.map(({ field }) => field),
    [Symbol.asyncDispose]: () => notes[Symbol.asyncDispose](),
  };
}

const held = async (notes: NoteWorld): Promise<Body | null> => {
  const { status, body } = await notes.ask('GET', '/notes/a');
  if (status !== 200) return null;
  const { id: _id, ...rest } = body;
  return rest;
};

t.test('[4.7] a side that stands still takes the other', async t => {
  await using one = await openOne({ a: 1, b: { c: 2 } });
  const { notes, there, refresh, conflicts } = one;
  await refresh();
  await notes.ask('PUT', '/notes/a', { a: 1, b: { c: 3 } });
  there.body = { a: 5, b: { c: 2 } };
  await refresh();
  t.strictSame(await held(notes), { a: 5, b: { c: 3 } });
  there.body = { a: 6, b: { c: 2 } };
  await refresh();
  t.strictSame(await held(notes), { a: 6, b: { c: 3 } }, 'and over every later refresh');
  there.body = { a: 6, b: { c: 3 } };
  await refresh();
  there.body = { a: 6, b: { c: 4 } };
  await refresh();
  t.strictSame(
    await held(notes),
    { a: 6, b: { c: 4 } },
    'once both are the same, there is no change of ours left',
  );
  t.strictSame(conflicts(), []);
});

t.test('[4.7] a conflict keeps ours, and either side can be taken', async t => {
  for (const side of ['ours', 'theirs'] as const) {
    await using one = await openOne({ a: 1, b: 1 });
    const { notes, there, refresh, conflicts } = one;
    await refresh();
    await notes.ask('PUT', '/notes/a', { a: 2, b: 1 });
    there.body = { a: 3, b: 2 };
    await refresh();
    t.strictSame(await held(notes), { a: 2, b: 2 });
    t.strictSame(notes.world.roots.standing('note').conflicts, [
      { type: 'note', id: 'a', field: '/a', base: 1, ours: 2, theirs: 3 },
    ]);
    const none = { type: 'note', id: 'b' };
    t.match(await notes.world.roots.resolve('note', side, none), { ok: false, why: 'no-conflict' });
    t.match(await notes.world.roots.resolve('note', side, { type: 'note', id: 'a' }), {
      ok: true,
      resolved: 1,
    });
    t.strictSame(conflicts(), []);
    t.strictSame(await held(notes), { a: side === 'ours' ? 2 : 3, b: 2 });
    await refresh();
    t.strictSame(conflicts(), [], 'it stays resolved');
    there.body = { a: 3, b: 9 };
    await refresh();
    t.strictSame(await held(notes), { a: side === 'ours' ? 2 : 3, b: 9 });
    there.body = { a: 4, b: 9 };
    await refresh();
    t.strictSame(conflicts(), side === 'ours' ? ['/a'] : [], 'until the root changes the field anew');
  }
});

t.test('[4.7] a record that one side ended and the other changed is in conflict whole', async t => {
  await using one = await openOne({ a: 1 });
  const { notes, there, refresh, conflicts } = one;
  await refresh();
  await notes.ask('DELETE', '/notes/a');
  await refresh();
  t.equal(await held(notes), null, 'what the world ended stays ended');
  t.strictSame(conflicts(), []);
  there.body = { a: 2 };
  await refresh();
  t.equal(await held(notes), null);
  t.strictSame(conflicts(), ['']);
  t.match(await notes.world.roots.resolve('note', 'theirs'), { ok: true, resolved: 1 });
  t.strictSame(await held(notes), { a: 2 });
  there.body = null;
  await refresh();
  t.equal(await held(notes), null);
  t.equal(
    notes.sql.get<{ n: number }>('SELECT count(*) AS n FROM observed')!.n,
    0,
    'of what both are without, nothing is kept',
  );
});

t.test('[4.7] a record that was here before the root was ever seen is compared field by field', async t => {
  await using one = await openOne({ a: 1, b: 1 });
  const { notes, refresh } = one;
  await notes.ask('PUT', '/notes/a', { a: 1, b: 2 });
  await refresh();
  t.strictSame(await held(notes), { a: 1, b: 2 });
  t.match(notes.world.roots.standing('note').conflicts, [{ field: '/b', ours: 2, theirs: 1 }]);
});

t.test('[4.7] whatever both sides do: what one alone changed comes, what both changed is named', async t => {
  const { one: pick } = chanceOf(SEED);
  await using one = await openOne({ a: 0, b: 0, c: 0 });
  const { notes, there, refresh, conflicts } = one;
  await refresh();
  const fields = ['a', 'b', 'c'] as const;
  type Model = { [field in (typeof fields)[number]]: { base: number; ours: number; theirs: number } };
  const model = Object.fromEntries(fields.map(f => [f, { base: 0, ours: 0, theirs: 0 }])) as Model;
  const write = () => Object.fromEntries(fields.map(f => [f, model[f].ours]));
  for (let step = 0; step < 300; step++) {
    const field = pick(fields);
    const value = pick([0, 1, 2]);
    switch (pick(['here', 'there', 'refresh', 'refresh', 'take'] as const)) {
      case 'here':
        model[field].ours = value;
        await notes.ask('PUT', '/notes/a', write());
        break;
      case 'there':
        model[field].theirs = value;
        there.body = Object.fromEntries(fields.map(f => [f, model[f].theirs]));
        break;
      case 'refresh': {
        await refresh();
        for (const each of Object.values(model)) {
          if (each.ours === each.theirs || each.base === each.ours) each.ours = each.base = each.theirs;
          else if (each.base === each.theirs) continue;
        }
        const inConflict = fields.filter(f => {
          const { base, ours, theirs } = model[f];
          return ours !== theirs && base !== theirs && base !== ours;
        });
        t.strictSame(
          [...conflicts()].sort(),
          inConflict.map(f => `/${f}`),
          `seed ${SEED}, step ${step}`,
        );
        t.strictSame(await held(notes), write(), `seed ${SEED}, step ${step}`);
        break;
      }
      case 'take': {
        await refresh();
        for (const each of Object.values(model))
          if (each.ours === each.theirs || each.base === each.ours) each.ours = each.base = each.theirs;
        const side = pick(['ours', 'theirs'] as const);
        await notes.world.roots.resolve('note', side);
        for (const each of Object.values(model)) {
          const { base, ours, theirs } = each;
          if (ours === theirs || base === theirs || base === ours) continue;
          each.base = theirs;
          if (side === 'theirs') each.ours = theirs;
        }
        t.strictSame(conflicts(), [], `seed ${SEED}, step ${step}`);
        t.strictSame(await held(notes), write(), `seed ${SEED}, step ${step}`);
      }
    }
  }
});
