// What a client has a twin do, where the store loses what was done before it lasts, and where it has something to do itself.
import t from 'tap';
import type { Durability } from '../../../../control/ports/durability.ts';
import { openNoteWorld } from '../../../kit/note-world.ts';

t.test('a read beside a write that is lost looks again; the write is told', async t => {
  let waiting: PromiseWithResolvers<void> | null = null;
  const durability: Durability = {
    lasting: () => waiting?.promise ?? null,
    onLost: () => {},
    resting: () => null,
    durable: work => work(),
  };
  await using at = await openNoteWorld({ ports: { durability } });
  t.equal((await at.ask('PUT', '/notes/a', { n: 1 })).status, 200);
  for (const [method, status] of [
    ['GET', 200],
    ['PUT', 500],
  ] as const) {
    const lost = Promise.withResolvers<void>();
    waiting = lost;
    const answer = at.ask(method, '/notes/a', method === 'PUT' ? { n: 2 } : undefined);
    waiting = null;
    lost.reject(new Error('the disk is gone'));
    t.equal((await answer).status, status, method);
  }
});

t.test(
  '[storage] a write waits while the store has something to do by itself, and a read does not',
  async t => {
    let resting: PromiseWithResolvers<void> | null = null;
    const durability: Durability = {
      lasting: () => null,
      onLost: () => {},
      resting: () => resting?.promise ?? null,
      durable: work => work(),
    };
    await using at = await openNoteWorld({ ports: { durability } });
    t.equal((await at.ask('PUT', '/notes/a', { n: 1 })).status, 200);
    const rest = Promise.withResolvers<void>();
    resting = rest;
    let answered = false;
    const writing = Promise.all(
      [2, 3].map(n => Promise.resolve(at.ask('PUT', '/notes/a', { n })).finally(() => (answered = true))),
    );
    t.match((await at.ask('GET', '/notes/a')).body, { n: 1 });
    t.notOk(answered, 'nobody writes meanwhile');
    resting = null;
    rest.resolve();
    for (const { status } of await writing) t.equal(status, 200);
    t.match((await at.ask('GET', '/notes/a')).body, { n: 3 }, 'in the order they came');
  },
);
