// Checkout: sessions paid on the vendor's own page as a browser sees it, payment links, and what comes of each.
import type Stripe from 'stripe';
import t from 'tap';
import { visit } from '../../../kit/stripe-page.ts';
import { openStripeWorld, type StripeWorld } from '../../../kit/stripe-world.ts';

const success_url = 'https://shop.example.com/done';
const card = (number: string, more = ''): string =>
  `email=ada@example.com&billingName=Ada&cardNumber=${number}${more}`;
const GOOD = card('4242424242424242', '&cardExpiry=12+%2F+34&cardCvc=123');

const tea = (unit_amount: number, recurring = false) => ({
  price_data: {
    currency: 'usd',
    product_data: { name: 'Tea' },
    unit_amount,
    ...(recurring ? { recurring: { interval: 'month' as const } } : {}),
  },
  quantity: 1,
});

type Ask = Stripe.Checkout.SessionCreateParams;
const open = (made: StripeWorld, ask: Ask = {}): Promise<Stripe.Checkout.Session> =>
  made.stripe.checkout.sessions.create({ mode: 'payment', success_url, line_items: [tea(2000)], ...ask });
const again = (made: StripeWorld, { id }: { id: string }): Promise<Stripe.Checkout.Session> =>
  made.stripe.checkout.sessions.retrieve(id);
const completed = async (made: StripeWorld): Promise<number> =>
  (await made.events('checkout.session.completed')).length;

t.test('[4.1] what a buyer tells is saved onto the customer where the session is asked to', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const customer = await stripe.customers.create({ email: 'ada@example.com', name: 'A.' });
  const form = `${GOOD}&billingAddressLine1=Ring+1&billingCountry=DE&shippingAddressLine1=Weg+2&shippingCountry=DE`;
  const ask: Ask = {
    customer: customer.id,
    billing_address_collection: 'required',
    shipping_address_collection: { allowed_countries: ['DE'] },
  };
  const plain = await open(made, ask);
  await visit(made, plain.url ?? '', form);
  t.match(await stripe.customers.retrieve(customer.id), { name: 'A.', address: null, shipping: null });
  const saving = await open(made, {
    ...ask,
    customer_update: { address: 'auto', name: 'auto', shipping: 'auto' },
  });
  await visit(made, saving.url ?? '', form);
  t.equal((await again(made, saving)).status, 'complete');
  t.match(await stripe.customers.retrieve(customer.id), {
    name: 'Ada',
    address: { line1: 'Ring 1', country: 'DE' },
    shipping: { name: 'Ada', address: { line1: 'Weg 2' } },
  });
  t.equal((await made.events('customer.updated')).length, 1);
});

