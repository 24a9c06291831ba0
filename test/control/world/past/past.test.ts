// What a world tells of its past, and what a branch has of its parent and what not (4.4, 4.9).
import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { openEntropy } from '../../../../control/node/entropy.ts';
import { openSqlite } from '../../../../control/node/sqlite.ts';
import { HYDRATED_RECORDS_PER_TURN_MAX } from '../../../../control/world/limits.ts';
import type { Entry } from '../../../../control/world/log/entry.ts';
import { BranchList, branchName, mayRemove } from '../../../../control/world/past/branch-list.ts';
import { migrate } from '../../../../control/world/store/schema.ts';
import { branchOff } from '../../../kit/branch-world.ts';
import { within } from '../../../kit/deadline.ts';
import { noteTwin } from '../../../kit/note-twin.ts';
import { EPOCH, type NoteWorld, openNoteWorld } from '../../../kit/note-world.ts';

const later = (ms: number): string => new Date(EPOCH + ms).toISOString();

const checkpoint = async ({ world }: NoteWorld, at: number | null = null) => {
  const taken = await world.past.checkpoint('note', at);
  if (taken?.ok !== true) return taken;
  const chunks: Uint8Array[] = [];
  for await (const chunk of taken.body) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString());
};

t.test(
  '[8 checkpoint 24 MB] a larger state is refused before its first byte, and a smaller one is whole',
  async t => {
    await using at = await openNoteWorld();
    const text = 'x'.repeat(900_000);
    for (let n = 0; n < 26; n++) await at.ask('PUT', `/notes/n${String(n).padStart(2, '0')}`, { text });
    const whole = await checkpoint(at);
    t.equal(whole.records.length, 26);
    t.strictSame(
      whole.records.map(({ id }: { id: string }) => id),
      whole.records.map(({ id }: { id: string }) => id).sort(),
    );
    // Its body is a blob of its own, and counts as what it is.
    await at.ask('PUT', '/notes/large', { text: 'y'.repeat(3_000_000) });
    t.match(await checkpoint(at), { ok: false, why: 'too-large', message: /24 MB.*log\/note/ });
    t.equal((await checkpoint(at, 26)).records.length, 26, 'the past is as large as it was');
  },
);

t.test(
  '[4.4] a checkpoint names the files that its records keep, once each, and no other digest',
  async t => {
    await using at = await openNoteWorld();
    const body = new Uint8Array(400).fill(7);
    for (const id of ['f', 'g']) await at.ask('PUT', `/files/${id}`, undefined, { body });
    await at.ask('PUT', '/notes/a', { like: 'f'.repeat(64) });
    t.strictSame((await checkpoint(at)).blobs, [
      { sha256: createHash('sha256').update(body).digest('hex'), size: 400 },
    ]);
  },
);

t.test('a checkpoint that is read slowly is of its position, whatever is written meanwhile', async t => {
  await using at = await openNoteWorld();
  const puts = Array.from({ length: 3000 }, (_, n) => [`n${n}`, { n }]);
  await at.ask('POST', '/bulk', { puts });
  const taken = await at.world.past.checkpoint('note', null);
  if (taken?.ok !== true) throw new Error('no checkpoint');
  const chunks: Uint8Array[] = [];
  for await (const chunk of taken.body) {
    chunks.push(chunk);
    await at.ask('DELETE', `/notes/n${2999 - chunks.length}`);
    await at.ask('PUT', `/notes/z${chunks.length}`, {});
  }
  t.ok(chunks.length > 2);
  t.equal(Buffer.concat(chunks).length, taken.bytes);
  t.equal(JSON.parse(Buffer.concat(chunks).toString()).records.length, 3000);
});

