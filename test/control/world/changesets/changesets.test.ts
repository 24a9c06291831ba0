// The changesets of a world (2.6): what is said of each, and what changes it.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import t from 'tap';
import { CHANGESET_MESSAGE_CHARS_MAX, CHANGESET_PAGE_ENTRIES } from '../../../../control/world/limits.ts';
import { type NoteWorld, openNoteWorld } from '../../../kit/note-world.ts';
import { fc } from '../../../kit/property.ts';

const CUTTER = { by: 'key:ci for:ann', owner: 'ann' } as const;

const cutNotes = async (notes: NoteWorld, ids: readonly string[] = ['a']): Promise<void> => {
  for (const id of ids) await notes.ask('PUT', `/notes/${id}`, { n: 1 });
  const cut = await notes.world.changesets.cut({ ...CUTTER, message: 'why', name: 'one' });
  if (!cut.ok) throw new Error(cut.message);
};

t.test('[2.6] a changeset tells who cut it, whose it is, and what it needs', async t => {
  await using notes = await openNoteWorld();
  await notes.world.changesets.setRules({ approvals: 1 });
  await cutNotes(notes);
  const found = (await notes.world.changesets.get('one'))!;
  t.match(found, {
    kind: 'wrld-changeset',
    version: 1,
    name: 'one',
    message: 'why',
    at: new Date(notes.wall.at).toISOString(),
    entries: 1,
    owner: 'ann',
    cutBy: 'key:ci for:ann',
    pushedBy: null,
    applied: null,
    verification: null,
    approvals: [],
    readiness: { ready: false, required: 1, reasons: ['not-verified', 'approvals 0/1'] },
    deployed: [],
  });
  t.match(found.contentHash, /^[0-9a-f]{64}$/);
  t.equal(found.currentHash, found.contentHash);
  t.equal(await notes.world.changesets.get('two'), null);
});

t.test('[2.6] approvals bind to what it says; a person counts once, its owner not at all', async t => {
  await using notes = await openNoteWorld();
  const { changesets } = notes.world;
  await cutNotes(notes);
  const sign = (person: string, note?: string) => changesets.approve('one', { person, via: 'token', note });
  t.match(await sign('bob', 'good'), { ok: true, changeset: { readiness: { approvers: ['bob'] } } });
  t.match(await sign('bob', 'better'), { changeset: { approvals: [{ person: 'bob', note: 'better' }] } });
  t.match(await sign('ann'), { ok: true, changeset: { readiness: { approvers: ['bob'] } } });
  t.match(await changesets.approve('none', { person: 'bob', via: 'token' }), { why: 'no-such-changeset' });
  t.match(await sign(''), { why: 'bad-person' });
  t.match(await sign('bob', 'x'.repeat(CHANGESET_MESSAGE_CHARS_MAX + 1)), { why: 'bad-note' });
});

t.test('[2.6] a row that was changed outside is seen, and nobody signs it', async t => {
  const folder = await mkdtemp(join(tmpdir(), 'wrld-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'world.db');
  const open = () => openNoteWorld({ file });
  const before = await open();
  await cutNotes(before);
  await before.world.changesets.approve('one', { person: 'bob', via: 'token' });
  const { contentHash } = (await before.world.changesets.get('one'))!;
  await before[Symbol.asyncDispose]();
  const outside = new DatabaseSync(file);
  outside.exec(`UPDATE head SET body = '{"id":"a","n":2}' WHERE id = 'a'`);
  outside.close();
  await using notes = await open();
  const found = (await notes.world.changesets.get('one'))!;
  t.equal(found.contentHash, contentHash);
  t.not(found.currentHash, contentHash);
  t.match(found.readiness, { ready: false, approvers: [], reasons: ['hash-changed', 'not-verified'] });
  t.match(await notes.world.changesets.approve('one', { person: 'bob', via: 'token' }), {
    why: 'hash-changed',
  });
});

t.test('[storage invariant 18] any change of a body is another hash', async t => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(
        `UPDATE changeset SET body = json_set(body, '$.message', 'other')`,
        `UPDATE changeset SET body = json_set(body, '$.twins.note', 7)`,
        `UPDATE entry SET kind = 'other' WHERE pos = 1`,
        `UPDATE entry SET at = at - 1 WHERE pos = 1`,
        `UPDATE entry SET path = '/notes/other' WHERE pos = 2`,
        `UPDATE entry SET asked = NULL WHERE pos = 1`,
        `UPDATE entry SET caller = 'key:x' WHERE pos = 2`,
        `UPDATE entry SET changeset = NULL WHERE pos = 2`,
        `UPDATE head SET body = '{}' WHERE id = 'b'`,
        `UPDATE ver SET body = '{}' WHERE id = 'a'`,
      ),
      async statement => {
        await using notes = await openNoteWorld();
        await cutNotes(notes, ['a', 'b', 'a']);
        await notes.ask('PUT', '/notes/a', { n: 3 });
        await notes.world.changesets.approve('one', { person: 'bob', via: 'token' });
        await notes.world.rewrite(() => void notes.sql.run(statement));
        const { readiness } = (await notes.world.changesets.get('one'))!;
        t.ok(readiness.reasons.includes('hash-changed'), statement);
        t.strictSame(readiness.approvers, []);
      },
    ),
    { numRuns: 30 },
  );
});

t.test('what is done after a cut changes nothing of it, over pages of any number', async t => {
  await using notes = await openNoteWorld();
  const ids = Array.from({ length: CHANGESET_PAGE_ENTRIES + 1 }, (_, n) => `n${n}`);
  await cutNotes(notes, ids);
  const { contentHash } = (await notes.world.changesets.get('one'))!;
  for (const id of ids.slice(0, 20)) await notes.ask('PUT', `/notes/${id}`, { n: 2 });
  await notes.ask('DELETE', '/notes/n3');
  notes.world.changesets.forget();
  t.equal((await notes.world.changesets.get('one'))!.currentHash, contentHash);
  const pages = await Array.fromAsync(notes.world.changesets.body('one'));
  t.strictSame(
    pages.map(({ entries }) => entries.length),
    [CHANGESET_PAGE_ENTRIES, 1],
  );
});

t.test('a record with half a character in it keeps nothing from being read', async t => {
  await using notes = await openNoteWorld();
  await notes.ask('PUT', '/notes/a', { half: '\ud800' });
  t.match(await notes.world.changesets.cut({ ...CUTTER, message: 'm' }), { ok: true });
  t.equal((await notes.world.changesets.list()).length, 1);
});

t.test('[storage invariants 6, 21] looking at changesets writes nothing', async t => {
  await using notes = await openNoteWorld();
  await cutNotes(notes, ['a', 'b']);
  await notes.world.kept();
  const tables = notes.sql.all<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'");
  const dump = () => tables.map(({ name }) => notes.sql.all(`SELECT * FROM ${name}`));
  const before = dump();
  await notes.world.changesets.list();
  await notes.world.changesets.get('one');
  await Array.fromAsync(notes.world.changesets.body('one'));
  await notes.world.kept();
  t.strictSame(dump(), before);
});
