// Terminal: readers that are asked for a payment, a setup, a refund, inputs, and the person with the card.
import type Stripe from 'stripe';
import t from 'tap';
import { faultsOf } from '../../../kit/stripe-schema.ts';
import { openStripeWorld, type StripeWorld } from '../../../kit/stripe-world.ts';

async function shop(made: StripeWorld): Promise<Stripe.Terminal.Reader> {
  const location = await made.stripe.terminal.locations.create({
    display_name: 'Shop',
    address: { line1: '1 Main St', city: 'London', country: 'GB', postal_code: 'E1' },
  });
  return made.stripe.terminal.readers.create({
    registration_code: 'simulated-wpe',
    label: 'Till',
    location: location.id,
  });
}

const intentFor = (made: StripeWorld): Promise<Stripe.PaymentIntent> =>
  made.stripe.paymentIntents.create({
    amount: 2000,
    currency: 'gbp',
    allowed_payment_method_types: ['card_present'],
  });

t.test('[4.1] a reader takes a payment: processed, declined, or collected and then confirmed', async t => {
  await using made = await openStripeWorld();
  const { readers } = made.stripe.terminal;
  const helper = made.stripe.testHelpers.terminal.readers;
  const { id } = await shop(made);
  t.match(await readers.retrieve(id), { object: 'terminal.reader', status: 'online', label: 'Till' });
  const intent = await intentFor(made);
  const asked = await readers.processPaymentIntent(id, { payment_intent: intent.id });
  t.match(asked.action, { type: 'process_payment_intent', status: 'in_progress' });
  const other = { payment_intent: (await intentFor(made)).id };
  await t.rejects(readers.processPaymentIntent(id, other), { code: 'terminal_reader_busy' });
  const done = await helper.presentPaymentMethod(id, { amount_tip: 100 });
  t.match(done.action, { status: 'succeeded' });
  t.same(faultsOf(done), []);
  const paid = await made.stripe.paymentIntents.retrieve(intent.id, { expand: ['latest_charge'] });
  t.match(paid, {
    status: 'succeeded',
    amount: 2100,
    latest_charge: { payment_method_details: { type: 'card_present', card_present: { last4: '4242' } } },
  });
  t.same(faultsOf(paid.latest_charge as object), []);
  t.equal((await made.events('terminal.reader.action_succeeded')).length, 1);

  await readers.processPaymentIntent(id, other);
  const number = '4000000000009995';
  const failed = await helper.presentPaymentMethod(id, { type: 'card_present', card_present: { number } });
  t.match(failed.action, { status: 'failed', failure_code: 'card_declined' });
  t.equal((await made.events('terminal.reader.action_failed')).length, 1);

  const { id: third } = await intentFor(made);
  await readers.collectPaymentMethod(id, { payment_intent: third });
  await helper.presentPaymentMethod(id);
  t.equal((await made.stripe.paymentIntents.retrieve(third)).status, 'requires_confirmation');
  t.match((await readers.confirmPaymentIntent(id, { payment_intent: third })).action, {
    status: 'succeeded',
  });
  t.equal((await made.stripe.paymentIntents.retrieve(third)).status, 'succeeded');
  await readers.refundPayment(id, { payment_intent: third, amount: 500 });
  t.match((await helper.presentPaymentMethod(id)).action, { refund_payment: { refund: /^re_/ } });
  t.match(await made.stripe.refunds.list({ payment_intent: third }), { data: [{ amount: 500 }] });
  const online = await made.stripe.paymentIntents.create({ amount: 900, currency: 'gbp' });
  await t.rejects(readers.processPaymentIntent(id, { payment_intent: online.id }), {
    code: 'payment_intent_invalid_parameter',
  });
});

t.test('[4.1] a reader saves a card, asks for inputs, shows a cart, and is told to stop', async t => {
  await using made = await openStripeWorld();
  const { readers } = made.stripe.terminal;
  const helper = made.stripe.testHelpers.terminal.readers;
  const { id } = await shop(made);
  const setup = await made.stripe.setupIntents.create({ allowed_payment_method_types: ['card_present'] });
  await readers.processSetupIntent(id, { setup_intent: setup.id, allow_redisplay: 'always' });
  await helper.presentPaymentMethod(id);
  t.equal((await made.stripe.setupIntents.retrieve(setup.id)).status, 'succeeded');
  const inputs = [
    { type: 'text' as const, required: true, custom_text: { title: 'Your name?' } },
    { type: 'email' as const, custom_text: { title: 'Your mail?' } },
  ];
  await readers.collectInputs(id, { inputs });
  const told = await helper.succeedInputCollection(id, { skip_non_required_inputs: 'all' });
  t.match(told.action?.collect_inputs?.inputs, [{ text: { value: 'text' } }, { skipped: true }]);
  await readers.collectInputs(id, { inputs });
  t.match((await helper.timeoutInputCollection(id)).action, { failure_code: 'terminal_reader_timeout' });
  const cart = {
    currency: 'gbp',
    total: 500,
    line_items: [{ amount: 500, description: 'Tea', quantity: 1 }],
  };
  t.match((await readers.setReaderDisplay(id, { type: 'cart', cart })).action, {
    status: 'succeeded',
    set_reader_display: { cart: { total: 500, tax: null } },
  });
  await readers.collectInputs(id, { inputs });
  t.equal(((await readers.cancelAction(id)) as Stripe.Terminal.Reader).action, null);
  t.match(await made.stripe.terminal.connectionTokens.create(), { secret: /^pst_test_/ });
  t.match(await readers.update(id, { label: 'New' }), { label: 'New' });
  t.match(await readers.del(id), { deleted: true });
  await t.rejects(readers.retrieve(id), { code: 'resource_missing' });
});
