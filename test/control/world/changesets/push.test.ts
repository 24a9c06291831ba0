// Pushing (storage.md): a changeset of one world in another, all of it or nothing.

import t from 'tap';
import { bodyText } from '../../../../control/world/changesets/body-text.ts';
import type { PushedChangeset } from '../../../../control/world/changesets/pushed-body.ts';
import { PERSON_CHARS_MAX, PUSHED_ENTRIES_MAX } from '../../../../control/world/limits.ts';
import { branchOff } from '../../../kit/branch-world.ts';
import { JSON_TYPE, noteTwinWith, openDeployWorld, verify } from '../../../kit/deploy-world.ts';
import { rootWith } from '../../../kit/note-vendor.ts';
import { type NoteWorld, openNoteWorld } from '../../../kit/note-world.ts';
import { fc } from '../../../kit/property.ts';

const PUSHER = { by: 'key:ci for:ann', person: 'ann' } as const;

const cut = async (notes: NoteWorld, name: string): Promise<PushedChangeset> => {
  const made = await notes.world.changesets.cut({ by: 'token', owner: null, message: 'why', name });
  if (!made.ok) throw new Error(made.message);
  return bodyOf(notes, name);
};

const bodyOf = async ({ world }: NoteWorld, name: string): Promise<PushedChangeset> => {
  const found = (await world.changesets.get(name))!;
  const parts = await Array.fromAsync(bodyText(world.changesets, found));
  return JSON.parse(Buffer.concat(parts).toString()) as PushedChangeset;
};

const tables = ({ sql }: NoteWorld): string =>
  JSON.stringify(
    sql
      .all<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table' AND name <> 'journal'")
      .map(({ name }) => [name, sql.all(`SELECT * FROM ${name}`)]),
    (_, value: unknown) => (value instanceof Uint8Array ? [...value] : value),
  );

t.test('[4.5] a branch’s changes stand in its parent as they stand in the branch', async t => {
  await using parent = await openNoteWorld();
  await parent.ask('PUT', '/notes/a', { n: 1, tag: 'x' }, JSON_TYPE);
  await using branch = await branchOff(parent);
  await branch.ask('PUT', '/notes/a', { n: 2, tag: 'y' }, JSON_TYPE);
  await branch.ask('POST', '/notes', { tag: 'y' }, JSON_TYPE);
  await branch.ask('DELETE', '/notes/a');
  await branch.ask('PUT', '/files/f', { long: 'x'.repeat(100_000) });
  const body = await cut(branch, 'one');
  parent.wall.at += 60_000;
  const result = await parent.world.pushes.push(body, PUSHER);
  t.match(result, {
    ok: true,
    changeset: {
      name: 'one',
      pushedBy: 'key:ci for:ann',
      owner: 'ann',
      cutBy: 'token',
      applied: 'replayed',
      contentHash: body.contentHash,
      currentHash: body.contentHash,
      base: { world: 'acme/notes-1', twins: { note: 1 } },
      deployed: [{ status: 'landed', actionId: 'a1' }, {}, {}, { actionId: 'a4' }],
    },
  });
  const { records, blobs } = (await parent.world.past.checkpoint('note', null)) as unknown as {
    records: unknown[];
    blobs: unknown[];
  };
  const there = (await branch.world.past.checkpoint('note', null)) as unknown as {
    records: unknown;
    blobs: unknown;
  };
  t.strictSame([records, blobs], [there.records, there.blobs]);
  t.match((await parent.ask('POST', '/list', { where: { tag: 'y' }, limit: 5 })).body.items, [{ tag: 'y' }]);
  t.match(await parent.world.map(), [{ position: 5, resources: [{ type: 'note', count: 2 }] }]);
  const [, entry] = (await parent.world.log('note', 0))!.entries;
  t.match(entry, {
    actor: { type: 'client' },
    changeset: 'one',
    receipt: { status: 'landed' },
    occurredAt: body.changes[0]!.entry.occurredAt,
  });
  t.strictSame((await bodyOf(parent, 'one')).changes, body.changes, 'it can be sent on');
});

t.test('[storage invariant 14] twice is once, and another one of that name is refused', async t => {
  await using parent = await openNoteWorld();
  await using branch = await branchOff(parent);
  await branch.ask('PUT', '/notes/a', { n: 1 });
  const body = await cut(branch, 'one');
  const first = await parent.world.pushes.push(body, PUSHER);
  const before = tables(parent);
  parent.wall.at += 1000;
  t.strictSame(await parent.world.pushes.push(body, { by: 'token', person: null }), first);
  t.equal(tables(parent), before);
  await using other = await branchOff(parent);
  await other.ask('PUT', '/notes/b', { n: 1 });
  const branched = tables(parent);
  t.match(await parent.world.pushes.push(await cut(other, 'one'), PUSHER), { ok: false, why: 'name-taken' });
  t.equal(tables(parent), branched);
});

