// What is of the account as a whole: how it is paid out, which methods it offers, what its customers may use, and the
// secrets of its apps.
import t from 'tap';
import { faultsOf } from '../../kit/stripe-schema.ts';
import { openStripeWorld, START, shop } from '../../kit/stripe-world.ts';

t.test('[4.1] balance settings, payment method configurations and domains', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  t.match(await stripe.balanceSettings.retrieve(), {
    payments: { payouts: { schedule: { interval: 'daily' } } },
  });
  const set = await stripe.balanceSettings.update({
    payments: {
      payouts: { schedule: { interval: 'manual' } },
      settlement_timing: { delay_days_override: 7 },
    },
  });
  t.match(set, {
    payments: { payouts: { schedule: { interval: 'manual' } }, settlement_timing: { delay_days: 7 } },
  });
  t.same(faultsOf(set), []);
  const { paymentMethodConfigurations: configurations } = stripe;
  const [first] = (await configurations.list()).data;
  t.match(first, { is_default: true, card: { available: true }, klarna: { available: false } });
  t.same(faultsOf(first!), []);
  await configurations.update(first!.id, { klarna: { display_preference: { preference: 'on' } } });
  t.match(await configurations.retrieve(first!.id), { klarna: { available: true } });
  await configurations.create({ name: 'Checkout', card: { display_preference: { preference: 'off' } } });
  t.same(
    (await configurations.list()).data.map(({ card }) => card?.available),
    [false, true],
  );
  const domain = await stripe.paymentMethodDomains.create({ domain_name: 'shop.example.com' });
  t.match(await stripe.paymentMethodDomains.validate(domain.id), {
    id: domain.id,
    apple_pay: { status: 'active' },
  });
});

t.test('[4.1] a customer’s entitlements, and a session for the vendor’s elements', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const { customer, product, price } = await shop(stripe);
  const { features, activeEntitlements: active } = stripe.entitlements;
  const feature = await features.create({ name: 'SSO', lookup_key: 'sso' });
  await stripe.products.createFeature(product.id, { entitlement_feature: feature.id });
  t.same((await active.list({ customer: customer.id })).data, []);
  const { id } = await stripe.subscriptions.create({ customer: customer.id, items: [{ price: price.id }] });
  const [held] = (await active.list({ customer: customer.id, expand: ['data.feature'] })).data;
  t.match(held, { lookup_key: 'sso', feature: { name: 'SSO' } });
  t.same(await active.retrieve(held!.id), { ...held, feature: feature.id });
  await stripe.subscriptions.cancel(id);
  await t.rejects(active.retrieve(held!.id), { code: 'resource_missing' });
  const session = await stripe.customerSessions.create({
    customer: customer.id,
    components: { payment_element: { enabled: true, features: { payment_method_save: 'enabled' } } },
  });
  t.match(session.components, {
    payment_element: {
      enabled: true,
      features: { payment_method_save: 'enabled', payment_method_remove: 'disabled' },
    },
    buy_button: { enabled: false },
  });
  t.same(faultsOf(session), []);
});

t.test('[4.1] secrets of apps are found and deleted by their name', async t => {
  await using made = await openStripeWorld();
  const { secrets } = made.stripe.apps;
  const scope = { type: 'account' } as const;
  const kept = await secrets.create({ name: 'key', payload: 'hush', scope });
  t.equal((await secrets.find({ name: 'key', scope, expand: ['payload'] })).id, kept.id);
  t.match(await secrets.deleteWhere({ name: 'key', scope }), { deleted: true });
  await t.rejects(secrets.find({ name: 'key', scope }), { code: 'resource_missing' });
});

