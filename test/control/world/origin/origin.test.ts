// A world and its origin (2.13, 4.7): its history brought in, moved onto, pushed to, and what keeps that from being done.
import t from 'tap';
import { OriginFault, type OriginWhy } from '../../../../control/world/origin/origin-fault.ts';
import type { NoteWorld } from '../../../kit/note-world.ts';
import { ORIGIN_URL, openOriginPair } from '../../../kit/origin-pair.ts';

const put = ({ ask }: NoteWorld, id: string, note: object) => ask('PUT', `/notes/${id}`, note);
const get = async ({ ask }: NoteWorld, id: string) => (await ask('GET', `/notes/${id}`)).body;
const entries = async ({ world }: NoteWorld) => (await world.log('note', 0))!.entries;
const said = async ({ world }: NoteWorld) =>
  (await world.log('note', 0))!.entries.map(({ position, changes, changeset = '' }) =>
    `${position} ${changes.map(({ op, id }) => `${op} ${id}`).join(',')} ${changeset}`.trim(),
  );

const cut = async ({ world }: NoteWorld, name: string) => {
  const result = await world.changesets.cut({ message: name, name, by: 'token', owner: null });
  if (!result.ok) throw new Error(result.message);
};

const fault = async (work: Promise<unknown>): Promise<OriginFault> => {
  const error = await work.then(
    () => new OriginFault('no-origin', 'it was done'),
    error => error,
  );
  if (!(error instanceof OriginFault)) throw error;
  return error;
};
const why = async (work: Promise<unknown>): Promise<OriginWhy | 'done'> => {
  const found = await fault(work);
  return found.message === 'it was done' ? 'done' : found.why;
};

t.test('[4.7] naming an origin brings its history in, as it is there', async t => {
  await using pair = await openOriginPair();
  const { origin, own } = pair;
  await put(origin.notes, 'a', { n: 1 });
  origin.notes.wall.at += 60_000;
  await put(origin.notes, 'b', { n: 2 });
  await put(origin.notes, 'a', { n: 3 });
  await origin.notes.ask('DELETE', '/notes/b');
  t.strictSame(await own.notes.world.origin.status(), { origin: null });
  t.equal((await own.notes.world.twinStatus('note'))!.dataOrigin, 'unrecorded');
  await pair.connect();
  t.strictSame(await entries(own.notes), await entries(origin.notes));
  t.strictSame(await get(own.notes, 'a'), { id: 'a', n: 3 });
  t.equal((await own.notes.world.twinStatus('note'))!.dataOrigin, 'shared-history');
  const status = await own.notes.world.origin.status();
  t.match(status, { origin: ORIGIN_URL, ahead: { changes: 0, changesets: 0 }, behind: {} });
  t.notOk(JSON.stringify(own.notes.sql.all('SELECT * FROM seal')).includes(origin.token));
  const past = await own.notes.world.past.at('2026-01-31T00:00:30.000Z');
  t.match(past, { views: { note: { position: 1 } } }, 'what was when is known too');
  await cut(own.notes, 'none').then(
    () => t.fail('the origin’s entries are nobody’s to cut here'),
    error => t.match(error.message, /in a changeset already/),
  );
});

t.test('[4.7] a pull puts this world’s own entries behind what came, record by record', async t => {
  await using pair = await openOriginPair();
  const { origin, own } = pair;
  await put(origin.notes, 'a', { n: 1, tags: { x: 1, y: 1 } });
  await pair.connect();
  await put(own.notes, 'a', { n: 1, tags: { x: 2, y: 1 } });
  await put(own.notes, 'c', { n: 4 });
  await cut(own.notes, 'mine');
  const before = (await own.notes.world.changesets.get('mine'))!;
  await put(origin.notes, 'a', { n: 9, tags: { x: 1, y: 1 } });
  await put(origin.notes, 'b', { n: 2 });
  t.match(await own.notes.world.origin.status(), {
    ahead: { changes: 2, changesets: 1 },
    behind: { note: 2 },
  });
  t.strictSame(await own.notes.world.pullOrigin(), { pulled: { note: 2 }, moved: { note: 2 } });
  t.strictSame(await said(own.notes), ['1 put a', '2 put a', '3 put b', '4 put a mine', '5 put c mine']);
  t.strictSame(await get(own.notes, 'a'), { id: 'a', n: 9, tags: { x: 2, y: 1 } });
  const after = (await own.notes.world.changesets.get('mine'))!;
  t.strictSame(after.base.twins, { note: 3 });
  t.not(after.contentHash, before.contentHash, 'what was approved was another body');
  t.equal(after.contentHash, after.currentHash);
  t.strictSame(
    (await own.notes.ask('POST', '/list', { order: 'oldest', limit: 10 })).body.items.map(
      ({ id }: { id: string }) => id,
    ),
    ['a', 'b', 'c'],
    'lists find what moved',
  );
  t.strictSame(await own.notes.world.pullOrigin(), { pulled: {}, moved: {} });
});

