// Keys: a publishable one does what Stripe.js does and nothing else; live ones and `key=` are as good as test ones.
import t from 'tap';
import { openStripeWorld, type StripeWorld } from '../../../kit/stripe-world.ts';

const PK = { authorization: 'Bearer pk_test_x', 'content-type': 'application/x-www-form-urlencoded' };
const CARD = 'type=card&card[number]=4242424242424242&card[exp_month]=12&card[exp_year]=2040&card[cvc]=123';
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

/** As the headers say, and with the body as it stands. */
const asker =
  (made: StripeWorld) =>
  (method: string, path: string, body = '', headers: { readonly [name: string]: string } = PK) =>
    made.ask(method, path, { headers, body: new TextEncoder().encode(body) });

/** What Stripe.js says of its page with every request. */
const DEVICE =
  'guid=a&muid=b&sid=c&payment_user_agent=stripe.js%2F1&referrer=https%3A%2F%2Fshop.test&time_on_page=12&pasted_fields=number';

t.test(
  '[4.1] a publishable key makes tokens and methods, and is refused all else as Stripe refuses it',
  async t => {
    await using made = await openStripeWorld();
    const ask = asker(made);
    const made1 = await ask('POST', '/v1/payment_methods', `${CARD}&${DEVICE}`);
    t.equal(made1.status, 200, JSON.stringify(made1.body));
    t.match(made1.body, { object: 'payment_method', card: { last4: '4242' } });
    const token = await ask(
      'POST',
      '/v1/tokens',
      `${CARD.replace('type=card&', '')}&key=pk_test_x&${DEVICE}`,
      {
        'content-type': 'application/x-www-form-urlencoded',
        origin: 'https://js.stripe.com',
      },
    );
    t.equal(token.status, 200, JSON.stringify(token.body));
    t.equal(token.headers['access-control-allow-origin'], '*');
    for (const [method, path] of [
      ['GET', '/v1/customers'],
      ['POST', '/v1/customers'],
      ['POST', '/v1/refunds'],
    ] as const) {
      const refused = await ask(method, path);
      t.equal(refused.status, 403, path);
      t.match(refused.body.error, {
        code: 'secret_key_required',
        message: /^This API call cannot be made with a publishable API key\. Please use a secret API key\./,
        type: 'invalid_request_error',
      });
    }
  },
);

t.test('[4.1] an intent opens to its client secret, and to no other', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const intent = await stripe.paymentIntents.create({ amount: 1500, currency: 'usd' });
  const ask = asker(made);
  const path = `/v1/payment_intents/${intent.id}`;
  const seen = await ask('GET', `${path}?client_secret=${intent.client_secret}`);
  t.match(seen.body, { id: intent.id, amount: 1500 });
  t.match((await ask('GET', path)).body.error, {
    code: 'parameter_missing',
    param: 'client_secret',
  });
  const other = await ask('GET', `${path}?client_secret=${intent.id}_secret_other`);
  t.equal(other.status, 400);
  t.match(other.body.error.message, /client_secret provided does not match/);
  const paid = await ask(
    'POST',
    `${path}/confirm`,
    `client_secret=${intent.client_secret}&payment_method_data[type]=card&payment_method_data[card][number]=4242424242424242&payment_method_data[card][exp_month]=12&payment_method_data[card][exp_year]=2040&return_url=https%3A%2F%2Fshop.test&use_stripe_sdk=true&${DEVICE}`,
  );
  t.equal(paid.status, 200, JSON.stringify(paid.body));
  t.match(paid.body, { status: 'succeeded' });
  const gone = await ask('GET', `/v1/payment_intents/pi_none?client_secret=x`);
  t.equal(gone.status, 404);
});

t.test('[4.1] a browser is told that it may ask, and live keys and key= work', async t => {
  await using made = await openStripeWorld();
  const ask = asker(made);
  const preflight = await ask('OPTIONS', '/v1/tokens', '', {
    origin: 'https://js.stripe.com',
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'authorization',
  });
  t.equal(preflight.status, 200);
  t.equal(preflight.headers['access-control-allow-headers'], 'authorization');
  const live = await ask('GET', '/v1/customers', '', { authorization: 'Bearer sk_live_x' });
  t.equal(live.status, 200);
  const inQuery = await ask('GET', '/v1/customers?key=sk_test_x', '', {});
  t.equal(inQuery.status, 200, JSON.stringify(inQuery.body));
  t.match((await ask('POST', '/v1/customers', 'name=Ada&key=sk_test_x', FORM)).body, { name: 'Ada' });
  t.equal((await ask('GET', '/v1/customers?key=nonsense', '', {})).status, 401);
});

