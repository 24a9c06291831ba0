import { createHmac } from 'node:crypto';
import { Webhooks } from '@octokit/webhooks';
import { verifySlackRequest } from '@slack/bolt';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import Stripe from 'stripe';
import { Webhook as SvixWebhook } from 'svix';
import t from 'tap';
import type { Ingests } from '../../../twins/kit/real-vendor.ts';
import { type Proof, proveWebhook, readSignature } from '../../../twins/kit/webhook-proof.ts';

const NOW = Date.UTC(2026, 5, 1, 12);
const SECONDS = NOW / 1000;
const AGE_MS_MAX = 300_000;
const BODY = '{"id":"evt_1","text":"grüße"}';
const SECRET = 'the secret of nobody';
const KEY = `whsec_${Buffer.from('a key of twenty-four byte').toString('base64')}`;
type Headers = { readonly [name: string]: string | readonly string[] };

const prove = async (
  scheme: Ingests['scheme'],
  headers: Headers,
  { secret = SECRET, body = BODY, wallMillis = NOW } = {},
): Promise<Proof> => {
  const bytes = new TextEncoder().encode(body);
  const read = readSignature(scheme, { headers, body: bytes });
  if (read === null) return 'unsigned';
  return await proveWebhook(read, secret, bytes, { wallMillis, ageMsMax: AGE_MS_MAX });
};

/** The vendor's own library signs; the headers are lower case, as they arrive. */
const stripe = (seconds = SECONDS, secret = SECRET): Headers => ({
  'stripe-signature': Stripe.webhooks.generateTestHeaderString({ payload: BODY, secret, timestamp: seconds }),
});
const github = async (secret = SECRET): Promise<Headers> => ({
  'x-hub-signature-256': await new Webhooks({ secret }).sign(BODY),
});
const slack = (seconds = SECONDS, secret = SECRET): Headers => ({
  'x-slack-request-timestamp': String(seconds),
  'x-slack-signature': `v0=${createHmac('sha256', secret).update(`v0:${seconds}:${BODY}`).digest('hex')}`,
});
const svix = (seconds = SECONDS, secret = KEY): Headers => ({
  'svix-id': 'msg_1',
  'svix-timestamp': String(seconds),
  'svix-signature': new SvixWebhook(secret).sign('msg_1', new Date(seconds * 1000), BODY),
});
const standard = (seconds = SECONDS, secret = KEY): Headers => ({
  'webhook-id': 'msg_1',
  'webhook-timestamp': String(seconds),
  'webhook-signature': new StandardWebhook(secret).sign('msg_1', new Date(seconds * 1000), BODY),
});

t.test('[6.2] what each vendor’s own library signs holds', async t => {
  t.equal(await prove('stripe', stripe()), 'holds');
  t.equal(await prove('github', await github()), 'holds');
  // Slack's library verifies and signs nothing: it says that the vector is its own.
  const signed = slack(Math.floor(Date.now() / 1000)) as { [name: string]: string };
  verifySlackRequest({
    signingSecret: SECRET,
    body: BODY,
    headers: {
      'x-slack-signature': signed['x-slack-signature']!,
      'x-slack-request-timestamp': Number(signed['x-slack-request-timestamp']),
    },
  });
  t.equal(await prove('slack', slack()), 'holds');
  t.equal(await prove('svix', svix(), { secret: KEY }), 'holds');
  t.equal(await prove('standard', standard(), { secret: KEY }), 'holds');
  t.equal(await prove('svix', standard(), { secret: KEY }), 'holds', 'svix sends either kind of names');
});

t.test(
  '[6.2] another secret, another body, a signature that is cut or changed: none of them holds',
  async t => {
    const of = {
      stripe: { good: stripe(), other: stripe(SECONDS, 'x'), secret: SECRET, field: 'stripe-signature' },
      github: {
        good: await github(),
        other: await github('x'),
        secret: SECRET,
        field: 'x-hub-signature-256',
      },
      slack: { good: slack(), other: slack(SECONDS, 'x'), secret: SECRET, field: 'x-slack-signature' },
      svix: { good: svix(), other: svix(SECONDS, 'whsec_eHh4'), secret: KEY, field: 'svix-signature' },
      standard: {
        good: standard(),
        other: standard(SECONDS, 'whsec_eHh4'),
        secret: KEY,
        field: 'webhook-signature',
      },
    } as const;
    for (const scheme of ['stripe', 'github', 'slack', 'svix', 'standard'] as const) {
      const { good, other, secret, field } = of[scheme];
      const signature = (good as { [name: string]: string })[field]!;
      t.equal(await prove(scheme, good, { secret }), 'holds', scheme);
      t.equal(await prove(scheme, other, { secret }), 'forged', `${scheme}: another secret`);
      t.equal(await prove(scheme, good, { secret, body: `${BODY} ` }), 'forged', `${scheme}: another body`);
      t.equal(
        await prove(scheme, good, { secret: 'x' }),
        'forged',
        `${scheme}: verified with another secret`,
      );
      t.equal(await prove(scheme, good, { secret: '' }), 'forged', `${scheme}: an empty secret`);
      for (const bad of [
        '',
        signature.slice(0, -3),
        `${signature}00`,
        'sha1=00',
        'v0=',
        'v1,',
        't=1',
        '\u0000',
      ])
        t.not(await prove(scheme, { ...good, [field]: bad }, { secret }), 'holds', `${scheme}: ${bad}`);
      const twice = { ...good, [field]: [signature, signature] };
      t.equal(await prove(scheme, twice, { secret }), 'unsigned', `${scheme}: two headers`);
      t.equal(await prove(scheme, {}, { secret }), 'unsigned');
    }
  },
);

t.test(
  '[6.2] a signature is good for five minutes, before and after; that it is too old is said only of one that holds',
  async t => {
    const made = { stripe, slack, svix, standard } as const;
    for (const scheme of ['stripe', 'slack', 'svix', 'standard'] as const) {
      const secret = scheme === 'stripe' || scheme === 'slack' ? SECRET : KEY;
      const at = (seconds: number, body = BODY) =>
        prove(scheme, made[scheme](SECONDS + seconds), { secret, body });
      t.equal(await at(-300), 'holds', scheme);
      t.equal(await at(300), 'holds');
      t.equal(await at(-301), 'too-old');
      t.equal(await at(301), 'too-old');
      t.equal(await at(-301, '{}'), 'forged');
    }
    const moved = stripe() as { [name: string]: string };
    const later = moved['stripe-signature']!.replace(`t=${SECONDS}`, `t=${SECONDS + 1}`);
    t.equal(
      await prove('stripe', { 'stripe-signature': later }),
      'forged',
      'the time is part of what is signed',
    );
  },
);

t.test('[6.2] while a secret changes, one of several signatures is enough', async t => {
  const [old, now] = [stripe(SECONDS, 'old'), stripe()] as { [name: string]: string }[];
  const both = `${old!['stripe-signature']},${now!['stripe-signature']!.split(',')[1]}`;
  t.equal(await prove('stripe', { 'stripe-signature': both }), 'holds');
  const pair = standard() as { [name: string]: string };
  const signature = `v1a,AAAA v1,AAAA ${pair['webhook-signature']}`;
  t.equal(await prove('standard', { ...pair, 'webhook-signature': signature }, { secret: KEY }), 'holds');
});
