import t from 'tap';
import type { Alarms } from '../../../../control/ports/alarms.ts';
import { SharedAlarm } from '../../../../control/world/work/shared-alarm.ts';

/** A host's alarm that a test lets come. */
const handAlarm = () => {
  const set: (number | null)[] = [];
  let wake = (): void => {};
  const alarms: Alarms = {
    set: at => void set.push(at),
    onWake: given => {
      wake = given;
    },
  };
  return { alarms, set, come: () => wake() };
};

t.test('the host is told the earliest, and only when that changes', t => {
  const host = handAlarm();
  const alarm = new SharedAlarm(host.alarms);
  const [one, two] = [alarm.share(), alarm.share()];
  one.set(200);
  two.set(300);
  two.set(100);
  two.set(null);
  two.set(null);
  one.set(null);
  t.same(host.set, [200, 100, 200, null]);
  t.end();
});

t.test('whoever it was set for is woken once, and the next is set', t => {
  const host = handAlarm();
  const alarm = new SharedAlarm(host.alarms);
  const [one, two, three] = [alarm.share(), alarm.share(), alarm.share()];
  const woken: string[] = [];
  one.onWake(() => woken.push('one'));
  two.onWake(() => {
    woken.push('two');
    two.set(400);
  });
  three.onWake(() => woken.push('three'));
  one.set(100);
  two.set(100);
  three.set(300);
  host.come();
  t.same(woken, ['one', 'two']);
  t.equal(host.set.at(-1), 300);
  host.come();
  host.come();
  t.same(woken, ['one', 'two', 'three', 'two']);
  t.equal(host.set.at(-1), 400, 'it was set again while it woke');
  two.set(null);
  host.come();
  t.equal(woken.length, 4, 'an alarm that comes for nobody wakes nobody');
  t.end();
});
