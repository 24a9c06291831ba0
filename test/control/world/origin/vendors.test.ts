// A world with an origin and real vendors: what deploys, webhooks and looks at a root left stays true of entries that move,
// and goes when a reset takes the entries away.
import t from 'tap';
import { pointAt, rewindTo } from '../../../../control/world/past/rewind.ts';
import type { NoteWorld } from '../../../kit/note-world.ts';
import { openOriginPair } from '../../../kit/origin-pair.ts';
import { noteVendor, put, ROOT, rootedNote } from '../../../kit/rooted-note.ts';

const write = ({ ask }: NoteWorld, id: string, note: object) => ask('PUT', `/notes/${id}`, note);
const read = async ({ ask }: NoteWorld, id: string) => (await ask('GET', `/notes/${id}`)).body;
const ids = async ({ world }: NoteWorld) =>
  (await world.log('note', 0))!.entries.map(({ changes }) => changes.map(({ id }) => id).join());

t.test('[3] [4.7] a pull keeps the ids that a vendor replaced, and what it was told once', async t => {
  await using pair = await openOriginPair();
  const { origin, own } = pair;
  await write(origin.notes, 'a', {});
  await pair.connect();
  await write(own.notes, 'b', {});
  // As a deploy and a webhook of that entry leave them.
  await own.notes.world.rewrite(() => {
    own.notes.sql.run("INSERT INTO alias VALUES ('note', 'tmp_b', 'b', 2)");
    own.notes.sql.run("INSERT INTO ingested VALUES ('note', 'evt_1', 2)");
    own.notes.sql.run("INSERT INTO ingested_record VALUES ('note', 'note', 'b', 7, 2)");
    own.notes.sql.run("INSERT INTO stand_in VALUES ('note', 'note', 'b', 2, 9)");
  });
  await write(origin.notes, 'c', {});
  await own.notes.world.pullOrigin();
  t.strictSame(await ids(own.notes), ['a', 'c', 'b']);
  t.match(await read(own.notes, 'tmp_b'), { id: 'b' }, 'who holds the old id goes on with it');
  for (const table of ['alias', 'ingested', 'ingested_record', 'stand_in'])
    t.equal(own.notes.sql.get<{ pos: number }>(`SELECT pos FROM ${table}`)?.pos, 3, table);
  const to = own.notes.sql.get<{ at: number }>('SELECT at FROM entry WHERE pos = 2')!.at - 1;
  await own.notes.world.rewrite(() => rewindTo(own.notes.sql, pointAt(own.notes.sql, to)));
  for (const table of ['alias', 'ingested', 'ingested_record', 'stand_in'])
    t.equal(own.notes.sql.get(`SELECT pos FROM ${table}`), undefined, `${table} after a reset`);
});

t.test('[2.8] [4.7] a pull keeps what was seen of a root, and what is changed beside it', async t => {
  let seen: object = { text: 'A', vendor: 1 };
  const asks = noteVendor(() => ({ put: [put('a', seen), put('b', {})], cursor: 'x' }));
  await using pair = await openOriginPair({ twins: { note: rootedNote() }, vendors: { asks } });
  const { origin, own } = pair;
  const { world } = own.notes;
  const refresh = async () => {
    await world.roots.refresh('note', { force: true });
    await world.roots.settled();
  };
  await write(origin.notes, 'a', { text: 'A' });
  await pair.connect();
  await world.roots.put('note', ROOT);
  await refresh();
  await write(own.notes, 'b', { own: 1 });
  const whole = world.roots.observedAt('note');
  await write(origin.notes, 'a', { text: 'A', origin: 1 });
  await world.pullOrigin();
  t.equal(world.roots.observedAt('note'), whole, 'it was seen whole, and need not be seen again');
  t.match(await read(own.notes, 'a'), { text: 'A', vendor: 1, origin: 1 });
  asks.asked.length = 0;
  await refresh();
  t.strictSame(asks.asked, ['x'], 'the next look goes on from the last');
  t.match(
    await read(own.notes, 'a'),
    { vendor: 1, origin: 1 },
    'what the origin changed is no vendor’s to undo',
  );
  t.match(await read(own.notes, 'b'), { own: 1 });
  seen = { text: 'B', vendor: 2 };
  await refresh();
  t.match(await read(own.notes, 'a'), { text: 'B', vendor: 2, origin: 1 });
  t.strictSame((await world.twinStatus('note'))!.refresh.conflicts, []);
});

t.test('[4.7] a world that was reset to before what it pulled pulls it again', async t => {
  await using pair = await openOriginPair();
  const { origin, own } = pair;
  await write(origin.notes, 'a', { n: 1 });
  origin.notes.wall.at += 60_000;
  await write(origin.notes, 'b', { n: 1 });
  own.notes.wall.at = origin.notes.wall.at;
  await pair.connect();
  const { sql, world } = own.notes;
  const between = origin.notes.wall.at - 30_000;
  await world.rewrite(() => sql.durable(() => rewindTo(sql, pointAt(sql, between))));
  t.strictSame(await ids(own.notes), ['a']);
  t.match(await world.origin.status(), { behind: { note: 1 } });
  await write(own.notes, 'c', { n: 1 });
  t.strictSame(await world.pullOrigin(), { pulled: { note: 1 }, moved: { note: 1 } });
  t.strictSame(await ids(own.notes), ['a', 'b', 'c']);
});
