// Cards, intents and charges.
import type Stripe from 'stripe';
import t from 'tap';
import { openStripeWorld } from '../../../kit/stripe-world.ts';

const usd = { amount: 2000, currency: 'usd' } as const;

t.test('[4.1] create, confirm, and the charge it makes', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const intent = await stripe.paymentIntents.create({ ...usd, metadata: { order: '7' } });
  t.match(intent, {
    status: 'requires_payment_method',
    amount_received: 0,
    automatic_payment_methods: { enabled: true },
  });
  t.match(intent.client_secret, new RegExp(`^${intent.id}_secret_[0-9A-Za-z]{25}$`));
  await t.rejects(stripe.paymentIntents.confirm(intent.id), { code: 'payment_intent_unexpected_state' });
  const paid = await stripe.paymentIntents.confirm(intent.id, {
    payment_method: 'pm_card_visa',
    return_url: 'https://shop.example.com/',
    expand: ['latest_charge'],
  });
  t.match(paid, { status: 'succeeded', amount_received: 2000 });
  const charge = paid.latest_charge as Stripe.Charge;
  t.match(charge, {
    status: 'succeeded',
    paid: true,
    captured: true,
    payment_intent: intent.id,
    metadata: { order: '7' },
  });
  t.match(charge.payment_method_details?.card, { brand: 'visa', last4: '4242' });
  t.same(
    (await stripe.charges.list({ payment_intent: intent.id })).data.map(({ id }) => id),
    [charge.id],
  );
  t.equal((await stripe.charges.retrieve(charge.id)).amount, 2000);
  await t.rejects(stripe.paymentIntents.confirm(intent.id), { message: /already succeeded/ });
  await t.rejects(stripe.paymentIntents.cancel(intent.id), { code: 'payment_intent_unexpected_state' });
});

t.test('[4.1] cards that decline: 402, what was tried stays, and another card may follow', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  for (const [card, code, decline] of [
    ['pm_card_chargeDeclined', 'card_declined', 'generic_decline'],
    ['pm_card_chargeDeclinedInsufficientFunds', 'card_declined', 'insufficient_funds'],
    ['pm_card_chargeDeclinedExpiredCard', 'expired_card', 'expired_card'],
    ['pm_card_chargeDeclinedIncorrectCvc', 'incorrect_cvc', 'incorrect_cvc'],
    ['pm_card_chargeDeclinedProcessingError', 'processing_error', 'processing_error'],
  ] as const) {
    const error = (await stripe.paymentIntents
      .create({ ...usd, payment_method: card, confirm: true })
      .catch((thrown: unknown) => thrown)) as Stripe.errors.StripeCardError;
    t.match(error, { type: 'StripeCardError', statusCode: 402, code, decline_code: decline }, card);
    const held = await stripe.paymentIntents.retrieve(error.payment_intent!.id, {
      expand: ['latest_charge'],
    });
    t.match(held, { status: 'requires_payment_method', last_payment_error: { code }, payment_method: null });
    t.match(held.latest_charge, { status: 'failed', failure_code: code, id: error.charge });
  }
  const [failed] = (await stripe.paymentIntents.list({ limit: 1 })).data;
  const paid = await stripe.paymentIntents.confirm(failed!.id, { payment_method: 'pm_card_mastercard' });
  t.match(paid, { status: 'succeeded', last_payment_error: null });
  t.equal((await made.events('payment_intent.payment_failed')).length, 5);
});

t.test('[4.1] a declined request is replayed by its idempotency key, and declined once', async t => {
  await using made = await openStripeWorld();
  const ask = (): Promise<unknown> =>
    made.stripe.paymentIntents.create(
      { ...usd, payment_method: 'pm_card_chargeDeclined', confirm: true },
      { idempotencyKey: 'pay' },
    );
  await t.rejects(ask(), { code: 'card_declined' });
  const before = await made.position();
  await t.rejects(ask(), { code: 'card_declined' });
  t.equal(await made.position(), before);
  t.equal((await made.stripe.charges.list()).data.length, 1);
});

