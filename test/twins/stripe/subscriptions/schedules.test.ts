import t from 'tap';
import { openStripeWorld, shop } from '../../../kit/stripe-world.ts';

t.test(
  '[4.1] a schedule that is released leaves the end that it had set, where that is asked for',
  async t => {
    await using made = await openStripeWorld();
    const { stripe } = made;
    const { customer, price } = await shop(stripe);
    const released = async (preserve_cancel_date: boolean) => {
      const schedule = await stripe.subscriptionSchedules.create({
        customer: customer.id,
        start_date: 'now',
        end_behavior: 'cancel',
        phases: [{ items: [{ price: price.id }], duration: { interval: 'month', interval_count: 2 } }],
      });
      const id = String(schedule.subscription);
      await stripe.subscriptionSchedules.release(schedule.id, { preserve_cancel_date });
      return { subscription: await stripe.subscriptions.retrieve(id), ends: schedule.phases[0]?.end_date };
    };
    const [kept, open] = [await released(true), await released(false)];
    t.equal(kept.subscription.cancel_at, kept.ends);
    t.equal(open.subscription.cancel_at, null);
    await made.advance('60d');
    t.equal((await stripe.subscriptions.retrieve(kept.subscription.id)).status, 'canceled');
    t.equal((await stripe.subscriptions.retrieve(open.subscription.id)).status, 'active');
  },
);