t.test(
  '[4.9] what is on its way in the parent is not sent again by a branch; what it does itself is',
  async t => {
    await using parent = await openNoteWorld({
      twins: { note: noteTwin({ retries: [60_000] }) },
      send: () => ({ ok: true, status: 500, ms: 1 }),
    });
    await parent.world.setClock(later(0));
    await parent.ask('PUT', '/hooks/h', { url: 'https://app.test/hook', secret: 's' });
    await parent.ask('PUT', '/notes/a', {});
    await parent.world.settled();
    t.equal(parent.sent.length, 1);
    await using child = await branchOff(parent, { twins: { note: noteTwin({ retries: [60_000] }) } });
    await child.world.advanceClock('1h');
    await child.world.settled();
    t.strictSame(child.sent, [], 'the retry is the parent’s');
    await child.ask('PUT', '/notes/b', {});
    await child.world.settled();
    t.match(child.sent, [{ url: 'https://app.test/hook' }]);
    await parent.world.advanceClock('1h');
    await parent.world.settled();
    t.equal(parent.sent.length, 2);
  },
);

t.test('[4.9] answers kept for idempotency keys are not inherited; files are', async t => {
  await using parent = await openNoteWorld();
  const kept = await parent.ask('POST', '/once/k', { seconds: 3600 });
  const text = 'y'.repeat(3_000_000);
  await parent.ask('PUT', '/notes/large', { text });
  await using child = await branchOff(parent);
  t.equal(
    (await child.ask('GET', '/notes/large')).body.text.length,
    text.length,
    'a body that is a blob of the parent’s',
  );
  t.not((await child.ask('POST', '/once/k', { seconds: 3600 })).body.n, kept.body.n);
  await using grandchild = await branchOff(child);
  t.equal((await grandchild.ask('GET', '/notes/large')).body.text.length, text.length);
});

t.test(
  '[4.9 live] a live branch keeps this world’s time, and wakes by itself for what its parent waited for',
  async t => {
    const wall = { at: EPOCH };
    await using parent = await openNoteWorld({ wall });
    await parent.ask('POST', '/due/d', { at: EPOCH + 50, payload: {} });
    await using child = await branchOff(parent, { live: true });
    t.strictSame(await child.world.clock(), { at: later(0), frozen: false });
    const happened = new Promise<Entry['kind']>(resolve => {
      child.world.news.follow(news => {
        if (news.kind === 'entry') resolve(news.kind);
      });
    });
    wall.at += 100;
    await within('the event to happen', happened);
    t.match((await child.world.log('note', 0))!.entries, [
      { kind: 'note.created', actor: { type: 'system' } },
    ]);
    await parent.world.setClock(later(1000));
    await using frozen = await branchOff(parent, { live: true });
    t.strictSame(await frozen.world.clock(), { at: later(1000), frozen: true }, 'this world’s time stands');
    t.match(await parent.world.past.cut(later(0), true), { ok: false, why: 'live-is-now' });
    t.match(await parent.world.past.cut(later(2000), false), { ok: false, why: 'not-yet' });
  },
);

t.test('[3] the clock of a branch does not go back behind where it left', async t => {
  await using parent = await openNoteWorld();
  await parent.world.setClock(later(60_000));
  await using child = await branchOff(parent);
  t.match(await child.world.setClock(later(0)), { ok: false, why: 'would-move-back' });
});

