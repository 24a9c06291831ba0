// A small shop: sells one plan through Stripe, and keeps its books by Stripe's webhooks. An ordinary app: it
// uses the `stripe` package as Stripe documents it and knows nothing of wrld.
//
//   PORT             where it listens; any free port when absent
//   STRIPE_API_KEY   a Stripe secret key
import { createServer } from 'node:http';
import Stripe from 'stripe';

const stripe = new Stripe(process.env.STRIPE_API_KEY ?? 'sk_test_shop');

/** What the shop knows of its customers, from webhooks alone. */
const books = [];
let webhookSecret = '';
let plan;

const server = createServer((request, response) => {
  handle(request).then(
    ({ status = 200, body }) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body));
    },
    error => {
      response.writeHead(500, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: error.message }));
    },
  );
});

async function handle(request) {
  const body = await text(request);
  switch (`${request.method} ${request.url}`) {
    case 'POST /signup':
      return { status: 201, body: await signUp(JSON.parse(body)) };
    case 'GET /customers':
      return { body: await customers() };
    case 'GET /books':
      return { body: books };
    case 'POST /webhooks':
      return webhook(body, request.headers['stripe-signature']);
    default:
      return { status: 404, body: { error: 'not found' } };
  }
}

async function signUp({ name, email }) {
  const customer = await stripe.customers.create({ name, email });
  console.log(`customer     ${customer.id}  ${customer.email}`);
  const card = await stripe.paymentMethods.attach('pm_card_visa', { customer: customer.id });
  await stripe.customers.update(customer.id, { invoice_settings: { default_payment_method: card.id } });
  const subscription = await stripe.subscriptions.create({
    customer: customer.id,
    items: [{ price: plan.id }],
  });
  console.log(`subscription ${subscription.id}  ${subscription.status}`);
  return { customer: customer.id, subscription: subscription.id, status: subscription.status };
}

async function customers() {
  const found = [];
  for await (const { id, email, name } of stripe.customers.list({ limit: 100 }))
    found.push({ id, email, name });
  return found;
}

/** Nothing is believed that Stripe has not signed. */
function webhook(body, signature) {
  let event;
  try {
    event = stripe.webhooks.constructEvent(body, signature, webhookSecret);
  } catch (error) {
    console.log(`webhook      refused: ${error.message}`);
    return { status: 400, body: { error: error.message } };
  }
  const invoice = event.data.object;
  books.push({ event: event.id, type: event.type, invoice: invoice.id, reason: invoice.billing_reason });
  console.log(`webhook      ${event.type} ${money(invoice)} ${invoice.billing_reason}, verified`);
  return { body: { received: true } };
}

function money({ amount_paid: amount, currency }) {
  return new Intl.NumberFormat('en', { style: 'currency', currency }).format(amount / 100);
}

async function text(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

server.listen(Number(process.env.PORT ?? 0), '127.0.0.1', async () => {
  const { port } = server.address();
  const product = await stripe.products.create({ name: 'Shop Plus' });
  plan = await stripe.prices.create({
    product: product.id,
    unit_amount: 1900,
    currency: 'usd',
    recurring: { interval: 'month' },
  });
  console.log(`product      ${product.id}  ${product.name}`);
  console.log(`price        ${plan.id}  $19.00 a month`);
  const endpoint = await stripe.webhookEndpoints.create({
    url: `http://127.0.0.1:${port}/webhooks`,
    enabled_events: ['invoice.paid', 'invoice.payment_failed'],
  });
  webhookSecret = endpoint.secret;
  console.log(`listening    http://127.0.0.1:${port}`);
});

process.on('SIGTERM', () => server.close(() => process.exit(0)));