t.test('[4.1] authentication: asked for on session, declined off session', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const card = { ...usd, payment_method: 'pm_card_authenticationRequired', confirm: true };
  const asked = await stripe.paymentIntents.create({ ...card, return_url: 'https://shop.example.com/back' });
  t.match(asked, {
    status: 'requires_action',
    next_action: {
      type: 'redirect_to_url',
      redirect_to_url: { return_url: 'https://shop.example.com/back' },
    },
  });
  t.match(
    asked.next_action?.redirect_to_url?.url,
    /^https:\/\/hooks\.stripe\.com\//,
    'at the vendor’s own host',
  );
  t.match(await stripe.paymentIntents.create(card), { next_action: { type: 'use_stripe_sdk' } });
  await t.rejects(stripe.paymentIntents.create({ ...card, off_session: true }), {
    code: 'authentication_required',
  });
});

t.test('[4.1] capture by hand, in part, and cancel', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const hold = (): Promise<Stripe.PaymentIntent> =>
    stripe.paymentIntents.create({
      ...usd,
      capture_method: 'manual',
      payment_method: 'pm_card_visa',
      confirm: true,
    });
  const held = await hold();
  t.match(held, { status: 'requires_capture', amount_capturable: 2000, amount_received: 0 });
  await t.rejects(stripe.paymentIntents.capture(held.id, { amount_to_capture: 2001 }), {
    code: 'amount_too_large',
  });
  await t.rejects(stripe.paymentIntents.capture(held.id, { amount_to_capture: 500, final_capture: false }), {
    code: 'wrld_unmodelled_parameter',
    param: 'final_capture',
  });
  const taken = await stripe.paymentIntents.capture(held.id, {
    amount_to_capture: 1500,
    final_capture: true,
  });
  t.match(taken, { status: 'succeeded', amount_received: 1500, amount_capturable: 0 });
  t.match(await stripe.charges.retrieve(taken.latest_charge as string), {
    captured: true,
    amount_captured: 1500,
  });
  await t.rejects(stripe.paymentIntents.capture(held.id), { code: 'payment_intent_unexpected_state' });
  const dropped = await stripe.paymentIntents.cancel((await hold()).id, { cancellation_reason: 'abandoned' });
  t.match(dropped, { status: 'canceled', cancellation_reason: 'abandoned' });
});

t.test('[4.1] what Stripe does not take', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  await t.rejects(stripe.paymentIntents.create({ amount: 10, currency: 'usd' }), {
    code: 'amount_too_small',
    message: 'Amount must be at least $0.50 usd',
  });
  await t.rejects(stripe.paymentIntents.create({ amount: 0, currency: 'usd' }), {
    code: 'parameter_invalid_integer',
  });
  await t.rejects(stripe.paymentIntents.create({ amount: 100, currency: 'zzz' }), {
    message: 'Invalid currency: zzz',
  });
  await t.rejects(stripe.paymentIntents.create({ ...usd, confirm: true }), {
    message: /missing a payment method/,
  });
  await t.rejects(stripe.paymentIntents.create({ ...usd, payment_method: 'pm_x' }), {
    message: "No such PaymentMethod: 'pm_x'",
  });
});

