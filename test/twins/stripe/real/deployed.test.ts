// A world's Stripe twin deployed to a Stripe that knows nothing of it: another world, asked over its own API alone.
import t from 'tap';
import type { VendorAsks } from '../../../../control/world/roots/vendor-asks.ts';
import { verify } from '../../../kit/deploy-world.ts';
import { rootWith } from '../../../kit/note-vendor.ts';
import { openStripeWorld, type StripeWorld } from '../../../kit/stripe-world.ts';

/** As over the wire: what the vendor answers is bytes. */
const asksOf = ({ ask }: StripeWorld): VendorAsks => ({
  ask: async (_twin, { method, path, headers, body }) => {
    const answer = await ask(method, path, {
      headers: {
        authorization: 'Bearer sk_test_real',
        ...Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value])),
      },
      body: typeof body === 'string' ? new TextEncoder().encode(body) : (body ?? new Uint8Array()),
    });
    return {
      ok: true,
      ms: 1,
      status: answer.status,
      headers: Object.entries(answer.headers),
      body: new TextEncoder().encode(JSON.stringify(answer.body)),
    };
  },
});

t.test('[3] what an app did with the SDK is done at Stripe, and the app goes on with its ids', async t => {
  await using vendor = await openStripeWorld();
  await using shop = await openStripeWorld({
    vendors: { asks: asksOf(vendor), root: () => rootWith('manual') },
  });
  const { stripe, world, sql } = shop;
  const customer = await stripe.customers.create({
    email: 'ada@example.com',
    payment_method: 'pm_card_visa',
    invoice_settings: { default_payment_method: 'pm_card_visa' },
  });
  const product = await stripe.products.create({ name: 'Gold' });
  const coupon = await stripe.coupons.create({ id: 'gold', percent_off: 10, duration: 'once' });
  const price = await stripe.prices.create({
    product: product.id,
    currency: 'usd',
    unit_amount: 2000,
    recurring: { interval: 'month' },
  });
  const subscription = await stripe.subscriptions.create({
    customer: customer.id,
    items: [{ price: price.id }],
    discounts: [{ coupon: coupon.id }],
  });
  await stripe.subscriptions.update(subscription.id, { metadata: { of: customer.id, about: 'gold' } });
  await stripe.products.update(product.id, { description: 'The gold plan' });
  const refused = await stripe.promotionCodes.create({
    promotion: { type: 'coupon', coupon: 'gold' },
    code: 'TAKEN',
  });
  await vendor.stripe.coupons.create({ id: 'other', percent_off: 5, duration: 'once' });
  await vendor.stripe.promotionCodes.create({
    promotion: { type: 'coupon', coupon: 'other' },
    code: 'TAKEN',
  });
  await stripe.testHelpers.testClocks.create({
    frozen_time: Math.floor(Date.parse('2026-01-15T12:00:00Z') / 1000),
  });
  const cut = await world.changesets.cut({ by: 'token', owner: null, message: 'Gold', name: 'gold' });
  t.match(cut, { ok: true });
  verify({ sql }, 'gold');
  const result = await world.deploys.one('gold');
  const { deployed, stopped } = result.ok ? result.changesets[0]! : { deployed: [], stopped: null };
  t.equal(stopped, null);
  t.match(
    deployed.map(({ status, reason }) => (reason === undefined ? status : `${status}: ${reason}`)),
    [...Array.from({ length: 7 }, () => 'deployed'), /^refused: /, /^skipped: a test helper/],
  );
  const real = (await vendor.stripe.subscriptions.list({ expand: ['data.customer'] })).data[0]!;
  t.match(real, {
    status: 'active',
    metadata: { about: 'gold' },
    items: { data: [{ price: { unit_amount: 2000 } }] },
  });
  t.not(real.id, subscription.id);
  const owner = real.customer as { id: string; email: string };
  t.equal(owner.email, 'ada@example.com');
  t.equal(real.metadata['of'], owner.id);
  t.equal((await vendor.stripe.products.list()).data[0]!.description, 'The gold plan');
  t.match(deployed[1], { url: /^https:\/\/dashboard\.stripe\.com\/test\/products\/prod_/ });
  await t.test('here everything is called what it is called there', async t => {
    const held = await stripe.subscriptions.retrieve(subscription.id);
    t.equal(held.id, real.id);
    t.equal(held.customer, owner.id);
    t.equal(held.latest_invoice, real.latest_invoice);
    t.equal((await stripe.subscriptions.list({ customer: customer.id })).data.length, 1);
    t.strictSame(
      (await stripe.prices.list({ product: product.id })).data.map(({ id }) => id),
      (await vendor.stripe.prices.list()).data.map(({ id }) => id),
    );
    t.equal((await stripe.coupons.retrieve('gold')).id, 'gold');
    t.equal(
      (await stripe.promotionCodes.retrieve(refused.id)).id,
      refused.id,
      'what was refused stays what it was',
    );
  });
  await t.test('what the answers did not name stands in for what Stripe has of it', async t => {
    const standing = sql.all<{ type: string; id: string }>('SELECT type, id FROM stand_in');
    const types = new Set(standing.map(({ type }) => type));
    t.ok(types.has('charge'), 'made by the subscription, and named nowhere in its answer');
    for (const named of ['customer', 'product', 'price', 'subscription', 'invoice', 'coupon'])
      t.notOk(types.has(named), named);
  });
  await t.test('[4.9] and its renewal falls due under the new ids', async t => {
    await shop.advance('32d');
    const invoices = await stripe.invoices.list({ subscription: subscription.id });
    t.equal(invoices.data.length, 2);
    t.equal(invoices.data[0]!.customer, owner.id);
  });
});
