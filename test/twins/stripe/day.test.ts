// What a program asks Stripe of a day, call by call with today's parameters: who pays and with what, what is sold, what is owed
// and what is given back. What is expected is what Stripe's reference says of each call.
import t, { type Test } from 'tap';
import { type Answer, openStripeWorld, type StripeWorld } from '../../kit/stripe-world.ts';

// biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of the body
type Body = any;

/** Asks and has what came; `status` where it is no 200. */
function caller(t: Test, made: StripeWorld) {
  return async (method: string, path: string, form = '', status = 200): Promise<Body> => {
    const query = method === 'GET' && form !== '' ? `?${form}` : '';
    const more = method === 'GET' || form === '' ? {} : { form };
    const answer: Answer = await made.ask(method, `/v1/${path}${query}`, more);
    t.equal(
      answer.status,
      status,
      `${method} ${path} ${form} ${answer.status} ${JSON.stringify(answer.body?.error ?? '')}`,
    );
    return status === 200 ? answer.body : answer.body.error;
  };
}

t.test('[4.1] cards by token and payment methods: kept, changed, replaced, taken away', async t => {
  await using made = await openStripeWorld();
  const ask = caller(t, made);
  const customer = await ask('POST', 'customers', 'email=ada@example.com&source=tok_visa&tax_exempt=exempt');
  t.match(customer, { email: 'ada@example.com', tax_exempt: 'exempt', default_source: /^card_/ });
  const at = `customers/${customer.id}`;
  const second = await ask('POST', `${at}/sources`, 'source=tok_mastercard');
  t.match(second, { object: 'card', brand: 'MasterCard', last4: '4444', customer: customer.id });
  t.equal((await ask('GET', at)).default_source, customer.default_source, 'the first stays the default');
  t.equal((await ask('GET', `${at}/sources`, 'object=card')).data.length, 2);
  t.match(await ask('POST', `${at}/sources/${second.id}`, 'name=Ada+L&exp_year=2040&exp_month=3'), {
    ...{ name: 'Ada L', exp_year: 2040, exp_month: 3 },
  });
  t.equal((await ask('POST', at, `default_source=${second.id}`)).default_source, second.id);
  t.match(await ask('DELETE', `${at}/sources/${second.id}`), { id: second.id, deleted: true });
  t.equal(
    (await ask('GET', at)).default_source,
    customer.default_source,
    'the one that is left is the default',
  );
  t.match(await ask('POST', at, 'source=tok_amex'), { default_source: /^card_/ });
  t.same(
    (await ask('GET', `${at}/sources`)).data.map(({ last4 }: Body) => last4),
    ['8431'],
    'a customer’s new source takes the default’s place',
  );
  t.match(await ask('POST', `${at}/sources`, 'source=tok_chargeDeclined', 402), {
    ...{ type: 'card_error', code: 'card_declined', decline_code: 'generic_decline' },
  });
  t.match(await ask('POST', `${at}/sources`, 'source=tok_none', 400), {
    param: 'source',
    code: 'resource_missing',
  });

  const token = await ask(
    'POST',
    'tokens',
    'card[number]=4242424242424242&card[exp_month]=12&card[exp_year]=2030&card[cvc]=123',
  );
  t.match(token, { object: 'token', type: 'card', used: false, card: { last4: '4242', country: 'US' } });
  const method = await ask(
    'POST',
    'payment_methods',
    `type=card&card[token]=${token.id}&billing_details[name]=Ada`,
  );
  t.match(method, {
    type: 'card',
    customer: null,
    billing_details: { name: 'Ada' },
    card: { last4: '4242', brand: 'visa' },
  });
  t.equal((await ask('GET', `tokens/${token.id}`)).used, true);
  t.equal(
    (await ask('POST', `payment_methods/${method.id}/attach`, `customer=${customer.id}`)).customer,
    customer.id,
  );
  t.equal(
    (await ask('POST', `payment_methods/${method.id}`, 'card[exp_year]=2039&metadata[a]=b')).card.exp_year,
    2039,
  );
  t.equal((await ask('GET', 'payment_methods', `customer=${customer.id}&type=card`)).data[0].id, method.id);
  t.equal((await ask('GET', `${at}/payment_methods/${method.id}`)).id, method.id);
  const preferred = `invoice_settings[default_payment_method]=${method.id}`;
  t.equal((await ask('POST', at, preferred)).invoice_settings.default_payment_method, method.id);
  t.equal((await ask('POST', `payment_methods/${method.id}/detach`)).customer, null);
  t.equal((await ask('GET', at)).invoice_settings.default_payment_method, null);
  await ask('POST', `payment_methods/${method.id}/attach`, `customer=${customer.id}`, 400);
  t.match(
    await ask('POST', 'payment_methods/pm_card_chargeDeclined/attach', `customer=${customer.id}`, 402),
    {
      code: 'card_declined',
    },
  );
  t.same(made.faults, []);
});