t.test(
  '[4.7] a conflict names record and field, changes nothing, and is resolved by saying which',
  async t => {
    await using pair = await openOriginPair();
    const { origin, own } = pair;
    await put(origin.notes, 'a', { n: 1, 'a/b': { deep: 1 } });
    await put(origin.notes, 'gone', { n: 1 });
    await pair.connect();
    await put(own.notes, 'a', { n: 2, 'a/b': { deep: 2 } });
    await put(own.notes, 'gone', { n: 2 });
    await put(origin.notes, 'a', { n: 3, 'a/b': { deep: 3 } });
    await origin.notes.ask('DELETE', '/notes/gone');
    const was = await entries(own.notes);
    const found = await fault(own.notes.world.pullOrigin());
    t.equal(found.why, 'conflict');
    t.strictSame(found.details.conflicts, [
      { twin: 'note', type: 'note', id: 'a', field: '/n', base: 1, ours: 2, theirs: 3 },
      { twin: 'note', type: 'note', id: 'a', field: '/a~1b/deep', base: 1, ours: 2, theirs: 3 },
      {
        twin: 'note',
        type: 'note',
        id: 'gone',
        field: '',
        base: { id: 'gone', n: 1 },
        ours: { id: 'gone', n: 2 },
        theirs: undefined,
      },
    ]);
    t.strictSame(await entries(own.notes), was);
    const a = { twin: 'note', type: 'note', id: 'a' };
    const left = await fault(own.notes.world.pullOrigin([{ ...a, field: '/n', take: 'ours' }]));
    t.equal(left.details.conflicts!.length, 2);
    await own.notes.world.pullOrigin([
      { ...a, field: '/n', take: 'ours' },
      { ...a, field: '/a~1b/deep', take: 'theirs' },
      { ...a, id: 'gone', field: '', take: 'ours' },
    ]);
    t.strictSame(await get(own.notes, 'a'), { id: 'a', n: 2, 'a/b': { deep: 3 } });
    t.strictSame(await get(own.notes, 'gone'), { id: 'gone', n: 2 });
  },
);

t.test(
  '[4.7] a push takes every changeset there, oldest first, and a pull after it brings nothing',
  async t => {
    await using pair = await openOriginPair();
    const { origin, own } = pair;
    await put(origin.notes, 'a', { n: 1 });
    await pair.connect();
    await put(own.notes, 'b', { n: 2 });
    await cut(own.notes, 'first');
    await put(own.notes, 'c', { n: 3 });
    await cut(own.notes, 'second');
    await put(own.notes, 'd', { n: 4 });
    const pushed = await own.notes.world.origin.push();
    t.strictSame(
      pushed.map(({ name }) => name),
      ['first', 'second'],
    );
    t.strictSame(await said(origin.notes), ['1 put a', '2 put b first', '3 put c second']);
    t.match(await own.notes.world.origin.status(), { ahead: { changes: 1, changesets: 0 }, behind: {} });
    t.strictSame(await own.notes.world.pullOrigin(), { pulled: {}, moved: {} });
    t.strictSame(await own.notes.world.origin.push(), []);
  },
);

t.test('[4.7] a push to an origin that went on is not taken: pull, and push again', async t => {
  await using pair = await openOriginPair();
  const { origin, own } = pair;
  await put(origin.notes, 'a', { n: 1 });
  await pair.connect();
  await put(own.notes, 'b', { n: 2 });
  await cut(own.notes, 'first');
  await put(origin.notes, 'c', { n: 3 });
  const found = await fault(own.notes.world.origin.push());
  t.equal(found.why, 'origin-moved');
  t.match(found.details, { pushed: [], drift: [{ twin: 'note', base: 1, head: 2 }] });
  await own.notes.world.pullOrigin();
  t.equal((await own.notes.world.origin.push()).length, 1);
  t.strictSame(await said(origin.notes), ['1 put a', '2 put c', '3 put b first']);
});

