// The payments side: charges, refunds, disputes, banks that answer later, setups, and what is saved to customers.
import type Stripe from 'stripe';
import t from 'tap';
import { visit } from '../../../kit/stripe-page.ts';
import { faultsOf } from '../../../kit/stripe-schema.ts';
import { openStripeWorld, type StripeWorld } from '../../../kit/stripe-world.ts';

const usd = { amount: 2000, currency: 'usd' } as const;
const pay = (made: StripeWorld, payment_method: string): Promise<Stripe.PaymentIntent> =>
  made.stripe.paymentIntents.create({
    ...usd,
    payment_method,
    confirm: true,
    return_url: 'https://shop.example.com/back',
  });

t.test('[4.1] charges with a token: taken, held and captured in part, declined', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const taken = await stripe.charges.create({ ...usd, source: 'tok_visa', expand: ['balance_transaction'] });
  t.match(taken, { status: 'succeeded', captured: true, source: { object: 'card', brand: 'Visa' } });
  t.match(taken.balance_transaction, { amount: 2000, fee: 88, net: 1912, status: 'pending', type: 'charge' });
  const held = await stripe.charges.create({ ...usd, source: 'tok_visa', capture: false });
  t.match(held, { captured: false, balance_transaction: null });
  t.match(await stripe.charges.capture(held.id, { amount: 1500 }), {
    captured: true,
    amount_captured: 1500,
    amount_refunded: 500,
  });
  await t.rejects(stripe.charges.capture(held.id), { code: 'charge_already_captured' });
  await t.rejects(stripe.charges.create({ ...usd, source: 'tok_chargeDeclined' }), { code: 'card_declined' });
  t.equal((await made.events('charge.failed')).length, 1);
  const found = await stripe.charges.search({ query: 'amount:2000 AND status:"failed"' });
  t.equal(found.data.length, 1);
  const token = await stripe.tokens.create({
    card: { number: '4242424242424242', exp_month: '12', exp_year: '2030' },
  });
  await stripe.charges.create({ ...usd, source: token.id });
  await t.rejects(stripe.charges.create({ ...usd, source: token.id }), { code: 'token_already_used' });
});

t.test('[4.1] refunds: in part, the rest, too much, waiting and failing', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const paid = await pay(made, 'pm_card_visa');
  t.match(await stripe.refunds.create({ payment_intent: paid.id, amount: 500 }), {
    amount: 500,
    status: 'succeeded',
  });
  await t.rejects(stripe.refunds.create({ payment_intent: paid.id, amount: 1501 }), {
    message: /greater than/,
  });
  await stripe.refunds.create({ payment_intent: paid.id });
  await t.rejects(stripe.refunds.create({ payment_intent: paid.id }), { code: 'charge_already_refunded' });
  const charge = await stripe.charges.retrieve(String(paid.latest_charge), { expand: ['refunds'] });
  t.match(charge, { refunded: true, amount_refunded: 2000 });
  t.same(
    charge.refunds?.data.map(({ amount }) => amount),
    [1500, 500],
  );
  const waits = await stripe.refunds.create({
    payment_intent: (await pay(made, 'pm_card_pendingRefund')).id,
  });
  t.equal(waits.status, 'pending');
  const fails = await stripe.refunds.create({ payment_intent: (await pay(made, 'pm_card_refundFail')).id });
  t.equal(fails.status, 'succeeded');
  await made.advance('1m');
  t.equal((await stripe.refunds.retrieve(waits.id)).status, 'succeeded');
  t.match(await stripe.refunds.retrieve(fails.id), {
    status: 'failed',
    failure_reason: 'expired_or_canceled_card',
  });
  t.equal((await made.events('refund.failed')).length, 1);
  const again = await stripe.refunds.create({
    payment_intent: (await pay(made, 'pm_card_pendingRefund')).id,
  });
  t.equal((await stripe.refunds.cancel(again.id)).status, 'canceled');
});

