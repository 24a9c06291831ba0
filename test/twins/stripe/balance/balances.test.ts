// Balances, payouts, transfers, connected accounts, issued cards, identity, files.
import type Stripe from 'stripe';
import t from 'tap';
import { visit } from '../../../kit/stripe-page.ts';
import { openStripeWorld, type StripeWorld, sdkFor } from '../../../kit/stripe-world.ts';

const fill = (made: StripeWorld, amount: number): Promise<Stripe.Charge> =>
  made.stripe.charges.create({ amount, currency: 'usd', source: 'tok_bypassPending' });
const usdOf = (lines: readonly { amount: number; currency: string }[]): number =>
  lines.find(({ currency }) => currency === 'usd')?.amount ?? 0;

t.test(
  '[4.1] the balance: pending until its day, then available, and the sum of its transactions',
  async t => {
    await using made = await openStripeWorld();
    const { stripe } = made;
    const paid = await stripe.charges.create({ amount: 2000, currency: 'usd', source: 'tok_visa' });
    await stripe.charges.create({ amount: 999, currency: 'usd', source: 'tok_visa' });
    const before = await stripe.balance.retrieve();
    t.equal(usdOf(before.pending), 2000 - 88 + 999 - 59);
    t.equal(usdOf(before.available), 0);
    await made.advance('2d');
    const after = await stripe.balance.retrieve();
    t.equal(usdOf(after.pending), 0);
    t.equal(usdOf(after.available), 2852);
    t.equal((await made.events('balance.available')).length, 1);
    await stripe.refunds.create({ charge: paid.id, amount: 300 });
    const { data } = await stripe.balanceTransactions.list({ limit: 10 });
    t.equal(
      data.reduce((sum, { net }) => sum + net, 0),
      2552,
    );
    t.ok(data.every(({ status }) => status === 'available'));
    t.equal((await stripe.balanceTransactions.list({ type: 'refund' })).data.length, 1);
  },
);

t.test('[4.1] payouts arrive by the clock, and cannot take what is not there', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  await t.rejects(stripe.payouts.create({ amount: 1000, currency: 'usd' }), { code: 'balance_insufficient' });
  await fill(made, 5000);
  const payout = await stripe.payouts.create({ amount: 1000, currency: 'usd' });
  t.equal(payout.status, 'pending');
  const other = await stripe.payouts.create({ amount: 2000, currency: 'usd' });
  t.equal((await stripe.payouts.cancel(other.id)).status, 'canceled');
  t.equal(usdOf((await stripe.balance.retrieve()).available), 4000);
  await made.advance('1d');
  t.equal((await stripe.payouts.retrieve(payout.id)).status, 'paid');
  t.equal((await made.events('payout.paid')).length, 1);
  t.equal((await stripe.payouts.list({ status: 'canceled' })).data.length, 1);
  const topup = await stripe.topups.create({ amount: 700, currency: 'usd' });
  t.equal(topup.status, 'pending');
  t.equal((await stripe.topups.retrieve(topup.id)).status, 'succeeded');
});

