// The stories, told to the twin and to a served world in the vendor's place: alike where that answers as the twin does, and
// by field where it does not. No key but one of a test mode is ever sent.

import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { cleanEnv } from '../kit/command-line.ts';
import { openWorldFolders, startQuietly } from '../kit/control-world.ts';
import { againstStripe } from './against-stripe.ts';
import { openAlike } from './alike.ts';
import { STRIPE_STORIES } from './stories.ts';
import { askedOf } from './story.ts';
import { stripePlace } from './vendor-side.ts';

const KEY = 'sk_test_wrld';
const SCRIPT = fileURLToPath(new URL('../../scripts/fidelity.ts', import.meta.url));
const REFUNDED = 'a payment and its refund';
/** What the world in the vendor's place answers otherwise: one field more, one other, one of another kind. */
const OTHERWISE = {
  version: 1,
  handlers: [
    {
      id: 'another vendor',
      match: { method: 'GET', path: '/v1/charges' },
      reply: { json: { object: 'list', url: '/v1/charges/all', has_more: null, total: 1, data: [] } },
    },
  ],
};

t.test('[4.1] the stories are told to a served world in the vendor’s place', async t => {
  const folders = await openWorldFolders(t);
  const folder = await folders.world({
    name: 'acme/shop',
    services: { stripe: { twin: 'stripe', colocate: { scenarioPath: 'stripe.json' } } },
  });
  await writeFile(join(folder, 'stripe.json'), JSON.stringify(OTHERWISE));
  await using control = await startQuietly(folder);
  const at = `${control.worldUrl}/stripe`;
  const env = { STRIPE_TEST_KEY: KEY, WRLD_TWINS_KEY: control.token };
  const lines: string[] = [];
  const done = await againstStripe({ stories: STRIPE_STORIES, at, env, told: line => lines.push(line) });
  if (!done.ok) throw new Error(done.message);
  const { stories, requests, alike } = done.report;
  t.equal(requests - alike, 1, 'one request was answered otherwise');
  t.strictSame(
    stories.filter(({ differs }) => differs.length > 0).map(({ story }) => story),
    [REFUNDED],
  );
  const differs = stories.find(({ story }) => story === REFUNDED)?.differs ?? [];
  t.match(differs, [{ step: 'charges', request: { method: 'GET', path: '/v1/charges' } }]);
  t.strictSame(
    differs[0]?.fields.map(({ field, what }) => [field, what]),
    [
      ['url', 'value'],
      ['has_more', 'kind'],
      ['total', 'missing'],
      ['data', 'length'],
    ],
  );
  t.match(
    lines.find(line => line.includes('has_more')),
    /has_more: the twin false, the vendor null/,
  );
  t.match(
    lines.find(line => line.includes('GET /v1/charges')),
    /payment_intent=pi_/,
  );

  await t.test('by the command', async t => {
    const told = await ran(['--against', 'stripe', '--at', at, '--story', REFUNDED, '--json'], env);
    t.equal(told.code, 1, told.err);
    t.match(JSON.parse(told.out), { vendor: 'stripe', at, requests: 6, alike: 5 });
  });
});

t.test('[4.1] what is no key of a test mode is refused before anything is connected to', async t => {
  let connections = 0;
  const vendor = createServer((_request, response) => response.writeHead(401).end('{}'));
  vendor.on('connection', () => connections++);
  await new Promise<void>(resolve => vendor.listen(0, '127.0.0.1', resolve));
  t.teardown(() => vendor.close());
  const at = `http://127.0.0.1:${(vendor.address() as AddressInfo).port}`;
  const keys = [
    '',
    'sk_live_abc',
    'rk_live_abc',
    'pk_test_abc',
    'sk_test_',
    ' sk_test_abc',
    'sk_test_a\nb',
    'x',
  ];
  const told = (): void => undefined;
  const [stories] = [STRIPE_STORIES.slice(0, 1)];
  for (const key of keys) {
    const refused = await againstStripe({ stories, at, env: { STRIPE_TEST_KEY: key }, told });
    t.match(refused, { ok: false, message: /STRIPE_TEST_KEY/ }, JSON.stringify(key));
    if (!refused.ok && key !== '')
      t.notOk(refused.message.includes(key) && key.length > 8, 'no key is shown');
  }
  t.equal(connections, 0);
  await t.rejects(againstStripe({ stories, at, env: { STRIPE_TEST_KEY: KEY }, told }), {
    message: /does not know the key/,
  });
  t.ok(connections > 0, 'a test key is sent');
  for (const far of [
    'https://api.example.com',
    'http://10.0.0.1:4000',
    'ftp://127.0.0.1',
    'stripe',
    `${at}?x=1`,
  ])
    t.match(stripePlace(far, { STRIPE_TEST_KEY: KEY }), { ok: false, message: /--at/ }, far);
  t.match(stripePlace(undefined, { STRIPE_TEST_KEY: 'rk_test_abc' }), { url: 'https://api.stripe.com' });
  const live = await ran(['--against', 'stripe', '--at', at], { STRIPE_TEST_KEY: 'sk_live_abc' });
  t.equal(live.code, 2);
  t.match(live.err, /Nothing was sent/);
});

