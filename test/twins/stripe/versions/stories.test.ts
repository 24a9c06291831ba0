// Whole stories, each in a version that programs pin: what they send, and what they read of the answers.
import t from 'tap';
import { API_VERSION } from '../../../../twins/stripe/api/version.ts';
import { type Body, callerIn } from '../../../kit/stripe-version.ts';
import { openStripeWorld, shop } from '../../../kit/stripe-world.ts';

const BEFORE_BASIL = ['2020-08-27', '2022-11-15', '2023-10-16', '2024-06-20', '2025-02-24.acacia'];
const SINCE_BASIL = [
  '2025-03-31.basil',
  '2025-08-27.basil',
  '2025-10-29.clover',
  '2026-08-26.dahlia',
  API_VERSION,
];

t.test('[2.2] a subscription, its trial and its renewal, as versions before basil had them', async t => {
  for (const version of BEFORE_BASIL) {
    await using made = await openStripeWorld();
    const { customer, price } = await shop(made.stripe);
    const caller = callerIn(made, version);
    const trialing = await caller.post(
      '/v1/subscriptions',
      `customer=${customer.id}&items[0][price]=${price.id}&trial_period_days=14`,
    );
    t.equal(trialing.status, 'trialing', version);
    t.equal(trialing.current_period_start, trialing.trial_start, version);
    t.equal(trialing.current_period_end, trialing.trial_end, version);
    t.equal(trialing.discount, null, version);
    t.equal(trialing.billing_mode.type, 'classic', version);
    await made.advance('14d');
    await made.advance('1h');
    const renewed = await caller.get(
      `/v1/subscriptions/${trialing.id}?expand[]=latest_invoice.payment_intent&expand[]=latest_invoice.charge`,
    );
    t.equal(renewed.status, 'active', version);
    const invoice: Body = renewed.latest_invoice;
    t.match(invoice, { paid: true, paid_out_of_band: false, subscription: trialing.id, tax: null }, version);
    t.match(
      invoice.payment_intent,
      { object: 'payment_intent', status: 'succeeded', invoice: invoice.id },
      version,
    );
    t.match(invoice.charge, {
      object: 'charge',
      invoice: invoice.id,
      payment_intent: invoice.payment_intent.id,
    });
    const [line] = invoice.lines.data;
    t.match(line, { type: 'subscription', proration: false, subscription: trialing.id }, version);
    t.equal(line.price.id, price.id, version);
    t.equal(line.plan.id, price.id, version);
    t.equal(line.subscription_item, trialing.items.data[0].id, version);
    const list = await caller.get(
      `/v1/subscriptions?customer=${customer.id}&expand[]=data.latest_invoice.payment_intent`,
    );
    t.equal(list.data[0].current_period_end, renewed.current_period_end, version);
    t.equal(list.data[0].latest_invoice.payment_intent.id, invoice.payment_intent.id, version);
    const found = await caller.get(`/v1/subscriptions/search?query=${encodeURIComponent("status:'active'")}`);
    t.equal(found.data[0].current_period_end, renewed.current_period_end, version);
  }
});

t.test('[2.2] the same fields are not there since basil', async t => {
  for (const version of SINCE_BASIL) {
    await using made = await openStripeWorld();
    const { customer, price } = await shop(made.stripe);
    const caller = callerIn(made, version);
    const body = `customer=${customer.id}&items[0][price]=${price.id}&expand[]=latest_invoice`;
    const made1 = await caller.post('/v1/subscriptions', body);
    for (const name of ['current_period_end', 'discount']) t.notOk(name in made1, `${version} ${name}`);
    for (const name of ['payment_intent', 'charge', 'paid', 'subscription', 'tax'])
      t.notOk(name in made1.latest_invoice, `${version} ${name}`);
    const refused = await caller.ask(
      'GET',
      `/v1/subscriptions/${made1.id}?expand[]=latest_invoice.payment_intent`,
    );
    t.equal(refused.status, 400, version);
    t.match(refused.body.error.message, /cannot be expanded/, version);
  }
});

