// An account that is on an older version: its callers without a header, its events and its webhooks are in that.
import t from 'tap';
import { API_VERSION } from '../../../../twins/stripe/api/version.ts';
import { look } from '../../../kit/dashboard.ts';
import { callerIn } from '../../../kit/stripe-version.ts';
import { openStripeWorld, type StripeWorld } from '../../../kit/stripe-world.ts';

const set = (at: StripeWorld, version: string) => look(at, '/test/developers', { form: { version } });
const paid =
  'amount=2500&currency=usd&payment_method=pm_card_visa&confirm=true&return_url=https://shop.example.com';

t.test('[2.2] callers without a version are answered in the account’s', async t => {
  await using made = await openStripeWorld();
  t.match(await set(made, '2020-08-27'), { status: 303, location: /developers$/ });
  const { body, headers } = await made.ask('POST', '/v1/payment_intents', { form: paid });
  t.equal(headers['stripe-version'], '2020-08-27');
  t.equal(body.charges.data[0].id, body.latest_charge, 'as that version shows it');
  const named = await callerIn(made, API_VERSION).ask('GET', `/v1/payment_intents/${body.id}`);
  t.equal(named.body.charges, undefined, 'who names one is answered in it');
});

t.test('[2.2] what its version does not take any more is refused to callers without one', async t => {
  await using made = await openStripeWorld();
  const old = { form: 'name=Ada&source=tok_visa&coupon=none' };
  const before = await made.ask('POST', '/v1/customers', old);
  await set(made, '2025-09-30.clover');
  const after = await made.ask('POST', '/v1/customers', old);
  t.not(after.body.error.message, before.body.error.message);
  t.match(after.body.error, { message: /unknown parameter|coupon/ });
});

t.test('[2.2] events are told in the version that the account had then', async t => {
  await using made = await openStripeWorld();
  await made.stripe.webhookEndpoints.create({ url: 'https://a.test/', enabled_events: ['charge.succeeded'] });
  const today = { url: 'https://b.test/', enabled_events: ['charge.succeeded'], api_version: API_VERSION };
  await made.stripe.webhookEndpoints.create(today as never);
  await set(made, '2020-08-27');
  await made.ask('POST', '/v1/payment_intents', { form: paid });
  await set(made, API_VERSION);
  await made.world.settled();
  t.strictSame(
    made.sent.map(({ url, body }) => [url, JSON.parse(String(body)).api_version]).sort(),
    [
      ['https://a.test/', '2020-08-27'],
      ['https://b.test/', API_VERSION],
    ],
    'an endpoint hears in its own, or in the account’s',
  );
  const [event] = (await made.ask('GET', '/v1/events?type=charge.succeeded')).body.data;
  t.equal(event.api_version, '2020-08-27');
  t.strictSame(event.data.object.refunds.data, [], 'a charge had its refunds in it');
  const again = await made.ask('GET', `/v1/events/${event.id}`);
  t.strictSame(again.body, event, 'whoever asks');
  await made.ask('POST', '/v1/payment_intents', { form: paid });
  const [newest] = (await made.ask('GET', '/v1/events?type=charge.succeeded')).body.data;
  t.match(newest, { api_version: API_VERSION });
  t.equal(newest.data.object.refunds, undefined);
});
