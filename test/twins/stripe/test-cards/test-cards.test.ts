// Test cards: what each of the vendor's published cards does, through its own SDK.
import type Stripe from 'stripe';
import t from 'tap';
import { visit } from '../../../kit/stripe-page.ts';
import { openStripeWorld, type StripeWorld } from '../../../kit/stripe-world.ts';

const usd = { amount: 2000, currency: 'usd' } as const;

const typed = (number: string, more: object = {}): Stripe.PaymentMethodCreateParams => ({
  type: 'card',
  card: { number, exp_month: 12, exp_year: 2030, cvc: '314', ...more },
});

async function payWith(made: StripeWorld, number: string): Promise<Stripe.PaymentIntent> {
  const { id } = await made.stripe.paymentMethods.create(typed(number));
  return made.stripe.paymentIntents.create({
    ...usd,
    payment_method: id,
    confirm: true,
    return_url: 'https://shop.example.com/back',
  });
}

/** The error that something fails with. */
const failing = (asked: Promise<unknown>): Promise<Stripe.errors.StripeCardError> =>
  asked.then(
    () => {
      throw new Error('it did not fail');
    },
    thrown => thrown,
  );

t.test('[4.1] every documented decline, with its code, advice and outcome', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  for (const [number, name, code, decline_code, message, advice_code] of [
    ['4000000000000002', 'chargeDeclined', 'card_declined', 'generic_decline', /declined/, 'try_again_later'],
    [
      '4000000000009995',
      'chargeDeclinedInsufficientFunds',
      'card_declined',
      'insufficient_funds',
      /insufficient funds/,
      'try_again_later',
    ],
    [
      '4000000000009987',
      'chargeDeclinedLostCard',
      'card_declined',
      'lost_card',
      /declined/,
      'do_not_try_again',
    ],
    [
      '4000000000009979',
      'chargeDeclinedStolenCard',
      'card_declined',
      'stolen_card',
      /declined/,
      'do_not_try_again',
    ],
    [
      '4000000000000069',
      'chargeDeclinedExpiredCard',
      'expired_card',
      'expired_card',
      /has expired/,
      'confirm_card_data',
    ],
    [
      '4000000000000127',
      'chargeDeclinedIncorrectCvc',
      'incorrect_cvc',
      'incorrect_cvc',
      /security code is incorrect/,
      'confirm_card_data',
    ],
    [
      '4000000000000119',
      'chargeDeclinedProcessingError',
      'processing_error',
      'processing_error',
      /Try again/,
      'try_again_later',
    ],
    [
      '4000000000006975',
      'visa_chargeDeclinedVelocityLimitExceeded',
      'card_declined',
      'card_velocity_exceeded',
      /too frequently/,
      'try_again_later',
    ],
    ['4100000000000019', 'radarBlock', 'card_declined', 'fraudulent', /declined/, 'do_not_try_again'],
    ['4000000000004954', 'riskLevelHighest', 'card_declined', 'fraudulent', /declined/, 'do_not_try_again'],
  ] as const) {
    const wanted = { type: 'StripeCardError', statusCode: 402, code, decline_code, message };
    const error = await failing(payWith(made, number));
    t.match(error, wanted, number);
    t.equal((error.raw as { advice_code?: string }).advice_code, advice_code);
    const byName = { ...usd, payment_method: `pm_card_${name}`, confirm: true } as const;
    t.match(await failing(stripe.paymentIntents.create(byName)), wanted, name);
    const { outcome } = await stripe.charges.retrieve(String(error.charge));
    const param = { expired_card: 'exp_month', incorrect_cvc: 'cvc' }[code as string];
    t.equal(error.param, param, 'what of the card it is about');
    const intent = (error.raw as { payment_intent: Stripe.PaymentIntent }).payment_intent;
    t.equal(intent.last_payment_error?.param, param);
    t.match(outcome, { type: decline_code === 'fraudulent' ? 'blocked' : 'issuer_declined' });
    const { id: customer } = await stripe.customers.create();
    t.match(
      await failing(stripe.paymentMethods.attach(`pm_card_${name}`, { customer })),
      { code },
      `${name} cannot be saved`,
    );
  }
  const { id: customer } = await stripe.customers.create();
  const later = await stripe.paymentMethods.attach('pm_card_chargeCustomerFail', { customer });
  const asked = { ...usd, customer, payment_method: later.id, confirm: true, off_session: true };
  t.match(await failing(stripe.paymentIntents.create(asked)), { decline_code: 'generic_decline' });
});

