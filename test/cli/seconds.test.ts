// Lengths of time as flags have them: bare seconds, or a number with its unit.
import t from 'tap';
import { secondsOf } from '../../cli/seconds.ts';

t.test('seconds, or null for what is none', async t => {
  for (const [text, seconds] of [
    [undefined, undefined],
    ['90', 90],
    ['90s', 90],
    ['15m', 900],
    ['2h', 7_200],
    ['7d', 604_800],
    ['', null],
    ['-1', null],
    ['1.5', null],
    ['3 h', null],
    ['soon', null],
  ] as const)
    t.equal(secondsOf(text), seconds, String(text));
});