t.test('[4.1] checkout: one pays on the page, subscribes, and a session expires', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const line = (recurring: boolean) => ({
    price_data: {
      currency: 'usd',
      product_data: { name: 'Tea & <cake>' },
      unit_amount: 1500,
      ...(recurring ? { recurring: { interval: 'month' as const } } : {}),
    },
    quantity: 2,
  });
  const success_url = 'https://shop.example.com/done?session={CHECKOUT_SESSION_ID}';
  const open = await stripe.checkout.sessions.create({
    mode: 'payment',
    success_url,
    line_items: [line(false)],
  });
  t.match(open, { status: 'open', payment_status: 'unpaid', amount_total: 3000 });
  const page = await visit(made, open.url ?? '');
  t.match(page.text, /Tea &#38; &#60;cake&#62;/, 'what users wrote is escaped');
  t.match(await visit(made, open.url ?? '', 'email=a@example.com&cardNumber=4000000000000002'), {
    status: 402,
    text: /declined/,
  });
  const paid = await visit(made, open.url ?? '', 'email=a@example.com&cardNumber=4242424242424242');
  t.equal(paid.location, `https://shop.example.com/done?session=${open.id}`);
  const done = await stripe.checkout.sessions.retrieve(open.id, { expand: ['line_items', 'payment_intent'] });
  t.match(done, { status: 'complete', payment_status: 'paid', customer_details: { email: 'a@example.com' } });
  t.equal(done.line_items?.data[0]?.amount_total, 3000);
  t.equal((done.payment_intent as Stripe.PaymentIntent).status, 'succeeded');
  const plan = await stripe.checkout.sessions.create({
    mode: 'subscription',
    success_url,
    line_items: [line(true)],
  });
  await visit(made, plan.url ?? '', 'email=b@example.com&cardNumber=4242424242424242');
  const subscribed = await stripe.checkout.sessions.retrieve(plan.id, { expand: ['subscription'] });
  t.match(subscribed.subscription, { status: 'active', object: 'subscription' });
  const saving = await stripe.checkout.sessions.create({ mode: 'setup', currency: 'usd', success_url });
  await visit(made, saving.url ?? '', 'email=c@example.com&cardNumber=4242424242424242');
  t.match((await stripe.checkout.sessions.retrieve(saving.id)).setup_intent, /^seti_/);
  const late = await stripe.checkout.sessions.create({
    mode: 'payment',
    success_url,
    line_items: [line(false)],
  });
  await made.advance('25h');
  t.equal((await stripe.checkout.sessions.retrieve(late.id)).status, 'expired');
  t.equal((await visit(made, `https://checkout.stripe.com/c/pay/${late.id}`)).status, 410);
  const link = await stripe.paymentLinks
    .create({
      line_items: [{ price: done.line_items?.data[0]?.price?.id ?? '', quantity: 1 }],
    })
    .catch(error => error);
  t.equal(link.param, 'line_items[0][price]', 'a price of one session is not for links');
  const product = await stripe.products.create({ name: 'Tea' });
  const price = await stripe.prices.create({ product: product.id, currency: 'usd', unit_amount: 700 });
  const shared = await stripe.paymentLinks.create({ line_items: [{ price: price.id, quantity: 1 }] });
  const visited = await visit(made, shared.url);
  t.match(visited.location, /^https:\/\/checkout\.stripe\.com\/c\/pay\/cs_test_/);
  t.equal((await stripe.checkout.sessions.list({ payment_link: shared.id })).data.length, 1);
});

t.test('[4.1] a card is shown again to who saved it, and not to who paid with it', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const future = { payment_intent_data: { setup_future_usage: 'off_session' } } as const;
  const one = { customer_creation: 'always' } as const;
  for (const [redisplay, params] of [
    ['limited', { mode: 'subscription', line_items: [tea(900, true)] }],
    ['limited', { ...one, ...future }],
    ['always', { mode: 'setup', currency: 'usd', line_items: [] }],
  ] as const) {
    const session = await open(made, params as Stripe.Checkout.SessionCreateParams);
    await visit(made, session.url ?? '', GOOD);
    const methods = await stripe.paymentMethods.list({ limit: 1 });
    t.equal(methods.data[0]?.allow_redisplay, redisplay, JSON.stringify(params));
  }
  const plain = await open(made);
  await visit(made, plain.url ?? '', GOOD);
  const { payment_intent } = await again(made, plain);
  const expand = ['payment_method'];
  t.match(await stripe.paymentIntents.retrieve(String(payment_intent), { expand }), {
    payment_method: { allow_redisplay: 'unspecified' },
  });
});

