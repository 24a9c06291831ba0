// What came with a version is unknown to callers of the versions before it, and theirs from then on.
import t from 'tap';
import { declares } from '../../../../twins/stripe/api/vendor.ts';
import { API_VERSION, apiVersions } from '../../../../twins/stripe/api/version.ts';
import { OPERATIONS } from '../../../../twins/stripe/operations.ts';
import { CAME } from '../../../../twins/stripe/versions/came.ts';
import { callerIn } from '../../../kit/stripe-version.ts';
import { KEY, openStripeWorld } from '../../../kit/stripe-world.ts';

type Row = readonly [version: string, since: string, path: string, form: string, param: string];

const UNKNOWN: readonly Row[] = [
  ['2025-02-24.acacia', '2025-03-31.basil', '/v1/invoiceitems', 'pricing[price]=p', 'pricing'],
  ['2022-11-15', '2025-03-31.basil', '/v1/credit_notes', 'refunds[0][refund]=r', 'refunds'],
  ['2020-08-27', '2024-04-10', '/v1/products', 'name=A&marketing_features[0][name]=b', 'marketing_features'],
  ['2024-06-20', '2025-06-30.basil', '/v1/subscriptions', 'billing_mode[type]=flexible', 'billing_mode'],
  ['2025-08-27.basil', '2025-09-30.clover', '/v1/promotion_codes', 'promotion[type]=coupon', 'promotion'],
  [
    '2023-10-16',
    '2025-07-30.basil',
    '/v1/subscription_schedules',
    'phases[0][items][0][price]=p&phases[0][duration][interval]=month',
    'phases[0][duration]',
  ],
  [
    '2025-04-30.basil',
    '2025-05-28.basil',
    '/v1/subscriptions',
    'customer=cus_none&items[0][price]=p&billing_thresholds[amount_gte]=500',
    'billing_thresholds',
  ],
];

t.test('[2.2] a parameter is unknown to the versions before it', async t => {
  await using made = await openStripeWorld();
  for (const [version, since, path, form, param] of UNKNOWN) {
    const before = await callerIn(made, version).ask('POST', path, form);
    t.match(before, { status: 400, body: { error: { code: 'parameter_unknown', param } } }, version);
    t.equal(before.body.error.message, `Received unknown parameter: ${param}`);
    const after = await callerIn(made, since).ask('POST', path, form);
    t.not(after.body.error?.code, 'parameter_unknown', `${since} has it`);
  }
  const { body } = await callerIn(made, '2024-06-20').ask(
    'POST',
    '/v1/subscriptions',
    'customer=cus_none&items[0][price]=p&billing_thresholds[amount_gte]=500',
  );
  t.equal(body.error.code, 'resource_missing', 'thresholds were there before they went for two months');
});

t.test('[2.2] a word and an operation are unknown to the versions before them', async t => {
  await using made = await openStripeWorld();
  const mode = await callerIn(made, '2025-09-30.clover').ask(
    'POST',
    '/v1/checkout/sessions',
    'ui_mode=elements',
  );
  t.match(mode.body.error, { message: 'Invalid ui_mode: must be one of custom, embedded, or hosted' });
  const path = '/v1/invoice_payments';
  const before = await callerIn(made, '2024-06-20').ask('GET', path);
  t.match(before, {
    status: 404,
    body: { error: { message: /^Unrecognized request URL \(GET: \/v1\/invoice_payments\)/ } },
  });
  t.equal((await callerIn(made, '2025-03-31.basil').ask('GET', path)).status, 200);
});

t.test('[2.2] a caller that names no version may send what it likes of any age', async t => {
  await using made = await openStripeWorld();
  const { status } = await made.ask('GET', '/v1/invoice_payments', {
    headers: { authorization: `Bearer ${KEY}` },
  });
  t.equal(status, 200);
});

t.test('each row is of a version that there is, newest first, and of what the vendor declares today', t => {
  const order = CAME.map(({ since }) => since);
  t.same(order, order.toSorted().toReversed());
  const names = new Set(OPERATIONS.map(({ name }) => name));
  for (const { since, from = API_VERSION, params = {}, words = {}, operations = [] } of CAME) {
    t.ok(apiVersions().has(since) && apiVersions().has(from), since);
    for (const operation of operations) t.ok(names.has(operation), operation);
    for (const [operation, held] of Object.entries(params))
      for (const name of held) t.ok(declares(operation, name), `${operation}: ${name}`);
    for (const [operation, { name, came }] of Object.entries(words))
      for (const word of came) t.ok(declares(operation, name, word), `${operation}: ${name}=${word}`);
  }
  t.end();
});