t.test('[4.1] disputes are won by evidence, lost without, and move the money', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const disputed = async (card = 'pm_card_createDispute'): Promise<Stripe.Dispute> => {
    const { id } = await pay(made, card);
    const [dispute] = (await stripe.disputes.list({ payment_intent: id })).data;
    return dispute!;
  };
  const first = await disputed();
  t.match(first, { status: 'needs_response', reason: 'fraudulent', amount: 2000 });
  t.match(first.balance_transactions[0], { amount: -2000, fee: 1500, net: -3500 });
  await t.rejects(stripe.refunds.create({ charge: String(first.charge) }), { code: 'charge_disputed' });
  const sent = await stripe.disputes.update(first.id, {
    evidence: { uncategorized_text: 'winning_evidence' },
  });
  t.equal(sent.status, 'under_review');
  t.equal((await stripe.disputes.retrieve(first.id)).status, 'won');
  t.equal((await made.events('charge.dispute.funds_reinstated')).length, 1);
  const second = await disputed();
  await stripe.disputes.update(second.id, { evidence: { uncategorized_text: 'losing_evidence' } });
  t.equal((await stripe.disputes.retrieve(second.id)).status, 'lost');
  const third = await disputed();
  t.equal((await stripe.disputes.close(third.id)).status, 'lost');
  const fourth = await disputed('pm_card_createDisputeInquiry');
  t.equal(fourth.status, 'warning_needs_response');
  t.equal(fourth.balance_transactions.length, 0);
  await made.advance('10d');
  t.equal((await stripe.disputes.retrieve(fourth.id)).status, 'warning_closed', 'nobody answered in time');
  await pay(made, 'pm_card_createIssuerFraudRecord');
  const [warning, ...others] = (await stripe.radar.earlyFraudWarnings.list()).data;
  t.match({ warning, others }, { warning: { actionable: true }, others: [] });
  await stripe.refunds.create({ charge: String(warning!.charge) });
  t.equal((await stripe.radar.earlyFraudWarnings.retrieve(warning!.id)).actionable, false);
  await pay(made, 'pm_card_riskLevelElevated');
  const [review] = (await stripe.reviews.list()).data;
  t.match(await stripe.reviews.approve(review!.id), { open: false, closed_reason: 'approved' });
});

t.test('[4.1] a bank answers later: processing, then paid or failed', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const asked = (account_number: string): Promise<Stripe.PaymentIntent> =>
    stripe.paymentIntents.create({
      ...usd,
      confirm: true,
      mandate_data: { customer_acceptance: { type: 'offline', offline: {} } },
      allowed_payment_method_types: ['us_bank_account'],
      payment_method_data: {
        type: 'us_bank_account',
        billing_details: { name: 'Ada' },
        us_bank_account: { account_holder_type: 'individual', account_number, routing_number: '110000000' },
      },
    });
  const good = await asked('000123456789');
  t.equal(good.status, 'processing');
  const bad = await asked('000222222227');
  t.match(await stripe.paymentIntents.retrieve(good.id), { status: 'succeeded', amount_received: 2000 });
  t.match(await stripe.paymentIntents.retrieve(bad.id), {
    status: 'requires_payment_method',
    last_payment_error: { code: 'payment_intent_payment_attempt_failed' },
  });
  const never = await asked('000000000009');
  t.equal((await stripe.paymentIntents.retrieve(never.id)).status, 'processing');
  t.equal((await made.events('payment_intent.processing')).length, 3);
});