t.test('a copy that was cut short is gone on with by the next run', async t => {
  const folder = await mkdtemp(join(tmpdir(), 'wrld-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const file = join(folder, 'world.db');
  await using parent = await openNoteWorld();
  const all = HYDRATED_RECORDS_PER_TURN_MAX + 500;
  const puts = Array.from({ length: all }, (_, n) => [`n${n}`, { n, tag: 'x' }]);
  await parent.ask('POST', '/bulk', { puts });
  // The parent keeps its second page back until the branch has begun to close.
  const { source } = parent.world.past;
  const page = source.recordsBefore.bind(source);
  const second = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  source.recordsBefore = async (twin, position, type, before, limit) => {
    if (before < Number.MAX_SAFE_INTEGER) {
      second.resolve();
      await held.promise;
    }
    return page(twin, position, type, before, limit);
  };
  const first = await branchOff(parent, { file });
  const asked = first.ask('GET', '/notes/n1');
  await within('the second page to be asked for', second.promise);
  const closing = first[Symbol.asyncDispose]();
  held.resolve();
  t.equal((await asked).status, 503);
  await closing;
  source.recordsBefore = page;
  const sql = openSqlite(file);
  const there = sql.get<{ n: number }>('SELECT count(*) AS n FROM head')!.n;
  sql.close();
  t.equal(there, HYDRATED_RECORDS_PER_TURN_MAX, 'the first page is there, the second is not');
  await using again = await openNoteWorld({ file, parent: parent.world.past.source, wall: parent.wall });
  t.equal((await again.ask('POST', '/list', { where: { tag: 'x' }, limit: 3000 })).body.items.length, all);
});

t.test('[22] a world with branches is not removable; names are new and fit', async t => {
  const sql = openSqlite(':memory:');
  t.teardown(() => sql.close());
  migrate(sql);
  const list = new BranchList(sql);
  t.ok(mayRemove(sql));
  const row = { world: 'acme/shop-1', at: EPOCH, created: EPOCH, expires: null };
  list.add(row);
  t.notOk(mayRemove(sql));
  t.strictSame(list.all(), [row]);
  list.remove('acme/shop-1');
  t.ok(mayRemove(sql));
  const entropy = openEntropy();
  const drawn: string[] = [];
  const taken = (name: string): boolean => drawn.push(name) < 3;
  const named = branchName('acme/shop', 'x', { entropy, taken });
  t.match(named, { ok: true, name: /^acme\/shop-x-[0-9a-f]{4}$/ });
  t.equal(drawn.length, 3, 'drawn again while it is taken');
  const free = { entropy, taken: () => false };
  t.match(branchName('acme/shop', undefined, free), { ok: true, name: /^acme\/shop-[0-9a-f]{8}$/ });
  const longest = `acme/${'s'.repeat(57)}`;
  for (const label of [undefined, 'x', 'y'.repeat(32)]) {
    const cut = branchName(longest, label, free);
    t.ok(cut.ok && cut.name.length === 62 && /^acme\/s+-[y0-9a-f-]|x/.test(cut.name), JSON.stringify(cut));
  }
  t.match(
    branchName(`acme/${'s'.repeat(23)}-${'t'.repeat(32)}`, 'y'.repeat(31), free),
    { ok: true, name: /^acme\/s{19,23}-y+-[0-9a-f]{4}$/ },
    'no two hyphens where it is cut',
  );
  t.match(branchName(`${'o'.repeat(60)}/s`, undefined, free), { ok: false }, 'an org that leaves no room');
  for (const label of ['', '-x', 'x-', 'x--y', 'X', 'a b', 'y'.repeat(33)])
    t.match(branchName('acme/shop', label, free), { ok: false, message: /^A label is/ }, label);
});

t.test('[4.4] pages and counts as of an instant pass over what had ended, however much that is', async t => {
  await using at = await openNoteWorld();
  for (let n = 0; n < 30; n++) await at.ask('PUT', `/notes/n${String(n).padStart(2, '0')}`, { n });
  const whole = { ok: true, at: EPOCH, positions: new Map([['note', 30]]) } as const;
  for (let n = 4; n < 30; n++) await at.ask('DELETE', `/notes/n${String(n).padStart(2, '0')}`);
  const ids = async (point: typeof whole | null, limit: number) => {
    const found: string[] = [];
    for (let before: number | null = null; ; ) {
      const page = await at.world.past.records('note', 'note', { before, limit }, point);
      found.push(...page!.records.map(({ id }) => id));
      if (page!.next === null) return found;
      before = Number(page!.next);
    }
  };
  t.strictSame(await ids(null, 3), ['n03', 'n02', 'n01', 'n00']);
  t.equal((await ids(whole, 7)).length, 30, 'all of them were there then');
  const counts = async (point: typeof whole | null) =>
    (await at.world.map(point))[0]!.resources.find(({ type }) => type === 'note')?.count;
  t.strictSame([await counts(whole), await counts(null)], [30, 4]);
});
