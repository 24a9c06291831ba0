import t from 'tap';
import { steadyClock } from '../../../control/node/wall-clock.ts';

/** A machine whose two clocks a test holds in its hand. */
const machine = () => {
  const at = { system: 1_000_000, elapsed: 500 };
  const clock = steadyClock({ system: () => at.system, elapsed: () => at.elapsed });
  const pass = (ms: number): number => {
    at.system += ms;
    at.elapsed += ms;
    return clock.now();
  };
  const jump = (ms: number): number => {
    at.system += ms;
    return clock.now();
  };
  return { pass, jump };
};

const HOUR = 3_600_000;

t.test('a clock that goes is the machine’s, small steps included', async t => {
  const { pass, jump } = machine();
  t.equal(pass(10), 1_000_010);
  t.equal(jump(1500), 1_001_510);
  t.equal(jump(-1500), 1_000_010);
  t.equal(pass(HOUR), 1_000_010 + HOUR);
});

t.test('a jump for a moment is not seen, forward or back', async t => {
  for (const far of [HOUR, -HOUR, 400 * 24 * HOUR]) {
    const { pass, jump } = machine();
    t.equal(jump(far), 1_000_000);
    t.equal(pass(9000), 1_009_000);
    t.equal(jump(-far), 1_009_000);
    t.equal(pass(60_000), 1_069_000);
  }
});

t.test('a jump that stands is the time', async t => {
  for (const far of [HOUR, -HOUR]) {
    const { pass, jump } = machine();
    t.equal(jump(far), 1_000_000);
    t.equal(pass(9999), 1_009_999);
    t.equal(pass(1), 1_010_000 + far);
    t.equal(pass(5), 1_010_005 + far);
  }
});

t.test('one that jumps on and on is believed when it stands', async t => {
  const { pass, jump } = machine();
  jump(HOUR);
  pass(8000);
  t.equal(jump(HOUR), 1_008_000);
  t.equal(pass(8000), 1_016_000);
  t.equal(pass(2000), 1_018_000 + 2 * HOUR);
});
