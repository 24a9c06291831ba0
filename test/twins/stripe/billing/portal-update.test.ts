// What a change in the billing portal does, by the words of its configuration.
import type Stripe from 'stripe';
import t from 'tap';
import { visit } from '../../../kit/stripe-page.ts';
import { openStripeWorld, type StripeWorld, shop } from '../../../kit/stripe-world.ts';

type Update = Stripe.BillingPortal.ConfigurationCreateParams.Features.SubscriptionUpdate;
type Start = Partial<Stripe.SubscriptionCreateParams>;

/** A subscription to the dearer of two prices, and a portal that lets one change to the other. */
async function portal(made: StripeWorld, says: Partial<Update>, start: Start = {}) {
  const { stripe } = made;
  const { customer, product, price } = await shop(stripe);
  const price2 = (unit_amount: number, interval: 'month' | 'year') =>
    stripe.prices.create({ product: product.id, currency: 'usd', unit_amount, recurring: { interval } });
  const [small, year] = [await price2(500, 'month'), await price2(20_000, 'year')];
  const held = await stripe.subscriptions.create({
    customer: customer.id,
    items: [{ price: price.id }],
    ...start,
  });
  const configuration = await stripe.billingPortal.configurations.create({
    features: {
      subscription_update: {
        enabled: true,
        default_allowed_updates: ['price', 'quantity'],
        products: [{ product: product.id, prices: [price.id, small.id, year.id] }],
        ...says,
      },
    },
  });
  const { url } = await stripe.billingPortal.sessions.create({
    customer: customer.id,
    configuration: configuration.id,
  });
  const pick = (to: Stripe.Price) => visit(made, url, `do=plan&subscription=${held.id}&price=${to.id}`);
  const now = () => stripe.subscriptions.retrieve(held.id);
  return { held, price, small, year, pick, now };
}

const priceOf = ({ items }: Stripe.Subscription): string | undefined => items.data[0]?.price.id;
const ON_LESS: Partial<Update> = {
  schedule_at_period_end: { conditions: [{ type: 'decreasing_item_amount' }] },
};

t.test('[4.1] what costs less waits for the end of the period where the configuration says so', async t => {
  await using made = await openStripeWorld();
  const { held, price, small, year, pick, now } = await portal(made, ON_LESS);
  t.equal((await pick(small)).status, 200);
  const after = await now();
  t.equal(priceOf(after), price.id, 'not yet');
  const schedule = await made.stripe.subscriptionSchedules.retrieve(String(after.schedule));
  t.match(schedule, { status: 'active', end_behavior: 'release' });
  t.match(
    schedule.phases.map(({ items, start_date, end_date }) => [items[0]?.price, start_date, end_date]),
    [
      [price.id, held.start_date, held.items.data[0]?.current_period_end],
      [small.id, held.items.data[0]?.current_period_end, Number],
    ],
  );
  t.equal((await pick(year)).status, 404, 'what has a schedule is not changed again');
  await made.advance('32d');
  t.equal(priceOf(await now()), small.id, 'as the next period began');
  t.equal((await made.stripe.invoices.list({ subscription: held.id })).data[0]?.amount_due, 500);
  await made.advance('32d');
  t.match(await now(), { status: 'active', schedule: null }, 'and goes on by itself');
});

t.test('[4.1] what costs more is changed at once by the same configuration', async t => {
  await using made = await openStripeWorld();
  const { year, pick, now } = await portal(made, ON_LESS);
  await pick(year);
  t.match(await now(), { schedule: null });
  t.equal(priceOf(await now()), year.id);
});

t.test('[4.1] a shorter interval may wait as well', async t => {
  await using made = await openStripeWorld();
  const { price, year, pick, now } = await portal(made, {
    schedule_at_period_end: { conditions: [{ type: 'shortening_interval' }] },
  });
  await pick(year);
  t.equal(priceOf(await now()), year.id, 'a longer one does not');
  await pick(price);
  t.equal(priceOf(await now()), year.id);
  t.ok((await now()).schedule);
});

t.test('[4.1] a change in a trial ends it, or leaves it', async t => {
  await using made = await openStripeWorld();
  const ends = await portal(made, {}, { trial_period_days: 14 });
  await ends.pick(ends.small);
  t.match(await ends.now(), { status: 'active' }, 'Stripe’s default');
  const stays = await portal(made, { trial_update_behavior: 'continue_trial' }, { trial_period_days: 14 });
  await stays.pick(stays.small);
  t.match(await stays.now(), { status: 'trialing', trial_end: stays.held.trial_end });
  t.equal(priceOf(await stays.now()), stays.small.id);
});

t.test('[4.1] the billing cycle begins anew where the configuration says so', async t => {
  await using made = await openStripeWorld();
  const anew = await portal(made, { billing_cycle_anchor: 'now', proration_behavior: 'create_prorations' });
  const kept = await portal(made, { proration_behavior: 'create_prorations' });
  await made.advance('10d');
  await Promise.all([anew.pick(anew.small), kept.pick(kept.small)]);
  t.equal((await kept.now()).billing_cycle_anchor, kept.held.billing_cycle_anchor);
  t.equal((await anew.now()).billing_cycle_anchor, anew.held.billing_cycle_anchor + 10 * 86_400);
});