t.test('[4.1] transfers, their reversals, and a charge shared with an account', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  await fill(made, 1000);
  const account = await stripe.accounts.create({ type: 'custom', country: 'US' });
  const moved = await stripe.transfers.create({ amount: 1000, currency: 'usd', destination: account.id });
  await t.rejects(stripe.transfers.create({ amount: 1, currency: 'usd', destination: account.id }), {
    code: 'balance_insufficient',
  });
  await stripe.transfers.createReversal(moved.id, { amount: 100 });
  t.match(await stripe.transfers.retrieve(moved.id), {
    amount_reversed: 100,
    reversed: false,
    reversals: { total_count: 1 },
  });
  const theirs = await stripe.balance.retrieve({}, { stripeAccount: account.id });
  t.equal(usdOf(theirs.available), 900);
  const shared = await stripe.paymentIntents.create({
    amount: 5000,
    currency: 'usd',
    payment_method: 'pm_card_visa',
    confirm: true,
    application_fee_amount: 400,
    transfer_data: { destination: account.id },
    expand: ['latest_charge.application_fee'],
  });
  const charge = shared.latest_charge as Stripe.Charge;
  t.match(charge.application_fee, { amount: 400, account: account.id });
  t.equal(usdOf((await stripe.balance.retrieve({}, { stripeAccount: account.id })).available), 900 + 4600);
  const held = await stripe.paymentIntents.create({
    amount: 3000,
    currency: 'usd',
    payment_method: 'pm_card_bypassPending',
    confirm: true,
    capture_method: 'manual',
    transfer_data: { destination: account.id },
  });
  const transfer_data = { amount: 1000 };
  const captured = await stripe.paymentIntents.capture(held.id, {
    amount_to_capture: 2000,
    transfer_data,
    expand: ['latest_charge.transfer'],
  });
  t.match(captured, {
    transfer_data: { amount: 1000, destination: account.id },
    latest_charge: { transfer_data: { amount: 1000 }, transfer: { amount: 1000, destination: account.id } },
  });
  const [fee] = (await stripe.applicationFees.list({ charge: charge.id })).data;
  await stripe.applicationFees.createRefund(fee!.id, { amount: 150 });
  t.match(await stripe.applicationFees.retrieve(fee!.id), {
    amount_refunded: 150,
    refunds: { total_count: 1 },
  });
});

t.test('[4.1] accounts: capabilities, people, links, banks', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const account = await stripe.accounts.create({
    type: 'custom',
    capabilities: { transfers: { requested: true } },
  });
  t.match(account, { charges_enabled: false, capabilities: { transfers: 'inactive' } });
  const agreed = await stripe.accounts.update(account.id, {
    tos_acceptance: { date: 1_768_000_000, ip: '192.0.2.1' },
    capabilities: { transfers: { requested: true } },
  });
  t.match(agreed, { charges_enabled: true, tos_acceptance: { date: 1_768_000_000 } });
  t.equal((await stripe.accounts.retrieveCapability(account.id, 'transfers')).status, 'active');
  const person = await stripe.accounts.createPerson(account.id, {
    first_name: 'Ada',
    relationship: { owner: true },
  });
  t.match(person, { first_name: 'Ada', relationship: { owner: true } });
  await stripe.accounts.updatePerson(account.id, person.id, { last_name: 'L' });
  t.equal((await stripe.accounts.listPersons(account.id)).data[0]?.last_name, 'L');
  await stripe.accounts.createExternalAccount(account.id, { external_account: 'btok_us_verified' });
  t.equal((await stripe.accounts.retrieve(account.id)).external_accounts?.data.length, 1);
  const link = await stripe.accountLinks.create({ account: account.id, type: 'account_onboarding' });
  t.match(link.url, /^https:\/\/connect\.stripe\.com\//);
  t.match(await stripe.accounts.del(account.id), { deleted: true });
  t.equal((await made.events('account.application.deauthorized')).length, 1);
});

