// What is done on the dashboard: each form does what the API's operation does, once, and shows what came of it.
import t from 'tap';
import { linksOf, look } from '../../../kit/dashboard.ts';
import { within } from '../../../kit/deadline.ts';
import { openStripeWorld, START, shop } from '../../../kit/stripe-world.ts';

const PAID = {
  amount: 2500,
  currency: 'usd',
  payment_method: 'pm_card_visa',
  confirm: true,
  return_url: 'https://shop.example.com',
} as const;

t.test('[4.9] a customer is created', async t => {
  await using made = await openStripeWorld();
  const { status, location } = await look(made, '/test/customers', {
    form: { name: 'Ada Lovelace', email: 'ada@example.com', description: '' },
  });
  t.equal(status, 303);
  const [, id = ''] = /customers\/(cus_\w+)$/.exec(location ?? '') ?? [];
  t.match(await made.stripe.customers.retrieve(id), {
    name: 'Ada Lovelace',
    email: 'ada@example.com',
    description: null,
  });
  const refused = await look(made, '/test/customers', { form: { email: 'nobody' } });
  t.match(refused, { status: 400, text: /Invalid email address: nobody/ });
});

t.test('[4.9] a payment is refunded, in part and whole, and no further', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const { id } = await stripe.paymentIntents.create(PAID);
  const page = `/test/payments/${id}`;
  t.match((await look(made, page)).html, /name="amount"[^>]*value="25.00"/);
  t.match(await look(made, page, { form: { do: 'refund', amount: '5', reason: 'duplicate' } }), {
    status: 303,
    location: id,
  });
  t.match(await stripe.refunds.list({ payment_intent: id }), {
    data: [{ amount: 500, reason: 'duplicate' }],
  });
  t.match((await look(made, page)).text, /Partly refunded/);
  const nonsense = await look(made, page, { form: { do: 'refund', amount: '5.005', reason: '' } });
  t.match(nonsense, { status: 400, text: /Invalid integer: 5\.005/ });
  const tooMuch = await look(made, page, { form: { do: 'refund', amount: '99.99', reason: '' } });
  t.match(tooMuch, { status: 400, text: /greater than unrefunded amount/ });
  await look(made, page, { form: { do: 'refund', amount: '20.00', reason: '' } });
  const after = await look(made, page);
  t.match(after.text, /Refunded/);
  t.notMatch(after.html, /value="refund"/, 'there is nothing left to give back');
  t.match(await look(made, page, { form: { do: 'refund', amount: '1' } }), {
    status: 409,
    text: /cannot be done any more/,
  });
  t.equal((await stripe.refunds.list({ payment_intent: id })).data.length, 2);
});

t.test('[4.9] a form that is sent twice is taken once', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const { id } = await stripe.paymentIntents.create(PAID);
  const onceOf = (html: string): string => /name="once" value="(\w+)"/.exec(html)?.[1] ?? '';
  const refund = { do: 'refund', amount: '1', once: onceOf((await look(made, `/test/payments/${id}`)).html) };
  for (const _time of ['first', 'second'])
    t.match(await look(made, `/test/payments/${id}`, { form: refund }), { status: 303, location: id });
  t.equal((await stripe.refunds.list({ payment_intent: id })).data.length, 1);
  const customer = { name: 'Ada', once: onceOf((await look(made, '/test/customers')).html) };
  const [first, second] = [
    await look(made, '/test/customers', { form: customer }),
    await look(made, '/test/customers', { form: customer }),
  ];
  t.equal(first.location, second.location);
  t.equal((await stripe.customers.list()).data.length, 1);
  const another = { ...customer, once: onceOf((await look(made, '/test/customers')).html) };
  t.not((await look(made, '/test/customers', { form: another })).location, first.location);
});

t.test('[4.9] an address that ends in a slash is the same page, and leads to the same', async t => {
  await using made = await openStripeWorld();
  const { id } = await made.stripe.paymentIntents.create(PAID);
  const at = `/test/payments/${id}/`;
  const { location } = await look(made, at, { form: { do: 'refund', amount: '1' } });
  t.equal(new URL(location!, `https://dashboard.stripe.com${at}`).pathname, `/test/payments/${id}`);
  const page = await look(made, '/test/payments/');
  t.ok(linksOf('/test/payments/', page).includes(`/test/payments/${id}`));
  const [, action = ''] = /class="find filters" action="([^"]*)"/.exec(page.html) ?? [];
  t.equal(new URL(action, 'https://dashboard.stripe.com/test/payments/').pathname, '/test/payments');
});

t.test('[4.9] a payment is captured, and one that waits is canceled', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const held = await stripe.paymentIntents.create({ ...PAID, capture_method: 'manual' });
  await look(made, `/payments/${held.id}`, { form: { do: 'capture' } });
  t.equal((await stripe.paymentIntents.retrieve(held.id)).status, 'succeeded');
  const waits = await stripe.paymentIntents.create({ amount: 100, currency: 'usd' });
  await look(made, `/payments/${waits.id}`, { form: { do: 'cancel' } });
  t.equal((await stripe.paymentIntents.retrieve(waits.id)).status, 'canceled');
});

