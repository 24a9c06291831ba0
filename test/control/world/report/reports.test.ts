// The report of what was done, of a world with the Stripe twin that the vendor's own SDK worked in.
import t from 'tap';
import { REPORT_FIELDS_MAX, REPORT_RECORDS_MAX } from '../../../../control/world/limits.ts';
import type { RunReport } from '../../../../control/world/report/reports.ts';
import type { Since } from '../../../../control/world/report/since.ts';
import type { World } from '../../../../control/world/world.ts';
import { openStripeWorld, START } from '../../../kit/stripe-world.ts';

async function reportOf(world: World, since: Since | null = null): Promise<RunReport> {
  const found = await world.reports.since(since);
  if (!found.ok) throw new Error(found.message);
  return found.report;
}

t.test('[2.6, 4.4] what was made, changed and ended is told by record and field', async t => {
  await using shop = await openStripeWorld();
  const { stripe, world } = shop;
  const product = await stripe.products.create({ name: 'Gold', metadata: { tier: '1' } });
  const price = await stripe.prices.create({
    product: product.id,
    currency: 'usd',
    unit_amount: 2000,
    recurring: { interval: 'month' },
  });
  await stripe.products.update(product.id, { name: 'Gold plan', metadata: { tier: '2' } });
  const gone = await stripe.customers.create({ email: 'a@b.test' });
  await stripe.customers.del(gone.id);
  const report = await reportOf(world);
  t.match(report, { world: 'acme/shop', branchOf: null, changeset: null, from: null, clock: START });
  t.equal(report.entriesLeft, 0);
  const [twin] = report.twins;
  const [made, priced, passed] = twin!.records;
  t.match(made, {
    type: 'product',
    id: product.id,
    name: 'Gold plan',
    fate: 'created',
    asked: true,
    entries: 2,
  });
  t.match(priced, { type: 'price', id: price.id, fate: 'created' });
  t.match(
    priced?.fields.filter(({ field }) => /unit_amount$|interval$/.test(field)),
    [
      { field: 'recurring.interval', after: 'month' },
      { field: 'unit_amount', after: 2000 },
    ],
  );
  t.match(passed, { type: 'customer', id: gone.id, fate: 'passed' });
  t.match(
    twin?.told.find(({ type }) => type === 'event'),
    { count: 6 },
    'events are counted, not told',
  );

  await t.test('since an entry: only what came after it, from the state that was there', async t => {
    const later = await reportOf(world, { entry: { twin: 'stripe', position: 2 } });
    const changed = later.twins[0]!.records.find(({ type }) => type === 'product');
    t.match(changed, { fate: 'changed', entries: 1, first: 'stripe:3', last: 'stripe:3' });
    t.strictSame(
      changed?.fields.filter(({ field }) => field !== 'updated'),
      [
        { field: 'metadata.tier', before: '1', after: '2' },
        { field: 'name', before: 'Gold', after: 'Gold plan' },
      ],
    );
    t.match(await world.reports.since({ entry: { twin: 'stripe', position: 99 } }), {
      ok: false,
      why: 'no-such-entry',
    });
  });

  await t.test('what a deploy would ask, in order, with the ids that are not known there yet', async t => {
    t.match(
      report.actions.map(({ method, path, kind, target }) => [method, path, kind, target?.name]),
      [
        ['POST', '/v1/products', 'create', 'Gold'],
        ['POST', '/v1/prices', 'create', null],
        ['POST', `/v1/products/{product ${product.id}}`, 'update', 'Gold plan'],
        ['POST', '/v1/customers', 'create', 'a@b.test'],
        ['DELETE', `/v1/customers/{customer ${gone.id}}`, 'delete', 'a@b.test'],
      ],
    );
    t.strictSame(report.actions[1]?.dependsOn, ['a1']);
    t.match(
      report.actions[1]?.fields.find(({ field }) => field === 'product'),
      { after: `{product ${product.id}}` },
    );
  });
});

t.test('[4.4] operations are counted with their tiers, refused and unmodelled ones too', async t => {
  await using shop = await openStripeWorld();
  const { ask, world } = shop;
  await ask('POST', '/v1/customers', { form: 'email=a@b.test' });
  await ask('GET', '/v1/customers/cus_nobody');
  await ask('GET', '/v1/apple_pay/domains');
  await ask('GET', '/v1/nothing/of/the/kind');
  const { operations } = (await reportOf(world)).twins[0]!;
  const told = new Map(operations.map(({ route, ...rest }) => [route, rest]));
  t.match(told.get('POST /v1/customers'), { tier: 'modelled', requests: 1, errors: 0 });
  t.match(told.get('GET /v1/customers/{customer}'), { tier: 'modelled', requests: 1, errors: 1 });
  t.match(told.get('GET /v1/apple_pay/domains'), { tier: 'generic', requests: 1, errors: 0 });
  t.match(told.get('GET /v1/nothing/of/the/kind'), { tier: 'unknown', requests: 1, errors: 1, unmatched: 1 });
  t.match(world.reports.coverage('stripe', { method: 'POST', path: '/v1/customers/cus_1' }), {
    route: 'POST /v1/customers/{customer}',
    tier: 'modelled',
  });
  t.equal(world.reports.coverage('stripe', { method: 'PUT', path: '/v1/customers' }), null);
});

