// Records that quote others, in a whole world: what they show is the version of then, here and in branches, for as long
// as they are kept.
import { join } from 'node:path';
import t from 'tap';
import type { Sql } from '../../../../control/ports/sql.ts';
import type { HistorySource } from '../../../../control/world/log/history-source.ts';
import { writeBase } from '../../../../control/world/store/branch-base.ts';
import type { Reply } from '../../../../twins/kit/reply.ts';
import type { MountedTwin, Twin } from '../../../../twins/kit/twin.ts';
import { branchOff } from '../../../kit/branch-world.ts';
import { noteTwin } from '../../../kit/note-twin.ts';
import { type NoteWorld, openNoteWorld } from '../../../kit/note-world.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** `PUT /<n>` puts the item and tells of it twice, as it was in between and as it stands; `GET /<event>`; `GET /` lists. */
const twin = ((): MountedTwin => {
  const { twin } = noteTwin();
  const telling: Twin = {
    ...twin,
    records: {
      item: { indexes: [] },
      event: { indexes: [], quotes: ['data', 'object'], keptMs: 30 * DAY_MS },
    },
    respond: (call, tx) => {
      const name = call.path.slice(1);
      if (call.method === 'PUT') {
        const item = { id: 'item', object: 'item', n: Number(name), words: 'w'.repeat(500) };
        for (const state of ['begun', 'done']) {
          tx.put('item', item.id, { ...item, state });
          const id = `${state}-${name}`;
          tx.put('event', id, { id, object: 'event', data: { object: { ...item, state } } });
        }
        return json(200, tx.get('event', `begun-${name}`));
      }
      const found = name === '' ? tx.list('event', { limit: 10 }).items : tx.get('event', name);
      return json(found === undefined ? 404 : 200, found ?? null);
    },
  };
  return { twin: telling, respond: telling.respond };
})();

const json = (status: number, body: unknown): Reply => ({ status, headers: [], body: JSON.stringify(body) });
const open = () => openNoteWorld({ twins: { note: twin } });
const shown = async (at: NoteWorld, event: string): Promise<unknown> => {
  const { object } = (await at.ask('GET', `/${event}`)).body.data;
  return [object.n, object.state, object.words.length];
};

t.test('[storage] an event shows the version of then, and is not kept twice', async t => {
  await using at = await open();
  const { body } = await at.ask('PUT', '/1');
  t.match(body.data.object, { n: 1, state: 'begun' }, 'also to the call that tells of it');
  await at.ask('PUT', '/2');
  t.strictSame(await shown(at, 'begun-1'), [1, 'begun', 500]);
  t.strictSame(await shown(at, 'done-1'), [1, 'done', 500]);
  t.strictSame(await shown(at, 'done-2'), [2, 'done', 500]);
  const ids = (await at.ask('GET', '/')).body.map((event: { id: string }) => event.id);
  t.strictSame(ids, ['done-2', 'begun-2', 'done-1', 'begun-1']);
  const rows = at.sql.all<{ size: number }>("SELECT length(body) AS size FROM head WHERE id LIKE 'done%'");
  t.equal(rows.length, 2);
  for (const { size } of rows) t.ok(size < 250, `${size}`);
});

t.test('[4.4] the log and a checkpoint tell of a record with all that it shows, in a branch too', async t => {
  await using parent = await open();
  await parent.ask('PUT', '/1');
  await parent.ask('PUT', '/2');
  await using branch = await branchOff(parent, { twins: { note: twin } });
  await branch.ask('PUT', '/3');
  const told = async (at: NoteWorld, after: number) =>
    (await at.world.log('note', after))!.entries
      .flatMap(({ changes }) => changes)
      .filter(({ type }) => type === 'event')
      .map(({ id, after }) => [
        id,
        (after as { data: { object: { n: number; state: string } } }).data.object,
      ]);
  const object = (n: number, state: string) => ({
    id: 'item',
    object: 'item',
    n,
    words: 'w'.repeat(500),
    state,
  });
  const events = (n: number) => ['begun', 'done'].map(state => [`${state}-${n}`, object(n, state)]);
  t.strictSame(await told(parent, 0), [...events(1), ...events(2)]);
  t.strictSame(await told(branch, 2), events(3));
  const state = async (at: NoteWorld): Promise<string> => {
    const taken = await at.world.past.checkpoint('note', null);
    if (taken?.ok !== true) throw new Error('no checkpoint');
    const text = await new Response(ReadableStream.from(taken.body)).text();
    t.equal(Buffer.byteLength(text), taken.bytes);
    return text;
  };
  for (const at of [parent, branch]) {
    const text = await state(at);
    t.notMatch(text, /\$quotes/);
    t.equal(text.match(/"state":"begun"/g)?.length, at === parent ? 2 : 3);
  }
});

t.test(
  '[2.13] [storage] a branch shows what its parent’s events tell of, whoever keeps that version',
  async t => {
    await using parent = await open();
    await parent.ask('PUT', '/1');
    await parent.ask('PUT', '/2');
    await using branch = await branchOff(parent, { twins: { note: twin } });
    await using deeper = await branchOff(branch, { twins: { note: twin } });
    await parent.ask('PUT', '/3');
    for (const at of [branch, deeper]) {
      t.strictSame(await shown(at, 'done-1'), [1, 'done', 500], 'written over before the branch left');
      t.strictSame(await shown(at, 'begun-2'), [2, 'begun', 500], 'written over by the parent since');
      t.equal((await at.ask('GET', '/done-3')).status, 404);
      await at.ask('PUT', '/4');
      t.strictSame(await shown(at, 'done-2'), [2, 'done', 500], 'written over here');
      t.strictSame(await shown(at, 'done-4'), [4, 'done', 500]);
    }
  },
);