t.test('[4.1] 3-D Secure: the page completes or fails a payment and sends the payer back', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const asked = await pay(made, 'pm_card_authenticationRequired');
  const url = asked.next_action?.redirect_to_url?.url ?? '';
  t.match(await visit(made, url), { status: 200, text: /Complete authentication/ });
  t.equal((await visit(made, url.replace('_secret_', '_secret_x'), 'outcome=complete')).status, 400);
  const back = await visit(made, url, 'outcome=complete');
  t.equal(back.status, 303);
  t.match(
    back.location,
    /^https:\/\/shop\.example\.com\/back\?payment_intent=pi_.*redirect_status=succeeded$/,
  );
  t.equal((await stripe.paymentIntents.retrieve(asked.id)).status, 'succeeded');
  t.match(await visit(made, url, 'outcome=complete'), { status: 200, text: /nothing left/ }, 'only once');
  const refused = await pay(made, 'pm_card_authenticationRequired');
  await visit(made, refused.next_action?.redirect_to_url?.url ?? '', 'outcome=fail');
  t.match(await stripe.paymentIntents.retrieve(refused.id), {
    status: 'requires_payment_method',
    last_payment_error: { code: 'payment_intent_authentication_failure' },
  });
  const ideal = await stripe.paymentIntents.create({
    amount: 2000,
    currency: 'eur',
    confirm: true,
    allowed_payment_method_types: ['ideal'],
    payment_method_data: { type: 'ideal' },
    return_url: 'https://shop.example.com/',
  });
  await visit(made, ideal.next_action?.redirect_to_url?.url ?? '', 'outcome=complete');
  t.equal((await stripe.paymentIntents.retrieve(ideal.id)).status, 'succeeded');
});

t.test('[4.1] setup intents in each state, with mandates and attempts', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const { id: customer } = await stripe.customers.create({ name: 'Ada' });
  const saved = await stripe.setupIntents.create({ customer, payment_method: 'pm_card_visa', confirm: true });
  t.equal(saved.status, 'succeeded');
  t.equal((await stripe.paymentMethods.retrieve(String(saved.payment_method))).customer, customer);
  const bank = await stripe.setupIntents.create({
    customer,
    confirm: true,
    allowed_payment_method_types: ['sepa_debit'],
    payment_method_data: { type: 'sepa_debit', sepa_debit: { iban: 'DE89370400440532013000' } },
  });
  t.equal(bank.status, 'succeeded');
  t.match(await stripe.mandates.retrieve(String(bank.mandate)), { status: 'active', type: 'multi_use' });
  const asked = await stripe.setupIntents.create({
    payment_method: 'pm_card_authenticationRequired',
    confirm: true,
    return_url: 'https://shop.example.com/',
  });
  t.equal(asked.status, 'requires_action');
  await visit(made, asked.next_action?.redirect_to_url?.url ?? '', 'outcome=complete');
  t.equal((await stripe.setupIntents.retrieve(asked.id)).status, 'succeeded');
  t.equal((await stripe.setupAttempts.list({ setup_intent: asked.id })).data.length, 2);
  await t.rejects(stripe.setupIntents.create({ payment_method: 'pm_card_chargeDeclined', confirm: true }), {
    type: 'StripeCardError',
    code: 'card_declined',
  });
  const open = await stripe.setupIntents.create({ customer });
  t.equal((await stripe.setupIntents.cancel(open.id)).status, 'canceled');
  await t.rejects(stripe.setupIntents.confirm(open.id, { payment_method: 'pm_card_visa' }), {
    code: 'setup_intent_unexpected_state',
  });
});

t.test('[4.1] cards and bank accounts on customers', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const customer = await stripe.customers.create({ source: 'tok_visa' } as Stripe.CustomerCreateParams);
  t.match(customer.default_source, /^card_/);
  t.match(await stripe.charges.create({ ...usd, customer: customer.id }), { status: 'succeeded' });
  const typed = { object: 'card', number: '5555555555554444', exp_month: 12, exp_year: 2030, cvc: '123' };
  const second = await stripe.customers.createSource(customer.id, { source: typed as never });
  t.match(second, { object: 'card', brand: 'MasterCard', cvc_check: 'pass' });
  const changed = await stripe.customers.update(customer.id, { default_source: second.id });
  t.equal(changed.default_source, second.id);
  await t.rejects(stripe.customers.update(customer.id, { default_source: 'card_none' }), {
    code: 'resource_missing',
  });
  await stripe.customers.update(customer.id, { default_source: String(customer.default_source) });
  await stripe.customers.deleteSource(customer.id, second.id);
  const bank = await stripe.customers.createSource(customer.id, { source: 'btok_us' });
  t.equal(bank.object, 'bank_account');
  await t.rejects(stripe.customers.verifySource(customer.id, bank.id, { amounts: [1, 2] }), {
    code: 'bank_account_verification_failed',
  });
  t.match(await stripe.customers.verifySource(customer.id, bank.id, { amounts: [32, 45] }), {
    status: 'verified',
  });
  t.equal((await stripe.customers.listSources(customer.id)).data.length, 2);
  await stripe.customers.deleteSource(customer.id, String(customer.default_source));
  t.equal(((await stripe.customers.retrieve(customer.id)) as Stripe.Customer).default_source, bank.id);
  t.equal((await made.events('customer.source.deleted')).length, 2);
});

