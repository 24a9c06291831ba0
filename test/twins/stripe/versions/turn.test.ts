// Only fields that lead somewhere are entered when an answer is turned back: nothing that has changes is missed by that.
import t from 'tap';
import type { Older } from '../../../../twins/stripe/api/older.ts';
import type { VendorField } from '../../../../twins/stripe/api/vendor.ts';
import { fieldsOf } from '../../../../twins/stripe/api/vendor.ts';
import { type View, type Viewer, viewOf } from '../../../../twins/stripe/api/view.ts';
import { RECORDS, type Records } from '../../../../twins/stripe/records.ts';
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

/** Who may turn what it views in place. */
const OWNER = { ...BY, older: {} as Older };
const COUNTED = {
  before: new Map<string, readonly Before[]>([
    [
      'coupon',
      [
        view => {
          view['turned'] = Number(view['turned'] ?? 0) + 1;
        },
      ],
    ],
  ]),
  ways: { inside: () => null },
};

t.test('[2.2] a view that is the answer’s alone is turned in place, and once', t => {
  const record = { id: 'HALF', object: 'coupon', percent_off: 50 } as Records['tax_rate'] & Records['coupon'];
  const whole = viewOf(OWNER, 'tax_rate', record);
  const answer = { object: 'list', data: [whole, { ...whole }, whole], also: { held: whole } };
  t.equal(turn(OWNER, COUNTED, answer), answer);
  t.match(answer, { data: [{ turned: 1 }, { turned: 1 }, { turned: 1 }], also: { held: { turned: 1 } } });
  t.equal(answer.data[0], whole);
  const others = { object: 'list', data: [{ id: 'X', object: 'coupon' }] };
  t.match(turn(OWNER, COUNTED, others), { data: [{ turned: 1 }] });
  t.same(others.data, [{ id: 'X', object: 'coupon' }], 'what was not viewed for it is somebody else’s');
  const again = viewOf(OWNER, 'tax_rate', record);
  t.match(turn(BY, COUNTED, again), { turned: 1 });
  t.notOk('turned' in again, 'nor is anything changed of what may be told of');
  t.end();
});

t.test('[2.2] a charge inside its intent does not have that read again', t => {
  const read: string[] = [];
  const charge = { id: 'ch_1', object: 'charge', payment_intent: 'pi_1', disputed: false };
  const intent = { id: 'pi_1', object: 'payment_intent', latest_charge: 'ch_1', $invoice: 'in_1' };
  const by = {
    ...OWNER,
    tx: {
      now: 0,
      get: (_type: string, id: string) => void read.push(id),
      list: (type: string) => ({ items: type === 'charge' ? [charge] : [], more: false }),
    },
  } as unknown as Viewer;
  const view = viewOf(by, 'payment_intent', intent as unknown as Records['payment_intent']);
  const turned = turn(by, { before: BEFORE, ways: waysTo(BEFORE, former) }, view);
  t.match(turned, { invoice: 'in_1', charges: { data: [{ id: 'ch_1', invoice: 'in_1' }], total_count: 1 } });
  t.same(read, []);
  t.end();
});

t.test('[2.2] what is written in an older version is told of as it is today', async t => {
  await using made = await openStripeWorld();
  const form =
    'amount=500&currency=usd&confirm=true&payment_method=pm_card_visa&return_url=https://a.example/';
  const headers = { authorization: 'Bearer sk_test_1', 'stripe-version': '2020-08-27' };
  const old = await made.ask('POST', '/v1/payment_intents', { form, headers });
  t.equal(old.body.charges.total_count, 1);
  for (const object of await events(made)) {
    t.notOk('charges' in object, String(object['object']));
    t.notOk('invoice' in object, String(object['object']));
  }
});