t.test(
  '[4.1] the first invoice: a payer’s own payment is no attempt of Stripe’s, and is one change',
  async t => {
    await using made = await openStripeWorld();
    const { stripe } = made;
    const card = { request_three_d_secure: 'automatic' };
    const session = await open(made, { mode: 'subscription', line_items: [tea(900, true)] });
    await visit(made, session.url ?? '', GOOD);
    const { subscription, invoice } = await again(made, session);
    t.match(await stripe.invoices.retrieve(String(invoice)), {
      ...{ status: 'paid', attempt_count: 0, attempted: true },
      payment_settings: { payment_method_options: { card } },
    });
    t.match(await stripe.subscriptions.retrieve(String(subscription)), {
      payment_settings: { payment_method_options: { card: { ...card, network: null }, konbini: null } },
    });
    const updated = await made.events('invoice.updated');
    t.equal(updated.length, 1);
    t.match(updated[0], { data: { object: { status: 'paid' }, previous_attributes: { status: 'open' } } });

    // By the API it is made, finalized and paid in one request: nobody saw it before.
    const customer = await stripe.customers.create({
      payment_method: 'pm_card_visa',
      invoice_settings: { default_payment_method: 'pm_card_visa' },
    });
    const product = await stripe.products.create({ name: 'Tea' });
    const price = await stripe.prices.create({
      ...{ product: product.id, currency: 'usd', unit_amount: 900 },
      recurring: { interval: 'month' },
    });
    const plain = await stripe.subscriptions.create({ customer: customer.id, items: [{ price: price.id }] });
    t.match(await stripe.invoices.retrieve(String(plain.latest_invoice)), {
      status: 'paid',
      attempt_count: 1,
    });
    t.equal((await made.events('invoice.updated')).length, 1);
  },
);

t.test('[4.1] a session paid through a bank is settled later', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  for (const [iban, event] of [
    ['DE89370400440532013000', 'checkout.session.async_payment_succeeded'],
    ['DE62370400440532013001', 'checkout.session.async_payment_failed'],
  ] as const) {
    const session = await stripe.checkout.sessions.create({
      mode: 'payment',
      success_url: 'https://shop.example.com/',
      allowed_payment_method_types: ['sepa_debit'],
      line_items: [
        { price_data: { currency: 'eur', product_data: { name: 'Tea' }, unit_amount: 900 }, quantity: 1 },
      ],
    });
    const method = await stripe.paymentMethods.create({ type: 'sepa_debit', sepa_debit: { iban } });
    const paid = await made.ask('POST', `/v1/payment_pages/${session.id}/confirm`, {
      form: `payment_method=${method.id}&expected_amount=900`,
    });
    t.match(paid.body, { status: 'complete', payment_status: 'unpaid' });
    t.equal((await made.events(event)).length, 1, event);
  }
});

t.test('[4.1] a payer who must prove who they are is sent on, and comes back to a paid session', async t => {
  const modes: readonly [Ask['mode'], Ask][] = [
    ['payment', {}],
    ['subscription', { mode: 'subscription', line_items: [tea(900, true)] }],
    ['setup', { mode: 'setup', currency: 'usd', line_items: [] }],
  ];
  for (const [mode, { line_items: lines, ...ask }] of modes) {
    await using made = await openStripeWorld();
    const line_items = mode === 'setup' ? {} : { line_items: lines ?? [tea(2000)] };
    const session = await made.stripe.checkout.sessions.create({
      mode: 'payment',
      success_url,
      ...ask,
      ...line_items,
    });
    const prove = async (outcome: 'complete' | 'fail'): Promise<string> => {
      const sent = await visit(made, session.url ?? '', card('4000002760003184'));
      t.match(
        sent.location,
        /^https:\/\/hooks\.stripe\.com\/3d_secure_2\/hosted\?/,
        `${mode}: sent to prove it`,
      );
      t.equal((await again(made, session)).status, 'open');
      return (await visit(made, sent.location ?? '', `outcome=${outcome}`)).location ?? '';
    };
    const failed = await prove('fail');
    t.match(failed, /^https:\/\/checkout\.stripe\.com\/c\/pay\/.*redirect_status=failed/);
    t.match((await visit(made, failed)).text, /not authenticated/);
    t.equal((await again(made, session)).status, 'open', `${mode}: open for another try`);
    const back = await prove('complete');
    t.match(back, /redirect_status=succeeded/);
    t.equal((await visit(made, back)).location, success_url, 'and sent on to the shop');
    const done = await again(made, session);
    t.match(done, {
      status: 'complete',
      payment_status: mode === 'setup' ? 'no_payment_required' : 'paid',
      customer_details: { email: 'ada@example.com' },
    });
    t.equal(await completed(made), 1);
    if (mode === 'payment') t.equal((await made.stripe.paymentIntents.list()).data.length, 1, 'one intent');
    if (mode === 'subscription') {
      const held = await made.stripe.subscriptions.retrieve(String(done.subscription));
      t.match(held, { status: 'active', latest_invoice: String(done.invoice) });
      t.equal((await made.stripe.subscriptions.list()).data.length, 1, 'one subscription');
    }
    if (mode === 'setup') {
      const { status, payment_method } = await made.stripe.setupIntents.retrieve(String(done.setup_intent));
      t.match({ status, payment_method }, { status: 'succeeded', payment_method: /^pm_/ });
    }
  }
});