t.test('[4.1] an issued card is asked, answered, captured', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const billing = {
    address: { line1: '1 Main St', city: 'Austin', state: 'TX', postal_code: '78701', country: 'US' },
  };
  const holder = await stripe.issuing.cardholders.create({
    name: 'Ada',
    type: 'individual',
    individual: { first_name: 'Ada', last_name: 'L' },
    billing,
  });
  const card = await stripe.issuing.cards.create({
    cardholder: holder.id,
    currency: 'usd',
    type: 'virtual',
    status: 'active',
  });
  t.equal(card.cardholder.id, holder.id);
  const lost = await stripe.issuing.cards.create({
    cardholder: holder.id,
    currency: 'usd',
    type: 'virtual',
    status: 'active',
  });
  const instead = await stripe.issuing.cards.create({
    cardholder: holder.id,
    currency: 'usd',
    type: 'virtual',
    replacement_for: lost.id,
    replacement_reason: 'lost',
  });
  t.equal((await stripe.issuing.cards.retrieve(lost.id)).replaced_by, instead.id);
  const { authorizations } = stripe.testHelpers.issuing;
  const alone = await authorizations.create({ card: card.id, amount: 900, currency: 'usd' });
  t.match(alone, { approved: true, amount: 900 }, 'nobody listens, so it is decided at once');
  const captured = await authorizations.capture(alone.id, { capture_amount: 800 });
  t.match(captured, { status: 'closed', transactions: [{ amount: -800 }] });
  await stripe.webhookEndpoints.create({
    url: 'https://hooks.example.com/',
    enabled_events: ['issuing_authorization.request'],
  });
  const asked = await authorizations.create({ card: card.id, amount: 500, currency: 'usd' });
  t.match(asked, { approved: false, status: 'pending', pending_request: { amount: 500 } });
  t.match(await stripe.issuing.authorizations.decline(asked.id), { approved: false, status: 'closed' });
  const late = await authorizations.create({ card: card.id, amount: 500, currency: 'usd' });
  await made.advance('3s');
  t.match(await stripe.issuing.authorizations.retrieve(late.id), {
    approved: true,
    request_history: [{ reason: 'webhook_timeout' }],
  });
});

t.test('[4.1] identity, reports, files and keys', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const session = await stripe.identity.verificationSessions.create({ type: 'document' });
  t.match(session, { status: 'requires_input', url: /^https:\/\/verify\.stripe\.com\// });
  t.equal((await stripe.identity.verificationSessions.cancel(session.id)).status, 'canceled');
  const run = await stripe.reporting.reportRuns.create({ report_type: 'balance.summary.1' });
  t.equal(run.status, 'pending');
  t.match(await stripe.reporting.reportRuns.retrieve(run.id), {
    status: 'succeeded',
    result: { object: 'file' },
  });
  const boundary = 'twin';
  const body = [
    `--${boundary}`,
    'Content-Disposition: form-data; name="purpose"',
    '',
    'dispute_evidence',
    `--${boundary}`,
    'Content-Disposition: form-data; name="file"; filename="proof.PNG"',
    'Content-Type: image/png',
    '',
    'bytes',
    `--${boundary}--`,
    '',
  ].join('\r\n');
  const sent = await made.ask('POST', '/v1/files', {
    host: 'files.stripe.com',
    headers: {
      authorization: 'Bearer sk_test_x',
      'content-type': `multipart/form-data; boundary=${boundary}`,
    },
    body: new TextEncoder().encode(body),
  });
  t.match(sent.body, {
    object: 'file',
    purpose: 'dispute_evidence',
    size: 5,
    type: 'png',
    filename: 'proof.PNG',
  });
  t.equal((await stripe.fileLinks.create({ file: sent.body.id })).file, sent.body.id);
  const { id } = await stripe.customers.create();
  const key = await stripe.ephemeralKeys.create({ customer: id }, { apiVersion: '2026-10-28.endive' });
  t.match(key.secret, /^ek_test_/);
});

t.test('[4.1] an account is onboarded on the hosted form, once, while the link lasts', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const account = await stripe.accounts.create({
    type: 'standard',
    capabilities: { card_payments: { requested: true }, transfers: { requested: true } },
  });
  t.match(account, { charges_enabled: false, capabilities: { transfers: 'inactive' } });
  const link = () =>
    stripe.accountLinks.create({
      account: account.id,
      refresh_url: 'https://shop.example.com/again',
      return_url: 'https://shop.example.com/back',
      type: 'account_onboarding',
    });
  const late = await link();
  await made.advance('10m');
  t.equal((await visit(made, late.url)).location, 'https://shop.example.com/again');
  const ahead = await stripe.accountLinks.create({
    account: account.id,
    refresh_url: 'https://shop.example.com/again',
    return_url: 'https://shop.example.com/back',
    type: 'account_onboarding',
    collection_options: { fields: 'eventually_due', future_requirements: 'include' },
  });
  t.match((await visit(made, ahead.url)).text, /what is due now, what is due later, requirements to come/);
  const { url } = await link();
  t.match((await visit(made, url)).text, /asked for what is due now\..*Complete onboarding/s);
  t.equal((await visit(made, url, '')).location, 'https://shop.example.com/back');
  t.match(await stripe.accounts.retrieve(account.id), {
    charges_enabled: true,
    details_submitted: true,
    capabilities: { card_payments: 'active', transfers: 'active' },
  });
  t.equal((await visit(made, url, '')).status, 404, 'only once');
  t.ok((await made.events('account.updated')).length > 0);
  const left = await stripe.accounts.reject(account.id, { reason: 'fraud', payouts_action: 'none' });
  t.match(left, { charges_enabled: false, payouts_enabled: true }, 'its payouts are left on');
  t.match(await stripe.accounts.reject(account.id, { reason: 'fraud' }), { payouts_enabled: false });
  t.match(await stripe.accounts.unreject(account.id), { charges_enabled: true });
  const bank = await stripe.accounts.createExternalAccount(account.id, { external_account: 'btok_us' });
  const said = await stripe.accounts.createExternalAccount(account.id, {
    external_account: {
      object: 'bank_account',
      country: 'US',
      currency: 'usd',
      account_number: '000123456789',
      routing_number: '110000000',
    },
  });
  t.match(said, { object: 'bank_account', last4: '6789', account: account.id });
  t.match(
    await stripe.accounts.updateExternalAccount(account.id, bank.id, { metadata: { a: 'b' } }),
    await stripe.accounts.retrieveExternalAccount(account.id, bank.id),
  );
});

