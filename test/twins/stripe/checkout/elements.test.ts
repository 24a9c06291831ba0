// What a page's Elements ask, and what they hand to the server: with a publishable key.
import t from 'tap';
import { openStripeWorld, type StripeWorld } from '../../../kit/stripe-world.ts';

const FORM = { 'content-type': 'application/x-www-form-urlencoded', origin: 'https://js.stripe.com' };
const PAGE = 'elements_init_source=stripe.elements&referrer_host=shop.test&stripe_js_id=1&locale=en-US';

const asker =
  (made: StripeWorld) =>
  (method: string, path: string, body = '') =>
    made.ask(method, path, { headers: FORM, body: new TextEncoder().encode(body) });

/** As Stripe.js asks, with its key in the query. */
const sessions = (made: StripeWorld, asked: string) =>
  asker(made)('GET', `/v1/elements/sessions?${asked}&${PAGE}&key=pk_test_x`);

t.test('[4.1] Elements are told what an intent is of and which methods it takes', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const intent = await stripe.paymentIntents.create({
    amount: 1500,
    currency: 'eur',
    allowed_payment_method_types: ['card', 'sepa_debit'],
    payment_method: 'pm_card_visa',
  });
  const secret = `client_secret=${intent.client_secret}`;
  const seen = await sessions(
    made,
    `type=payment_intent&${secret}&expand[0]=payment_method_preference.payment_intent.payment_method`,
  );
  t.equal(seen.status, 200, JSON.stringify(seen.body));
  t.equal(seen.headers['access-control-allow-origin'], '*');
  t.match(seen.body, {
    session_id: /^elements_session_\w{11}$/,
    object: 'elements_session',
    apple_pay_preference: 'disabled',
    google_pay_preference: 'disabled',
    link_settings: { link_bank_enabled: false },
    locale: 'en-US',
    merchant_country: 'US',
    merchant_currency: 'usd',
    payment_method_preference: {
      object: 'payment_method_preference',
      country_code: 'US',
      ordered_payment_method_types: ['card', 'sepa_debit'],
      type: 'payment_intent',
      payment_intent: { id: intent.id, amount: 1500, payment_method: { card: { last4: '4242' } } },
    },
    payment_method_specs: [],
    unactivated_payment_method_types: [],
  });
  const setup = await stripe.setupIntents.create();
  const { payment_method_preference: offered } = (
    await sessions(made, `type=setup_intent&client_secret=${setup.client_secret}`)
  ).body;
  t.match(offered, { type: 'setup_intent', setup_intent: { id: setup.id } });
  t.notOk('payment_intent' in offered);

  const refusals = [
    [`type=payment_intent&client_secret=${intent.id}_secret_other`, 'client_secret', 400],
    ['type=payment_intent&client_secret=pi_none_secret_x', 'client_secret', 400],
    ['type=payment_intent', 'client_secret', 400],
    ['type=setup_intent&customer_session_client_secret=x', 'customer_session_client_secret', 400],
  ] as const;
  for (const [asked, param, status] of refusals)
    t.match(await sessions(made, asked), { status, body: { error: { param } } }, asked);
  const server = await made.ask('GET', `/v1/elements/sessions?type=payment_intent&${secret}`);
  t.match(server, { status: 403, body: { error: { message: /cannot be made with a secret API key/ } } });
});

t.test('[4.1] Elements of an intent that there is not yet offer what the account does', async t => {
  await using made = await openStripeWorld();
  const DEFERRED = 'type=deferred_intent&deferred_intent[mode]';
  const types = async (asked: string) =>
    (await sessions(made, asked)).body.payment_method_preference.ordered_payment_method_types;
  const paying = `${DEFERRED}=payment&deferred_intent[amount]=1500&deferred_intent[currency]=eur`;
  t.same(await types(paying), ['card']);
  t.same(await types(`${paying}&deferred_intent[payment_method_types][0]=ideal`), ['ideal']);
  const configuration = await made.stripe.paymentMethodConfigurations.create({
    name: 'More',
    klarna: { display_preference: { preference: 'on' } },
  });
  t.same(await types(`${DEFERRED}=setup&deferred_intent[payment_method_configuration]=${configuration.id}`), [
    'card',
    'klarna',
  ]);
  const refusals = [
    ['type=deferred_intent', 'deferred_intent'],
    [`${DEFERRED}=payment&deferred_intent[currency]=eur`, 'deferred_intent[amount]'],
    [`${DEFERRED}=subscription&deferred_intent[amount]=1`, 'deferred_intent[currency]'],
    [`${DEFERRED}=payment&deferred_intent[amount]=1&deferred_intent[currency]=eur`, 'amount'],
    [`${DEFERRED}=setup&deferred_intent[currency]=zzz`, 'deferred_intent[currency]'],
  ] as const;
  for (const [asked, param] of refusals)
    t.match(await sessions(made, asked), { status: 400, body: { error: { param } } }, asked);
});

t.test('[4.1] a page’s confirmation token confirms one intent, of either kind', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const ask = asker(made);
  const CARD =
    'payment_method_data[type]=card&payment_method_data[card][number]=4242424242424242&payment_method_data[card][exp_month]=12' +
    '&payment_method_data[card][exp_year]=2040&payment_method_data[guid]=a&payment_method_data[referrer]=x&client_context[mode]=payment';
  const token = async (): Promise<string> => {
    const { status, body } = await ask('POST', '/v1/confirmation_tokens', `${CARD}&key=pk_test_x`);
    t.equal(status, 200, JSON.stringify(body));
    t.match(body, { object: 'confirmation_token', payment_method_preview: { card: { last4: '4242' } } });
    return body.id;
  };
  const confirmation_token = await token();
  const intent = await stripe.paymentIntents.create({
    ...{ amount: 1500, currency: 'eur', confirm: true, return_url: 'https://shop.test' },
    confirmation_token,
  });
  t.equal(intent.status, 'succeeded');
  t.equal((await stripe.confirmationTokens.retrieve(confirmation_token)).payment_intent, intent.id);

  const [first, second] = [await stripe.setupIntents.create(), await stripe.setupIntents.create()];
  const saving = await token();
  const confirm = (id: string) => stripe.setupIntents.confirm(id, { confirmation_token: saving });
  t.equal((await confirm(first.id)).status, 'succeeded');
  t.equal((await stripe.confirmationTokens.retrieve(saving)).setup_intent, first.id);
  await t.rejects(confirm(second.id), { code: 'token_already_used' });
  const server = await made.ask('POST', '/v1/confirmation_tokens', { form: 'payment_method=pm_card_visa' });
  t.equal(server.status, 403, 'a server makes none');
});