t.test('[4.7] a changeset whose answer was lost is there once, whoever asks next', async t => {
  for (const next of ['push', 'pull'] as const) {
    await using pair = await openOriginPair();
    const { origin, own } = pair;
    await put(origin.notes, 'a', { n: 1 });
    await pair.connect();
    await put(own.notes, 'b', { n: 2 });
    await cut(own.notes, 'first');
    pair.after = what => (what === 'POST push' ? { ok: false, sent: true, why: 'it broke off' } : undefined);
    t.equal(await why(own.notes.world.origin.push()), 'origin-away');
    pair.after = null;
    if (next === 'push') t.strictSame(await own.notes.world.origin.push(), []);
    else t.strictSame(await own.notes.world.pullOrigin(), { pulled: {}, moved: {} });
    t.strictSame(await said(origin.notes), ['1 put a', '2 put b first'], next);
    t.strictSame(await said(own.notes), ['1 put a', '2 put b first'], next);
    t.match(await own.notes.world.origin.status(), { ahead: { changes: 0, changesets: 0 } });
  }
});

t.test('[4.7] an origin whose history was rewritten is not followed, and nothing is changed', async t => {
  await using pair = await openOriginPair();
  const { origin, own } = pair;
  await put(origin.notes, 'a', { n: 1 });
  await put(origin.notes, 'b', { n: 2 });
  await pair.connect();
  origin.notes.wall.at += 1_000;
  await origin.notes.world.rewrite(() => {
    for (const table of ['entry', 'head', 'ver', 'tally', 'idx'])
      origin.notes.sql.run(`DELETE FROM ${table}`);
    origin.notes.sql.run("DELETE FROM meta WHERE k LIKE 'indexes:%'");
  });
  t.equal(await why(own.notes.world.pullOrigin()), 'origin-rewritten', 'it is shorter');
  await put(origin.notes, 'a', { n: 1 });
  await put(origin.notes, 'b', { n: 2 });
  await put(origin.notes, 'c', { n: 2 });
  t.equal(await why(own.notes.world.pullOrigin()), 'origin-rewritten', 'it is another');
  t.strictSame(await said(own.notes), ['1 put a', '2 put b']);
});

t.test('[4.7] what was fetched of an origin that was rewritten meanwhile is fetched again', async t => {
  await using pair = await openOriginPair();
  const { origin, own } = pair;
  await put(origin.notes, 'a', { n: 1 });
  await pair.connect();
  await put(own.notes, 'a', { n: 5 });
  await put(origin.notes, 'a', { n: 2 });
  t.equal(await why(own.notes.world.pullOrigin()), 'conflict');
  origin.notes.wall.at += 1_000;
  await origin.notes.world.rewrite(() => {
    origin.notes.sql.run('UPDATE entry SET wall = wall + 1000, at = at + 1000 WHERE pos = 2');
    origin.notes.sql.run(`UPDATE head SET body = '{"id":"a","n":1,"more":1}'`);
  });
  await own.notes.world.pullOrigin();
  t.strictSame(await get(own.notes, 'a'), { id: 'a', n: 5, more: 1 });
});

t.test('[4.7] fetching goes on where it was cut off', async t => {
  await using pair = await openOriginPair();
  const { origin, own } = pair;
  for (let n = 0; n < 1_200; n++) await put(origin.notes, `n${n}`, { n });
  let pages = 0;
  pair.before = what =>
    /^GET log/.test(what) && ++pages > 2 ? { ok: false, sent: false, why: 'it is down' } : undefined;
  await own.notes.world.origin.name(ORIGIN_URL, origin.token);
  t.equal(await why(own.notes.world.pullOrigin()), 'origin-away');
  t.strictSame(await said(own.notes), []);
  pair.before = null;
  pair.asked.length = 0;
  await own.notes.world.pullOrigin();
  t.notOk(pair.asked.includes('GET log/note?after=0'), 'what is here is not asked for again');
  t.equal((await own.notes.world.map())[0]!.position, 1_200);
  t.strictSame(await get(own.notes, 'n1199'), { id: 'n1199', n: 1_199 });
});

t.test('[4.7] files come with the entries that name them', async t => {
  await using pair = await openOriginPair();
  const { origin, own } = pair;
  const { body } = await origin.notes.ask('PUT', '/files/f', 'bytes');
  await pair.connect();
  const reply = await own.notes.world.past.file(body.file);
  t.equal(new TextDecoder().decode(reply!), '"bytes"');
});