t.test(
  '[4.1] payment methods: from tokens and test numbers, attached, listed, changed, detached',
  async t => {
    await using made = await openStripeWorld();
    const { stripe } = made;
    const ada = await stripe.customers.create({ name: 'Ada' });
    const bob = await stripe.customers.create({ name: 'Bob' });
    const token = await stripe.paymentMethods.create({ type: 'card', card: { token: 'tok_mastercard' } });
    t.match(token, { customer: null, card: { brand: 'mastercard', last4: '4444' }, type: 'card' });
    const number = await stripe.paymentMethods.create({
      type: 'card',
      card: { number: '4242 4242 4242 4242', exp_month: 3, exp_year: 2031, cvc: '123' },
      billing_details: { address: { city: 'Paris' } },
    });
    t.match(number, {
      card: { last4: '4242', exp_month: 3, exp_year: 2031 },
      billing_details: { address: { city: 'Paris', line1: null } },
    });
    await t.rejects(
      stripe.paymentMethods.create({
        type: 'card',
        card: { number: '4929000000006', exp_month: 1, exp_year: 2030 },
      }),
      { code: 'card_declined', decline_code: 'test_mode_live_card' },
    );
    await stripe.paymentMethods.attach(token.id, { customer: ada.id });
    const named = await stripe.paymentMethods.attach('pm_card_visa', { customer: ada.id });
    t.match(named.id, /^pm_[0-9A-Za-z]{24}$/, 'a test card’s name makes a method of its own');
    await t.rejects(stripe.paymentMethods.attach(token.id, { customer: bob.id }), {
      code: 'payment_method_unexpected_state',
    });
    await t.rejects(stripe.paymentMethods.attach('pm_card_chargeDeclined', { customer: ada.id }), {
      code: 'card_declined',
    });
    await t.rejects(stripe.paymentIntents.create({ ...usd, customer: bob.id, payment_method: token.id }), {
      message: /attached to a different customer/,
    });
    const ids = [named.id, token.id].sort();
    t.same((await stripe.paymentMethods.list({ customer: ada.id })).data.map(({ id }) => id).sort(), ids);
    t.same(
      (await stripe.customers.listPaymentMethods(ada.id, { type: 'card' })).data.map(({ id }) => id).sort(),
      ids,
    );
    t.equal((await stripe.customers.retrievePaymentMethod(ada.id, named.id)).id, named.id);
    await t.rejects(stripe.customers.retrievePaymentMethod(bob.id, named.id), { code: 'resource_missing' });
    await stripe.customers.update(ada.id, { invoice_settings: { default_payment_method: named.id } });
    t.match(await stripe.paymentMethods.update(named.id, { card: { exp_year: 2040 } }), {
      card: { exp_year: 2040, last4: '4242' },
    });
    t.equal((await stripe.paymentMethods.detach(named.id)).customer, null);
    t.match(await stripe.customers.retrieve(ada.id), { invoice_settings: { default_payment_method: null } });
  },
);

t.test('[4.1] a card number is kept nowhere', async t => {
  await using made = await openStripeWorld();
  await made.stripe.paymentMethods.create(
    { type: 'card', card: { number: '4242424242424242', exp_month: 3, exp_year: 2031 } },
    { idempotencyKey: 'card' },
  );
  const text = JSON.stringify((await made.world.log('stripe', 0))!.entries);
  t.notMatch(text, /4242424242424242/);
});

t.test('[4.1] what is not captured in a week is let go', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const hold = { ...usd, capture_method: 'manual', payment_method: 'pm_card_visa', confirm: true } as const;
  const late = await stripe.paymentIntents.create(hold);
  const taken = await stripe.paymentIntents.create(hold);
  const charge = await stripe.charges.create({ ...usd, source: 'tok_visa', capture: false });
  await stripe.paymentIntents.capture(taken.id);
  await made.advance('6d');
  t.equal((await stripe.paymentIntents.retrieve(late.id)).status, 'requires_capture');
  await made.advance('2d');
  t.match(await stripe.paymentIntents.retrieve(late.id), {
    status: 'canceled',
    cancellation_reason: 'expired',
    amount_capturable: 0,
  });
  t.equal((await stripe.paymentIntents.retrieve(taken.id)).status, 'succeeded');
  t.match(await stripe.charges.retrieve(charge.id), { captured: false, refunded: true });
  await t.rejects(stripe.charges.capture(charge.id), { code: 'charge_expired_for_capture' });
  t.equal((await made.events('charge.expired')).length, 2);
});

t.test('[4.1] a SEPA debit is of an account, named by its IBAN', async t => {
  await using made = await openStripeWorld();
  const form = 'type=sepa_debit&billing_details[name]=Ada&billing_details[email]=ada@example.com';
  const none = await made.ask('POST', '/v1/payment_methods', { form });
  t.equal(none.status, 400);
  t.match(none.body.error, { code: 'parameter_missing', param: 'sepa_debit[iban]' });
  const inside = `amount=500&currency=eur&payment_method_types[]=sepa_debit&confirm=true&payment_method_data[type]=sepa_debit`;
  const nested = await made.ask('POST', '/v1/payment_intents', { form: inside });
  t.equal(nested.body.error.param, 'payment_method_data[sepa_debit][iban]');
  const iban = `${form}&sepa_debit[iban]=AT61 1904 3002 3457 3201`;
  const { sepa_debit: shown } = (await made.ask('POST', '/v1/payment_methods', { form: iban })).body;
  t.match(shown, { country: 'AT', bank_code: '19043002', last4: '3201' });
});
