// What the real Stripe has, copied: objects made in one world by the SDK, seen by another that has it as root, are there what
// they are here; and what happens later is told by events.
import type Stripe from 'stripe';
import t, { type Test } from 'tap';
import { KEY, openStripeWorld, type StripeWorld, shop } from '../../../kit/stripe-world.ts';
import { type AskedVendor, worldAsVendor } from '../../../kit/world-as-vendor.ts';

const ROOT = { url: 'https://api.stripe.com', refresh: { every: null, atMost: '0s' } };

type Pair = AsyncDisposable & {
  readonly vendor: StripeWorld;
  readonly copy: StripeWorld;
  readonly asked: string[];
  refresh(): Promise<void>;
};

async function openPair(): Promise<Pair> {
  await using opened = new AsyncDisposableStack();
  const vendor = opened.use(await openStripeWorld());
  const asks: AskedVendor = worldAsVendor(() => vendor.world, { key: KEY });
  const copy = opened.use(await openStripeWorld({ vendorAsks: asks }));
  const put = await copy.world.roots.put('stripe', ROOT);
  if (!put.ok) throw new Error(put.message);
  const kept = opened.move();
  return {
    vendor,
    copy,
    asked: asks.asked,
    refresh: async () => {
      const begun = await copy.world.roots.refresh('stripe', { force: true });
      if (!begun.ok || !begun.started) throw new Error('no pass began');
      await copy.world.roots.settled();
      const { fault } = copy.world.roots.standing('stripe');
      if (fault !== null) throw new Error(fault.message);
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

/** Every list that is copied, as both answer it, with the same things expanded. */
const LISTS: readonly (readonly [
  path: string,
  list: (stripe: Stripe) => Promise<{ data: readonly { id: string }[] }>,
])[] = [
  ['products', stripe => stripe.products.list({ limit: 100 })],
  ['prices', stripe => stripe.prices.list({ limit: 100, expand: ['data.tiers'] })],
  ['coupons', stripe => stripe.coupons.list({ limit: 100 })],
  ['promotion codes', stripe => stripe.promotionCodes.list({ limit: 100 })],
  ['tax rates', stripe => stripe.taxRates.list({ limit: 100 })],
  [
    'customers',
    stripe => stripe.customers.list({ limit: 100, expand: ['data.invoice_settings.default_payment_method'] }),
  ],
  [
    'subscriptions',
    stripe => stripe.subscriptions.list({ limit: 100, status: 'all', expand: ['data.discounts'] }),
  ],
  ['invoices', stripe => stripe.invoices.list({ limit: 100, expand: ['data.payments'] })],
  [
    'payment intents',
    stripe => stripe.paymentIntents.list({ limit: 100, expand: ['data.payment_method', 'data.latest_charge'] }),
  ],
  ['charges', stripe => stripe.charges.list({ limit: 100 })],
  ['refunds', stripe => stripe.refunds.list({ limit: 100 })],
];

async function sell(stripe: Stripe): Promise<{ customer: Stripe.Customer; subscription: Stripe.Subscription }> {
  const { customer, product, price } = await shop(stripe);
  const tiered = await stripe.prices.create({
    product: product.id,
    currency: 'eur',
    recurring: { interval: 'month' },
    billing_scheme: 'tiered',
    tiers_mode: 'graduated',
    tiers: [
      { up_to: 5, unit_amount: 100 },
      { up_to: 'inf', unit_amount: 80 },
    ],
  });
  await stripe.products.update(product.id, { default_price: price.id, metadata: { client_secret: 'mine' } });
  const coupon = await stripe.coupons.create({ percent_off: 25, duration: 'forever' });
  await stripe.promotionCodes.create({ promotion: { type: 'coupon', coupon: coupon.id }, code: 'SPRING' });
  const rate = await stripe.taxRates.create({ display_name: 'VAT', percentage: 20, inclusive: false });
  const subscription = await stripe.subscriptions.create({
    customer: customer.id,
    items: [{ price: price.id, quantity: 2 }],
    discounts: [{ coupon: coupon.id }],
    default_tax_rates: [rate.id],
  });
  const other = await stripe.customers.create({ email: 'bo@example.com', address: { city: 'Bern', country: 'CH' } });
  await stripe.subscriptions.create({
    customer: other.id,
    items: [{ price: tiered.id, quantity: 7 }],
    collection_method: 'send_invoice',
    days_until_due: 14,
  });
  const paid = await stripe.paymentIntents.create({
    amount: 4_200,
    currency: 'usd',
    customer: customer.id,
    payment_method: 'pm_card_mastercard',
    confirm: true,
    automatic_payment_methods: { enabled: true, allow_redirects: 'never' },
  });
  await stripe.refunds.create({ payment_intent: paid.id, amount: 1_000 });
  await stripe.paymentIntents.create({ amount: 900, currency: 'usd' });
  return { customer, subscription };
}

/** What is a secret there is hidden here, and the same to look at otherwise. */
const hidden = (text: string): string => text.replaceAll(/(_secret_)[A-Za-z0-9]+/g, '$1hidden');

async function assertSame(t: Test, { vendor, copy }: Pair): Promise<void> {
  for (const [what, list] of LISTS) {
    const there = (await list(vendor.stripe)).data;
    t.ok(there.length > 0, `there are ${what}`);
    const here = (await list(copy.stripe)).data;
    t.strictSame(JSON.parse(JSON.stringify(here)), JSON.parse(hidden(JSON.stringify(there))), what);
  }
}

t.test('[2.8] what the SDK made at the vendor is in the world what it is there, in the same order', async t => {
  await using pair = await openPair();
  await sell(pair.vendor.stripe);
  t.equal(pair.copy.world.roots.observedAt('stripe'), null);
  await pair.refresh();
  await assertSame(t, pair);
  t.match(pair.copy.world.roots.observedAt('stripe'), /^2026-01-15T/);

  const secrets = (await pair.vendor.stripe.paymentIntents.list()).data.map(({ client_secret: secret }) => secret!);
  const log = JSON.stringify((await pair.copy.world.log('stripe', 0))!.entries);
  for (const secret of secrets) t.notOk(log.includes(secret), 'no client secret of the vendor’s is in the log');
  t.match((await pair.copy.stripe.products.list()).data[0]!.metadata, { client_secret: 'mine' });
});