t.test('[6] secrets are in no report, and long records are cut with their number', async t => {
  await using shop = await openStripeWorld();
  const { stripe, world } = shop;
  const hook = await stripe.webhookEndpoints.create({ url: 'http://hook.test/', enabled_events: ['*'] });
  await stripe.paymentIntents.create({ amount: 100, currency: 'usd' });
  const metadata = Object.fromEntries(Array.from({ length: 45 }, (_, n) => [`key_${n}`, 'v'.repeat(300)]));
  await stripe.customers.create({ metadata });
  await world.settled();
  const report = await reportOf(world);
  const text = JSON.stringify(report);
  t.notMatch(text, hook.secret!.slice(6));
  const intent = report.twins[0]!.records.find(({ type }) => type === 'payment_intent');
  t.match(
    intent?.fields.find(({ field }) => field === 'client_secret'),
    { after: 'hidden' },
  );
  const customer = report.twins[0]!.records.find(({ type }) => type === 'customer');
  t.equal(customer?.fields.length, REPORT_FIELDS_MAX);
  t.ok(customer!.fieldsLeft > 0);
  t.equal(report.twins[0]?.webhooks.delivered, 2);
  t.match(
    customer?.fields.find(({ field }) => field === 'metadata.key_0'),
    { after: /^v{200}…$/ },
  );
});

t.test('more records than a report tells are counted', async t => {
  await using shop = await openStripeWorld();
  for (let nth = 0; nth < REPORT_RECORDS_MAX + 7; nth++)
    await shop.ask('POST', '/v1/customers', { form: `name=c${nth}` });
  const [twin] = (await reportOf(shop.world)).twins;
  t.equal(twin?.records.length, REPORT_RECORDS_MAX);
  t.equal(twin?.recordsLeft, 7);
});

t.test('[6] a webhook that fails is told with how often it was tried', async t => {
  await using shop = await openStripeWorld({ send: async () => ({ ok: true, status: 500, ms: 1 }) });
  await shop.stripe.webhookEndpoints.create({ url: 'http://hook.test/', enabled_events: ['*'] });
  await shop.stripe.customers.create({});
  await shop.world.settled();
  t.match((await reportOf(shop.world)).twins[0]?.webhooks, {
    delivered: 0,
    failed: 1,
    failures: [{ event: 'customer.created', url: 'http://hook.test/', attempts: 1, why: 'answered 500' }],
  });
});

t.test('[2.6] a report of a changeset is of its entries alone', async t => {
  await using shop = await openStripeWorld();
  const { stripe, world } = shop;
  await stripe.customers.create({ name: 'in' });
  t.match(await world.changesets.cut({ message: 'one', name: 'one', by: 'token', owner: null }), {
    ok: true,
  });
  await stripe.customers.create({ name: 'out' });
  const found = await world.reports.changeset('one');
  if (!found.ok) throw new Error(found.message);
  t.match(found.report, {
    changeset: 'one',
    entries: 1,
    actions: [{ actionId: 'a1', target: { name: 'in' } }],
  });
  t.equal(found.report.actions.length, 1);
  t.match(await world.reports.changeset('two'), { ok: false, why: 'no-such-changeset' });
});

t.test('[4.9] since an instant: found in the middle of a long log', async t => {
  let wall = Date.parse(START);
  await using shop = await openStripeWorld({ wall: () => wall });
  for (let nth = 0; nth < 20; nth++) {
    wall += 1000;
    await shop.ask('POST', '/v1/customers', { form: `name=c${nth}` });
  }
  const report = await reportOf(shop.world, { at: Date.parse(START) + 15_000 });
  t.equal(report.entries, 6, 'the fifteenth second is in it');
  t.equal(report.twins[0]?.operations[0]?.requests, 6);
  t.equal((await reportOf(shop.world, { at: wall + 1 })).entries, 0);
});

t.test('[4.4] between two instants of wall time: nothing of before, nothing of after', async t => {
  let wall = Date.parse(START);
  await using shop = await openStripeWorld({ wall: () => wall });
  const { stripe, world } = shop;
  const make = async (name: string): Promise<void> => {
    wall += 1_000;
    await stripe.products.create({ name });
  };
  for (const name of ['before', 'first', 'last', 'after']) await make(name);
  const at = (seconds: number): number => Date.parse(START) + seconds * 1_000;
  const found = await world.reports.since({ at: at(2) }, at(3));
  if (!found.ok) throw new Error(found.message);
  const { report } = found;
  t.match(report, { entries: 2, entriesLeft: 0, to: new Date(at(3)).toISOString() });
  t.strictSame(
    report.twins[0]?.records.map(({ name }) => name),
    ['first', 'last'],
  );
  t.match(report.twins[0]?.operations, [{ route: 'POST /v1/products', requests: 2 }]);
  const empty = await world.reports.since({ at: at(9) }, at(10));
  t.match(empty, { ok: true, report: { entries: 0, twins: [] } });
});
