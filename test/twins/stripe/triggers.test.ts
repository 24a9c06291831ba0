// Trigger fixtures of others: each must fire its event, signed, with objects as the vendor declares them.
import t from 'tap';
import { fireTriggers } from '../../kit/stripe-triggers.ts';

t.test('[4.1] trigger fixtures', async t => {
  const fired = await fireTriggers();
  if (fired === null) {
    t.pass('skipped: the fixtures folder is not beside this project', { skip: true });
    return;
  }
  t.comment(`${fired.filter(({ why }) => why === null).length} of ${fired.length} trigger fixtures fire`);
  for (const { name, why, faults } of fired) {
    t.equal(why, null, `${name} fires, signed`);
    t.same(faults, [], `${name}: objects are whole`);
  }
});
