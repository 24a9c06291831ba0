// What a client has a twin do, where the store loses what was done before it lasts.
import t from 'tap';
import type { Durability } from '../../../../control/ports/durability.ts';
import { openNoteWorld } from '../../../kit/note-world.ts';

t.test('a read beside a write that is lost looks again; the write is told', async t => {
  let waiting: PromiseWithResolvers<void> | null = null;
  const durability: Durability = {
    lasting: () => waiting?.promise ?? null,
    onLost: () => {},
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