t.test('[4.1] setup intents: confirmed, asked for authentication, declined, canceled', async t => {
  await using made = await openStripeWorld();
  const ask = caller(t, made);
  const { id: customer } = await ask('POST', 'customers', 'name=Ada');
  const of = 'payment_method_types[]=card&usage=off_session';
  const intent = await ask('POST', 'setup_intents', `customer=${customer}&${of}`);
  t.match(intent, {
    status: 'requires_payment_method',
    usage: 'off_session',
    client_secret: /^seti_.+_secret_/,
  });
  const done = await ask('POST', `setup_intents/${intent.id}/confirm`, 'payment_method=pm_card_visa');
  t.match(done, { status: 'succeeded', payment_method: /^pm_/, latest_attempt: /^setatt_/, mandate: null });
  t.equal((await ask('GET', `payment_methods/${done.payment_method}`)).customer, customer);
  t.match(await ask('POST', `setup_intents/${intent.id}/cancel`, '', 400), {
    code: 'setup_intent_unexpected_state',
  });
  const careful = await ask(
    'POST',
    'setup_intents',
    `customer=${customer}&${of}&confirm=true&payment_method=pm_card_threeDSecure2Required`,
  );
  t.match(careful, { status: 'requires_action', next_action: { type: 'use_stripe_sdk' } });
  t.match(await ask('POST', `setup_intents/${careful.id}/cancel`, 'cancellation_reason=abandoned'), {
    ...{ status: 'canceled', cancellation_reason: 'abandoned', next_action: null },
  });
  const declined = await ask('POST', 'setup_intents', `customer=${customer}&${of}`);
  const said = await ask(
    'POST',
    `setup_intents/${declined.id}/confirm`,
    'payment_method=pm_card_chargeDeclined',
    402,
  );
  t.match(said, {
    code: 'card_declined',
    setup_intent: { id: declined.id, status: 'requires_payment_method' },
  });
  t.match(await ask('GET', `setup_intents/${declined.id}`), { last_setup_error: { code: 'card_declined' } });
  t.equal((await ask('GET', 'setup_intents', `customer=${customer}`)).data.length, 3);
  t.same(made.faults, []);
});

