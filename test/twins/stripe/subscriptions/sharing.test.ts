// Subscriptions whose payments are shared with a connected account, by the vendor's own SDK.
import type Stripe from 'stripe';
import t from 'tap';
import { visit } from '../../../kit/stripe-page.ts';
import { openStripeWorld, type StripeWorld } from '../../../kit/stripe-world.ts';

const begin = async ({ stripe }: StripeWorld) => {
  const account = await stripe.accounts.create({ type: 'express', country: 'US' });
  const customer = await stripe.customers.create({
    payment_method: 'pm_card_visa',
    invoice_settings: { default_payment_method: 'pm_card_visa' },
  });
  const price = await stripe.prices.create({
    currency: 'usd',
    unit_amount: 2000,
    recurring: { interval: 'month' },
    product_data: { name: 'Tea' },
  });
  return { account: account.id, customer: customer.id, price: price.id };
};
const charges = async ({ stripe }: StripeWorld, customer: string): Promise<Stripe.Charge[]> =>
  (await stripe.charges.list({ customer })).data;

t.test('[4.9 clock] each payment of a subscription is transferred, less the platform’s fee', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const { account, customer, price } = await begin(made);
  const subscription = await stripe.subscriptions.create({
    customer,
    items: [{ price }],
    application_fee_percent: 12.5,
    transfer_data: { destination: account },
    on_behalf_of: account,
  });
  t.match(subscription, {
    application_fee_percent: 12.5,
    transfer_data: { destination: account, amount_percent: null },
    on_behalf_of: account,
  });
  const [first] = await charges(made, customer);
  t.match(first, {
    application_fee_amount: 250,
    transfer_data: { destination: account },
    on_behalf_of: account,
  });
  t.match(await stripe.transfers.retrieve(String(first!.transfer)), { amount: 2000, destination: account });
  t.equal((await made.events('application_fee.created')).length, 1);
  const half = { charge: first!.id, amount: 1000, refund_application_fee: true, reverse_transfer: true };
  await stripe.refunds.create(half);
  const fee = await stripe.applicationFees.retrieve(String(first!.application_fee));
  t.match(fee, { amount: 250, amount_refunded: 125, refunded: false });
  await stripe.transfers.createReversal(String(first!.transfer), {
    amount: 500,
    refund_application_fee: true,
  });
  t.match(await stripe.applicationFees.retrieve(fee.id), { amount_refunded: 187 });
  t.equal((await made.events('application_fee.refunded')).length, 2);
  t.equal((await stripe.invoices.retrieve(String(subscription.latest_invoice))).on_behalf_of, account);
  const changed = await stripe.subscriptions.update(subscription.id, {
    application_fee_percent: '',
    transfer_data: { destination: account, amount_percent: 40 },
  });
  t.match(changed, { application_fee_percent: null, transfer_data: { amount_percent: 40 } });
  await made.advance('32d');
  const [renewal] = await charges(made, customer);
  t.not(renewal!.id, first!.id);
  t.equal(renewal!.application_fee_amount, null);
  t.match(await stripe.transfers.retrieve(String(renewal!.transfer)), { amount: 800, destination: account });
});

t.test('[4.1] checkout’s subscription takes them too, and what does not go together is refused', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const { account, customer, price } = await begin(made);
  const session = await stripe.checkout.sessions.create({
    mode: 'subscription',
    success_url: 'https://shop.example.com/done',
    line_items: [{ price, quantity: 1 }],
    subscription_data: { application_fee_percent: 10, transfer_data: { destination: account } },
  });
  await visit(made, session.url ?? '', 'email=ada@example.com&billingName=Ada&cardNumber=4242424242424242');
  const done = await stripe.checkout.sessions.retrieve(session.id);
  const [charge] = await charges(made, String(done.customer));
  t.match(charge, { application_fee_amount: 200, transfer_data: { destination: account } });
  const before = await made.position();
  const base = { customer, items: [{ price }] };
  for (const [ask, param] of [
    [{ application_fee_percent: 5 }, 'application_fee_percent'],
    [{ application_fee_percent: 101, transfer_data: { destination: account } }, 'application_fee_percent'],
    [
      { application_fee_percent: 5, transfer_data: { destination: account, amount_percent: 5 } },
      'application_fee_percent',
    ],
    [{ transfer_data: { destination: 'acct_x' } }, 'transfer_data[destination]'],
    [{ on_behalf_of: 'acct_x' }, 'on_behalf_of'],
  ] as const) {
    const refused = await stripe.subscriptions.create({ ...base, ...ask }).catch((error: unknown) => error);
    t.match(refused, { statusCode: 400, param }, param);
  }
  t.equal(await made.position(), before);
});
