// Prices whose amount the buyer chooses, on the pages of sessions and payment links.
import type Stripe from 'stripe';
import t from 'tap';
import { visit } from '../../../kit/stripe-page.ts';
import { openStripeWorld, type StripeWorld } from '../../../kit/stripe-world.ts';

const success_url = 'https://shop.example.com/done';
const PAYER = 'email=ada@example.com&billingName=Ada&cardNumber=4242424242424242';

const gift = async (
  { stripe }: StripeWorld,
  custom_unit_amount: Partial<Stripe.PriceCreateParams.CustomUnitAmount> = {},
): Promise<Stripe.Price> =>
  stripe.prices.create({
    currency: 'usd',
    product_data: { name: 'Gift' },
    custom_unit_amount: { enabled: true, ...custom_unit_amount },
  });

t.test('[4.1] a buyer says on the page how much they pay, between the price’s bounds', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const price = await gift(made, { minimum: 500, maximum: 5000, preset: 1000 });
  t.match(price, {
    custom_unit_amount: { minimum: 500, maximum: 5000, preset: 1000 },
    unit_amount: null,
    unit_amount_decimal: null,
    type: 'one_time',
  });
  const session = await stripe.checkout.sessions.create({
    mode: 'payment',
    success_url,
    line_items: [{ price: price.id, quantity: 1 }],
    invoice_creation: { enabled: true },
  });
  t.equal(session.amount_total, 1000, 'what is proposed');
  t.match((await visit(made, session.url ?? '')).text, /name="customUnitAmount" value="10.00"/);
  for (const [typed, told] of [
    ['4.99', /at least 5.00 USD/],
    ['50.01', /at most 50.00 USD/],
    ['x', /at least 5.00 USD/],
    ['', /at least 5.00 USD/],
    ['10.005', /at least 5.00 USD/],
  ] as const) {
    const refused = await visit(made, session.url ?? '', `${PAYER}&customUnitAmount=${typed}`);
    t.match([refused.status, refused.text], [400, told], typed);
  }
  t.equal((await stripe.checkout.sessions.retrieve(session.id)).status, 'open');
  const paid = await visit(made, session.url ?? '', `${PAYER}&customUnitAmount=12.34`);
  t.equal(paid.location, success_url);
  const done = await stripe.checkout.sessions.retrieve(session.id, {
    expand: ['payment_intent', 'line_items', 'invoice'],
  });
  t.match(done, {
    amount_subtotal: 1234,
    amount_total: 1234,
    payment_status: 'paid',
    payment_intent: { amount_received: 1234 },
    line_items: { data: [{ amount_total: 1234, price: { id: price.id } }] },
    invoice: { amount_paid: 1234 },
  });
  const [event] = await made.events('checkout.session.completed');
  t.match(event, { data: { object: { amount_total: 1234 } } });
});

t.test('[4.1] a payment link asks each visitor, and proposes nothing where nothing is', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const price = await gift(made);
  t.same(price.custom_unit_amount, { maximum: null, minimum: null, preset: null });
  const link = await stripe.paymentLinks.create({ line_items: [{ price: price.id, quantity: 1 }] });
  const amounts: (number | null)[] = [];
  for (const typed of ['3', '7,50']) {
    const { location } = await visit(made, link.url);
    t.match(await visit(made, location ?? '', `${PAYER}&customUnitAmount=0.49`), {
      status: 400,
      text: /at least 0.50 USD/,
    });
    await visit(made, location ?? '', `${PAYER}&customUnitAmount=${typed}`);
    const [newest] = (await stripe.checkout.sessions.list({ payment_link: link.id })).data;
    t.equal(newest?.status, 'complete');
    amounts.push(newest?.amount_total ?? null);
  }
  t.same(amounts, [300, 750]);
  const yen = await stripe.products.create({
    name: 'Tip',
    default_price_data: { currency: 'jpy', custom_unit_amount: { enabled: true, preset: 100 } },
    expand: ['default_price'],
  });
  const tip = yen.default_price as Stripe.Price;
  const shared = await stripe.paymentLinks.create({ line_items: [{ price: tip.id, quantity: 1 }] });
  const { location } = await visit(made, shared.url);
  await visit(made, location ?? '', `${PAYER}&customUnitAmount=250`);
  t.equal((await stripe.checkout.sessions.list({ payment_link: shared.id })).data[0]?.amount_total, 250);
});

t.test('[4.1] what does not go with an amount that is chosen is refused, and nothing is stored', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const price = await gift(made);
  const { id: product } = await stripe.products.create({ name: 'Tea' });
  const before = await made.position();
  const base = { currency: 'usd', product } as const;
  const enabled = { enabled: true };
  const session = (ask: Stripe.Checkout.SessionCreateParams) =>
    stripe.checkout.sessions.create({ mode: 'payment', success_url, ...ask });
  const line = { price: price.id, quantity: 1 };
  for (const [asked, param] of [
    [
      () => stripe.prices.create({ ...base, unit_amount: 1, custom_unit_amount: enabled }),
      'custom_unit_amount',
    ],
    [
      () => stripe.prices.create({ ...base, recurring: { interval: 'month' }, custom_unit_amount: enabled }),
      'custom_unit_amount',
    ],
    [
      () => stripe.prices.create({ ...base, custom_unit_amount: { enabled: false } }),
      'custom_unit_amount[enabled]',
    ],
    [
      () => stripe.prices.create({ ...base, custom_unit_amount: { ...enabled, minimum: 9, maximum: 5 } }),
      'custom_unit_amount[maximum]',
    ],
    [
      () => stripe.prices.create({ ...base, custom_unit_amount: { ...enabled, preset: 9, maximum: 5 } }),
      'custom_unit_amount[preset]',
    ],
    [() => session({ line_items: [line, line] }), 'line_items'],
    [() => session({ line_items: [{ ...line, quantity: 2 }] }), 'line_items'],
    [() => session({ line_items: [line], allow_promotion_codes: true }), 'line_items'],
    [() => stripe.paymentLinks.create({ line_items: [{ ...line, quantity: 2 }] }), 'line_items'],
    [async () => stripe.invoiceItems.create({ customer: 'cus_x', pricing: { price: price.id } }), 'customer'],
  ] as const)
    t.match(await asked().catch((error: unknown) => error), { statusCode: 400, param }, String(param));
  t.equal(await made.position(), before);
  const customer = await stripe.customers.create({});
  await t.rejects(stripe.invoiceItems.create({ customer: customer.id, pricing: { price: price.id } }), {
    message: /can only be used in Checkout/,
  });
});