t.test('[4.1] answers are alike but for what is chance', t => {
  const body = { id: 'cus_aaaaaaaaaaaaaa', created: 1_700_000_000, name: 'Ada', card: 'card_aaaaaaaaaaaaaa' };
  const other = {
    id: 'cus_bbbbbbbbbbbbbb',
    created: 1_800_000_000,
    name: 'Ada',
    card: 'card_bbbbbbbbbbbbbb',
  };
  const alike = openAlike();
  const compare = (twin: unknown, vendor: unknown): unknown =>
    alike
      .compare({ status: 200, body: twin }, { status: 200, body: vendor })
      .map(({ field, what }) => `${what} ${field}`);
  t.strictSame(compare(body, other), []);
  t.strictSame(compare({ customer: body.id }, { customer: other.id }), [], 'one that was met');
  t.strictSame(compare({ customer: body.id }, { customer: other.card }), ['reference customer']);
  t.strictSame(compare({ id: 'cus_cccccccccccccc' }, { id: 'sub_cccccccccccccc' }), ['reference id']);
  t.strictSame(compare({ message: `No ${body.id}` }, { message: `No ${other.id}` }), []);
  t.strictSame(compare({ message: 'No' }, { message: 'Yes' }), ['value message']);
  t.strictSame(compare({ ended_at: null }, { ended_at: 1_700_000_000 }), ['kind ended_at']);
  t.strictSame(compare({ number: 'A-1' }, { number: 'B-7' }), []);
  t.strictSame(compare({ number: 'A-1' }, { number: null }), ['kind number']);
  t.strictSame(compare({ amount: 1500 }, { amount: 1499 }), ['value amount']);
  t.strictSame(compare({ a: [1, { b: 2 }] }, { a: [1, { b: 3 }] }), ['value a[1].b']);
  t.strictSame(compare({ receipt_url: 'https://a.test/1' }, { receipt_url: 'https://a.test/2' }), []);
  t.strictSame(compare({ receipt_url: 'https://a.test/1' }, { receipt_url: 'https://b.test/1' }), [
    'value receipt_url',
  ]);
  const status = alike.compare({ status: 200, body: null }, { status: 402, body: null });
  t.strictSame(status, [{ field: '', what: 'status', twin: 200, vendor: 402 }]);
  t.end();
});

t.test('[4.1] a step is filled with what was answered before', t => {
  const answers = new Map([['made', { status: 200, body: { id: 'x', items: [{ id: 'y' }] } }]]);
  const step = {
    name: 's',
    method: 'POST',
    path: '/v1/{made.id}',
    params: { a: [{ b: '{made.items.0.id}' }] },
  } as const;
  t.strictSame(askedOf(step, answers), { method: 'POST', path: '/v1/x', pairs: [['a[0][b]', 'y']] });
  t.strictSame(askedOf({ ...step, path: '/{made.items}' }, answers), { lacks: 'made.items' });
  for (const { name, steps } of STRIPE_STORIES) {
    t.equal(
      new Set(steps.map(each => each.name)).size,
      steps.length,
      `${name}: steps have names of their own`,
    );
  }
  t.end();
});

type Ran = { readonly code: number | null; readonly out: string; readonly err: string };

async function ran(words: readonly string[], env: { readonly [name: string]: string }): Promise<Ran> {
  const child = spawn(process.execPath, [SCRIPT, ...words], { env: { ...cleanEnv(), ...env } });
  let [out, err] = ['', ''];
  child.stdout.on('data', chunk => (out += chunk));
  child.stderr.on('data', chunk => (err += chunk));
  const code = await new Promise<number | null>(resolve => child.on('close', resolve));
  return { code, out, err };
}
