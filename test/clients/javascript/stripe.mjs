// A shop's month, by the vendor's own library as its documentation shows it.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import Stripe from 'stripe';
import { moveClock, tell } from './world.mjs';

const stripe = new Stripe('sk_test_story');
const { promise: posted, resolve: post } = Promise.withResolvers();
const server = createServer(async (request, response) => {
  const body = await text(request);
  response.end();
  post({ body, signature: request.headers['stripe-signature'] });
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');

const customer = await stripe.customers.create({ email: 'ada@example.com', name: 'Ada' });
const card = await stripe.paymentMethods.attach('pm_card_visa', { customer: customer.id });
await stripe.customers.update(customer.id, { phone: '+4712345678' });
const { phone } = await stripe.customers.retrieve(customer.id);
await stripe.customers.update(customer.id, { invoice_settings: { default_payment_method: card.id } });
const product = await stripe.products.create({ name: 'Plan' });
const price = await stripe.prices.create({
  product: product.id,
  currency: 'usd',
  unit_amount: 1500,
  recurring: { interval: 'month' },
});
const subscription = await stripe.subscriptions.create({
  customer: customer.id,
  items: [{ price: price.id }],
});
const endpoint = await stripe.webhookEndpoints.create({
  url: `http://127.0.0.1:${server.address().port}/hook`,
  enabled_events: ['invoice.paid'],
  api_version: Stripe.API_VERSION,
});

await moveClock('32d');
const { body, signature } = await posted;
server.close();
const event = stripe.webhooks.constructEvent(body, signature, endpoint.secret);
let forged = 'believed';
try {
  stripe.webhooks.constructEvent(body, signature, 'whsec_of_somebody_else');
} catch (error) {
  if (error instanceof Stripe.errors.StripeSignatureVerificationError) forged = 'refused';
}
const renewal = (await stripe.invoices.list({ subscription: subscription.id, limit: 1 })).data[0];

const idempotencyKey = 'story-once';
const first = await stripe.products.create({ name: 'Once' }, { idempotencyKey });
const again = await stripe.products.create({ name: 'Once' }, { idempotencyKey });
const conflict = await failed(stripe.products.create({ name: 'Other' }, { idempotencyKey }));

for (let number = 0; number < 25; number++)
  await stripe.customers.create({ email: `${number}@pages.example.com` });
const paged = new Set();
for await (const { email } of stripe.customers.list({ limit: 10 })) paged.add(email);

const declined = await failed(
  stripe.paymentIntents.create({
    amount: 2000,
    currency: 'usd',
    payment_method: 'pm_card_visa_chargeDeclined',
    allowed_payment_method_types: ['card'],
    confirm: true,
  }),
);
const missing = await failed(stripe.customers.retrieve('cus_nobody'));

const expanded = await stripe.subscriptions.retrieve(subscription.id, {
  expand: ['customer', 'latest_invoice', 'items.data.price.product'],
});
tell({
  customer: customer.id,
  phone,
  subscription: subscription.id,
  renewal: {
    id: renewal.id,
    status: renewal.status,
    reason: renewal.billing_reason,
    paid: renewal.amount_paid,
  },
  webhook: { id: event.id, type: event.type, invoice: event.data.object.id, forged },
  product: first.id,
  replayed: first.id === again.id,
  conflict: conflict.rawType,
  paged: paged.size,
  declined: { status: declined.statusCode, code: declined.code, declineCode: declined.decline_code },
  missing: { status: missing.statusCode, code: missing.code, param: missing.param },
  expanded: {
    email: expanded.customer.email,
    invoice: expanded.latest_invoice.id,
    product: expanded.items.data[0].price.product.name,
  },
});

async function failed(asked) {
  return await asked.then(
    () => ({}),
    error => error,
  );
}