t.test('[4.1] issuing disputes, and what a card network does in tests', async t => {
  await using made = await openStripeWorld();
  const { issuing, testHelpers } = made.stripe;
  await made.stripe.charges.create({ amount: 9000, currency: 'usd', source: 'tok_bypassPending' });
  const holder = await issuing.cardholders.create({
    name: 'Ada',
    billing: { address: { line1: '1', city: 'SF', postal_code: '94103', country: 'US', state: 'CA' } },
    individual: { first_name: 'Ada', last_name: 'L' },
  });
  const card = await issuing.cards.create({
    cardholder: holder.id,
    currency: 'usd',
    type: 'virtual',
    status: 'active',
  });
  const helper = testHelpers.issuing.authorizations;
  const asked = await helper.create({ card: card.id, amount: 1000 });
  t.equal((await helper.increment(asked.id, { increment_amount: 500 })).amount, 1500);
  t.equal((await helper.finalizeAmount(asked.id, { final_amount: 1200 })).amount, 1200);
  t.match(await helper.respond(asked.id, { confirmed: true }), { verified_by_fraud_challenge: true });
  await helper.capture(asked.id);
  const [spent] = (await issuing.transactions.list({ card: card.id })).data;
  t.equal(spent?.amount, -1200);
  const back = await testHelpers.issuing.transactions.refund(spent!.id, { refund_amount: 200 });
  t.match(back, { type: 'refund', amount: 200 });
  const evidence = { reason: 'not_received', not_received: { explanation: 'winning_evidence' } } as const;
  const dispute = await issuing.disputes.create({ transaction: spent!.id, evidence });
  t.match(dispute, {
    status: 'unsubmitted',
    amount: 1200,
    evidence: { not_received: { product_type: null } },
  });
  t.same(faultsOf(dispute), []);
  t.equal((await issuing.disputes.submit(dispute.id)).status, 'submitted');
  t.equal((await issuing.disputes.retrieve(dispute.id)).status, 'won');
  t.equal((await made.events('issuing_dispute.funds_reinstated')).length, 1);
  t.equal((await issuing.disputes.list({ transaction: spent!.id })).data.length, 1);
  await t.rejects(issuing.disputes.create({ transaction: spent!.id }), { message: /already has a dispute/ });
});

t.test('[4.1] accounts of the second version: blocks that are asked for, capabilities, closing', async t => {
  await using made = await openStripeWorld();
  const { accounts, accountLinks } = made.stripe.v2.core;
  const account = await accounts.create({
    contact_email: 'ada@example.com',
    display_name: 'Ada',
    identity: { country: 'gb', entity_type: 'individual' },
    configuration: {
      merchant: { capabilities: { card_payments: { requested: true } } },
      recipient: { capabilities: { stripe_balance: { stripe_transfers: { requested: true } } } },
    },
    include: ['configuration.merchant', 'identity'],
  });
  t.match(account, {
    object: 'v2.core.account',
    applied_configurations: ['merchant', 'recipient'],
    configuration: { merchant: { applied: true, capabilities: { card_payments: { status: 'active' } } } },
    identity: { country: 'gb' },
    defaults: null,
  });
  t.same(faultsOf(account), []);
  t.notOk(account.configuration?.recipient, 'not asked for');
  t.equal((await accounts.retrieve(account.id)).identity, null);
  await accounts.update(account.id, { display_name: 'Ada L', metadata: { a: 'b' } });
  t.match(await accounts.retrieve(account.id, { include: ['defaults'] }), {
    display_name: 'Ada L',
    metadata: { a: 'b' },
    defaults: { responsibilities: { fees_collector: 'stripe' } },
  });
  await made.stripe.charges.create({ amount: 9000, currency: 'usd', source: 'tok_bypassPending' });
  const moved = await made.stripe.transfers.create({ amount: 500, currency: 'usd', destination: account.id });
  t.equal(moved.destination, account.id, 'money moves to it');
  const link = await accountLinks.create({
    account: account.id,
    use_case: {
      type: 'account_onboarding',
      account_onboarding: { refresh_url: 'https://shop.example.com/' },
    },
  });
  t.match(link, { object: 'v2.core.account_link', account: account.id });
  const ids: string[] = [];
  for await (const { id } of accounts.list({ limit: 1 })) ids.push(id);
  t.same(ids, [account.id]);
  await t.rejects(accounts.close(account.id, { applied_configurations: [] }), { message: /every applied/ });
  t.match(await accounts.close(account.id, { applied_configurations: ['merchant', 'recipient'] }), {
    closed: true,
  });
  t.same((await accounts.list({ closed: false })).data, []);
});