t.test('[2.2] the upcoming invoice, with the parameters it had, until basil', async t => {
  for (const version of ['2020-08-27', '2022-11-15', '2024-06-20']) {
    await using made = await openStripeWorld();
    const { customer, price } = await shop(made.stripe);
    const caller = callerIn(made, version);
    const none = await caller.ask('GET', `/v1/invoices/upcoming?customer=${customer.id}`);
    t.equal(none.status, 404, version);
    t.match(none.body.error, { code: 'invoice_upcoming_none', type: 'invalid_request_error' }, version);
    const made1 = await caller.post(
      '/v1/subscriptions',
      `customer=${customer.id}&items[0][plan]=${price.id}`,
    );
    const upcoming = await caller.get(`/v1/invoices/upcoming?customer=${customer.id}`);
    t.match(upcoming, {
      object: 'invoice',
      amount_due: 1500,
      paid: false,
      subscription: made1.id,
      charge: null,
    });
    t.notOk('id' in upcoming, version);
    const [line] = upcoming.lines.data;
    t.match(line, {
      type: 'subscription',
      price: { id: price.id },
      plan: { id: price.id, aggregate_usage: null },
    });
    const item = made1.items.data[0].id;
    const changed =
      `customer=${customer.id}&subscription=${made1.id}&subscription_items[0][id]=${item}` +
      `&subscription_items[0][quantity]=3&subscription_proration_behavior=none`;
    t.equal((await caller.get(`/v1/invoices/upcoming?${changed}`)).amount_due, 4500, version);
    const lines = await caller.get(`/v1/invoices/upcoming/lines?${changed}&limit=1`);
    t.match(lines, {
      object: 'list',
      has_more: false,
      data: [{ amount: 4500, quantity: 3, proration: false }],
    });
    const coupon = await made.stripe.coupons.create({ percent_off: 50, duration: 'once' });
    const less = await caller.get(`/v1/invoices/upcoming?customer=${customer.id}&coupon=${coupon.id}`);
    t.equal(less.amount_due, 750, version);
    const ended = `customer=${customer.id}&subscription=${made1.id}&subscription_cancel_at_period_end=true`;
    t.equal((await caller.ask('GET', `/v1/invoices/upcoming?${ended}`)).status, 404, version);
  }
  await using made = await openStripeWorld();
  const gone = await callerIn(made, '2025-03-31.basil').ask('GET', '/v1/invoices/upcoming?customer=cus_1');
  t.equal(gone.status, 404);
  t.match(gone.body.error, { code: 'resource_missing', message: "No such invoice: 'upcoming'" });
});

t.test('[2.2] a payment intent has each charge that was tried in it, the newest first', async t => {
  await using made = await openStripeWorld();
  const old = callerIn(made, '2020-08-27');
  const tried = async (id: string, method: string): Promise<readonly string[]> => {
    await old.ask('POST', `/v1/payment_intents/${id}/confirm`, `payment_method=${method}`);
    const { charges } = await old.get(`/v1/payment_intents/${id}`);
    t.equal(charges.total_count, charges.data.length);
    return charges.data.map(({ status }: Body) => status);
  };
  const { id } = await old.post('/v1/payment_intents', 'amount=900&currency=usd');
  t.strictSame(await tried(id, 'pm_card_chargeDeclined'), ['failed']);
  t.strictSame(await tried(id, 'pm_card_chargeDeclinedExpiredCard'), ['failed', 'failed']);
  t.strictSame(await tried(id, 'pm_card_visa'), ['succeeded', 'failed', 'failed']);
  const bank = await old.post(
    '/v1/payment_intents',
    'amount=900&currency=eur&payment_method_types[]=sepa_debit&payment_method_types[]=card',
  );
  const methodOf = async (iban: string): Promise<string> =>
    (
      await old.post(
        '/v1/payment_methods',
        `type=sepa_debit&sepa_debit[iban]=${iban}&billing_details[name]=A&billing_details[email]=a@b.test`,
      )
    ).id;
  // It stood pending until the bank had answered: the same charge.
  t.strictSame(await tried(bank.id, await methodOf('DE62370400440532013001')), ['failed']);
  t.strictSame(await tried(bank.id, 'pm_card_visa'), ['succeeded', 'failed']);
});

