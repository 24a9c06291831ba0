// `payment_settings` by the vendor's own SDK: of a subscription, and of the invoices that it makes.
import t from 'tap';
import { openStripeWorld } from '../../../kit/stripe-world.ts';

const NONE = {
  acss_debit: null,
  bancontact: null,
  card: null,
  customer_balance: null,
  konbini: null,
  payto: null,
  pix: null,
  sepa_debit: null,
  upi: null,
  us_bank_account: null,
};

t.test('what a subscription says is its invoices’ too, and may be changed', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const customer = await stripe.customers.create({
    payment_method: 'pm_card_visa',
    invoice_settings: { default_payment_method: 'pm_card_visa' },
  });
  const price = await stripe.prices.create({
    currency: 'usd',
    unit_amount: 1500,
    recurring: { interval: 'month' },
    product_data: { name: 'Plan' },
  });
  const plain = await stripe.subscriptions.create({ customer: customer.id, items: [{ price: price.id }] });
  t.same(plain.payment_settings, {
    payment_method_options: null,
    payment_method_types: null,
    save_default_payment_method: 'off',
  });
  const asked = await stripe.subscriptions.create({
    customer: customer.id,
    items: [{ price: price.id }],
    expand: ['latest_invoice'],
    payment_settings: {
      payment_method_types: ['card', 'us_bank_account'],
      payment_method_options: {
        card: { request_three_d_secure: 'any', mandate_options: { amount: 9_000, amount_type: 'maximum' } },
        us_bank_account: { verification_method: 'instant' },
      },
    },
  });
  const card = {
    mandate_options: { amount: 9_000, amount_type: 'maximum', description: null },
    network: null,
    request_three_d_secure: 'any',
  };
  const account = { verification_method: 'instant' };
  t.same(asked.payment_settings, {
    payment_method_options: { ...NONE, card, us_bank_account: account },
    payment_method_types: ['card', 'us_bank_account'],
    save_default_payment_method: 'off',
  });
  const { latest_invoice: first } = asked;
  if (first === null || typeof first === 'string') throw new Error('it was to be expanded');
  t.same(first.payment_settings, {
    default_mandate: null,
    payment_method_options: { ...NONE, card: { request_three_d_secure: 'any' }, us_bank_account: account },
    payment_method_types: ['card', 'us_bank_account'],
  });
  const changed = await stripe.subscriptions.update(asked.id, {
    payment_settings: {
      payment_method_types: '',
      payment_method_options: { us_bank_account: '', card: { network: 'visa' } },
      save_default_payment_method: 'on_subscription',
    },
  });
  t.same(changed.payment_settings, {
    payment_method_options: { ...NONE, card: { network: 'visa', request_three_d_secure: null } },
    payment_method_types: null,
    save_default_payment_method: 'on_subscription',
  });
  const wrong = { card: { request_three_d_secure: 'never' as 'any' } };
  const refused = await stripe.subscriptions
    .update(asked.id, { payment_settings: { payment_method_options: wrong } })
    .catch(error => error);
  t.match(refused, {
    statusCode: 400,
    param: 'payment_settings[payment_method_options][card][request_three_d_secure]',
  });
});

t.test('what only a subscription has is none of its invoices’', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const customer = await stripe.customers.create({
    payment_method: 'pm_card_visa',
    invoice_settings: { default_payment_method: 'pm_card_visa' },
  });
  const product = await stripe.products.create({ name: 'Plan' });
  const { latest_invoice: first } = await stripe.subscriptions.create({
    customer: customer.id,
    items: [
      {
        price_data: {
          currency: 'brl',
          product: product.id,
          unit_amount: 900,
          recurring: { interval: 'month' },
        },
      },
    ],
    expand: ['latest_invoice'],
    payment_settings: {
      payment_method_options: {
        blik: { mandate_options: { expires_at: 1_900_000_000 } },
        payto: { mandate_options: { amount: 900, purpose: 'retail' } },
        pix: { expires_after_seconds: 600, mandate_options: { amount: 900, amount_includes_iof: 'always' } },
      },
    },
  });
  if (first === null || typeof first === 'string') throw new Error('it was to be expanded');
  t.same(first.payment_settings.payment_method_options, {
    ...NONE,
    blik: {},
    payto: { mandate_options: { amount: 900, amount_type: null, purpose: 'retail' } },
    pix: { amount_includes_iof: 'always', expires_after_seconds: 600 },
  });
});

t.test('an invoice has its own', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const customer = await stripe.customers.create();
  const invoice = await stripe.invoices.create({
    customer: customer.id,
    payment_settings: { payment_method_options: { card: { request_three_d_secure: 'challenge' } } },
  });
  const options = { ...NONE, card: { request_three_d_secure: 'challenge' } };
  t.same(invoice.payment_settings, {
    default_mandate: null,
    payment_method_options: options,
    payment_method_types: null,
  });
  const changed = await stripe.invoices.update(invoice.id, {
    payment_settings: { payment_method_types: ['card'] },
  });
  t.same(changed.payment_settings, {
    default_mandate: null,
    payment_method_options: options,
    payment_method_types: ['card'],
  });
});
