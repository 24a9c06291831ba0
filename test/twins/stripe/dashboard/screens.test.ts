// The dashboard's pages: each list and each object at Stripe's own path, what leads where, and who may do what.
import t from 'tap';
import { DASHBOARD_FRONT } from '../../../../twins/stripe/dashboard/screens.ts';
import { stripeTwin } from '../../../../twins/stripe/twin.ts';
import { linksOf, look } from '../../../kit/dashboard.ts';
import { openStripeWorld, shop } from '../../../kit/stripe-world.ts';

const PAID = {
  amount: 2500,
  currency: 'usd',
  payment_method: 'pm_card_visa',
  confirm: true,
  return_url: 'https://shop.example.com',
} as const;

t.test(
  '[2.2 screens] the manifest names the lists, and each of them answers, with /test and without',
  async t => {
    await using made = await openStripeWorld();
    const { manifest } = stripeTwin;
    t.ok(manifest.hosts.some(({ host }) => host === 'dashboard.stripe.com'));
    t.ok(DASHBOARD_FRONT.length > 8);
    for (const { id, path } of DASHBOARD_FRONT) {
      t.ok(
        manifest.screens.some(
          screen => screen.id === id && screen.path === path && screen.host === 'dashboard.stripe.com',
        ),
        path,
      );
      for (const at of [path, path.replace(/^\/test/, '') || '/']) {
        const page = await look(made, at);
        t.equal(page.status, 200, at);
        t.match(page.text, /no money moves/, at);
      }
    }
    t.equal((await look(made, '/settings')).status, 404, 'what the twin has not is not there');
  },
);

t.test('[4.9] an empty list says how to make the first one', async t => {
  await using made = await openStripeWorld();
  for (const path of [
    'customers',
    'payments',
    'subscriptions',
    'invoices',
    'products',
    'events',
    'logs',
    'test-clocks',
  ]) {
    const { text } = await look(made, `/test/${path}`);
    t.match(text, /wrld world run -- curl https:\/\/api\.stripe\.com\/v1\//, path);
  }
});

t.test('[4.9] each object is a page, and every link of every page leads somewhere', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const { customer, price } = await shop(stripe);
  await stripe.subscriptions.create({ customer: customer.id, items: [{ price: price.id }] });
  const { id } = await stripe.paymentIntents.create({ ...PAID, customer: customer.id });
  await stripe.refunds.create({ payment_intent: id, amount: 500 });
  await stripe.testHelpers.testClocks.create({ frozen_time: 1_768_500_000, name: 'Renewals' });
  for (const start of ['/test', '/']) {
    const seen = new Set<string>([start]);
    for (const target of seen) {
      const page = await look(made, target);
      t.equal(page.status, 200, target);
      for (const link of linksOf(target, page)) if (link.startsWith('/')) seen.add(link.replace(/#.*/, ''));
    }
    const kinds = new Set(
      [...seen].map(link =>
        link
          .replace(/^\/test(?=\/)/, '')
          .split('/')
          .slice(1, 2)
          .join(),
      ),
    );
    for (const kind of [
      'customers',
      'payments',
      'subscriptions',
      'invoices',
      'products',
      'prices',
      'events',
      'logs',
      'test-clocks',
    ])
      t.ok(kinds.has(kind), `${kind} from ${start}`);
    t.ok(seen.size > 40, `${seen.size} pages`);
    t.equal(
      [...seen].every(link => link.startsWith('/test')),
      start === '/test',
      'one stays where one is',
    );
  }
});

t.test('[5.4] a reader sees no form but the searches, and none of them is taken', async t => {
  await using made = await openStripeWorld();
  const { customer } = await shop(made.stripe);
  const reader = { scope: 'read', may: 'read', caller: 'token:read' } as const;
  for (const path of ['/test/customers', `/test/customers/${customer.id}`]) {
    t.notMatch((await look(made, path, reader)).html, /method="post"/i, path);
  }
  t.match((await look(made, '/test/customers')).html, /method="post"/i);
  const before = await made.position();
  const posted = await look(made, '/test/customers', { ...reader, form: { name: 'Eve' } });
  t.equal(posted.status, 403);
  t.equal(await made.position(), before);
});

t.test('[5.3-3] who may write and comes from elsewhere sees the buttons', async t => {
  await using made = await openStripeWorld();
  const page = await look(made, '/test/customers', { scope: 'read', may: 'write' });
  t.match(page.html, /method="post"/i);
});

t.test('[security] another page of a browser in the world sends no form here', async t => {
  await using made = await openStripeWorld();
  const before = await made.position();
  const form = { name: 'Eve' };
  for (const site of ['cross-site', 'same-site', 'none']) {
    const headers = { 'sec-fetch-site': site };
    t.equal((await look(made, '/test/customers', { form, headers })).status, 403, site);
  }
  t.equal(await made.position(), before);
  const own = await look(made, '/test/customers', { form, headers: { 'sec-fetch-site': 'same-origin' } });
  t.match(own, { status: 303, location: /customers\/cus_/ });
});

t.test('[security] what strangers named things is text, on every page', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const evil = '"><script>alert(1)</script><img src=x onerror=alert(1)>\u202e';
  const customer = await stripe.customers.create({
    name: evil,
    description: evil,
    metadata: { '<b>': evil },
  });
  const product = await stripe.products.create({
    name: evil,
    description: evil,
    images: ['javascript:alert(1)'],
  });
  const price = await stripe.prices.create({
    product: product.id,
    currency: 'usd',
    unit_amount: 500,
    nickname: evil,
    recurring: { interval: 'month' },
  });
  await stripe.subscriptions.create({
    customer: customer.id,
    items: [{ price: price.id }],
    payment_behavior: 'default_incomplete',
    description: evil,
  });
  await stripe.paymentIntents.create({ ...PAID, customer: customer.id, description: evil });
  const seen = new Set<string>([
    '/test',
    `/test/search?query=${encodeURIComponent(evil)}`,
    `/test/customers?query=${encodeURIComponent(evil)}`,
  ]);
  for (const target of seen) {
    const page = await look(made, target);
    t.notMatch(page.html, /<script|<img|onerror=alert\(1\)>(?!&)|href="javascript/i, target);
    for (const link of linksOf(target, page)) if (link.startsWith('/')) seen.add(link.replace(/#.*/, ''));
    t.match(
      page.headers.find(([name]) => name === 'Content-Security-Policy')?.[1],
      /default-src 'none'.*frame-ancestors 'none'.*form-action 'self'/,
    );
  }
  t.ok(seen.size > 25);
});