t.test('[4.7] a clock that stands before what came moves there', async t => {
  await using pair = await openOriginPair();
  const { origin, own } = pair;
  await own.notes.world.setClock('2026-02-01T00:00:00Z');
  await origin.notes.world.setClock('2026-06-01T00:00:00Z');
  await put(origin.notes, 'a', { n: 1 });
  await put(own.notes, 'b', { n: 1 });
  await own.notes.ask('POST', '/due/later', { at: Date.UTC(2026, 2, 1) });
  await pair.connect();
  t.match(await own.notes.world.clock(), { at: '2026-06-01T00:00:00.000Z', frozen: true });
  await get(own.notes, 'a');
  const log = await entries(own.notes);
  t.strictSame(
    log.map(({ occurredAt, kind }) => `${occurredAt.slice(0, 10)} ${kind}`),
    ['2026-06-01 note.created', '2026-02-01 note.created', '2026-06-01 note.created'],
    'what was due meanwhile happens behind what came',
  );
});

t.test('[4.7] a branch that stands on entries that would move is named, and keeps them', async t => {
  await using pair = await openOriginPair();
  const { origin, own } = pair;
  await put(origin.notes, 'a', { n: 1 });
  await pair.connect();
  await put(own.notes, 'b', { n: 1 });
  own.notes.sql.run(
    "INSERT INTO child(world, at, created, positions) VALUES ('acme/own-1', 0, 0, '{\"note\":2}'), ('acme/own-2', 0, 0, '{\"note\":1}')",
  );
  await put(origin.notes, 'c', { n: 1 });
  const found = await fault(own.notes.world.pullOrigin());
  t.equal(found.why, 'branch-stands-on');
  t.match(found.message, /acme\/own-1 stands/);
  own.notes.sql.run("DELETE FROM child WHERE world = 'acme/own-1'");
  t.equal(await why(own.notes.world.pullOrigin()), 'done');
});

t.test('[4.7] what is no origin is said to be none', async t => {
  await using pair = await openOriginPair();
  const { origin, own } = pair;
  const { world } = own.notes;
  await put(origin.notes, 'a', { n: 1 });
  for (const url of [
    'ftp://x/a/b',
    'http://example.com/a/b',
    'https://example.com',
    'https://u:p@e.com/a/b',
    'x',
  ])
    t.equal(await why(world.origin.name(url, 't')), 'bad-url', url);
  t.equal(await why(world.origin.name(ORIGIN_URL, 'a b')), 'bad-token');
  t.equal(await why(world.origin.name(ORIGIN_URL, 'tok_wrong')), 'origin-refuses');
  t.equal(await why(world.pullOrigin()), 'no-origin');
  t.equal(await why(world.origin.push()), 'no-origin');
  for (const value of ['<html>', { twins: 1 }, null]) {
    pair.before = () => ({ ok: true, status: 200, value });
    t.equal(await why(world.origin.name(ORIGIN_URL, origin.token)), 'no-world');
  }
  pair.before = () => ({ ok: true, status: 302, value: null });
  t.equal(await why(world.origin.name(ORIGIN_URL, origin.token)), 'no-world');
  pair.before = null;
  await pair.connect();
  pair.before = what =>
    what.startsWith('GET log')
      ? { ok: true, status: 200, value: { entries: [{ twin: 'note', position: 2, kind: 'x' }], next: null } }
      : undefined;
  t.equal(await why(world.pullOrigin()), 'no-world');
  pair.before = null;
  t.equal(await why(world.origin.name('http://127.0.0.1:4000/acme/other', origin.token)), 'other-origin');
  await world.origin.name(null, null);
  t.strictSame(await world.origin.status(), { origin: null });
  t.strictSame(own.notes.sql.all('SELECT * FROM seal'), []);
  await world.origin.name(ORIGIN_URL, origin.token);
  t.strictSame(await world.pullOrigin(), { pulled: {}, moved: {} }, 'the history is still shared');
});

t.test('[4.7] a world is not its own origin', async t => {
  await using pair = await openOriginPair();
  const { origin, own } = pair;
  await put(origin.notes, 'a', { n: 1 });
  await pair.connect();
  own.notes.sql.run('DELETE FROM shared');
  t.equal(await why(own.notes.world.origin.name(ORIGIN_URL, origin.token)), 'same-history');
});