t.test('[4.1] a card that was typed in wrong is refused before any bank is asked', async t => {
  await using made = await openStripeWorld();
  const create = (number: string, more: object) =>
    failing(made.stripe.paymentMethods.create(typed(number, more)));
  for (const [number, more, code, param] of [
    ['4242424242424241', {}, 'incorrect_number', 'number'],
    ['4242', {}, 'invalid_number', 'number'],
    ['4242424242424242', { exp_month: 13 }, 'invalid_expiry_month', 'exp_month'],
    ['4242424242424242', { exp_year: 1974 }, 'invalid_expiry_year', 'exp_year'],
    ['4242424242424242', { cvc: '99' }, 'invalid_cvc', 'cvc'],
    ['4111111111111111', {}, 'card_declined', 'number'],
  ] as const) {
    t.match(await create(number, more), { type: 'StripeCardError', statusCode: 402, code, param }, code);
  }
  t.match(await create('4111111111111111', {}), { decline_code: 'test_mode_live_card' });
  t.equal((await made.stripe.charges.list()).data.length, 0);
});

t.test('[4.1] checks of the code and the address, and the risk, are on the charge', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const charged = async (number: string): Promise<Stripe.Charge> => {
    const { id } = await stripe.paymentMethods.create({
      ...typed(number),
      billing_details: { address: { line1: '510 Townsend St', postal_code: '94103' } },
    });
    const { latest_charge } = await stripe.paymentIntents.create({
      ...usd,
      payment_method: id,
      confirm: true,
      expand: ['latest_charge'],
    });
    return latest_charge as Stripe.Charge;
  };
  for (const [number, cvc, zip, line1, risk] of [
    ['4242424242424242', 'pass', 'pass', 'pass', 'normal'],
    ['4000000000000101', 'fail', 'pass', 'pass', 'normal'],
    ['4000000000000036', 'pass', 'fail', 'pass', 'normal'],
    ['4000000000000028', 'pass', 'pass', 'fail', 'normal'],
    ['4000000000000010', 'pass', 'fail', 'fail', 'normal'],
    ['4000000000000044', 'pass', 'unavailable', 'unavailable', 'normal'],
    ['4000058400307872', 'fail', 'pass', 'pass', 'elevated'],
    ['4000000000009235', 'pass', 'pass', 'pass', 'elevated'],
  ] as const) {
    const { payment_method_details, outcome } = await charged(number);
    const wanted = { address_line1_check: line1, address_postal_code_check: zip, cvc_check: cvc };
    t.same(payment_method_details?.card?.checks, wanted, number);
    t.equal(outcome?.risk_level, risk);
  }
  t.equal((await charged('4000008260000000')).payment_method_details?.card?.country, 'GB');
});

