// [4.7] When a call goes behind everything else that wants a processor, and when it comes back from there.
import t from 'tap';
import { SANDBOX_LONG_MS, SANDBOX_NICE_SHARE, SANDBOX_STARVED_MS } from '../../../control/node/limits.ts';
import { LongCall } from '../../../control/node/long-call.ts';

/** A call of a thread that may leave its priority, or may not, and what was asked of that. */
const watched = (
  moves: { toLast?: boolean; fromLast?: boolean } = {},
): { call: LongCall; asked: string[] } => {
  const asked: string[] = [];
  const call = new LongCall({
    toLast: () => {
      asked.push('last');
      return moves.toLast ?? true;
    },
    fromLast: () => {
      asked.push('back');
      return moves.fromLast ?? true;
    },
  });
  return { call, asked };
};
const never = (): number => {
  throw new Error('nobody asks the wall');
};
const at = (wall: number) => (): number => wall;

t.test('what is short stays where it is, and looks at no clock', async t => {
  const { call, asked } = watched();
  call.look(10_000, never);
  call.begin(500);
  call.look(500 + SANDBOX_LONG_MS, never);
  call.end();
  call.look(10_000, never);
  t.same(asked, []);
});

t.test('what is long goes behind the others once, and comes back when it is over', async t => {
  const { call, asked } = watched();
  call.begin(500);
  call.look(501 + SANDBOX_LONG_MS, at(0));
  call.look(502 + SANDBOX_LONG_MS, at(1));
  t.same(asked, ['last']);
  call.end();
  call.end();
  t.same(asked, ['last', 'back']);
  call.begin(700);
  call.look(701 + SANDBOX_LONG_MS, at(2));
  t.same(asked, ['last', 'back', 'last'], 'so does the next');
});

t.test('what had less there than its share comes back before it is over, once', async t => {
  const { call, asked } = watched();
  const began = 1 + SANDBOX_LONG_MS;
  call.begin(0);
  call.look(began, at(0));
  const share = SANDBOX_STARVED_MS * SANDBOX_NICE_SHARE;
  call.look(began, at(SANDBOX_STARVED_MS - 1));
  call.look(began + share, at(SANDBOX_STARVED_MS));
  t.same(asked, ['last'], 'not before that is known, and not with its share');
  call.look(began + share, at(SANDBOX_STARVED_MS + 10));
  call.look(began + 10 * share, at(SANDBOX_STARVED_MS + 10));
  t.same(asked, ['last', 'back']);
});

t.test('who may not leave its place is asked once in a call', async t => {
  const { call, asked } = watched({ toLast: false });
  call.begin(0);
  call.look(1 + SANDBOX_LONG_MS, never);
  call.look(2 + SANDBOX_LONG_MS, never);
  call.end();
  t.same(asked, ['last']);
});

t.test('who did not come back tries again after the next', async t => {
  const { call, asked } = watched({ fromLast: false });
  call.begin(0);
  call.look(1 + SANDBOX_LONG_MS, at(0));
  call.end();
  call.begin(1_000);
  call.end();
  t.same(asked, ['last', 'back', 'back']);
});