t.test('[4.1] what is sold: products, prices with tiers, tax rates, coupons', async t => {
  await using made = await openStripeWorld();
  const ask = caller(t, made);
  const product = await ask(
    'POST',
    'products',
    'name=Seats&unit_label=seat&default_price_data[currency]=eur&default_price_data[unit_amount]=900',
  );
  t.match(product, { name: 'Seats', unit_label: 'seat', default_price: /^price_/, active: true });
  const of = `product=${product.id}&currency=eur`;
  const monthly = 'recurring[interval]=month';
  const tiers =
    'tiers[0][up_to]=5&tiers[0][unit_amount]=700&tiers[1][up_to]=inf&tiers[1][unit_amount]=500&tiers[1][flat_amount]=1000';
  for (const mode of ['graduated', 'volume']) {
    const price = await ask(
      'POST',
      'prices',
      `${of}&${monthly}&billing_scheme=tiered&tiers_mode=${mode}&${tiers}&expand[]=tiers`,
    );
    t.match(price, {
      ...{ billing_scheme: 'tiered', tiers_mode: mode, unit_amount: null, unit_amount_decimal: null },
      tiers: [
        { up_to: 5, unit_amount: 700, flat_amount: null },
        { up_to: null, flat_amount: 1000 },
      ],
    });
    t.notOk('tiers' in (await ask('GET', `prices/${price.id}`)), 'tiers are there when they are asked for');
    const { id: customer } = await ask('POST', 'customers', 'source=tok_visa');
    const bought = await ask(
      'POST',
      'subscriptions',
      `customer=${customer}&items[0][price]=${price.id}&items[0][quantity]=8&expand[]=latest_invoice`,
    );
    t.equal(bought.latest_invoice.total, mode === 'volume' ? 8 * 500 + 1000 : 5 * 700 + 3 * 500 + 1000, mode);
  }
  t.match(await ask('POST', 'prices', `${of}&unit_amount_decimal=0.5`), {
    unit_amount: null,
    unit_amount_decimal: '0.5',
  });
  const key = 'unit_amount=1&lookup_key=seat';
  const first = await ask('POST', 'prices', `${of}&${key}`);
  await ask('POST', 'prices', `${of}&${key}`, 400);
  const next = await ask('POST', 'prices', `${of}&${key}&transfer_lookup_key=true`);
  t.equal((await ask('GET', `prices/${first.id}`)).lookup_key, null);
  t.equal((await ask('GET', 'prices', 'lookup_keys[]=seat')).data[0].id, next.id);
  t.equal((await ask('POST', `prices/${first.id}`, 'active=false&nickname=old')).active, false);
  t.match(
    await ask(
      'POST',
      'prices',
      `${of}&${monthly}&unit_amount=100&transform_quantity[divide_by]=10&transform_quantity[round]=up`,
    ),
    {
      transform_quantity: { divide_by: 10, round: 'up' },
    },
  );
  t.match(await ask('POST', 'prices', 'currency=eur&unit_amount=5', 400), { type: 'invalid_request_error' });
  await ask('DELETE', `products/${product.id}`, '', 400);

  const rate = await ask(
    'POST',
    'tax_rates',
    'display_name=VAT&percentage=25&inclusive=false&country=NO&jurisdiction=NO&tax_type=vat',
  );
  t.match(rate, {
    percentage: 25,
    inclusive: false,
    active: true,
    tax_type: 'vat',
  });
  t.equal((await ask('POST', `tax_rates/${rate.id}`, 'active=false')).active, false);
  t.same((await ask('GET', 'tax_rates', 'active=true')).data, []);
  t.match(await ask('POST', 'tax_rates', 'display_name=VAT&inclusive=false', 400), { param: 'percentage' });

  t.match(
    await ask(
      'POST',
      'coupons',
      'id=HALF&percent_off=50&duration=repeating&duration_in_months=3&max_redemptions=2',
    ),
    {
      ...{ id: 'HALF', percent_off: 50, duration_in_months: 3, times_redeemed: 0, valid: true },
    },
  );
  await ask('POST', 'coupons', 'id=HALF&percent_off=50', 400);
  t.match(await ask('POST', 'coupons', 'amount_off=500&currency=eur'), {
    duration: 'once',
    percent_off: null,
  });
  t.match(await ask('POST', 'coupons', 'amount_off=500', 400), { param: 'currency' });
  await ask('POST', 'coupons', 'percent_off=50&amount_off=5&currency=eur', 400);
  await ask('POST', 'coupons', 'percent_off=50&duration=repeating', 400);
  t.match(await ask('DELETE', 'coupons/HALF'), { id: 'HALF', deleted: true });
  t.match(await ask('GET', 'coupons/HALF', '', 404), { code: 'resource_missing' });
  t.same(made.faults, []);
});

