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
  const copy = opened.use(await openStripeWorld({ vendors: { asks } }));
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
    stripe =>
      stripe.paymentIntents.list({ limit: 100, expand: ['data.payment_method', 'data.latest_charge'] }),
  ],
  ['charges', stripe => stripe.charges.list({ limit: 100 })],
  ['refunds', stripe => stripe.refunds.list({ limit: 100 })],
];

async function sell(
  stripe: Stripe,
): Promise<{ customer: Stripe.Customer; subscription: Stripe.Subscription }> {
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
  const other = await stripe.customers.create({
    email: 'bo@example.com',
    address: { city: 'Bern', country: 'CH' },
  });
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

t.test(
  '[2.8] what the SDK made at the vendor is in the world what it is there, in the same order',
  async t => {
    await using pair = await openPair();
    await sell(pair.vendor.stripe);
    t.equal(pair.copy.world.roots.observedAt('stripe'), null);
    await pair.refresh();
    await assertSame(t, pair);
    t.match(pair.copy.world.roots.observedAt('stripe'), /^2026-01-15T/);

    const secrets = (await pair.vendor.stripe.paymentIntents.list()).data.map(
      ({ client_secret: secret }) => secret!,
    );
    const log = JSON.stringify((await pair.copy.world.log('stripe', 0))!.entries);
    for (const secret of secrets)
      t.notOk(log.includes(secret), 'no client secret of the vendor’s is in the log');
    t.match((await pair.copy.stripe.products.list()).data[0]!.metadata, { client_secret: 'mine' });
  },
);

t.test('[4.6] later passes ask for what events name, and see what was ended', async t => {
  await using pair = await openPair();
  const { vendor, copy, asked } = pair;
  const { customer, subscription } = await sell(vendor.stripe);
  await pair.refresh();
  const seen = asked.length;
  await pair.refresh();
  t.ok(asked.length - seen <= 4, 'a pass over nothing new asks for events alone');
  const quiet = await copy.position();

  await vendor.advance('1h');
  await vendor.stripe.customers.update(customer.id, { name: 'Ada L.', metadata: { tier: 'gold' } });
  await vendor.stripe.subscriptions.cancel(subscription.id);
  const coupon = await vendor.stripe.coupons.create({ id: 'GONE', percent_off: 5 });
  await vendor.stripe.coupons.del(coupon.id);
  const leaver = await vendor.stripe.customers.create({ name: 'Leaver' });
  await vendor.stripe.customers.del(leaver.id);
  await pair.refresh();
  await assertSame(t, pair);
  t.match(await copy.stripe.customers.retrieve(leaver.id), { deleted: true });
  await t.rejects(copy.stripe.coupons.retrieve('GONE'), { code: 'resource_missing' });
  t.ok((await copy.position()) > quiet);

  const before = await copy.position();
  await pair.refresh();
  t.equal(await copy.position(), before, 'a pass that changes nothing makes no entry');
});

t.test('[4.6] what is made while a list is read is not missed', async t => {
  await using pair = await openPair();
  const { vendor, copy } = pair;
  for (let n = 0; n < 130; n++) await vendor.stripe.products.create({ name: `P${n}` });
  const { roots } = copy.world;
  let made = 0;
  // Between two pages of products: each look at them finds another.
  const through = pair.asked.push.bind(pair.asked);
  const making: Promise<unknown>[] = [];
  pair.asked.push = (...asked: string[]): number => {
    if (asked[0]!.includes('/v1/products') && made < 5) {
      made += 1;
      making.push(vendor.stripe.products.create({ name: `Late ${made}` }));
    }
    return through(...asked);
  };
  await roots.refresh('stripe', { force: true });
  await roots.settled();
  await Promise.all(making);
  t.equal(made, 5);
  await pair.refresh();
  const names = async (stripe: Stripe) =>
    (await stripe.products.list({ limit: 100 }).autoPagingToArray({ limit: 1000 })).map(({ name }) => name);
  t.strictSame(await names(copy.stripe), await names(vendor.stripe));
});

t.test('[4.6] events that the vendor has forgotten are no gap: everything is looked at again', async t => {
  await using pair = await openPair();
  const { vendor, copy } = pair;
  await sell(vendor.stripe);
  const gone = await vendor.stripe.products.create({ name: 'To be gone' });
  const stays = await copy.stripe.products.create({ name: 'Of this world' });
  await pair.refresh();
  t.equal((await copy.stripe.products.retrieve(gone.id)).name, 'To be gone');
  await vendor.stripe.products.del(gone.id);
  await vendor.advance('31d');
  await vendor.stripe.products.create({ name: 'New' });
  await pair.refresh();
  await t.rejects(copy.stripe.products.retrieve(gone.id), { code: 'resource_missing' });
  const names = (await copy.stripe.products.list()).data.map(({ name }) => name);
  t.ok(names.includes('New'));
  t.equal(
    (await copy.stripe.products.retrieve(stays.id)).name,
    'Of this world',
    'what the vendor never had stays',
  );
});

t.test('[2.8] lists by the time of creation go by when an object was made at the vendor', async t => {
  await using pair = await openPair();
  const { vendor, copy } = pair;
  const first = await vendor.stripe.customers.create({ name: 'First' });
  await vendor.advance('2d');
  await vendor.stripe.customers.create({ name: 'Second' });
  await copy.advance('9d');
  await pair.refresh();
  const before = await copy.stripe.customers.list({ created: { lte: first.created } });
  t.strictSame(
    before.data.map(({ name }) => name),
    ['First'],
  );
  const after = await copy.stripe.customers.list({ created: { gt: first.created } });
  t.strictSame(
    after.data.map(({ name }) => name),
    ['Second'],
  );
});

t.test(
  '[4.7] what the world changed stays over a refresh, and a field that both changed is a conflict',
  async t => {
    await using pair = await openPair();
    const { vendor, copy } = pair;
    const made = await vendor.stripe.customers.create({
      name: 'Ada',
      email: 'ada@example.com',
      metadata: { a: '1' },
    });
    await pair.refresh();
    await copy.stripe.customers.update(made.id, { name: 'Here', metadata: { b: '2' } });
    await vendor.stripe.customers.update(made.id, { name: 'There', phone: '123' });
    await pair.refresh();
    const held = (await copy.stripe.customers.retrieve(made.id)) as Stripe.Customer;
    t.match(held, { name: 'Here', phone: '123', metadata: { a: '1', b: '2' } });
    t.strictSame(copy.world.roots.standing('stripe').conflicts, [
      { type: 'customer', id: made.id, field: '/name', base: 'Ada', ours: 'Here', theirs: 'There' },
    ]);
    await pair.refresh();
    t.equal(copy.world.roots.standing('stripe').conflicts.length, 1, 'it stays until somebody resolves it');
    await copy.stripe.customers.update(made.id, { name: 'There' });
    t.strictSame(copy.world.roots.standing('stripe').conflicts, [], 'the vendor’s value resolves it');
    const cut = await copy.world.changesets.cut({ message: 'm', by: 'token', owner: null });
    t.ok(cut.ok);
    t.equal(
      (await copy.world.changesets.list())[0]!.entries,
      2,
      'what came from the vendor is in no changeset',
    );
  },
);

t.test('[2.8] what was copied can be worked with: a customer pays by the card that was seen', async t => {
  await using pair = await openPair();
  const { vendor, copy } = pair;
  const { customer } = await sell(vendor.stripe);
  await pair.refresh();
  const { data } = await copy.stripe.prices.list({ type: 'recurring', currency: 'usd' });
  const made = await copy.stripe.subscriptions.create({
    customer: customer.id,
    items: [{ price: data[0]!.id }],
    expand: ['latest_invoice'],
  });
  t.equal(made.status, 'active');
  t.equal((made.latest_invoice as Stripe.Invoice).amount_paid, 1500);
});
