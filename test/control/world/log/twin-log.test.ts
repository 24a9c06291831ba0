// A twin's own log as its screens read it: pages both ways, the entries of one record, and those of a time.
import t from 'tap';
import { TwinLog } from '../../../../control/world/log/twin-log.ts';
import type { Call } from '../../../../twins/kit/call.ts';
import type { MountedTwin } from '../../../../twins/kit/twin.ts';
import type { LogReader } from '../../../../twins/kit/tx.ts';
import { noteTwin } from '../../../kit/note-twin.ts';
import { EPOCH, openNoteWorld } from '../../../kit/note-world.ts';

/** A twin that hands its log to whoever holds `seen`. */
const watched = (seen: (log: LogReader) => void): MountedTwin => {
  const { twin } = noteTwin();
  const respond = (call: Call, tx: Parameters<MountedTwin['respond']>[1]) => {
    if (call.path === '/log') seen(tx.log);
    return twin.respond(call, tx);
  };
  return { twin: { ...twin, respond }, respond };
};

t.test('[2.6] pages of the log lead from the newest to the oldest and back', async t => {
  let pages: readonly (readonly number[])[] = [];
  let ends: readonly boolean[] = [];
  const seen = (log: LogReader): void => {
    const first = log.entries({ limit: 3 });
    const second = log.entries({ before: first.items.at(-1)!.position, limit: 3 });
    const last = log.entries({ before: second.items.at(-1)!.position, limit: 3 });
    const back = log.entries({ after: second.items[0]!.position, limit: 3 });
    const found = [first, second, last, back];
    pages = found.map(({ items }) => items.map(({ position }) => position));
    ends = found.map(({ more }) => more);
  };
  await using at = await openNoteWorld({ twins: { note: watched(seen) } });
  for (let n = 1; n <= 7; n++) await at.ask('PUT', `/notes/n${n}`, { n });
  await at.ask('GET', '/log');
  t.strictSame(pages, [[7, 6, 5], [4, 3, 2], [1], [7, 6, 5]]);
  t.strictSame(ends, [true, true, false, false]);
});

t.test('[2.6] an entry says what it was asked by and what it changed, and no body of a record', async t => {
  let found: ReturnType<LogReader['entries']>['items'] = [];
  await using at = await openNoteWorld({
    twins: {
      note: watched(log => {
        found = log.entries({ limit: 10 }).items;
      }),
    },
  });
  await at.ask('PUT', '/notes/n1', { text: 'hello' }, { query: 'loud=1' });
  await at.ask('POST', '/due/later', { at: EPOCH + 1000, payload: {} });
  at.wall.at += 5000;
  await at.ask('GET', '/log');
  t.match(found, [
    {
      position: 2,
      at: EPOCH + 1000,
      request: null,
      caller: null,
      changes: [{ op: 'put', type: 'note', id: 'later' }],
    },
    {
      position: 1,
      at: EPOCH,
      kind: 'note.created',
      request: { method: 'PUT', path: '/notes/n1', query: 'loud=1', body: '{"text":"hello"}' },
    },
  ]);
  t.strictSame(found[1]!.changes, [{ op: 'put', type: 'note', id: 'n1' }]);
});

t.test('[2.6] the entries that wrote a record are found, its end among them', async t => {
  const found: (readonly number[])[] = [];
  const seen = (log: LogReader): void => {
    const of = (id: string, limit = 10) => log.about('note', id, limit).map(({ position }) => position);
    found.push(of('n1'), of('n1', 2), of('n2'), of('nobody'));
  };
  await using at = await openNoteWorld({ twins: { note: watched(seen) } });
  await at.ask('PUT', '/notes/n1', { n: 1 });
  await at.ask('PUT', '/notes/n2', { n: 1 });
  await at.ask('PUT', '/notes/n1', { n: 2 });
  await at.ask('PUT', '/notes/n1', { n: 3 });
  await at.ask('DELETE', '/notes/n2');
  await at.ask('GET', '/log');
  t.strictSame(found, [[4, 3, 1], [4, 3], [5, 2], []]);
});

t.test('[2.6] the entries of a time come oldest first', async t => {
  let found: readonly number[] = [];
  const seen = (log: LogReader): void => {
    found = log.between(EPOCH + 1000, EPOCH + 3000, 10).map(({ position }) => position);
  };
  await using at = await openNoteWorld({ twins: { note: watched(seen) } });
  for (let n = 0; n < 5; n++) {
    await at.ask('PUT', `/notes/n${n}`, {});
    at.wall.at += 1000;
  }
  await at.ask('GET', '/log');
  t.strictSame(found, [2, 3]);
});

t.test('[storage] each of these is a range of an index', async t => {
  await using at = await openNoteWorld();
  const plans: string[] = [];
  const all = (text: string, ...values: never[]) => {
    const plan = at.sql.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${text}`, ...values);
    plans.push(plan.map(({ detail }) => detail).join('; '));
    return at.sql.all(text, ...values);
  };
  await at.ask('PUT', '/notes/n1', {});
  const log = new TwinLog({ all } as never, 'note');
  log.entries({ limit: 3 });
  log.entries({ after: 0, limit: 3 });
  log.about('note', 'n1', 3);
  log.between(0, EPOCH * 2, 3);
  t.equal(plans.length, 6);
  // The positions that are asked for are a list of their own.
  for (const plan of plans) t.notMatch(plan.replace(/SCAN json_each/, ''), /SCAN|TEMP B-TREE/);
});
