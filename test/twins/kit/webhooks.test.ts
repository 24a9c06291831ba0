// Each scheme by the library that the vendor gives to those who receive its webhooks.
import { createHmac } from 'node:crypto';
import { Webhooks as GithubWebhooks } from '@octokit/webhooks';
import { verifySlackRequest } from '@slack/bolt';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import Stripe from 'stripe';
import { Webhook as SvixWebhook } from 'svix';
import t from 'tap';
import { signatureHeaders, signDelivery } from '../../../twins/kit/webhooks.ts';

const BODY = '{"id":"evt_1","object":"event","name":"Zoë"}';
const WALL = Date.UTC(2026, 0, 15, 12);
const EVENT = { id: 'evt_1' };
const SECRET = 'whsec_c2VjcmV0LWtleS1vZi10aGUtd29ybGQ=';

const headersOf = async (
  scheme: Parameters<typeof signDelivery>[0],
  secret: string,
  wall = WALL,
): Promise<{ [name: string]: string }> =>
  Object.fromEntries(await signDelivery(scheme, secret, BODY, wall, EVENT));

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

t.test('[6 webhooks] github: @octokit/webhooks takes it, and no other', async t => {
  const receiver = new GithubWebhooks({ secret: 'hush' });
  const { 'X-Hub-Signature-256': signature = '', 'X-Hub-Signature': old } = await headersOf('github', 'hush');
  t.ok(await receiver.verify(BODY, signature));
  t.notOk(await receiver.verify(`${BODY} `, signature));
  t.notOk(await new GithubWebhooks({ secret: 'other' }).verify(BODY, signature));
  t.equal(
    old,
    `sha1=${createHmac('sha1', 'hush').update(BODY).digest('hex')}`,
    'no library reads it any more',
  );
});

t.test('[6 webhooks] slack: the check of @slack/bolt takes it, and no other', async t => {
  const sent = await headersOf('slack', 'hush');
  const asked = (signingSecret: string, body = BODY, nowMilliseconds = WALL): void =>
    verifySlackRequest({
      signingSecret,
      body,
      nowMilliseconds,
      headers: {
        'x-slack-signature': sent['X-Slack-Signature']!,
        'x-slack-request-timestamp': Number(sent['X-Slack-Request-Timestamp']),
      },
    });
  t.doesNotThrow(() => asked('hush'));
  t.throws(() => asked('other'), /signature mismatch/);
  t.throws(() => asked('hush', `${BODY} `), /signature mismatch/);
  t.throws(() => asked('hush', BODY, WALL + 6 * 60_000), /stale|5 min/);
});

for (const [scheme, Webhook] of [
  ['svix', SvixWebhook],
  ['standard', StandardWebhook],
] as const) {
  t.test(`[6 webhooks] ${scheme}: its library takes it, and no other`, async t => {
    const sent = await headersOf(scheme, SECRET, Date.now());
    t.doesNotThrow(() => new Webhook(SECRET).verify(BODY, sent));
    t.throws(() => new Webhook('whsec_b3RoZXI=').verify(BODY, sent), /No matching signature/);
    t.throws(() => new Webhook(SECRET).verify(`${BODY} `, sent), /No matching signature/);
    const old = await headersOf(scheme, SECRET, Date.now() - 6 * 60_000);
    t.throws(() => new Webhook(SECRET).verify(BODY, old), /too old/);
  });
}

t.test('[6 webhooks] none', async t => {
  t.same(await headersOf('none', ''), {});
});

t.test(
  '[6 webhooks] own: a twin signs what is sent, when it is sent, and answers headers that can be sent',
  async t => {
    const signed = { body: BODY, wallMillis: WALL, event: EVENT };
    const headers = await signatureHeaders(
      {
        scheme: 'own',
        sign: async ({ body, wallMillis, event }) => [
          [
            'X-Parcel',
            `${event.id}.${wallMillis}.${createHmac('sha512', 'hush').update(body).digest('base64')}`,
          ],
        ],
      },
      signed,
    );
    const mac = createHmac('sha512', 'hush').update(BODY).digest('base64');
    t.strictSame(headers, [['X-Parcel', `evt_1.${WALL}.${mac}`]]);
    for (const header of [
      ['X Parcel', 'x'],
      ['X-Parcel', 'a\r\nb: c'],
    ] as const)
      await t.rejects(
        signatureHeaders({ scheme: 'own', sign: () => [header] }, signed),
        /no header that can be sent/,
      );
    t.strictSame(
      await signatureHeaders({ scheme: 'stripe', secret: SECRET }, signed),
      await signDelivery('stripe', SECRET, BODY, WALL, EVENT),
    );
  },
);
