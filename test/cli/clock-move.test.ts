// What a terminal is told while a world arrives at where its clock was moved.
import t from 'tap';
import { moveClock, progressLine } from '../../cli/clock-move.ts';
import type { Answered } from '../../cli/world-client.ts';

const clock = (reached: string, done: number) => ({
  at: '2030-03-01T00:00:00.000Z',
  frozen: true,
  catchingUp: { done, left: 7, at: reached },
});

t.test('a line has the share of the way, the instant that is reached, and the events', async t => {
  const from = '2030-01-01T00:00:00.000Z';
  t.equal(
    progressLine(clock('2030-01-16T00:00:00.000Z', 120), from),
    '██████░░░░░░░░░░░░░░░░░░  25 %  2030-01-16 00:00:00  120 events, 7 waiting',
  );
  t.match(progressLine(clock(from, 0), from), /^░{24} +0 % /);
  t.match(progressLine(clock('2030-03-01T00:00:00.000Z', 0), '2030-03-01T00:00:00.000Z'), / 0 % /);
});

t.test('[4.9] the bar follows the world until it has arrived, and is taken away then', async t => {
  const moved = Promise.withResolvers<Answered>();
  const told: (string | null)[] = [];
  let looks = 0;
  const answer = await moveClock(
    {
      name: 'acme/shop',
      own: path => `/-/acme/shop/${path}`,
      client: {
        get: async () => {
          looks += 1;
          if (looks === 1) return { ok: false, why: 'busy' };
          if (looks === 4) moved.resolve({ ok: true, status: 200, body: 'moved' });
          return { ok: true, status: 200, body: clock(`2030-02-0${looks}T00:00:00.000Z`, looks) };
        },
        send: (_method, _path, _body, how) => {
          t.strictSame(how, { patient: true }, 'however long it takes');
          return moved.promise;
        },
        events: () => Promise.reject(new Error('not asked for')),
      },
    },
    { method: 'POST', path: 'clock/advance', body: { by: '59d' } },
    { progress: text => told.push(text) },
  );
  t.match(answer, { body: 'moved' });
  t.match(told[0], /0 % {2}2030-02-02/);
  t.match(told[1], /3 % {2}2030-02-03/);
  t.equal(told.at(-1), null);
});