t.test('[4.1] bank transfers: instructions, part of the money, all of it, and what is left', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const { id: customer } = await stripe.customers.create();
  const asked = await stripe.paymentIntents.create({
    ...usd,
    customer,
    confirm: true,
    allowed_payment_method_types: ['customer_balance'],
    payment_method_data: { type: 'customer_balance' },
    payment_method_options: {
      customer_balance: { funding_type: 'bank_transfer', bank_transfer: { type: 'us_bank_transfer' } },
    },
  });
  t.match(asked.next_action?.display_bank_transfer_instructions, {
    amount_remaining: 2000,
    type: 'us_bank_transfer',
  });
  const fund = (amount: number) =>
    stripe.testHelpers.customers.fundCashBalance(customer, { amount, currency: 'usd' });
  await fund(500);
  t.equal((await made.events('payment_intent.partially_funded')).length, 1);
  t.equal((await made.events('cash_balance.funds_available')).length, 0, 'all of it was spent');
  await fund(1700);
  t.equal((await stripe.paymentIntents.retrieve(asked.id)).status, 'succeeded');
  t.same((await stripe.customers.retrieveCashBalance(customer)).available, { usd: 200 });
  t.equal((await made.events('cash_balance.funds_available')).length, 1);
});

t.test('[4.1] a confirmation token confirms once', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const token = await stripe.testHelpers.confirmationTokens.create({ payment_method: 'pm_card_visa' });
  const intent = await stripe.paymentIntents.create({ ...usd, confirm: true, confirmation_token: token.id });
  t.equal(intent.status, 'succeeded');
  t.equal((await stripe.confirmationTokens.retrieve(token.id)).payment_intent, intent.id);
  await t.rejects(stripe.paymentIntents.create({ ...usd, confirm: true, confirmation_token: token.id }), {
    code: 'token_already_used',
  });
});

t.test('[4.1] what the form collected is put on the intent that its token confirms', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const collected = (): Promise<Stripe.ConfirmationToken> =>
    stripe.testHelpers.confirmationTokens.create({
      payment_method: 'pm_card_authenticationRequired',
      return_url: 'https://shop.example.com/back',
      setup_future_usage: 'off_session',
      shipping: { name: 'Ada', address: { line1: 'Ring 1' } },
    });
  const intent = await stripe.paymentIntents.create({ ...usd });
  t.match(await stripe.paymentIntents.confirm(intent.id, { confirmation_token: (await collected()).id }), {
    setup_future_usage: 'off_session',
    shipping: { name: 'Ada', address: { line1: 'Ring 1' } },
    next_action: { redirect_to_url: { return_url: 'https://shop.example.com/back' } },
  });
  const own = await stripe.paymentIntents.create({
    ...usd,
    confirm: true,
    confirmation_token: (await collected()).id,
    return_url: 'https://shop.example.com/own',
    setup_future_usage: 'on_session',
  });
  t.match(own, {
    setup_future_usage: 'on_session',
    next_action: { redirect_to_url: { return_url: 'https://shop.example.com/own' } },
  });
  const setup = await stripe.setupIntents.create({
    confirm: true,
    confirmation_token: (await collected()).id,
  });
  t.match(setup.next_action, { redirect_to_url: { return_url: 'https://shop.example.com/back' } });
  const page = await made.ask('POST', '/v1/test_helpers/confirmation_tokens', {
    headers: { authorization: 'Bearer pk_test_wrld' },
    form: 'payment_method_data[type]=card',
  });
  t.match(page, { status: 403, body: { error: { code: 'secret_key_required' } } }, 'no page helps a test');
});