t.test('[4.1] discounts, taxes and shipping are in the totals, on the page, and in what is paid', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const coupon = await stripe.coupons.create({ percent_off: 25, duration: 'once' });
  const code = await stripe.promotionCodes.create({
    promotion: { type: 'coupon', coupon: coupon.id },
    code: 'SPRING',
  });
  const rate = await stripe.taxRates.create({ display_name: 'VAT', percentage: 10, inclusive: false });
  const shipped = (amount: number, display_name: string) => ({
    shipping_rate_data: {
      display_name,
      type: 'fixed_amount' as const,
      fixed_amount: { amount, currency: 'usd' },
    },
  });
  const first = await open(made, {
    discounts: [{ coupon: coupon.id }],
    line_items: [{ ...tea(2000), tax_rates: [rate.id] }],
    shipping_options: [shipped(500, 'Post'), shipped(1500, 'Courier')],
    shipping_address_collection: { allowed_countries: ['US', 'GB'] },
  });
  t.match(first, {
    amount_subtotal: 2000,
    amount_total: 2000 - 500 + 150 + 500,
    total_details: { amount_discount: 500, amount_shipping: 500, amount_tax: 150 },
  });
  const page = (await visit(made, first.url ?? '')).text;
  t.match(page, /Courier: 15\.00 USD/);
  const courier = first.shipping_options[1]?.shipping_rate;
  t.equal((await visit(made, first.url ?? '', GOOD)).status, 400, 'where to ship to is missing');
  const to = 'shippingAddressLine1=1+Main+St&shippingLocality=London&shippingCountry=GB';
  await visit(made, first.url ?? '', `${GOOD}&${to}&shipping_rate=${courier}`);
  const paid = await stripe.checkout.sessions.retrieve(first.id, { expand: ['payment_intent'] });
  t.match(paid, {
    status: 'complete',
    amount_total: 3150,
    shipping_cost: { amount_total: 1500, shipping_rate: courier },
    collected_information: { shipping_details: { address: { city: 'London', country: 'GB' } } },
    payment_intent: { amount: 3150, status: 'succeeded', shipping: { name: 'Ada' } },
  });
  t.equal((await stripe.coupons.retrieve(coupon.id)).times_redeemed, 1);

  const second = await open(made, { allow_promotion_codes: true });
  t.match(await visit(made, second.url ?? '', 'do=apply&promotionCode=NONE'), {
    status: 400,
    text: /not valid/,
  });
  t.match((await visit(made, second.url ?? '', 'do=apply&promotionCode=SPRING')).text, /15\.00 USD/);
  await visit(made, second.url ?? '', GOOD);
  t.match(await again(made, second), { amount_total: 1500, discounts: [{ promotion_code: code.id }] });
  t.equal((await stripe.promotionCodes.retrieve(code.id)).times_redeemed, 1);

  const plan = await open(made, {
    mode: 'subscription',
    discounts: [{ coupon: coupon.id }],
    line_items: [tea(1000, true), tea(4000)],
  });
  t.equal(plan.amount_total, 3750);
  await visit(made, plan.url ?? '', GOOD);
  const { invoice } = await again(made, plan);
  t.match(
    await stripe.invoices.retrieve(String(invoice)),
    { status: 'paid', total: 3750 },
    'once and monthly',
  );

  const free = await open(made, { line_items: [tea(0)] });
  t.notMatch((await visit(made, free.url ?? '')).text, /Card number/);
  await visit(made, free.url ?? '', 'email=ada@example.com');
  t.match(await again(made, free), { payment_status: 'no_payment_required', payment_intent: null });
});

