import t from 'tap';
import { AnswersInFlight } from '../../../control/http/answers-in-flight.ts';
import { ANSWER_STALL_MS_MAX, ANSWERS_IN_FLIGHT_BYTES_MAX } from '../../../control/world/limits.ts';

t.test('[8] over the bound, what nobody has read of for a while is cut, and what moves is not', async t => {
  let now = 0;
  const inFlight = new AnswersInFlight(() => now);
  const cut: string[] = [];
  const begin = (name: string, bytes: number) => inFlight.begin(bytes, () => void cut.push(name));
  const half = ANSWERS_IN_FLIGHT_BYTES_MAX / 2;
  const stalled = begin('stalled', half - 1);
  const read = begin('read', half);
  t.notOk(inFlight.full, 'a byte is left');
  const small = begin('small', 1);
  t.ok(inFlight.full);
  now += ANSWER_STALL_MS_MAX - 1;
  read.took(0);
  small.took(0);
  t.ok(inFlight.full, 'none has stalled for long enough');
  t.strictSame(cut, []);
  now += 1;
  t.notOk(inFlight.full);
  t.strictSame(cut, ['stalled']);
  stalled.took(100);
  stalled.end();
  begin('again', half - 2);
  t.notOk(inFlight.full, 'what was cut counts once');
  begin('a byte', 1);
  t.ok(inFlight.full);
  read.took(2);
  t.notOk(inFlight.full, 'what is taken makes room');
  read.end();
  read.end();
  small.end();
  begin('much', half);
  t.notOk(inFlight.full);
  begin('the last', 2);
  t.ok(inFlight.full, 'an end is one, however often it is told');
});

t.test('without need, nothing is cut, however long nobody reads', async t => {
  let now = 0;
  const inFlight = new AnswersInFlight(() => now);
  inFlight.begin(1, () => t.fail('cut'));
  now += 10 * ANSWER_STALL_MS_MAX;
  t.notOk(inFlight.full);
});