t.test('[4.9] a subscription is ended at its period’s end, kept after all, and canceled', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const { customer, price } = await shop(stripe);
  const { id } = await stripe.subscriptions.create({ customer: customer.id, items: [{ price: price.id }] });
  const page = `/test/subscriptions/${id}`;
  const ends = async () => (await stripe.subscriptions.retrieve(id)).cancel_at_period_end;
  await look(made, page, { form: { do: 'end' } });
  t.equal(await ends(), true);
  await look(made, page, { form: { do: 'keep' } });
  t.equal(await ends(), false);
  await look(made, page, { form: { do: 'cancel' } });
  t.equal((await stripe.subscriptions.retrieve(id)).status, 'canceled');
  t.notMatch((await look(made, page)).html, /method="post"/);
});

t.test(
  '[4.9] an invoice is finalized, declined by its card, and marked as paid; another is voided',
  async t => {
    await using made = await openStripeWorld();
    const { stripe } = made;
    const { customer } = await shop(stripe, 'pm_card_chargeCustomerFail');
    const draft = async (): Promise<string> => {
      const { id } = await stripe.invoices.create({ customer: customer.id, auto_advance: false });
      await stripe.invoiceItems.create({ customer: customer.id, invoice: id!, amount: 700, currency: 'usd' });
      return id!;
    };
    const id = await draft();
    const page = `/test/invoices/${id}`;
    await look(made, page, { form: { do: 'finalize' } });
    t.equal((await stripe.invoices.retrieve(id)).status, 'open');
    const declined = await look(made, page, { form: { do: 'charge' } });
    t.match(declined, { status: 402, text: /declined/ });
    t.equal((await made.events('invoice.payment_failed')).length, 1, 'what a card says is kept');
    await look(made, page, { form: { do: 'paid' } });
    t.equal((await stripe.invoices.retrieve(id)).status, 'paid');
    const other = await draft();
    await look(made, `/test/invoices/${other}`, { form: { do: 'finalize' } });
    await look(made, `/test/invoices/${other}`, { form: { do: 'void' } });
    t.equal((await stripe.invoices.retrieve(other)).status, 'void');
  },
);

t.test('[4.9] an event is sent once more', async t => {
  await using made = await openStripeWorld();
  await made.stripe.webhookEndpoints.create({
    url: 'https://shop.example.com/hook',
    enabled_events: ['customer.created'],
  });
  await made.stripe.customers.create({ name: 'Ada' });
  const [event] = await made.events('customer.created');
  const arrived = () => made.sent.filter(({ body }) => body.includes(event!.id)).length;
  await within(
    'the first',
    until(() => arrived() === 1),
  );
  t.equal((await look(made, `/test/events/${event!.id}`, { form: { do: 'resend' } })).status, 303);
  await within(
    'the second',
    until(() => arrived() === 2),
  );
  const [untold] = await made.events('product.created');
  t.equal(untold, undefined);
});

/** Deliveries leave on turns of their own. */
async function until(is: () => boolean): Promise<void> {
  while (!is()) await new Promise(resolve => setImmediate(resolve));
}

t.test('[4.9] a test clock is advanced, and what fell due has happened', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const clock = await stripe.testHelpers.testClocks.create({ frozen_time: Date.parse(START) / 1000 });
  const customer = await stripe.customers.create({ name: 'Ada', test_clock: clock.id });
  const page = `/test/test-clocks/${clock.id}`;
  t.match((await look(made, page)).text, /Customers .*Ada/);
  await look(made, page, { form: { do: 'advance', until: '2026-02-20T12:00' } });
  await made.advance('1m');
  t.equal(
    (await stripe.testHelpers.testClocks.retrieve(clock.id)).frozen_time,
    Date.UTC(2026, 1, 20, 12) / 1000,
  );
  t.match(await look(made, page, { form: { do: 'advance', until: 'soon' } }), {
    status: 400,
    text: /Invalid integer: soon/,
  });
  t.ok(customer.id);
});

t.test('[4.9] an unknown deed does nothing, and an unknown object is none', async t => {
  await using made = await openStripeWorld();
  const { id } = await made.stripe.customers.create({ name: 'Ada' });
  const before = await made.position();
  t.equal((await look(made, `/test/customers/${id}`, { form: { do: 'delete' } })).status, 409);
  t.equal((await look(made, '/test/customers/cus_nobody', { form: { do: 'delete' } })).status, 404);
  t.match(await look(made, '/test/customers/cus_nobody'), { status: 404, text: /no customer cus_nobody/ });
  t.equal((await look(made, '/test/events', { form: { do: 'x' } })).status, 405);
  t.equal((await look(made, '/test', { form: { do: 'x' } })).status, 405);
  t.equal(await made.position(), before);
});