t.test('[4.1] what the page asks is on the session', async t => {
  await using made = await openStripeWorld();
  const session = await open(made, {
    line_items: [{ ...tea(2000), adjustable_quantity: { enabled: true, minimum: 1, maximum: 5 } }],
    billing_address_collection: 'required',
    consent_collection: { promotions: 'auto', terms_of_service: 'required' },
    custom_fields: [
      { key: 'engraving', type: 'text', label: { type: 'custom', custom: 'Engraving' } },
      {
        key: 'size',
        type: 'dropdown',
        optional: true,
        label: { type: 'custom', custom: 'Size' },
        dropdown: { options: [{ label: 'Small', value: 'small' }] },
      },
    ],
    invoice_creation: { enabled: true },
    phone_number_collection: { enabled: true },
  });
  const { text } = await visit(made, session.url ?? '');
  for (const wanted of [/Engraving/, /Small/, /Billing address/, /Phone/, /agree to the terms/])
    t.match(text, wanted);
  const [item] = (await made.stripe.checkout.sessions.listLineItems(session.id)).data;
  const told = `phoneNumber=123&billingAddressLine1=1+Main+St&billingPostalCode=94103&field_engraving=Hi&quantity_${item?.id}=3`;
  t.match(await visit(made, session.url ?? '', `${GOOD}&${told}`), {
    status: 400,
    text: /agree to the terms/,
  });
  t.match(await visit(made, session.url ?? '', `${GOOD}&${told}&terms=accepted&quantity_${item?.id}=9`), {
    status: 400,
  });
  await visit(made, session.url ?? '', `${GOOD}&${told}&terms=accepted&promotions=opt_in`);
  const done = await again(made, session);
  t.match(done, {
    amount_total: 6000,
    consent: { promotions: 'opt_in', terms_of_service: 'accepted' },
    custom_fields: [
      { key: 'engraving', text: { value: 'Hi' } },
      { key: 'size', dropdown: { value: null } },
    ],
    customer: /^cus_/,
    customer_details: { phone: '123', address: { line1: '1 Main St', postal_code: '94103' } },
  });
  t.match(await made.stripe.invoices.retrieve(String(done.invoice)), { status: 'paid', amount_paid: 6000 });
});

t.test('[4.1] other ways to pay on the page: a saved card, a bank, a debit', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const { id: customer } = await stripe.customers.create({ name: 'Ada' });
  const method = await stripe.paymentMethods.attach('pm_card_mastercard', { customer });
  await stripe.paymentMethods.update(method.id, { allow_redisplay: 'always' });
  const saved = await open(made, { customer });
  t.match((await visit(made, saved.url ?? '')).text, /mastercard ending in 4444/);
  await visit(made, saved.url ?? '', `email=a@example.com&saved=${method.id}`);
  const { payment_intent } = await again(made, saved);
  t.equal((await stripe.paymentIntents.retrieve(String(payment_intent))).payment_method, method.id);

  const bank = await open(made, { allowed_payment_method_types: ['card', 'ideal'] });
  const sent = await visit(made, bank.url ?? '', 'email=a@example.com&type=ideal');
  t.match(sent.location, /hooks\.stripe\.com\/redirect\/ideal/);
  await visit(made, sent.location ?? '', 'outcome=complete');
  t.match(await again(made, bank), { status: 'complete', payment_status: 'paid' });

  const debit = await open(made, { allowed_payment_method_types: ['us_bank_account'] });
  await visit(made, debit.url ?? '', 'email=a@example.com&account=000123456789');
  t.equal((await again(made, debit)).status, 'complete');
  t.equal((await made.events('checkout.session.async_payment_succeeded')).length, 1);
});

