// SEPA debits by the vendor's own SDK: what a bank answers, when, and under which mandate.
import type Stripe from 'stripe';
import t from 'tap';
import { openStripeWorld, type StripeWorld } from '../../../kit/stripe-world.ts';

const ACCEPTED = {
  customer_acceptance: { type: 'online', online: { ip_address: '203.0.113.7', user_agent: 'Firefox' } },
} as const;
const pay = (
  { stripe }: StripeWorld,
  more: Partial<Stripe.PaymentIntentCreateParams>,
): Promise<Stripe.PaymentIntent> =>
  stripe.paymentIntents.create({
    amount: 1200,
    currency: 'eur',
    allowed_payment_method_types: ['sepa_debit'],
    confirm: true,
    mandate_data: ACCEPTED,
    ...more,
  });
const inline = (iban: string): Partial<Stripe.PaymentIntentCreateParams> => ({
  payment_method_data: {
    type: 'sepa_debit',
    sepa_debit: { iban },
    billing_details: { name: 'Ada', email: 'ada@example.com' },
  },
});

t.test(
  '[4.9 clock] a debit is processing, and the test accounts decide what becomes of it, and when',
  async t => {
    await using made = await openStripeWorld();
    const { stripe } = made;
    for (const [method, status, code] of [
      [{ payment_method: 'pm_sepaDebit_success_at' }, 'succeeded', undefined],
      [inline('DE62370400440532013001'), 'requires_payment_method', 'payment_intent_payment_attempt_failed'],
      [inline('BE90 5100 0222 2227'), 'requires_payment_method', 'insufficient_funds'],
      [
        { payment_method: 'pm_sepaDebit_exceedsWeeklyVolumeLimit_fr' },
        'requires_payment_method',
        'charge_exceeds_source_limit',
      ],
      [inline('IE69AIBK93115200121212'), 'requires_payment_method', 'charge_exceeds_weekly_limit'],
    ] as const) {
      const begun = await pay(made, method);
      t.equal(begun.status, 'processing');
      await made.advance('1s');
      const after = await stripe.paymentIntents.retrieve(begun.id, { expand: ['latest_charge'] });
      t.match(
        after,
        { status, ...(code === undefined ? {} : { last_payment_error: { code } }) },
        String(code),
      );
      t.equal((after.latest_charge as Stripe.Charge).failure_code, code ?? null);
    }
    for (const [iban, status, event] of [
      ['DE08370400440532013003', 'succeeded', 'payment_intent.succeeded'],
      ['DE78370400440532013004', 'requires_payment_method', 'payment_intent.payment_failed'],
    ] as const) {
      const slow = await pay(made, inline(iban));
      await made.advance('2m');
      t.equal((await stripe.paymentIntents.retrieve(slow.id)).status, 'processing');
      await made.advance('1m');
      t.equal((await stripe.paymentIntents.retrieve(slow.id)).status, status);
      const [newest] = await made.events(event);
      t.equal((newest!.data.object as Stripe.PaymentIntent).id, slow.id);
    }
    const disputed = await pay(made, inline('DE35370400440532013002'));
    await made.advance('1s');
    t.equal((await stripe.disputes.list({ payment_intent: disputed.id })).data.length, 1);
    const before = await made.position();
    for (const [iban, code] of [
      ['DE91370400440000055555', 'sepa_debit_bank_not_supported'],
      ['DE18370400440000066666', 'sepa_debit_debits_not_supported'],
    ] as const)
      await t.rejects(stripe.paymentMethods.create({ type: 'sepa_debit', sepa_debit: { iban } }), { code });
    t.equal(await made.position(), before);
  },
);

t.test('[4.1] a debit has its mandate: for itself, or for those that follow', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const mandateOf = async (intent: Stripe.PaymentIntent): Promise<Stripe.Mandate> => {
    const { latest_charge } = await stripe.paymentIntents.retrieve(intent.id, { expand: ['latest_charge'] });
    const id = (latest_charge as Stripe.Charge).payment_method_details?.sepa_debit?.mandate;
    return stripe.mandates.retrieve(String(id));
  };
  const once = await mandateOf(await pay(made, inline('DE89370400440532013000')));
  t.match(once, {
    type: 'single_use',
    single_use: { amount: 1200, currency: 'eur' },
    status: 'active',
    customer_acceptance: { type: 'online', online: { ip_address: '203.0.113.7', user_agent: 'Firefox' } },
    payment_method_details: { type: 'sepa_debit', sepa_debit: { reference: String, url: String } },
  });
  const customer = await stripe.customers.create({});
  const first = await pay(made, {
    ...inline('DE89370400440532013000'),
    customer: customer.id,
    setup_future_usage: 'off_session',
  });
  const lasting = await mandateOf(first);
  t.match(lasting, { type: 'multi_use', multi_use: {} });
  const again = await pay(made, {
    customer: customer.id,
    payment_method: String(first.payment_method),
    off_session: true,
    mandate_data: '',
  });
  t.equal((await mandateOf(again)).id, lasting.id, 'the one that it was saved under');
  const named = await pay(made, { ...inline('DE89370400440532013000'), mandate: once.id });
  t.equal((await mandateOf(named)).id, once.id);
  const saved = await stripe.setupIntents.create({
    customer: customer.id,
    payment_method: 'pm_sepaDebit_success_de',
    allowed_payment_method_types: ['sepa_debit'],
    confirm: true,
    mandate_data: { customer_acceptance: { type: 'offline', offline: {} } },
  });
  t.match(await stripe.mandates.retrieve(String(saved.mandate)), {
    type: 'multi_use',
    customer_acceptance: { type: 'offline' },
  });
  const later = await pay(made, {
    customer: customer.id,
    payment_method: String(saved.payment_method),
    off_session: true,
  });
  t.equal((await mandateOf(later)).id, saved.mandate);
  const single = await stripe.setupIntents.create({
    payment_method: 'pm_sepaDebit_success_de',
    allowed_payment_method_types: ['sepa_debit'],
    confirm: true,
    mandate_data: ACCEPTED,
    single_use: { amount: 700, currency: 'eur' },
  });
  t.equal(single.mandate, null);
  t.match(await stripe.mandates.retrieve(String(single.single_use_mandate)), {
    type: 'single_use',
    single_use: { amount: 700 },
  });
});

