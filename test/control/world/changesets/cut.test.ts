// Cutting (4.5): what is in no changeset yet becomes one, and what it is called and says.
import t from 'tap';
import { CHANGESET_MESSAGE_CHARS_MAX } from '../../../../control/world/limits.ts';
import { branchOff } from '../../../kit/branch-world.ts';
import { noteTwin } from '../../../kit/note-twin.ts';
import { type NoteWorld, openNoteWorld } from '../../../kit/note-world.ts';

const CUTTER = { by: 'token', owner: null } as const;

const cut = (notes: NoteWorld, more: { message?: string; name?: string } = { message: 'why' }) =>
  notes.world.changesets.cut({ ...CUTTER, ...more });

t.test('[4.5] a cut takes every change that no changeset has, and each once', async t => {
  await using notes = await openNoteWorld({
    twins: { note: noteTwin(), other: noteTwin({ vendor: 'other' }) },
  });
  await notes.ask('PUT', '/notes/a', { n: 1 });
  await notes.ask('PUT', '/notes/b', { n: 1 }, { vendor: 'other' });
  t.match(await cut(notes, { message: 'first', name: 'one' }), { ok: true, name: 'one' });
  await notes.ask('PUT', '/notes/a', { n: 2 });
  t.match(await cut(notes, { message: 'second', name: 'two' }), { ok: true });
  const [two, one] = await notes.world.changesets.list();
  t.match(one, { name: 'one', entries: 2, base: { world: 'acme/notes', twins: { note: 0, other: 0 } } });
  t.match(two, { name: 'two', message: 'second', entries: 1, base: { twins: { note: 1 } } });
  t.notOk('other' in two!.base.twins, 'a twin that it does not touch has no base in it');
  t.match(await cut(notes), { ok: false, why: 'nothing-to-cut' });
});

t.test('[4.5] what a root, a webhook or another world brought is nobody’s to cut', async t => {
  await using notes = await openNoteWorld();
  await notes.ask('PUT', '/notes/a', {});
  await notes.ask('PUT', '/notes/b', {});
  notes.sql.run("UPDATE entry SET actor = 'root' WHERE pos = 1");
  t.match(await cut(notes, { message: 'm', name: 'mine' }), { ok: true });
  const pages = await Array.fromAsync(notes.world.changesets.body('mine'));
  t.strictSame(
    pages.flatMap(({ entries }) => entries.map(({ position }) => position)),
    [2],
  );
  t.match(await cut(notes), { ok: false, why: 'nothing-to-cut' });
});

t.test('[2.6] names and messages', async t => {
  await using notes = await openNoteWorld();
  await notes.ask('PUT', '/notes/a', {});
  for (const name of ['', 'Upper', '-a', 'a-', 'a_b', 'a/b', 'x'.repeat(64), 'ä'])
    t.match(await cut(notes, { message: 'm', name }), { ok: false, why: 'bad-name' }, name);
  for (const message of ['', '  \n'])
    t.match(await cut(notes, { message }), { ok: false, why: 'message-required' });
  t.match(await cut(notes, {}), { ok: false, why: 'message-required' });
  for (const message of ['x'.repeat(CHANGESET_MESSAGE_CHARS_MAX + 1), 'half \ud800'])
    t.match(await cut(notes, { message }), { ok: false, why: 'bad-message' });
  t.match(await cut(notes, { message: 'm', name: 'x'.repeat(63) }), { ok: true });
  await notes.ask('PUT', '/notes/a', { n: 2 });
  t.match(await cut(notes, { message: 'm', name: 'x'.repeat(63) }), { ok: false, why: 'name-taken' });
  const made = await cut(notes);
  t.match(made.ok && made.name, /^change-[0-9a-f]{8}$/, 'a name is made up');
});

t.test('[2.13] where rules make the message, it says what was done', async t => {
  await using notes = await openNoteWorld();
  await notes.world.changesets.setRules({ summary: true });
  await notes.ask('PUT', '/notes/a', {});
  await notes.ask('PUT', '/notes/b', {});
  await notes.ask('PUT', '/notes/b', { n: 2 });
  await notes.ask('DELETE', '/notes/a');
  const made = await notes.world.changesets.cut(CUTTER);
  const found = await notes.world.changesets.get(made.ok ? made.name : '');
  t.equal(found?.message, '2 note.created, 1 note.deleted, 1 note.updated in note');
});

t.test('[2.12] a branch cuts its own changes and none of its parent’s', async t => {
  await using notes = await openNoteWorld();
  await notes.ask('PUT', '/notes/a', { n: 1 });
  await using branch = await branchOff(notes);
  t.match(await cut(branch), { ok: false, why: 'nothing-to-cut' });
  await branch.ask('PUT', '/notes/a', { n: 2 });
  t.match(await cut(branch, { message: 'm', name: 'mine' }), { ok: true });
  t.match(await branch.world.changesets.get('mine'), {
    entries: 1,
    base: { world: 'acme/notes-1', twins: { note: 1 } },
  });
  t.strictSame(await notes.world.changesets.list(), []);
});
