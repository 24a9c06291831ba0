// Trigger fixtures of others: each must fire its event, signed, with objects as the vendor declares them.
import t from 'tap';
import { fireTriggers } from '../../kit/stripe-triggers.ts';

const fired = await fireTriggers();
const skip =
  fired === null && 'the fixtures folder is not beside this project; STRIPE_TRIGGERS names another';

t.test('[4.1] trigger fixtures', { skip }, async t => {
  const all = fired ?? [];
  t.ok(all.length > 0);
  t.comment(`${all.filter(({ why }) => why === null).length} of ${all.length} trigger fixtures fire`);
  for (const { name, why, faults } of all) {
    t.equal(why, null, `${name} fires, signed`);
    t.same(faults, [], `${name}: objects are whole`);
  }
});