t.test('[4.1] setup intents, sources and microdeposits open to their client secrets', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const ask = asker(made);
  const METHOD = 'payment_method_data[type]';
  const setup = await stripe.setupIntents.create();
  const at = `/v1/setup_intents/${setup.id}`;
  const own = `client_secret=${setup.client_secret}`;
  t.match((await ask('GET', `${at}?${own}`)).body, { id: setup.id, object: 'setup_intent' });
  const CARD_DATA = CARD.replace('type=card&', `${METHOD}=card&`).replaceAll(
    'card[',
    'payment_method_data[card][',
  );
  const confirmed = await ask('POST', `${at}/confirm`, `${own}&${CARD_DATA}&use_stripe_sdk=true&${DEVICE}`);
  t.match(confirmed, { status: 200, body: { status: 'succeeded' } }, JSON.stringify(confirmed.body));

  const debited = await stripe.setupIntents.create({
    allowed_payment_method_types: ['us_bank_account'],
    payment_method_data: {
      type: 'us_bank_account',
      billing_details: { name: 'Ada' },
      us_bank_account: {
        account_holder_type: 'individual',
        account_number: '000123456789',
        routing_number: '110000000',
      },
    },
  });
  const verify = (secret: string | null) =>
    ask(
      'POST',
      `/v1/setup_intents/${debited.id}/verify_microdeposits`,
      `client_secret=${secret}&amounts[0]=32&amounts[1]=45`,
    );
  t.match((await verify(setup.client_secret)).body.error, { param: 'client_secret' }, 'another’s');
  t.match((await verify(debited.client_secret)).body, { id: debited.id, status: 'succeeded' });
  const intent = await stripe.paymentIntents.create({ amount: 1500, currency: 'usd' });
  const early = await ask(
    'POST',
    `/v1/payment_intents/${intent.id}/verify_microdeposits`,
    `client_secret=${intent.client_secret}&descriptor_code=SM11AA`,
  );
  t.match(early.body.error, { code: 'payment_intent_unexpected_state' }, 'it is found, and waits for none');

  const source = await ask('POST', '/v1/sources', `type=card&token=tok_visa&${DEVICE}`);
  t.match(source, { status: 200, body: { object: 'source' } });
  const kept = `/v1/sources/${source.body.id}`;
  t.match((await ask('GET', `${kept}?client_secret=${source.body.client_secret}`)).body, {
    id: source.body.id,
  });
  for (const [path, param] of [
    [at, 'client_secret'],
    [`${at}?${own}x`, 'client_secret'],
    [kept, 'client_secret'],
  ] as const)
    t.match(await ask('GET', path), { status: 400, body: { error: { param } } }, path);
});

t.test('[4.1] a page’s key stands in the query, is live too, and may be for a connected account', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const ask = asker(made);
  const PAGE = { origin: 'https://shop.test' };
  const intent = await stripe.paymentIntents.create({ amount: 1500, currency: 'usd' });
  const path = `/v1/payment_intents/${intent.id}?client_secret=${intent.client_secret}`;
  const live = await ask('GET', `${path}&key=pk_live_x`, '', PAGE);
  t.match(live, { status: 200, body: { id: intent.id, livemode: false } });
  t.equal(live.headers['access-control-allow-origin'], '*');
  t.equal((await ask('GET', '/v1/customers?key=pk_live_x', '', PAGE)).body.error.code, 'secret_key_required');

  const account = await stripe.accounts.create({ type: 'standard' });
  const theirs = await stripe.paymentIntents.create(
    { amount: 1500, currency: 'usd' },
    { stripeAccount: account.id },
  );
  const of = `/v1/payment_intents/${theirs.id}?client_secret=${theirs.client_secret}`;
  t.equal((await ask('GET', `${of}&key=pk_test_x`, '', PAGE)).status, 404, 'it is not the platform’s');
  for (const said of [`key=pk_test_x&_stripe_account=${account.id}`, `key=pk_test_${account.id}_x`])
    t.equal((await ask('GET', `${of}&${said}`, '', PAGE)).body.id, theirs.id, said);
});