t.test('[4.1] event destinations: snapshots and thin events, each to those that take them', async t => {
  await using made = await openStripeWorld();
  const { eventDestinations: destinations, events, accounts } = made.stripe.v2.core;
  const open = (event_payload: 'snapshot' | 'thin', enabled_events: string[]) =>
    destinations.create({
      name: event_payload,
      type: 'webhook_endpoint',
      event_payload,
      enabled_events,
      webhook_endpoint: { url: `https://hooks.example.com/${event_payload}` },
      include: ['webhook_endpoint.url', 'webhook_endpoint.signing_secret'],
    });
  const thin = await open('thin', ['v2.core.account.created']);
  const snapshot = await open('snapshot', ['customer.created']);
  t.match(thin.webhook_endpoint, { url: 'https://hooks.example.com/thin', signing_secret: /^whsec_/ });
  t.match(await destinations.retrieve(thin.id), { webhook_endpoint: { signing_secret: null } });
  await made.stripe.customers.create({});
  const account = await accounts.create({ display_name: 'Ada' });
  await made.world.settled();
  t.same(
    made.sent.map(({ url }) => url),
    ['https://hooks.example.com/snapshot', 'https://hooks.example.com/thin'],
  );
  const [first, second] = made.sent;
  const signature = (at: number): string =>
    made.sent[at]?.headers.find(([name]) => name === 'Stripe-Signature')?.[1] ?? '';
  const at = [undefined, undefined, Date.parse(START)] as const;
  const secretOf = (held: typeof thin): string => held.webhook_endpoint?.signing_secret ?? '';
  const { type } = made.stripe.webhooks.constructEvent(first!.body, signature(0), secretOf(snapshot), ...at);
  t.equal(type, 'customer.created');
  const told = made.stripe.parseEventNotification(second!.body, signature(1), secretOf(thin), ...at);
  t.match(told, { type: 'v2.core.account.created', related_object: { id: account.id } });
  t.match(await events.retrieve(told.id), { type: 'v2.core.account.created' });
  t.match((await events.list({ object_id: account.id })).data, [{ id: told.id }]);
  t.equal((await destinations.ping(thin.id)).type, 'v2.core.event_destination.ping');
  t.equal((await made.stripe.webhookEndpoints.list()).data.length, 0);
  t.equal((await destinations.disable(thin.id)).status, 'disabled');
  await accounts.create({ display_name: 'Bob' });
  await made.world.settled();
  t.equal(made.sent.length, 3, 'the ping, and nothing since');
  t.equal((await destinations.enable(thin.id)).status, 'enabled');
  await destinations.update(thin.id, { name: 'New', webhook_endpoint: { url: 'https://new.example.com/' } });
  t.same(
    (await destinations.list()).data.map(({ name }) => name),
    ['snapshot', 'New'],
  );
  await destinations.del(thin.id);
  await t.rejects(destinations.retrieve(thin.id), { statusCode: 404 } as never);
});

t.test('[4.1] the people of an account of the second version', async t => {
  await using made = await openStripeWorld();
  const { accounts } = made.stripe.v2.core;
  const { id } = await accounts.create({ display_name: 'Shop' });
  const ada = await accounts.persons.create(id, {
    given_name: 'Ada',
    surname: 'L',
    date_of_birth: { day: 10, month: 12, year: 1985 },
    id_numbers: [{ type: 'us_ssn', value: '000000000' }],
    metadata: { a: 'b' },
  });
  t.match(ada, {
    account: id,
    given_name: 'Ada',
    date_of_birth: { day: 10 },
    id_numbers: [{ type: 'us_ssn' }],
  });
  t.notMatch(JSON.stringify(ada), /000000000/);
  await accounts.persons.update(id, ada.id, { email: 'ada@example.com' });
  t.match(await accounts.persons.retrieve(id, ada.id), { email: 'ada@example.com', surname: 'L' });
  t.equal((await accounts.persons.list(id)).data.length, 1);
  const other = await accounts.create({ display_name: 'Other' });
  await t.rejects(accounts.persons.retrieve(other.id, ada.id), { statusCode: 404 } as never);
  await accounts.persons.del(id, ada.id);
  t.same((await accounts.persons.list(id)).data, []);
});

t.test('[4.1] an invoice names whose it is: the platform, or the account that it acts for', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const own = await stripe.customers.create();
  t.match(await stripe.invoices.create({ customer: own.id }), {
    account_country: 'US',
    account_name: 'Twin',
  });
  const account = await stripe.accounts.create({ country: 'DE', business_profile: { name: 'Laden' } });
  const to = { stripeAccount: account.id };
  const theirs = await stripe.customers.create({}, to);
  const invoice = await stripe.invoices.create({ customer: theirs.id }, to);
  t.match(invoice, { account_country: 'DE', account_name: 'Laden' });
});
