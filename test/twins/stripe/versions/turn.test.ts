// Only fields that lead somewhere are entered when an answer is turned back: nothing that has changes is missed by that.
import t from 'tap';
import type { VendorField } from '../../../../twins/stripe/api/vendor.ts';
import { fieldsOf } from '../../../../twins/stripe/api/vendor.ts';
import type { View, Viewer } from '../../../../twins/stripe/api/view.ts';
import { RECORDS } from '../../../../twins/stripe/records.ts';
import type { Before } from '../../../../twins/stripe/versions/change.ts';
import { CHANGES } from '../../../../twins/stripe/versions/changes.ts';
import { turn } from '../../../../twins/stripe/versions/turn.ts';
import { waysTo } from '../../../../twins/stripe/versions/ways.ts';
import { openStripeWorld, type StripeWorld, shop } from '../../../kit/stripe-world.ts';

/** Of a store with nothing in it. */
const BY = {
  records: RECORDS,
  tx: { now: 0, get: () => undefined, list: () => ({ items: [], more: false }) },
} as unknown as Viewer;

/** Every change of an object, newest first. */
const BEFORE = new Map<string, Before[]>();
for (const { before } of CHANGES)
  for (const [object, change] of Object.entries(before ?? {}))
    BEFORE.set(object, [...(BEFORE.get(object) ?? []), change]);

const former = (object: string): readonly VendorField[] =>
  CHANGES.flatMap(({ fields }) => fieldsOf(fields?.[object] ?? {}));

/** Objects of many kinds: what a month of a shop tells of. */
async function told(made: StripeWorld): Promise<readonly View[]> {
  const { stripe } = made;
  const { customer, price } = await shop(stripe);
  const coupon = await stripe.coupons.create({ percent_off: 10, duration: 'forever' });
  await stripe.promotionCodes.create({ promotion: { type: 'coupon', coupon: coupon.id } });
  await stripe.invoiceItems.create({ customer: customer.id, amount: 300, currency: 'usd' });
  const { id, items } = await stripe.subscriptions.create({
    customer: customer.id,
    items: [{ price: price.id }],
    discounts: [{ coupon: coupon.id }],
  });
  await stripe.subscriptions.update(id, { items: [{ id: items.data[0]!.id, quantity: 2 }] });
  await stripe.subscriptionSchedules.create({ from_subscription: id });
  await stripe.quotes.create({ customer: customer.id, line_items: [{ price: price.id }] });
  await stripe.paymentLinks.create({ line_items: [{ price: price.id, quantity: 1 }] });
  await stripe.checkout.sessions.create({
    mode: 'payment',
    line_items: [
      { price_data: { currency: 'usd', unit_amount: 500, product_data: { name: 'T' } }, quantity: 1 },
    ],
    success_url: 'https://shop.example.com/',
  });
  const early = await events(made);
  await made.advance('32d');
  const [charge] = (await stripe.charges.list()).data;
  await stripe.refunds.create({ charge: charge!.id, amount: 10 });
  const lists = [
    'subscriptions',
    'subscription_schedules',
    'invoices',
    'customers',
    'charges',
    'promotion_codes',
  ];
  const listed = await Promise.all(lists.map(async name => (await made.ask('GET', `/v1/${name}`)).body));
  return [...early, ...(await events(made)), ...listed];
}

async function events(made: StripeWorld): Promise<readonly View[]> {
  const { body } = await made.ask('GET', '/v1/events?limit=100');
  return body.data.map((event: { data: { object: View } }) => event.data.object);
}

t.test('[2.2] what has changes is found wherever it stands', async t => {
  await using made = await openStripeWorld();
  const views = await told(made);
  const kinds = new Set(views.map(({ object }) => String(object)));
  t.ok(kinds.size > 15, [...kinds].join());
  const pruned = { before: BEFORE, ways: waysTo(BEFORE, former) };
  const whole = { before: BEFORE, ways: { inside: () => null } };
  let turned = 0;
  for (const view of views) {
    const kept = structuredClone(view);
    const answered = turn(BY, pruned, view);
    t.same(answered, turn(BY, whole, view), String(view['object']));
    t.same(view, kept, 'today’s stays as it is');
    if (answered !== view) turned += 1;
  }
  t.ok(turned > 20, `${turned} of ${views.length} are not as they were`);
  const plain = { id: 'txr_1', object: 'tax_rate', metadata: { object: 'price', recurring: 'x' } };
  t.equal(
    turn(BY, pruned, plain),
    plain,
    'what nothing changes is the same value, whatever callers put in it',
  );
});