t.test('[4.1] an abandoned session is come back to; a link sells so many and no more', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const left = await open(made, { after_expiration: { recovery: { enabled: true } } });
  await made.advance('25h');
  const { after_expiration: after, status } = await again(made, left);
  t.equal(status, 'expired');
  const { location } = await visit(made, after?.recovery?.url ?? '');
  const fresh = (location ?? '').split('/').at(-1) ?? '';
  t.match(await again(made, { id: fresh }), { status: 'open', recovered_from: left.id, amount_total: 2000 });
  await visit(made, location ?? '', GOOD);
  t.equal((await again(made, { id: fresh })).payment_status, 'paid');

  const link = await stripe.paymentLinks.create({
    line_items: [tea(700)],
    inactive_message: 'All gone',
    restrictions: { completed_sessions: { limit: 1 } },
    after_completion: {
      type: 'redirect',
      redirect: { url: 'https://shop.example.com/ok?s={CHECKOUT_SESSION_ID}' },
    },
    custom_fields: [{ key: 'note', type: 'text', label: { type: 'custom', custom: 'Note' } }],
    metadata: { order: '6735' },
  });
  const opened = await visit(made, link.url);
  const done = await visit(made, opened.location ?? '', `${GOOD}&field_note=Hello`);
  t.match(done.location, /^https:\/\/shop\.example\.com\/ok\?s=cs_test_/);
  const [session] = (await stripe.checkout.sessions.list({ payment_link: link.id })).data;
  t.match(session, {
    metadata: { order: '6735' },
    custom_fields: [{ text: { value: 'Hello' } }],
    amount_total: 700,
  });
  t.match(await visit(made, link.url), { status: 404, text: /All gone/ });
  await stripe.paymentLinks.update(link.id, { active: false });
  t.match(await visit(made, link.url), { status: 404, text: /All gone/ });
});

t.test('[4.1] a trial begins without a card where none is asked for', async t => {
  await using made = await openStripeWorld();
  const trial = (payment_method_collection: 'always' | 'if_required') =>
    open(made, {
      mode: 'subscription',
      line_items: [tea(900, true)],
      payment_method_collection,
      subscription_data: { trial_period_days: 7, metadata: { plan: 'a' } },
    });
  const always = await trial('always');
  t.match((await visit(made, always.url ?? '')).text, /Card number/);
  const free = await trial('if_required');
  t.notMatch((await visit(made, free.url ?? '')).text, /Card number/);
  await visit(made, free.url ?? '', 'email=ada@example.com');
  const { subscription, payment_status } = await again(made, free);
  t.equal(payment_status, 'no_payment_required');
  t.match(await made.stripe.subscriptions.retrieve(String(subscription)), {
    status: 'trialing',
    default_payment_method: null,
    metadata: { plan: 'a' },
  });
});

t.test('[4.1] what a link sells for a connected account is shared with it', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const { id: destination } = await stripe.accounts.create({ type: 'custom', country: 'US' });
  const link = await stripe.paymentLinks.create({
    line_items: [tea(2000)],
    application_fee_amount: 150,
    on_behalf_of: destination,
    transfer_data: { destination },
  });
  t.match(link, { application_fee_amount: 150, transfer_data: { destination, amount: null } });
  const { location } = await visit(made, link.url);
  await visit(made, location ?? '', GOOD);
  const [fee] = (await stripe.applicationFees.list()).data;
  t.match(fee, { amount: 150, account: destination });
  const [moved] = (await stripe.transfers.list({ destination })).data;
  t.equal(moved?.amount, 2000);
});

t.test('[4.1] a session is of a customer, or of an email address, and not of both', async t => {
  await using made = await openStripeWorld();
  const { id: customer } = await made.stripe.customers.create();
  await t.rejects(open(made, { customer, customer_email: 'ada@example.com' }), {
    code: 'parameters_exclusive',
    message: 'You may only specify one of these parameters: customer, customer_email.',
  });
});