t.test('[4.1] 3-D Secure: with the payer, without, once it was set up, and refused after all', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  for (const number of ['4000002760003184', '4000002500003155', '4000003800000446', '4000000000003220'])
    t.equal((await payWith(made, number)).status, 'requires_action', number);
  for (const number of ['4242424242424242', '378282246310005', '4000000000003055'])
    t.equal((await payWith(made, number)).status, 'succeeded', number);

  const { id: customer } = await stripe.customers.create();
  const without = (payment_method: string) =>
    stripe.paymentIntents.create({ ...usd, customer, payment_method, confirm: true, off_session: true });
  const kept = async (name: string) => (await stripe.paymentMethods.attach(name, { customer })).id;
  const once = await kept('pm_card_authenticationRequiredOnSetup');
  t.match(await failing(without(once)), { code: 'authentication_required' }, 'not yet set up');
  const setup = await stripe.setupIntents.create({
    customer,
    payment_method: once,
    confirm: true,
    return_url: 'https://shop.example.com/',
  });
  await visit(made, setup.next_action?.redirect_to_url?.url ?? '', 'outcome=complete');
  t.equal((await stripe.setupIntents.retrieve(setup.id)).status, 'succeeded');
  t.equal((await without(once)).status, 'succeeded', 'set up by the payer');
  t.equal(
    (await without(await kept('pm_card_authenticationRequiredSetupForOffSession'))).status,
    'succeeded',
  );
  const never = await kept('pm_card_authenticationRequired');
  t.match(await failing(without(never)), { code: 'authentication_required' });

  for (const [number, decline_code] of [
    ['4000008400001629', 'generic_decline'],
    ['4000008260003178', 'insufficient_funds'],
  ] as const) {
    const asked = await payWith(made, number);
    const page = await visit(made, asked.next_action?.redirect_to_url?.url ?? '', 'outcome=complete');
    t.match(page.location, /redirect_status=failed/);
    const { status, last_payment_error } = await stripe.paymentIntents.retrieve(asked.id);
    t.match({ status, ...last_payment_error }, { status: 'requires_payment_method', decline_code });
  }
  const manual = await stripe.paymentIntents
    .create({
      ...usd,
      payment_method: 'pm_card_authenticationRequired',
      confirm: true,
      error_on_requires_action: true,
    })
    .catch(error => error);
  t.match(manual, { type: 'StripeCardError', code: 'authentication_required' });
});

t.test('[4.1] disputes of each kind, by number', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const disputes = async (number: string): Promise<Stripe.Dispute[]> => {
    const { id } = await payWith(made, number);
    return (await stripe.disputes.list({ payment_intent: id })).data;
  };
  for (const [number, reason, status, case_type] of [
    ['4000000000000259', 'fraudulent', 'needs_response', 'chargeback'],
    ['4000000000002685', 'product_not_received', 'needs_response', 'chargeback'],
    ['4000000000001976', 'fraudulent', 'warning_needs_response', 'inquiry'],
    ['4000008400000779', 'noncompliant', 'needs_response', 'compliance'],
  ] as const) {
    const [made_] = await disputes(number);
    t.match(made_, { reason, status, amount: 2000, payment_method_details: { card: { case_type } } }, number);
  }
  t.same(
    (await disputes('4000000404000079')).map(({ amount }) => amount),
    [1000, 1000],
  );
  const [inquiry] = await disputes('4000000000001976');
  await stripe.disputes.update(inquiry!.id, {
    evidence: { uncategorized_text: 'escalate_inquiry_evidence' },
  });
  t.match(await stripe.disputes.retrieve(inquiry!.id), {
    status: 'needs_response',
    is_charge_refundable: false,
  });
  t.equal((await made.events('charge.dispute.funds_withdrawn')).length, 6);
});

t.test('[4.1] money of some cards is there at once', async t => {
  await using made = await openStripeWorld();
  for (const number of ['4000000000000077', '4000003720000278']) await payWith(made, number);
  const { available, pending } = await made.stripe.balance.retrieve();
  t.same([available[0]?.amount, pending[0]?.amount], [4000, 0]);
  t.equal((await made.events('balance.available')).length, 2);
});

t.test('[4.1] a card that declines only once it is charged is set up like another', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const { id: customer } = await stripe.customers.create();
  const method = await stripe.paymentMethods.create(typed('4000000000000341'));
  const setup = await stripe.setupIntents.create({ customer, payment_method: method.id, confirm: true });
  t.match(setup, { status: 'succeeded', last_setup_error: null });
  const price = {
    currency: 'usd',
    product: (await stripe.products.create({ name: 'Plan' })).id,
    unit_amount: 1500,
    recurring: { interval: 'month' },
  } as const;
  t.match(
    await stripe.subscriptions.create({
      customer,
      default_payment_method: method.id,
      items: [{ price_data: price }],
      expand: ['latest_invoice'],
    }),
    { status: 'incomplete', latest_invoice: { status: 'open', attempt_count: 1 } },
  );
  const declined = await stripe.paymentMethods.create(typed('4000000000000002'));
  await t.rejects(stripe.setupIntents.create({ payment_method: declined.id, confirm: true }), {
    code: 'card_declined',
  });
});