t.test('[4.1] a bank account is verified by what is deposited on it', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const ask = {
    allowed_payment_method_types: ['us_bank_account' as const],
    confirm: true,
    mandate_data: { customer_acceptance: { type: 'offline' as const, offline: {} } },
    payment_method_options: { us_bank_account: { verification_method: 'microdeposits' as const } },
    payment_method_data: {
      type: 'us_bank_account' as const,
      billing_details: { name: 'Ada' },
      us_bank_account: {
        account_holder_type: 'individual' as const,
        account_number: '000123456789',
        routing_number: '110000000',
      },
    },
  };
  const asked = await stripe.paymentIntents.create({ ...usd, ...ask });
  t.match(asked, {
    status: 'requires_action',
    next_action: {
      type: 'verify_with_microdeposits',
      verify_with_microdeposits: { microdeposit_type: 'descriptor_code' },
    },
  });
  t.same(faultsOf(asked), []);
  await t.rejects(stripe.paymentIntents.verifyMicrodeposits(asked.id, { amounts: [1, 2] }), {
    code: 'payment_method_microdeposit_verification_amounts_mismatch',
  });
  await t.rejects(stripe.paymentIntents.verifyMicrodeposits(asked.id, { descriptor_code: 'SM22BB' }), {
    code: 'payment_method_microdeposit_verification_descriptor_code_mismatch',
  });
  const told = await stripe.paymentIntents.verifyMicrodeposits(asked.id, { descriptor_code: 'SM11AA' });
  t.equal(told.status, 'processing');
  t.match(await stripe.paymentIntents.retrieve(asked.id), { status: 'succeeded', amount_received: 2000 });
  await t.rejects(stripe.paymentIntents.verifyMicrodeposits(asked.id, { amounts: [32, 45] }), {
    code: 'payment_intent_unexpected_state',
  });
  const { payment_method_data: _data, ...without } = ask;
  const again = await stripe.paymentIntents.create({
    ...usd,
    ...without,
    payment_method: String(asked.payment_method),
  });
  t.equal(again.status, 'processing', 'once is enough');

  const page = await stripe.paymentIntents.create({ ...usd, ...ask });
  const url = page.next_action?.verify_with_microdeposits?.hosted_verification_url ?? '';
  await visit(made, url, 'outcome=complete');
  t.equal((await stripe.paymentIntents.retrieve(page.id)).status, 'succeeded');

  const saved = await stripe.setupIntents.create(ask);
  t.equal(saved.next_action?.type, 'verify_with_microdeposits');
  const kept = await stripe.setupIntents.verifyMicrodeposits(saved.id, { amounts: [45, 32] });
  t.equal(kept.status, 'succeeded');
});