t.test('[storage] a version that is far away is waited for', async t => {
  await using parent = await open();
  await parent.ask('PUT', '/1');
  await parent.ask('PUT', '/2');
  const { source } = parent.world.past;
  let fetched = 0;
  const far = new Proxy(source, {
    get: (held, name) => {
      const found = Reflect.get(held, name) as unknown;
      if (typeof found !== 'function') return found;
      if (name !== 'version') return found.bind(held);
      return async (...key: Parameters<HistorySource['version']>) => {
        fetched += 1;
        await new Promise(setImmediate);
        return held.version(...key);
      };
    },
  });
  const cut = await parent.world.past.cut(null, false);
  if (!cut.ok) throw new Error(cut.message);
  await using branch = await openNoteWorld({
    twins: { note: twin },
    wall: parent.wall,
    parent: far,
    prepare: sql => writeBase(sql, cut),
  });
  t.strictSame(await shown(branch, 'done-1'), [1, 'done', 500]);
  t.equal((await branch.ask('GET', '/')).body.length, 4);
  t.ok(fetched > 0);
});

t.test('[storage] an event is found for thirty days of the world’s clock', async t => {
  await using at = await open();
  await at.ask('PUT', '/1');
  at.wall.at += 20 * DAY_MS;
  await at.ask('PUT', '/2');
  at.wall.at += 10 * DAY_MS;
  t.equal((await at.ask('GET', '/')).body.length, 4);
  at.wall.at += 1;
  const ids = (await at.ask('GET', '/')).body.map((event: { id: string }) => event.id);
  t.strictSame(ids, ['done-2', 'begun-2']);
  t.equal((await at.ask('GET', '/done-1')).status, 404);
  t.equal((await at.ask('GET', '/done-2')).status, 200);
  const { entries } = (await at.world.log('note', 0))!;
  const told = entries.flatMap(({ changes }) => changes.map(({ id }) => id));
  t.ok(told.includes('done-1'), 'the log keeps it');
});

t.test('[storage] what is found no more is part of no later state: not told, counted nor copied', async t => {
  await using at = await open();
  await at.ask('PUT', '/1');
  at.wall.at += 20 * DAY_MS;
  await at.ask('PUT', '/2');
  at.wall.at += 11 * DAY_MS;
  await at.ask('PUT', '/3');
  const early = ['begun-1', 'done-1'];
  const late = ['begun-2', 'begun-3', 'done-2', 'done-3'];
  const state = async ({ world }: NoteWorld, position: number | null): Promise<readonly string[]> => {
    const taken = await world.past.checkpoint('note', position);
    if (taken?.ok !== true) throw new Error('no checkpoint');
    const text = await new Response(ReadableStream.from(taken.body)).text();
    const { records } = JSON.parse(text) as { records: { type: string; id: string }[] };
    return records.flatMap(({ type, id }) => (type === 'event' ? [id] : []));
  };
  const counted = async ({ world }: NoteWorld): Promise<unknown> =>
    (await world.map())[0]!.resources.find(({ type }) => type === 'event')?.count;
  const listed = async ({ world }: NoteWorld): Promise<readonly string[]> =>
    (await world.past.records('note', 'event', { before: null, limit: 9 }))!.records
      .map(({ id }) => id)
      .sort();
  t.strictSame((await state(at, 2)).toSorted(), [...early, 'begun-2', 'done-2'].sort(), 'then it was there');
  t.strictSame((await state(at, null)).toSorted(), late);
  t.strictSame([await counted(at), await listed(at)], [4, late]);
  t.ok(await at.world.past.record('note', 'event', 'done-1'), 'who knows its name reads it in the past');
  for (const first of ['/', '/done-1']) {
    await using branch = await branchOff(at, { twins: { note: twin } });
    t.equal(await counted(branch), 4, 'before anything is copied');
    await branch.ask('GET', first);
    t.equal((await branch.ask('GET', '/done-1')).status, 404);
    t.strictSame((await state(branch, null)).toSorted(), late);
    t.strictSame([await counted(branch), await listed(branch)], [4, late]);
    t.equal(branch.sql.all("SELECT 1 FROM head WHERE type = 'event'").length, 4, `copied after ${first}`);
    await branch.world.advanceClock('20d');
    await branch.ask('PUT', '/4');
    t.strictSame(await listed(branch), ['begun-3', 'begun-4', 'done-3', 'done-4']);
    t.equal(await counted(branch), 4);
  }
});

t.test('[storage] events that an earlier version wrote whole are shown as they are', async t => {
  const file = join(t.testdir(), 'world.db');
  {
    await using first = await openNoteWorld({ twins: { note: twin }, file });
    await first.ask('PUT', '/1');
  }
  const old = JSON.stringify({
    id: 'done-1',
    object: 'event',
    data: { object: { n: 0, state: 'old', words: '' } },
  });
  const prepare = (sql: Sql) => void sql.run("UPDATE head SET body = ? WHERE id = 'done-1'", old);
  await using at = await openNoteWorld({ twins: { note: twin }, file, prepare });
  t.strictSame(await shown(at, 'done-1'), [0, 'old', 0]);
});
