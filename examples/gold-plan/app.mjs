// Sells a new plan, with Stripe's own SDK. It knows nothing of wrld.
import Stripe from 'stripe';

/** In cents, a month. */
const PRICE = 15000;

const stripe = new Stripe(process.env.STRIPE_API_KEY ?? 'sk_test_app');

const product = await stripe.products.create({ name: 'Gold' });
const price = await stripe.prices.create({
  product: product.id,
  currency: 'eur',
  unit_amount: PRICE,
  recurring: { interval: 'month' },
});
const customer = await stripe.customers.create({
  name: 'Grace Hopper',
  email: 'grace@example.com',
  payment_method: 'pm_card_visa',
  invoice_settings: { default_payment_method: 'pm_card_visa' },
});
const subscription = await stripe.subscriptions.create({
  customer: customer.id,
  items: [{ price: price.id }],
});

console.log(`subscription ${subscription.id} is ${subscription.status}`);