t.test('[3] a base that is not current is told with what both sides changed', async t => {
  await using parent = await openNoteWorld();
  await parent.ask('PUT', '/notes/a', { n: 1, m: 1 });
  await parent.ask('PUT', '/notes/b', { n: 1 });
  await using branch = await branchOff(parent);
  await branch.ask('PUT', '/notes/a', { n: 2, m: 1 });
  await branch.ask('PUT', '/notes/b', { n: 1, more: true });
  const body = await cut(branch, 'one');
  await parent.ask('PUT', '/notes/a', { n: 3, m: 2 });
  const before = tables(parent);
  t.match(await parent.world.pushes.push(body, PUSHER), {
    ok: false,
    why: 'base-not-current',
    drift: [
      { twin: 'note', base: 2, head: 3, entries: 1, overlaps: [{ type: 'note', id: 'a', fields: ['/n'] }] },
    ],
  });
  t.equal(tables(parent), before, 'nothing was changed');
  await using stranger = await openNoteWorld();
  await stranger.ask('PUT', '/notes/z', {});
  await stranger.ask('PUT', '/notes/a', { n: 9, m: 1 });
  t.match(
    await stranger.world.pushes.push(body, PUSHER),
    { ok: false, why: 'base-not-current', drift: [{ overlaps: [{ id: 'a', fields: ['/n'] }] }] },
    'a world that is as far, with another history',
  );
  t.equal((await stranger.world.changesets.list()).length, 0);
});

t.test('[issue: bad input] what is no changeset, or was changed, is refused in words', async t => {
  await using parent = await openNoteWorld();
  await using branch = await branchOff(parent);
  await branch.ask('POST', '/notes', { n: 1 }, JSON_TYPE);
  const id = (await branch.world.log('note', 0))!.entries[0]!.changes[0]!.id;
  await branch.ask('PUT', `/notes/${id}`, { n: 2 }, JSON_TYPE);
  const body = await cut(branch, 'one');
  const { changes, actions, base } = body;
  const [first, second] = actions;
  const rehashed = async (more: Partial<PushedChangeset>): Promise<PushedChangeset> => {
    const { createHash } = await import('node:crypto');
    const { canonical } = await import('../../../../control/world/changesets/canonical.ts');
    const whole = { ...body, ...more };
    const bound = {
      name: whole.name,
      message: whole.message,
      base: whole.base,
      changes: whole.changes,
      actions: whole.actions,
    };
    const hash = createHash('sha256')
      .update(`wrld-changeset/1\n${canonical(bound)}`)
      .digest('hex');
    return { ...whole, contentHash: hash };
  };
  const before = tables(parent);
  const rows: readonly (readonly [string, unknown, RegExp])[] = [
    ['a list', [], /no object/],
    ['another kind', { ...body, kind: 'x' }, /kind/],
    ['an unknown field', { ...body, __more: 1 }, /unknown field/],
    ['changed by hand', { ...body, message: 'else' }, /changed after it was cut/],
    ['the hash of another', { ...body, contentHash: 'f'.repeat(64) }, /changed after it was cut/],
    [
      'a cycle',
      await rehashed({ actions: [{ ...first!, dependsOn: ['a2'] }, second!] }),
      /a1 depends on a2, which does not come before it/,
    ],
    [
      'other actions than its changes make',
      await rehashed({
        actions: [{ ...first!, request: { ...first!.request, path: ['/admin'] } }, second!],
      }),
      /something else would be performed/,
    ],
    ['an action less', await rehashed({ actions: [first!] }), /not those of its changes/],
    ['a gap', await rehashed({ changes: [changes[1]!] }), /does not follow the base/],
    [
      'a twin without changes',
      await rehashed({ base: { ...base, twins: { note: 0, x: 0 } } }),
      /without changes/,
    ],
    [
      'a root as its actor',
      await rehashed({
        changes: [{ twin: 'note', entry: { ...changes[0]!.entry, actor: { type: 'root' } } }, changes[1]!],
      }),
      /a client or the system/,
    ],
    ['no entries', await rehashed({ changes: [] }), /1 to/],
    ['a name that is none', await rehashed({ name: '../x' }), /lower-case/],
  ];
  for (const [what, value, message] of rows) {
    const result = await parent.world.pushes.push(value, PUSHER);
    t.match(result, { ok: false, message }, what);
  }
  t.equal(tables(parent), before);
  t.match(await parent.world.pushes.push(body, PUSHER), { ok: true });
});

t.test('[bad-input] a pushed changeset has its bounds, and says which was passed', async t => {
  await using parent = await openNoteWorld();
  await using branch = await branchOff(parent);
  await branch.ask('PUT', '/notes/a', { n: 1 }, JSON_TYPE);
  const body = await cut(branch, 'one');
  const push = (more: object) => parent.world.pushes.push({ ...body, ...more }, PUSHER);
  const long = 'x'.repeat(PERSON_CHARS_MAX + 1);
  t.match(await push({ owner: long }), { ok: false, message: /`owner` is a person’s name/ });
  t.match(await push({ owner: '' }), { ok: false, message: /`owner` is a person’s name/ });
  t.match(await push({ cutBy: long }), { ok: false, message: /`cutBy` is too long/ });
  const many = Array.from({ length: PUSHED_ENTRIES_MAX + 1 }, () => body.changes[0]);
  t.match(await push({ changes: many }), { ok: false, message: /`changes` is a list of 1 to 50000 entries/ });
  t.match(await push({ changes: [] }), { ok: false, message: /`changes` is a list of 1 to/ });
  t.match(await push({ changes: many.slice(1) }), { ok: false, message: /^(?!`changes` is a list)/ });
  const longest = { owner: long.slice(1), cutBy: long.slice(1) };
  t.match(await push(longest), { ok: true, changeset: longest }, 'as long as may be');
});