t.test(
  '[4.1] OAuth: an account agrees on the page, the code is traded once, the key acts for it',
  async t => {
    await using made = await openStripeWorld();
    const { stripe } = made;
    const at = stripe.oauth.authorizeUrl({
      client_id: 'ca_123',
      state: 'xyz',
      redirect_uri: 'https://shop.example.com/connected',
    });
    t.match((await visit(made, at)).text, /Connect my account/);
    t.match((await visit(made, at, 'do=deny')).location, /error=access_denied/);
    const back = new URL((await visit(made, at, 'do=connect')).location ?? '');
    t.equal(back.searchParams.get('state'), 'xyz');
    const trade = { grant_type: 'authorization_code', code: back.searchParams.get('code') ?? '' } as const;
    const { access_token, refresh_token, stripe_user_id } = await stripe.oauth.token(trade);
    const { type } = await stripe.oauth.token(trade).catch(error => error);
    t.equal(type, 'StripeInvalidGrantError');
    const theirs = sdkFor(made.world, { key: access_token ?? '' });
    t.match(await theirs.accounts.retrieveCurrent(), { id: stripe_user_id, charges_enabled: true });
    const again = await stripe.oauth.token({
      grant_type: 'refresh_token',
      refresh_token: refresh_token ?? '',
    });
    t.equal(again.stripe_user_id, stripe_user_id);
    await stripe.oauth.deauthorize({ client_id: 'ca_123', stripe_user_id: stripe_user_id ?? '' });
    t.equal((await made.events('account.application.deauthorized')).length, 1);
    const gone = { client_id: 'ca_123', stripe_user_id: 'acct_none' };
    t.equal((await stripe.oauth.deauthorize(gone).catch(error => error)).type, 'StripeInvalidClientError');
  },
);

