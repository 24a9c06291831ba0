import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Stripe from 'stripe';
import t from 'tap';
import { stripeCoverage } from '../../../scripts/stripe-coverage.ts';
import { OPERATIONS } from '../../../twins/stripe/operations.ts';
import { stripeTwin } from '../../../twins/stripe/twin.ts';
import { KEY, openStripeWorld, sdkFor, shop } from '../../kit/stripe-world.ts';

t.test(
  '[4.9 clock] the main job: a subscription renews a month on, and its webhook arrives signed',
  async t => {
    const received: { headers: { [name: string]: unknown }; body: string }[] = [];
    const server = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on('data', part => parts.push(part));
      request.on('end', () => {
        received.push({ headers: request.headers, body: Buffer.concat(parts).toString('utf8') });
        response.end('ok');
      });
    });
    await new Promise<void>(done => server.listen(0, '127.0.0.1', done));
    t.teardown(() => server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`;
    await using made = await openStripeWorld({
      wall: Date.now,
      send: async request => {
        const answer = await fetch(request.url, {
          method: 'POST',
          headers: request.headers.map(([name, value]): [string, string] => [name, value]),
          body: request.body,
        });
        return { ok: true, status: answer.status, ms: 1 };
      },
    });
    const { stripe } = made;
    const now = (await made.world.clock()).at;
    const { customer, product, price } = await shop(stripe);
    const subscription = await stripe.subscriptions.create({
      customer: customer.id,
      items: [{ price: price.id }],
    });
    t.equal(subscription.status, 'active');
    t.match(subscription.id, /^sub_[0-9A-Za-z]{24}$/);
    t.equal(subscription.created, Math.floor(Date.parse(now) / 1000), 'stamped by the world’s clock');
    t.same(
      (await stripe.customers.list()).data.map(({ id }) => id),
      [customer.id],
    );
    t.same(
      (await stripe.products.list()).data.map(({ id }) => id),
      [product.id],
    );
    t.same(
      (await stripe.subscriptions.list({ customer: customer.id })).data.map(({ id }) => id),
      [subscription.id],
    );
    const endpoint = await stripe.webhookEndpoints.create({ url, enabled_events: ['invoice.paid'] });
    t.match(endpoint.secret, /^whsec_/);
    t.notOk('secret' in (await stripe.webhookEndpoints.retrieve(endpoint.id)), 'the secret is shown once');

    await made.advance('31d');
    await made.advance('1h');
    await made.world.settled();

    const [renewal] = (await stripe.invoices.list({ customer: customer.id })).data;
    t.match(renewal, {
      status: 'paid',
      billing_reason: 'subscription_cycle',
      amount_paid: 1500,
      currency: 'usd',
    });
    t.equal(renewal?.parent?.subscription_details?.subscription, subscription.id);
    t.equal(received.length, 1, 'the endpoint asked for one type of event');
    const { headers, body } = received[0]!;
    const event = stripe.webhooks.constructEvent(body, String(headers['stripe-signature']), endpoint.secret!);
    t.equal(event.type, 'invoice.paid');
    t.equal((event.data.object as Stripe.Invoice).id, renewal?.id);
    t.equal(event.api_version, '2026-10-28.endive');
    t.same(event.request, { id: null, idempotency_key: null }, 'Stripe did this on its own');
    t.equal(event.created, renewal?.status_transitions.paid_at, 'an event’s own time is the world’s');
    t.throws(() =>
      stripe.webhooks.constructEvent(`${body} `, String(headers['stripe-signature']), endpoint.secret!),
    );
    const kinds = (await made.world.log('stripe', 0))!.entries.map(
      ({ kind, actor }) => `${actor.type} ${kind}`,
    );
    t.ok(kinds.includes('client customer.subscription.created'));
    t.ok(kinds.includes('system invoice.finalized'));
  },
);

t.test(
  '[5.2] who asks: any test key, as Bearer or as the user of Basic, or the world’s own token',
  async t => {
    await using made = await openStripeWorld();
    const ask = async (authorization?: string) =>
      await made.ask('GET', '/v1/customers', {
        headers: authorization === undefined ? {} : { authorization },
      });
    for (const good of [
      `Bearer ${KEY}`,
      'bearer rk_test_1',
      `Basic ${btoa('sk_test_x:')}`,
      'Bearer tok_w_abc',
      `Basic ${btoa(':tok_w_abc')}`,
    ]) {
      t.equal((await ask(good)).status, 200, good);
    }
    const none = await ask();
    t.equal(none.status, 401);
    t.match(none.body.error, { type: 'invalid_request_error', message: /^You did not provide an API key\./ });
    t.equal(none.headers['www-authenticate'], 'Basic realm="Stripe"');
    t.equal((await ask('Bearer sk_live_abcdefghijklmnop')).status, 200, 'an app as it is deployed');
    const wrong = await ask('Bearer sk_prod_abcdefghijklmnop');
    t.equal(wrong.status, 401);
    t.match(wrong.body.error.message, /^Invalid API Key provided: sk_prod_\*+mnop$/, 'and never shown whole');
    await t.rejects(sdkFor(made.world, { key: 'nonsense' }).customers.list(), {
      type: 'StripeAuthenticationError',
      message: 'Invalid API Key provided: ********',
    });
  },
);

t.test('[2.2] every answer is pretty-printed and carries Stripe’s headers', async t => {
  await using made = await openStripeWorld();
  const reply = await made.stripe.customers.create({ name: 'Ada' }, { idempotencyKey: 'k1' });
  t.match(reply.lastResponse.requestId, /^req_[0-9A-Za-z]{14}$/);
  t.equal(reply.lastResponse.apiVersion, '2026-10-28.endive');
  t.equal(reply.lastResponse.idempotencyKey, 'k1');
  const call = {
    method: 'GET',
    host: 'api.stripe.com',
    via: 'host' as const,
    path: `/v1/customers/${reply.id}`,
  };
  const raw = await made.world.call('stripe', {
    ...call,
    query: '',
    headers: { authorization: `Bearer ${KEY}` },
    body: new Uint8Array(),
    caller: 'token',
    scope: 'read',
    trace: { traceId: '0'.repeat(32), spanId: '1'.repeat(16), parentId: null },
  });
  t.match(raw.body, /^\{\n {2}"id": "cus_/);
});

t.test('[4.1] errors are Stripe’s own, so the SDK knows them', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const refused = async (work: Promise<unknown>): Promise<Stripe.errors.StripeError> =>
    await work.then(
      () => t.fail('was not refused') as never,
      error => error,
    );
  const table: readonly [string, Promise<unknown>, object][] = [
    [
      'an id in the path that names nothing',
      stripe.customers.retrieve('cus_x'),
      { statusCode: 404, code: 'resource_missing', param: 'id', message: "No such customer: 'cus_x'" },
    ],
    [
      'an id in a parameter that names nothing',
      stripe.prices.create({ currency: 'usd', unit_amount: 1, product: 'prod_x' }),
      { statusCode: 400, code: 'resource_missing', param: 'product', message: "No such product: 'prod_x'" },
    ],
    [
      'an unknown parameter',
      stripe.customers.create({ foo: 'x' } as Stripe.CustomerCreateParams),
      {
        statusCode: 400,
        code: 'parameter_unknown',
        param: 'foo',
        message: 'Received unknown parameter: foo',
      },
    ],
    [
      'unknown parameters inside others',
      stripe.prices.create({ currency: 'usd', recurring: { interval: 'month', every: 2 }, x: 1 } as never),
      { message: 'Received unknown parameters: recurring[every], x' },
    ],
    [
      'a parameter that is missing',
      stripe.products.create({} as Stripe.ProductCreateParams),
      { statusCode: 400, code: 'parameter_missing', param: 'name', message: 'Missing required param: name.' },
    ],
    [
      'a word where a number belongs',
      stripe.paymentIntents.create({ amount: 'many' as never, currency: 'usd' }),
      { code: 'parameter_invalid_integer', param: 'amount', message: 'Invalid integer: many' },
    ],
    [
      'an empty value where nothing can be unset',
      stripe.products.create({ name: '' }),
      { code: 'parameter_invalid_empty', param: 'name', message: /^You passed an empty string for 'name'\./ },
    ],
    [
      'a word that is none of those there are',
      stripe.prices.create({ currency: 'usd', product: 'p', recurring: { interval: 'eon' } }),
      {
        param: 'recurring[interval]',
        message: 'Invalid recurring[interval]: must be one of day, week, month, or year',
      },
    ],
    [
      'a limit over 100',
      stripe.customers.list({ limit: 101 }),
      { code: 'parameter_invalid_integer', param: 'limit' },
    ],
    [
      'a parameter Stripe has and this twin does not model',
      stripe.customers.create({ cash_balance: { settings: { reconciliation_mode: 'manual' } } }),
      {
        code: 'wrld_unmodelled_parameter',
        param: 'cash_balance',
        message: /does not model the parameter cash_balance/,
      },
    ],
  ];
  for (const [what, work, wanted] of table) {
    const error = await refused(work);
    t.ok(error instanceof Stripe.errors.StripeInvalidRequestError, what);
    t.match(error, wanted, what);
  }
  t.equal(await made.position(), 0, 'a refused request appends nothing');
  const error = await refused(stripe.customers.retrieve('cus_x'));
  t.equal(error.doc_url, 'https://stripe.com/docs/error-codes/resource-missing');
  t.match(error.request_log_url, /^https:\/\/dashboard\.stripe\.com\/test\/logs\/req_/);
});

t.test('[4.1] what is not modelled is told from what does not exist, and neither is ever 200', async t => {
  await using made = await openStripeWorld();
  const unknown = await made.ask('GET', '/v1/foo');
  t.equal(unknown.status, 404);
  t.match(unknown.body.error.message, /^Unrecognized request URL \(GET: \/v1\/foo\)\. /);
  const known = await made.ask('POST', '/v1/climate/orders', { form: 'product=climsku_1' });
  t.equal(known.status, 501);
  t.match(known.body.error, {
    code: 'wrld_unmodelled_operation',
    message: /does not model POST \/v1\/climate\/orders/,
  });
  await t.rejects(made.stripe.taxCodes.list(), { code: 'wrld_unmodelled_operation' });
  const json = await made.ask('POST', '/v1/customers', {
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    body: new TextEncoder().encode('{"name":"Ada"}'),
  });
  t.match(json, { status: 400, body: { error: { message: /check that your POST content type is/ } } });
});

t.test('[2.2] the manifest counts what is there', async t => {
  const { manifest } = stripeTwin;
  const counted = manifest.models.reduce((sum, { operations }) => sum + operations.length, 0);
  t.equal(counted, OPERATIONS.length, 'every modelled operation stands under its type');
  const { modelled, generic, catalog } = manifest.coverage;
  t.same(
    { modelled, generic },
    { modelled: stripeCoverage().tiers.modelled, generic: stripeCoverage().tiers.generic },
  );
  t.ok(catalog >= 640 && modelled <= counted && generic > 100 && modelled + generic <= catalog);
  t.same(manifest.webhooks?.scheme, 'stripe');
});

t.test('[4.1] idempotency keys', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const first = await stripe.customers.create({ name: 'Ada' }, { idempotencyKey: 'one' });
  const before = await made.position();
  const again = await stripe.customers.create({ name: 'Ada' }, { idempotencyKey: 'one' });
  t.equal(again.id, first.id, 'the same parameters are answered the same');
  t.equal(headerOf(again, 'idempotent-replayed'), 'true');
  t.equal(headerOf(again, 'original-request'), first.lastResponse.requestId);
  t.equal(await made.position(), before, 'and append nothing');
  await t.rejects(stripe.customers.create({ name: 'Bob' }, { idempotencyKey: 'one' }), {
    type: 'StripeIdempotencyError',
    statusCode: 400,
    message: /^Keys for idempotent requests can only be used with the same parameters/,
  });
  await t.rejects(stripe.products.create({ name: 'Ada' }, { idempotencyKey: 'one' }), {
    message:
      /can only be used for the same endpoint they were first used for \('\/v1\/customers' vs '\/v1\/products'\)/,
  });
  const { id: stripeAccount } = await stripe.accounts.create({ type: 'custom', country: 'US' });
  const elsewhere = await stripe.customers.create({ name: 'Ada' }, { idempotencyKey: 'one', stripeAccount });
  t.not(elsewhere.id, first.id, 'a key belongs to an account');
  await t.rejects(stripe.products.create({} as never, { idempotencyKey: 'two' }));
  t.ok(
    await stripe.products.create({ name: 'P' }, { idempotencyKey: 'two' }),
    'what failed validation never began',
  );
  await made.advance('25h');
  const late = await stripe.customers.create({ name: 'Ada' }, { idempotencyKey: 'one' });
  t.not(late.id, first.id, 'a key is forgotten after a day of the world’s clock');
});

t.test('[4.1] an event for every change, with what changed', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const customer = await stripe.customers.create({ name: 'Ada', metadata: { a: '1', b: '2' } });
  await stripe.customers.update(customer.id, { email: 'a@example.com', metadata: { a: '', c: '3' } });
  const after = (await stripe.customers.retrieve(customer.id)) as Stripe.Customer;
  t.same(after.metadata, { b: '2', c: '3' }, 'metadata is merged, and unset by an empty value');
  const [event] = await made.events('customer.updated');
  t.same(event?.data.previous_attributes, { email: null, metadata: { a: '1', c: null } });
  t.equal(event?.request?.idempotency_key?.startsWith('stripe-node-retry-'), true);
  const position = await made.position();
  await stripe.customers.update(customer.id, { name: 'Ada' });
  t.equal(await made.position(), position, 'an update that changes nothing is no event');
  await stripe.customers.update(customer.id, { metadata: '' });
  t.same(((await stripe.customers.retrieve(customer.id)) as Stripe.Customer).metadata, {});
  t.same(await stripe.customers.del(customer.id), { id: customer.id, object: 'customer', deleted: true });
  t.same(await stripe.customers.retrieve(customer.id), {
    id: customer.id,
    object: 'customer',
    deleted: true,
  });
  t.same((await stripe.customers.list()).data, []);
  await t.rejects(stripe.customers.update(customer.id, { name: 'B' }), { code: 'resource_missing' });
  const read = await stripe.events.retrieve(event!.id);
  t.same(read, event);
  t.same((await stripe.events.list({ types: ['customer.deleted'] })).data.length, 1);
  t.same((await stripe.events.list({ type: 'customer.*' })).data.length, 4);
});

t.test('[4.1] webhook endpoints: chosen events only, disabled and deleted ones get none', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const url = 'https://hooks.example.com/';
  const all = await stripe.webhookEndpoints.create({ url: `${url}all`, enabled_events: ['*'] });
  const some = await stripe.webhookEndpoints.create({
    url: `${url}some`,
    enabled_events: ['product.created'],
  });
  await stripe.products.create({ name: 'P' });
  await stripe.customers.create({ name: 'C' });
  await made.world.settled();
  const paths = (): string[] =>
    made.sent.splice(0).map(sent => `${new URL(sent.url).pathname} ${JSON.parse(sent.body).type}`);
  t.same(paths().sort(), ['/all customer.created', '/all product.created', '/some product.created']);
  const [event] = await made.events('product.created');
  t.equal(event?.pending_webhooks, 2);
  await stripe.webhookEndpoints.update(all.id, { disabled: true });
  await stripe.webhookEndpoints.del(some.id);
  await stripe.products.create({ name: 'Q' });
  await made.world.settled();
  t.same(paths(), []);
  t.same(
    (await stripe.webhookEndpoints.list()).data.map(({ status }) => status),
    ['disabled'],
  );
  await t.rejects(stripe.webhookEndpoints.create({ url: 'nowhere', enabled_events: ['*'] }), {
    code: 'url_invalid',
  });
});

t.test('[4.1] a delivery that fails is tried again by Stripe’s schedule on the world’s clock', async t => {
  let status = 500;
  await using made = await openStripeWorld({ send: async () => ({ ok: true, status, ms: 1 }) });
  await made.stripe.webhookEndpoints.create({ url: 'https://hooks.example.com/', enabled_events: ['*'] });
  await made.stripe.products.create({ name: 'P' });
  await made.world.settled();
  t.equal(made.sent.length, 1);
  await made.advance('4m');
  await made.world.settled();
  t.equal(made.sent.length, 1, 'not before its time');
  status = 200;
  await made.advance('1m');
  await made.world.settled();
  t.equal(made.sent.length, 2);
  t.equal(made.sent[0]?.body, made.sent[1]?.body, 'the same bytes');
  await made.advance('30d');
  await made.world.settled();
  t.equal(made.sent.length, 2, 'and no more once it arrived');
});

/** With its fetch client the SDK hands out the platform's `Headers`, which its types do not say. */
function headerOf(
  answer: { readonly lastResponse: { readonly headers: object } },
  name: string,
): string | null {
  return (answer.lastResponse.headers as Headers).get(name);
}