t.test('any JSON is answered, and changes nothing', async t => {
  await using parent = await openNoteWorld();
  await using branch = await branchOff(parent);
  await branch.ask('PUT', '/notes/a', { n: 1 }, JSON_TYPE);
  const body = await cut(branch, 'one');
  const before = tables(parent);
  const paths: (readonly (string | number)[])[] = [];
  const walk = (value: unknown, path: readonly (string | number)[]): void => {
    if (path.length > 0) paths.push(path);
    if (typeof value === 'object' && value !== null)
      for (const [name, held] of Object.entries(value)) walk(held, [...path, name]);
  };
  walk(body, []);
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...paths), fc.jsonValue({ maxDepth: 2 }), async (path, value) => {
      const changed = structuredClone(body) as unknown as { [name: string]: unknown };
      let at = changed;
      for (const name of path.slice(0, -1)) at = at[name] as typeof at;
      if (JSON.stringify(at[path.at(-1)!]) === JSON.stringify(value)) return;
      at[path.at(-1)!] = value;
      const free = ['owner', 'cutBy', 'at', 'blobs'].includes(String(path[0]));
      if (free) return;
      t.match(await parent.world.pushes.push(changed, PUSHER), { ok: false });
      t.equal(tables(parent), before);
    }),
    { numRuns: 150 },
  );
});

const act = fc.record({
  here: fc.boolean(),
  ends: fc.boolean(),
  id: fc.constantFrom('a', 'b', 'c'),
  n: fc.integer({ min: 0, max: 2 }),
});

t.test('[storage invariant 14] all or nothing, whatever both sides did', async t => {
  const seen = { landed: 0, drifted: 0 };
  await fc.assert(
    fc.asyncProperty(
      fc.array(act, { maxLength: 3 }),
      fc.array(act, { maxLength: 5 }),
      async (before, after) => {
        await using parent = await openNoteWorld();
        const does = async (notes: NoteWorld, { ends, id, n }: (typeof before)[number]): Promise<void> => {
          await notes.ask(ends ? 'DELETE' : 'PUT', `/notes/${id}`, ends ? undefined : { n, tag: `t${n}` });
        };
        for (const each of before) await does(parent, each);
        await using branch = await branchOff(parent);
        for (const each of after) await does(each.here ? parent : branch, each);
        const [uncut] = await branch.world.map();
        const base = (await parent.world.past.at(null)) as { views: { note?: { position: number } } };
        const body = await cut(branch, 'one').catch(() => null);
        if (body === null)
          return void t.equal(
            uncut!.position,
            branch.sql.get<{ pos: number }>('SELECT pos FROM base')?.pos ?? 0,
          );
        if (body === null) {
          t.equal(uncut!.position, branch.sql.get<{ pos: number }>('SELECT pos FROM base')?.pos ?? 0);
          return;
        }
        const bytes = tables(parent);
        const current = body.base.twins['note'] === base.views.note!.position;
        const first = await parent.world.pushes.push(body, PUSHER);
        t.equal(first.ok, current);
        seen[first.ok ? 'landed' : 'drifted'] += 1;
        if (first.ok) {
          t.equal(first.changeset.currentHash, body.contentHash);
          const state = async ({ world }: NoteWorld) =>
            (await world.past.checkpoint('note', null)) as { records?: unknown };
          t.strictSame((await state(parent)).records, (await state(branch)).records);
        } else t.equal(tables(parent), bytes);
        const landed = tables(parent);
        t.strictSame(await parent.world.pushes.push(body, PUSHER), first);
        t.equal(tables(parent), landed);
      },
    ),
    { numRuns: 60 },
  );
  t.ok(seen.landed > 0 && seen.drifted > 0, JSON.stringify(seen));
});

t.test('[3] a root that asks for it is deployed to when the changeset lands, under the rules', async t => {
  await using world = await openDeployWorld();
  const { notes } = world;
  world.root = rootWith('auto');
  await using branch = await branchOff(notes, { twins: { note: noteTwinWith('once') } });
  await branch.ask('POST', '/notes', { n: 1 }, JSON_TYPE);
  const result = await notes.world.pushes.push(await cut(branch, 'one'), PUSHER);
  t.match(result, { ok: true, changeset: { deployed: [{ status: 'landed' }] } }, 'it is not ready');
  t.strictSame(notes.sql.all('SELECT * FROM deploying'), []);
  verify(notes, 'one');
  await world.deploy('one');
  t.strictSame(await world.receipts('one'), ['deployed']);
});