t.test(
  '[4.9 clock] sources of the older API: a debit is saved to a customer, listed, charged and taken away',
  async t => {
    await using made = await openStripeWorld();
    const { stripe } = made;
    const customer = await stripe.customers.create({});
    const source = (iban: string) =>
      stripe.sources.create({
        type: 'sepa_debit',
        sepa_debit: { iban },
        currency: 'eur',
        owner: { name: 'Ada', email: 'ada@example.com' },
        mandate: { notification_method: 'email' },
      } as Stripe.SourceCreateParams);
    const made1 = await source('DE89370400440532013000');
    t.match(made1, {
      id: /^src_/,
      status: 'chargeable',
      flow: 'none',
      type: 'sepa_debit',
      usage: 'reusable',
      sepa_debit: { country: 'DE', last4: '3000', bank_code: '37040044', mandate_reference: String },
      mandate: { notification_method: 'email', reference: String },
      owner: { name: 'Ada', verified_name: null },
    });
    t.equal((await made.events('source.chargeable')).length, 1);
    const attached = (await stripe.customers.createSource(customer.id, {
      source: made1.id,
    })) as Stripe.Source;
    t.match(attached, { id: made1.id, object: 'source', customer: customer.id });
    t.equal(((await stripe.customers.retrieve(customer.id)) as Stripe.Customer).default_source, made1.id);
    t.same(
      (await stripe.customers.listSources(customer.id, { object: 'source' })).data.map(({ id }) => id),
      [made1.id],
    );
    t.match(await stripe.customers.retrieveSource(customer.id, made1.id), { status: 'chargeable' });
    const expanded = await stripe.customers.retrieve(customer.id, { expand: ['sources'] });
    t.match(expanded, { sources: { data: [{ id: made1.id }] } });
    const noted = await stripe.customers.updateSource(customer.id, made1.id, {
      metadata: { a: 'b' },
      owner: { phone: '+49 1' },
    });
    t.match(noted, { metadata: { a: 'b' }, owner: { name: 'Ada', phone: '+49 1' } });
    await t.rejects(stripe.customers.createSource(customer.id, { source: made1.id }), {
      message: /already attached/,
    });

    const charge = await stripe.charges.create({ amount: 900, currency: 'eur', customer: customer.id });
    t.match(charge, { status: 'pending', paid: false, source: { id: made1.id } });
    await made.advance('1s');
    t.match(await stripe.charges.retrieve(charge.id), {
      status: 'succeeded',
      paid: true,
      balance_transaction: String,
    });
    t.equal((await made.events('charge.pending')).length, 1);
    const failing = await source('DE62370400440532013001');
    const refused = await stripe.charges.create({ amount: 900, currency: 'eur', source: failing.id });
    await made.advance('1s');
    t.match(await stripe.charges.retrieve(refused.id), {
      status: 'failed',
      paid: false,
      failure_code: String,
    });
    t.equal((await made.events('charge.failed')).length, 1);
    const intent = await pay(made, { customer: customer.id, payment_method: made1.id });
    await made.advance('1s');
    t.equal(
      (await stripe.paymentIntents.retrieve(intent.id)).status,
      'succeeded',
      'its id pays as a method’s does',
    );

    const gone = (await stripe.customers.deleteSource(customer.id, made1.id)) as Stripe.Source;
    t.match(gone, { id: made1.id, status: 'consumed' });
    t.same((await stripe.customers.listSources(customer.id)).data, []);
    t.equal(((await stripe.customers.retrieve(customer.id)) as Stripe.Customer).default_source, null);
    t.match(await stripe.sources.retrieve(made1.id), { status: 'consumed' });
    await t.rejects(stripe.charges.create({ amount: 900, currency: 'eur', source: made1.id }), {
      message: /not in a chargeable state/,
    });
    const ideal = await stripe.sources.create({
      type: 'ideal',
      amount: 900,
      currency: 'eur',
      usage: 'single_use',
    });
    t.equal(ideal.status, 'pending');
    await t.rejects(stripe.customers.createSource(customer.id, { source: ideal.id }), {
      message: /reusable/,
    });
    const none = stripe.sources.create({ type: 'sepa_debit', owner: { name: 'Ada' } });
    t.match(await none.catch((error: unknown) => error), { param: 'sepa_debit[iban]' });
  },
);
