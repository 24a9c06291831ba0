// `wrld world clock`: the instant every twin stamps from. Moving it makes everything happen that falls due.

import type { ClockReading } from '../../control/world/work/world-clock.ts';
import { moveClock } from '../clock-move.ts';
import type { Command, Surround } from '../command.ts';
import { askWorld, REACH_FLAGS, REACH_USAGE } from '../reached-world.ts';

const show =
  ({ output }: Surround) =>
  ({ at, frozen, catchingUp }: ClockReading): void => {
    output.line(`${at}  ${output.ink('dim', frozen ? '(set)' : '(wall clock)')}`);
    if (catchingUp === undefined) return;
    const { at: reached, done, left } = catchingUp;
    output.line(`catching up: it has reached ${reached}, ${done} events so far, ${left} waiting`);
  };

const NOTES = [
  'Programs that ask a twin meanwhile get 503 with Retry-After at once. Ended early, the world goes on by itself: wrld world clock says how far it is.',
];

export const worldClock: Command = {
  words: ['world', 'clock'],
  summary: 'the world’s clock',
  usage: REACH_USAGE,
  flags: REACH_FLAGS,
  operandsMax: 0,
  takesCommand: false,
  examples: [
    ['wrld world clock', 'the instant, and whether it is set or follows the wall clock'],
    ['wrld world clock set 2026-03-01T00:00:00Z', 'then: wrld world clock advance 31d'],
  ],
  run: (given, around) =>
    askWorld('world clock', given, around, ({ client, own }) => client.get(own('clock')), show(around)),
};

export const worldClockSet: Command = {
  words: ['world', 'clock', 'set'],
  summary: 'set the clock to an instant; it never moves back',
  usage: `<instant> ${REACH_USAGE}`,
  flags: REACH_FLAGS,
  operandsMax: 1,
  takesCommand: false,
  examples: [['wrld world clock set 2026-03-01T00:00:00Z', 'freezes it there; what is due by then happens']],
  notes: NOTES,
  run: async (given, around) => {
    const [at] = given.operands;
    if (at === undefined) return missing(around, 'clock set', 'an instant: 2026-03-01T00:00:00Z');
    return askWorld(
      'world clock set',
      given,
      around,
      world => moveClock(world, { method: 'PUT', path: 'clock', body: { at } }, around.output),
      show(around),
    );
  },
};

export const worldClockAdvance: Command = {
  words: ['world', 'clock', 'advance'],
  summary: 'move a set clock forward; what falls due happens in order',
  usage: `<duration> ${REACH_USAGE}`,
  flags: REACH_FLAGS,
  operandsMax: 1,
  takesCommand: false,
  examples: [['wrld world clock advance 31d', 'renewals, retries of webhooks, expiries: all of 31 days']],
  notes: NOTES,
  run: async (given, around) => {
    const [by] = given.operands;
    if (by === undefined) return missing(around, 'clock advance', 'a duration: 90s, 15m, 36h or 31d');
    return askWorld(
      'world clock advance',
      given,
      around,
      world => moveClock(world, { method: 'POST', path: 'clock/advance', body: { by } }, around.output),
      show(around),
    );
  },
};

function missing({ output }: Surround, command: string, what: string): number {
  output.error(`wrld world ${command} needs ${what}`);
  return 2;
}