t.test('[2.2] payment intents with their charges, and cards alone, as they were', async t => {
  await using made = await openStripeWorld();
  const old = callerIn(made, '2020-08-27');
  const paid = await old.post(
    '/v1/payment_intents',
    'amount=900&currency=usd&payment_method=pm_card_visa&confirm=true&expand[]=charges.data.balance_transaction',
  );
  t.match(paid, {
    status: 'succeeded',
    capture_method: 'automatic',
    payment_method_types: ['card'],
    invoice: null,
  });
  t.equal(paid.automatic_payment_methods, null);
  const [charge] = paid.charges.data;
  t.equal(charge.balance_transaction.object, 'balance_transaction');
  t.match(charge, { refunds: { object: 'list', data: [] }, invoice: null, dispute: null, destination: null });
  await old.post('/v1/refunds', `charge=${charge.id}&amount=100`);
  const again = await old.get(`/v1/payment_intents/${paid.id}`);
  t.equal(again.charges.data[0].refunds.data[0].amount, 100);
  const newer = await callerIn(made, '2022-11-15').get(
    `/v1/payment_intents/${paid.id}?expand[]=latest_charge`,
  );
  t.notOk('charges' in newer);
  t.notOk('refunds' in newer.latest_charge);
  t.match(newer, { invoice: null });
  const open = await callerIn(made, '2023-10-16').post('/v1/payment_intents', 'amount=900&currency=usd');
  t.same(open.automatic_payment_methods, { allow_redirects: 'always', enabled: true }, 'since 2023-08-16');
});

t.test('[2.2] a declined intent in an error is as the version has it', async t => {
  await using made = await openStripeWorld();
  const form = 'amount=900&currency=usd&payment_method=pm_card_chargeDeclined&confirm=true';
  const declined = await callerIn(made, '2020-08-27').ask('POST', '/v1/payment_intents', form);
  t.equal(declined.status, 402);
  t.match(declined.body.error.payment_intent, {
    status: 'requires_payment_method',
    charges: { data: [{ object: 'charge', failure_code: 'card_declined' }] },
  });
});

t.test('[2.2] what is done once is answered again as it was', async t => {
  await using made = await openStripeWorld();
  const ask = (version: string) =>
    made.ask('POST', '/v1/payment_intents', {
      headers: {
        authorization: 'Bearer sk_test_wrld',
        'content-type': 'application/x-www-form-urlencoded',
        'stripe-version': version,
        'idempotency-key': 'once',
      },
      form: 'amount=900&currency=usd&payment_method_types[]=card',
    });
  const first = await ask('2020-08-27');
  t.ok(first.body.charges);
  const again = await ask('2020-08-27');
  t.equal(again.headers['idempotent-replayed'], 'true');
  t.same(again.body, first.body);
});

t.test(
  '[2.2] a product for orders of goods, and balance transactions by when they are available, before 2022-08-01',
  async t => {
    await using made = await openStripeWorld();
    const ask = (version: string, method: string, path: string, form?: string) =>
      made.ask(method, path, {
        headers: {
          authorization: 'Bearer sk_test_wrld',
          'content-type': 'application/x-www-form-urlencoded',
          'stripe-version': version,
        },
        ...(form === undefined ? {} : { form }),
      });
    const shirt = 'name=Shirt&type=good&attributes[]=size&caption=Soft';
    const { body } = await ask('2020-08-27', 'POST', '/v1/products', shirt);
    t.match(body, { type: 'good', attributes: ['size'], caption: 'Soft', deactivate_on: [] });
    await ask('2020-08-27', 'POST', `/v1/products/${body.id}`, 'attributes[]=size&attributes[]=color');
    const path = `/v1/products/${body.id}`;
    t.same((await ask('2020-08-27', 'GET', path)).body.attributes, ['size', 'color']);
    t.notOk('caption' in (await ask('2022-08-01', 'GET', path)).body);
    t.equal((await ask('2022-08-01', 'POST', '/v1/products', shirt)).body.error.code, 'parameter_unknown');
    await made.stripe.charges.create({ amount: 500, currency: 'usd', source: 'tok_visa' });
    const [charged] = (await made.stripe.balanceTransactions.list()).data;
    for (const [bound, found] of [
      ['lte', 1],
      ['lt', 0],
    ] as const) {
      const query = `available_on[${bound}]=${charged!.available_on}`;
      const page = await ask('2020-08-27', 'GET', `/v1/balance_transactions?${query}`);
      t.equal(page.body.data.length, found, bound);
    }
  },
);
