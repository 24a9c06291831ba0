// What the twin knows of deploying to Stripe (3): under which header, what cannot be asked, and what an answer says.
import t from 'tap';
import type { VendorAnswer, VendorRequest } from '../../../../twins/kit/real-vendor.ts';
import { stripeDeploys } from '../../../../twins/stripe/real/deploy.ts';
import { stripeVendor } from '../../../../twins/stripe/real/vendor.ts';

const answer = (body: unknown, status = 200): VendorAnswer => ({
  status,
  headers: [],
  body: new TextEncoder().encode(typeof body === 'string' ? body : JSON.stringify(body)),
});
const REQUEST: VendorRequest = { method: 'POST', path: '/v1/customers', headers: [], body: '' };

t.test('[3] an answer tells the id and the page where people look at it', t => {
  const done = (body: object) => stripeDeploys.done(REQUEST, answer(body));
  t.match(done({ id: 'cus_1', object: 'customer', livemode: false }), {
    id: 'cus_1',
    url: 'https://dashboard.stripe.com/test/customers/cus_1',
    object: { object: 'customer' },
  });
  t.equal(
    done({ id: 'pi_1', object: 'payment_intent', livemode: true }).url,
    'https://dashboard.stripe.com/payments/pi_1',
  );
  t.notOk('url' in done({ id: 'cus_1', object: 'customer', deleted: true }));
  t.notOk('url' in done({ id: 'x_1', object: 'constructor' }));
  t.strictSame(Object.keys(done({ object: 'list' })), ['object']);
  for (const body of ['<html>', '[]', '{"id":"cus_', ''])
    t.throws(() => stripeDeploys.done(REQUEST, answer(body)));
  t.end();
});

t.test('[2.6] a refusal is in Stripe’s own words', t => {
  t.equal(stripeDeploys.refusal(answer({ error: { message: 'No such customer' } }, 404)), 'No such customer');
  for (const body of ['<html>', '{}', '{"error":"x"}']) t.equal(stripeDeploys.refusal(answer(body, 400)), '');
  t.end();
});

t.test('[3] what cannot be asked of it', t => {
  const unable = (path: string) => stripeDeploys.unable({ method: 'POST', path });
  for (const path of [
    '/v1/test_helpers/test_clocks',
    '/v1/test_helpers/test_clocks/clock_1/advance',
    '/v1/files',
    '/oauth/token',
    '/c/pay/cs_1',
    '/v2/billing/meter_event_stream',
  ])
    t.type(unable(path), 'string', path);
  for (const path of [
    '/v1/customers',
    '/v1/file_links',
    '/v1/files_x',
    '/v2/core/accounts',
    '/v2/billing/meter_events',
  ])
    t.equal(unable(path), null, path);
  t.end();
});

t.test('[2.9] a publishable key is no credential for it', t => {
  t.strictSame(stripeVendor.authorize('sk_test_1'), [['Authorization', 'Bearer sk_test_1']]);
  t.throws(() => stripeVendor.authorize('pk_test_1'), TypeError);
  t.end();
});
