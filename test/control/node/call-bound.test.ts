import t from 'tap';
import { callBound, TwinOverrun } from '../../../control/node/call-bound.ts';
import { guardedTwin } from '../../../control/world/twins/guarded-twin.ts';
import type { Twin } from '../../../twins/kit/twin.ts';
import { noteTwin } from '../../kit/note-twin.ts';
import { openNoteWorld } from '../../kit/note-world.ts';

/** What returns does so well within it, however busy the machine is. */
const LOOP_MS_MAX = 1_000;

const forever = (): never => {
  for (;;);
};

t.test('what returns and what throws come through, one inside of another too', async t => {
  const bound = callBound();
  t.equal(
    bound(() => bound(() => 1) + 1),
    2,
  );
  const thrown = new Error('mine');
  t.throws(
    () =>
      bound(() => {
        throw thrown;
      }),
    thrown,
  );
  t.equal(
    bound(() => 3),
    3,
    'and after that',
  );
});

t.test('what does neither is ended, though it catches all', async t => {
  const bound = callBound({ ms: LOOP_MS_MAX, msLeast: LOOP_MS_MAX });
  t.throws(() => bound(forever), TwinOverrun);
  t.throws(
    () =>
      bound(() => {
        for (;;) {
          try {
            forever();
          } catch {}
        }
      }),
    TwinOverrun,
  );
  t.equal(
    bound(() => 1),
    1,
  );
});

t.test(
  'each call that was ended lately leaves less time to the next, and a minute later all of it',
  async t => {
    let now = 0;
    const bound = callBound({ ms: 200, msLeast: 40, rememberedMs: 60_000, now: () => now });
    const endedAfter = (): string => {
      try {
        return bound(forever);
      } catch (error) {
        return (error as Error).message;
      }
    };
    const within = (ms: number): string => `It did not return within ${ms} ms and was ended.`;
    t.same([1, 2, 3, 4, 5].map(endedAfter), [200, 100, 50, 40, 40].map(within));
    now = 60_000;
    t.equal(endedAfter(), within(200), 'what was long ago is forgotten');
    now = 119_999;
    t.equal(endedAfter(), within(100));
  },
);

t.test('[1] a twin that never returns is undone and told of, and its world goes on', async t => {
  const mounted = noteTwin();
  const { respond, due } = mounted.twin;
  const looping: Twin = {
    ...mounted.twin,
    respond: (call, tx, features) => {
      const reply = respond(call, tx, features);
      return call.path === '/notes/loop' ? forever() : reply;
    },
    due: (event, tx) => (event.key === 'loop' ? forever() : due?.(event, tx)),
  };
  const logged: object[] = [];
  const ignore = (): void => {};
  const log = { debug: ignore, info: ignore, warn: ignore, error: (fields: object) => logged.push(fields) };
  const twin = guardedTwin(looping, {
    vendor: 'note',
    log,
    bound: callBound({ ms: LOOP_MS_MAX, msLeast: LOOP_MS_MAX }),
  });
  await using notes = await openNoteWorld({
    twins: { note: { ...mounted, twin, respond: (call, tx) => twin.respond(call, tx) } },
  });
  t.equal((await notes.ask('PUT', '/notes/loop', {})).status, 500);
  t.match(notes.logged.at(-1), { message: 'a twin failed; nothing was changed', fields: { twin: 'note' } });
  t.equal((await notes.ask('GET', '/notes/loop')).status, 500, 'again');
  t.equal((await notes.ask('PUT', '/notes/a', {})).status, 200);
  await notes.ask('POST', '/due/loop', { at: notes.wall.at + 1000, payload: {} });
  await notes.ask('POST', '/due/fine', { at: notes.wall.at + 2000, payload: {} });
  notes.wall.at += 5000;
  t.equal((await notes.ask('GET', '/notes/fine')).status, 200, 'its events hold up nobody');
  t.equal((await notes.world.map())[0]!.position, 2, 'nothing of what did not return is in the log');
});