t.test('[4.1] subscriptions with trials, tax rates and coupons', async t => {
  await using made = await openStripeWorld();
  const ask = caller(t, made);
  const { id: customer } = await ask('POST', 'customers', 'source=tok_visa');
  const { id: price } = await ask(
    'POST',
    'prices',
    'currency=eur&unit_amount=1000&recurring[interval]=month&product_data[name]=Plan',
  );
  const { id: rate } = await ask('POST', 'tax_rates', 'display_name=VAT&percentage=25&inclusive=false');
  await ask('POST', 'coupons', 'id=TEN&percent_off=10&duration=forever');
  const of = `customer=${customer}&items[0][price]=${price}`;
  const taxed = await ask(
    'POST',
    'subscriptions',
    `${of}&items[0][quantity]=2&default_tax_rates[]=${rate}&discounts[0][coupon]=TEN&expand[]=latest_invoice`,
  );
  t.match(taxed, { status: 'active', default_tax_rates: [{ id: rate }], discounts: [/^di_/] });
  t.match(taxed.latest_invoice, {
    ...{
      subtotal: 2000,
      total: 2250,
      total_excluding_tax: 1800,
      amount_paid: 2250,
      billing_reason: 'subscription_create',
    },
    total_discount_amounts: [{ amount: 200 }],
    total_taxes: [
      { amount: 450, taxable_amount: 1800, tax_behavior: 'exclusive', tax_rate_details: { tax_rate: rate } },
    ],
  });
  t.equal((await ask('GET', 'coupons/TEN')).times_redeemed, 1);
  const [item] = taxed.items.data;
  t.match(await ask('POST', `subscription_items/${item.id}`, 'quantity=3&proration_behavior=none'), {
    quantity: 3,
  });
  t.same((await ask('POST', `subscriptions/${taxed.id}`, 'discounts=&default_tax_rates=')).discounts, []);
  t.same((await ask('GET', `subscriptions/${taxed.id}`)).default_tax_rates, []);
  t.match(await ask('POST', `subscriptions/${taxed.id}`, 'cancel_at_period_end=true'), {
    cancel_at_period_end: true,
    cancel_at: item.current_period_end,
  });
  t.match(await ask('DELETE', `subscriptions/${taxed.id}`), { status: 'canceled', ended_at: Number });
  await ask('DELETE', `subscriptions/${taxed.id}`, '', 404);

  const tried = await ask(
    'POST',
    'subscriptions',
    `${of}&trial_period_days=14&expand[]=latest_invoice&expand[]=pending_setup_intent`,
  );
  t.match(tried, { status: 'trialing', latest_invoice: { total: 0, status: 'paid' } });
  t.equal(tried.trial_end - tried.trial_start, 14 * 86_400);
  t.match(await ask('POST', `subscriptions/${tried.id}`, 'trial_end=now&expand[]=latest_invoice'), {
    ...{ status: 'active', latest_invoice: { total: 1000, status: 'paid' } },
  });
  const { id: poor } = await ask('POST', 'customers', 'name=Bo');
  const gone = await ask(
    'POST',
    'subscriptions',
    `customer=${poor}&items[0][price]=${price}&trial_period_days=3&trial_settings[end_behavior][missing_payment_method]=cancel`,
  );
  const paused = await ask(
    'POST',
    'subscriptions',
    `customer=${poor}&items[0][price]=${price}&trial_period_days=3&trial_settings[end_behavior][missing_payment_method]=pause`,
  );
  await made.advance('4d');
  t.equal((await ask('GET', `subscriptions/${gone.id}`)).status, 'canceled');
  t.equal((await ask('GET', `subscriptions/${paused.id}`)).status, 'paused');
  t.match(await ask('POST', 'subscriptions', `customer=${poor}&items[0][price]=${price}`, 400), {
    ...{ code: 'resource_missing', message: /no attached payment source or default payment method/ },
  });
  t.match(
    await ask(
      'POST',
      'subscriptions',
      `customer=${poor}&items[0][price]=${price}&payment_behavior=default_incomplete`,
    ),
    { status: 'incomplete' },
  );
  const owed = await ask(
    'POST',
    'subscriptions',
    `customer=${poor}&items[0][price]=${price}&collection_method=send_invoice&days_until_due=30&expand[]=latest_invoice`,
  );
  t.match(owed, {
    status: 'active',
    days_until_due: 30,
    latest_invoice: { status: 'draft', collection_method: 'send_invoice' },
  });
  t.match(
    await ask(
      'POST',
      'subscriptions',
      `customer=${poor}&items[0][price]=${price}&collection_method=send_invoice`,
      400,
    ),
    { type: 'invalid_request_error' },
  );
  await ask('POST', 'coupons', 'id=DEAR&amount_off=1&currency=usd');
  await ask('POST', 'subscriptions', `${of}&discounts[0][coupon]=DEAR`, 400);
  t.same(made.faults, []);
});