t.test('[4.1] a connected account has records, money and events of its own', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const hooks = { url: 'https://hooks.example.com/', enabled_events: ['customer.created'] as never };
  await stripe.webhookEndpoints.create({ ...hooks, url: 'https://hooks.example.com/own' });
  await stripe.webhookEndpoints.create({ ...hooks, url: 'https://hooks.example.com/connect', connect: true });
  const { id: stripeAccount } = await stripe.accounts.create({ type: 'custom', country: 'US' });
  const own = await stripe.customers.create({ email: 'ada@example.com' });
  const theirs = await stripe.customers.create({ email: 'ada@example.com' }, { stripeAccount });
  const idsOf = (page: { data: { id: string }[] }): string[] => page.data.map(({ id }) => id);
  t.same(idsOf(await stripe.customers.list({ email: 'ada@example.com' })), [own.id]);
  t.same(idsOf(await stripe.customers.list({ email: 'ada@example.com' }, { stripeAccount })), [theirs.id]);
  await t.rejects(stripe.customers.retrieve(theirs.id), { code: 'resource_missing' });
  t.equal((await stripe.customers.retrieve(theirs.id, {}, { stripeAccount })).id, theirs.id);
  await t.rejects(stripe.customers.retrieve(own.id, {}, { stripeAccount }), { code: 'resource_missing' });
  await made.world.settled();
  t.same(
    made.sent.map(({ url, body }) => [url.split('/').at(-1), JSON.parse(body).account]),
    [
      ['own', undefined],
      ['connect', stripeAccount],
    ],
  );
  t.same((await stripe.events.list({ type: 'customer.created' })).data.length, 1);

  await stripe.paymentIntents.create(
    {
      amount: 5000,
      currency: 'usd',
      payment_method: 'pm_card_bypassPending',
      confirm: true,
      application_fee_amount: 400,
    },
    { stripeAccount },
  );
  t.equal(usdOf((await stripe.balance.retrieve({}, { stripeAccount })).available), 4600);
  t.equal(usdOf((await stripe.balance.retrieve()).available), 400, 'the platform’s fee');
  t.match((await stripe.applicationFees.list()).data, [{ amount: 400, account: stripeAccount }]);

  const bank = {
    amount: 900,
    currency: 'usd',
    confirm: true,
    payment_method_data: { type: 'us_bank_account', us_bank_account: { account_number: '000123456789' } },
  } as const;
  const later = await stripe.paymentIntents.create(bank, { stripeAccount });
  t.equal(later.status, 'processing');
  t.equal(
    (await stripe.paymentIntents.retrieve(later.id, {}, { stripeAccount })).status,
    'succeeded',
    'what falls due is theirs',
  );
  const line = {
    price_data: { currency: 'usd', product_data: { name: 'Tea' }, unit_amount: 900 },
    quantity: 1,
  };
  const session = await stripe.checkout.sessions.create(
    { mode: 'payment', success_url: 'https://shop.example.com/', line_items: [line] },
    { stripeAccount },
  );
  await visit(made, session.url ?? '', 'email=a@example.com&cardNumber=4242424242424242');
  t.match(await stripe.checkout.sessions.retrieve(session.id, {}, { stripeAccount }), {
    payment_status: 'paid',
  });
  t.same((await stripe.charges.list()).data, [], 'all of it is theirs');
  t.equal((await stripe.charges.list({}, { stripeAccount })).data.length, 3);
});

t.test(
  '[4.1] an account that is none of the platform’s is refused, in the header and in the path',
  async t => {
    await using made = await openStripeWorld();
    const { stripe } = made;
    const refused = {
      code: 'account_invalid',
      message: /does not have access to account 'acct_none' \(or that account does not exist\)/,
      statusCode: 403,
    };
    await t.rejects(stripe.customers.list({}, { stripeAccount: 'acct_none' }), refused);
    await t.rejects(stripe.accounts.retrieve('acct_none'), refused);
    const { id } = await stripe.accounts.create({ type: 'express', country: 'US' });
    t.equal((await stripe.accounts.retrieve(id)).id, id);
    await stripe.accounts.del(id);
    await t.rejects(stripe.accounts.retrieve(id), { code: 'account_invalid' });
    const own = await stripe.customers.create({ name: 'Ada' });
    const listed = await stripe.customers.list({}, { stripeAccount: 'acct_twin' });
    t.match(listed.data, [{ id: own.id }], 'the platform’s own may be named');
    t.match(await stripe.accounts.retrieve('acct_twin'), { id: 'acct_twin', object: 'account' });
  },
);