t.test('[4.1] payments that another processor made are reported, attempt by attempt', async t => {
  await using made = await openStripeWorld();
  const { paymentRecords, paymentAttemptRecords } = made.stripe;
  const at = Math.floor(Date.parse('2026-01-15') / 1000);
  const record = await paymentRecords.reportPayment({
    amount_requested: { currency: 'usd', value: 1000 },
    initiated_at: at,
    payment_method_details: { type: 'custom', custom: { display_name: 'Cash' } },
    outcome: 'failed',
    failed: { failed_at: at },
  });
  t.match(record, {
    amount_failed: { value: 1000 },
    payment_method_details: { custom: { display_name: 'Cash' } },
  });
  t.same(faultsOf(record), []);
  const again = await paymentRecords.reportPaymentAttempt(record.id, { initiated_at: at + 60 });
  t.not(again.latest_payment_attempt_record, record.latest_payment_attempt_record);
  const sold = await paymentRecords.reportPayment({
    amount_requested: { currency: 'usd', value: 1000 },
    initiated_at: at,
    payment_method_details: { type: 'custom', custom: { display_name: 'Cash' } },
  });
  await paymentRecords.reportPaymentAttemptGuaranteed(sold.id, { guaranteed_at: at });
  await t.rejects(paymentRecords.reportPaymentAttemptCanceled(sold.id, { canceled_at: at }), {
    message: /already ended: guaranteed/,
  });
  const part = {
    outcome: 'refunded',
    refunded: { refunded_at: at },
    processor_details: { type: 'custom' },
  } as const;
  await paymentRecords.reportRefund(sold.id, {
    ...part,
    amount: { currency: 'usd', value: 400 },
    processor_details: { type: 'custom', custom: { refund_reference: 'R-1' } },
  });
  const early = { ...part, refunded: { refunded_at: at + 86_400 } };
  await t.rejects(paymentRecords.reportRefund(sold.id, early), { message: /before it was made/ });
  t.match(await paymentRecords.reportRefund(sold.id, part), { amount_refunded: { value: 1000 } });
  await t.rejects(paymentRecords.reportRefund(sold.id, part), { message: /At most 0/ });
  const { data } = await paymentAttemptRecords.list({ payment_record: record.id });
  t.equal(data.length, 2);
  t.same(faultsOf(data[0]!), []);
  t.equal((await paymentAttemptRecords.retrieve(data[0]!.id)).payment_record, record.id);
});

t.test('[4.1] an intent takes the types it was told to take, and tells what it is made up of', async t => {
  await using made = await openStripeWorld();
  const { paymentIntents } = made.stripe;
  const intent = await paymentIntents.create({
    ...usd,
    allowed_payment_method_types: ['ideal'],
    payment_details: { order_reference: 'o-1' },
    amount_details: {
      enforce_arithmetic_validation: true,
      line_items: [
        { product_name: 'Tea', quantity: 2, unit_cost: 700 },
        { product_name: 'Cup', quantity: 1, unit_cost: 500, tax: { total_tax_amount: 100 } },
      ],
    },
  });
  t.match(intent, {
    payment_method_types: ['ideal'],
    payment_details: { order_reference: 'o-1', customer_reference: null },
  });
  await t.rejects(paymentIntents.confirm(intent.id, { payment_method: 'pm_card_visa' }), {
    code: 'payment_intent_incompatible_payment_method',
  });
  const { data, has_more } = await paymentIntents.listAmountDetailsLineItems(intent.id, { limit: 1 });
  t.match([data, has_more], [[{ product_name: 'Tea', unit_cost: 700, tax: null }], true]);
  const wrong = { enforce_arithmetic_validation: true, shipping: { amount: 100 } };
  await t.rejects(paymentIntents.update(intent.id, { amount_details: wrong }), { message: /add up to 100/ });
  const unmodelled = paymentIntents.create({ ...usd, hooks: { inputs: { tax: { calculation: 'x' } } } });
  await t.rejects(unmodelled, { code: 'wrld_unmodelled_parameter' });
});

t.test('[4.1] a saved card is charged with its customer alone', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const ada = await stripe.customers.create({ source: 'tok_visa' });
  const source = String(ada.default_source);
  await t.rejects(stripe.charges.create({ ...usd, source }), {
    code: 'resource_missing',
    message: `No such token: '${source}'`,
    param: 'source',
  });
  const grace = await stripe.customers.create();
  await t.rejects(stripe.charges.create({ ...usd, source, customer: grace.id }), {
    code: 'missing',
    message: `Customer ${grace.id} does not have a linked source with ID ${source}.`,
  });
  t.match(await stripe.charges.create({ ...usd, source, customer: ada.id }), { status: 'succeeded' });
});