t.test('[4.1] invoices with items, paid, voided, written off; charges and refunds', async t => {
  await using made = await openStripeWorld();
  const ask = caller(t, made);
  const { id: customer } = await ask('POST', 'customers', 'source=tok_visa&email=ada@example.com');
  const { id: rate } = await ask('POST', 'tax_rates', 'display_name=VAT&percentage=20&inclusive=true');
  const { id: price } = await ask('POST', 'prices', 'currency=eur&unit_amount=250&product_data[name]=Mug');
  const loose = await ask(
    'POST',
    'invoiceitems',
    `customer=${customer}&currency=eur&amount=1000&description=Work&tax_rates[]=${rate}`,
  );
  t.match(loose, { amount: 1000, invoice: null, tax_rates: [{ id: rate }] });
  const drafted = await ask(
    'POST',
    'invoices',
    `customer=${customer}&currency=eur&pending_invoice_items_behavior=include&auto_advance=false`,
  );
  t.match(drafted, { status: 'draft', total: 1000, total_excluding_tax: 833 });
  await ask(
    'POST',
    'invoiceitems',
    `customer=${customer}&invoice=${drafted.id}&pricing[price]=${price}&quantity=4`,
  );
  t.match(await ask('POST', `invoices/${drafted.id}`, 'description=May&footer=Thanks'), {
    total: 2000,
    footer: 'Thanks',
  });
  t.equal((await ask('GET', `invoices/${drafted.id}/lines`)).data.length, 2);
  t.match(await ask('POST', `invoices/${drafted.id}/finalize`), {
    status: 'open',
    number: /-0001$/,
    amount_due: 2000,
  });
  await ask('DELETE', `invoices/${drafted.id}`, '', 400);
  const paid = await ask('POST', `invoices/${drafted.id}/pay`, 'expand[]=payments');
  t.match(paid, {
    status: 'paid',
    amount_paid: 2000,
    amount_remaining: 0,
    payments: { data: [{ status: 'paid', amount_paid: 2000 }] },
  });
  await ask('POST', `invoices/${drafted.id}/void`, '', 400);
  const intent = paid.payments.data[0].payment.payment_intent;

  const part = await ask(
    'POST',
    'refunds',
    `payment_intent=${intent}&amount=500&reason=requested_by_customer`,
  );
  t.match(part, {
    status: 'succeeded',
    amount: 500,
    currency: 'eur',
    reason: 'requested_by_customer',
    charge: /^(ch|py)_/,
  });
  t.match(await ask('POST', 'refunds', `payment_intent=${intent}&amount=1501`, 400), {
    type: 'invalid_request_error',
    message: /greater than/,
  });
  t.equal((await ask('POST', 'refunds', `charge=${part.charge}`)).amount, 1500);
  t.match(await ask('GET', `charges/${part.charge}`), { refunded: true, amount_refunded: 2000 });
  t.match(await ask('POST', 'refunds', `charge=${part.charge}`, 400), { code: 'charge_already_refunded' });
  t.equal((await ask('GET', 'refunds', `charge=${part.charge}`)).data.length, 2);
  t.equal((await ask('POST', `refunds/${part.id}`, 'metadata[a]=b')).metadata.a, 'b');

  const owed = async () => {
    const made = await ask(
      'POST',
      'invoices',
      `customer=${customer}&currency=eur&collection_method=send_invoice&days_until_due=10`,
    );
    await ask('POST', 'invoiceitems', `customer=${customer}&invoice=${made.id}&amount=700&currency=eur`);
    return made.id;
  };
  const [sent, off, away, draft] = [await owed(), await owed(), await owed(), await owed()];
  t.match(await ask('POST', `invoices/${sent}/send`), { status: 'open', amount_due: 700, due_date: Number });
  t.match(await ask('POST', `invoices/${sent}/pay`, 'paid_out_of_band=true'), {
    status: 'paid',
    amount_paid: 0,
  });
  await ask('POST', `invoices/${off}/finalize`);
  t.equal((await ask('POST', `invoices/${off}/mark_uncollectible`)).status, 'uncollectible');
  await ask('POST', `invoices/${away}/finalize`);
  t.equal((await ask('POST', `invoices/${away}/void`)).status, 'void');
  t.match(await ask('DELETE', `invoices/${draft}`), { deleted: true });
  t.equal((await ask('GET', 'invoices', `customer=${customer}&status=paid`)).data.length, 2);
  const { id: other } = await ask('POST', 'customers', 'name=Bo');
  t.match(
    await ask(
      'POST',
      'invoices/create_preview',
      `customer=${other}&invoice_items[0][amount]=300&invoice_items[0][currency]=eur`,
    ),
    {
      ...{ total: 300, status: 'draft' },
    },
  );

  const held = await ask('POST', 'charges', `amount=900&currency=eur&customer=${customer}&capture=false`);
  t.match(held, { captured: false, status: 'succeeded', amount_captured: 0 });
  t.match(await ask('POST', `charges/${held.id}/capture`, 'amount=600'), {
    captured: true,
    amount_captured: 600,
    amount_refunded: 300,
  });
  await ask('POST', `customers/${customer}/sources`, 'source=tok_chargeCustomerFail');
  t.match(await ask('POST', 'charges', 'amount=10&currency=eur&source=tok_visa', 400), {
    code: 'amount_too_small',
  });
  t.match(
    await ask('POST', 'charges', 'amount=900&currency=eur&source=tok_chargeDeclinedInsufficientFunds', 402),
    {
      ...{ code: 'card_declined', decline_code: 'insufficient_funds', charge: /^ch_/ },
    },
  );
  t.same(made.faults, []);
});
