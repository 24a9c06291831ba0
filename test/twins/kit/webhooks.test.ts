// Each scheme against the vendor's own rule: Stripe's by its SDK, the others by the published computation.
import { createHmac } from 'node:crypto';
import Stripe from 'stripe';
import t from 'tap';
import { signDelivery } from '../../../twins/kit/webhooks.ts';

const BODY = '{"id":"evt_1","object":"event","name":"Zoë"}';
const WALL = Date.UTC(2026, 0, 15, 12);
const SECONDS = WALL / 1000;
const EVENT = { id: 'evt_1' };
const SECRET = 'whsec_c2VjcmV0LWtleS1vZi10aGUtd29ybGQ=';

const headersOf = async (
  scheme: Parameters<typeof signDelivery>[0],
  secret: string,
): Promise<{ [name: string]: string }> =>
  Object.fromEntries(await signDelivery(scheme, secret, BODY, WALL, EVENT));
const mac = (key: string | Buffer, text: string, encoding: 'hex' | 'base64', hash = 'sha256'): string =>
  createHmac(hash, key).update(text).digest(encoding);

t.test('[6 webhooks] stripe: the SDK’s constructEvent takes it, and no other', async t => {
  const stripe = new Stripe('sk_test_x');
  const { 'Stripe-Signature': header = '' } = await headersOf('stripe', SECRET);
  const now = WALL + 1_000;
  t.equal(stripe.webhooks.constructEvent(BODY, header, SECRET, 300, undefined, now).id, 'evt_1');
  t.throws(() => stripe.webhooks.constructEvent(BODY, header, 'whsec_other', 300, undefined, now));
  t.throws(
    () => stripe.webhooks.constructEvent(BODY, header, SECRET, 300, undefined, now + 301_000),
    /tolerance/,
  );
});

t.test('[6 webhooks] github', async t => {
  t.same(await headersOf('github', 'hush'), {
    'X-Hub-Signature': `sha1=${mac('hush', BODY, 'hex', 'sha1')}`,
    'X-Hub-Signature-256': `sha256=${mac('hush', BODY, 'hex')}`,
  });
});

t.test('[6 webhooks] slack', async t => {
  t.same(await headersOf('slack', 'hush'), {
    'X-Slack-Request-Timestamp': String(SECONDS),
    'X-Slack-Signature': `v0=${mac('hush', `v0:${SECONDS}:${BODY}`, 'hex')}`,
  });
});

t.test('[6 webhooks] svix and Standard Webhooks: the secret is what the base64 holds', async t => {
  const signature = `v1,${mac(Buffer.from(SECRET.slice(6), 'base64'), `evt_1.${SECONDS}.${BODY}`, 'base64')}`;
  t.same(await headersOf('svix', SECRET), {
    'svix-id': 'evt_1',
    'svix-timestamp': String(SECONDS),
    'svix-signature': signature,
  });
  t.same(await headersOf('standard', SECRET), {
    'webhook-id': 'evt_1',
    'webhook-timestamp': String(SECONDS),
    'webhook-signature': signature,
  });
});

t.test('[6 webhooks] none', async t => {
  t.same(await headersOf('none', ''), {});
});
