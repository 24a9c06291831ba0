// The developers' logs: requests as the log keeps them, found from what they wrote, what they told, and by their ids.
import t from 'tap';
import { mountTwin } from '../../../../twins/kit/mount.ts';
import { stripeTwin } from '../../../../twins/stripe/twin.ts';
import { branchOff } from '../../../kit/branch-world.ts';
import { look } from '../../../kit/dashboard.ts';
import { openNoteWorld } from '../../../kit/note-world.ts';
import { KEY, openStripeWorld, shop } from '../../../kit/stripe-world.ts';

t.test('[4.9] a request’s page shows what it asked, what it changed and what it told', async t => {
  await using made = await openStripeWorld();
  const customer = await made.stripe.customers.create(
    { name: 'Ada <b>', metadata: { order: '42' } },
    { idempotencyKey: 'once-1' },
  );
  const { text, html } = await look(made, '/test/logs/1');
  t.match(text, /POST \/v1\/customers/);
  t.match(text, /name Ada <b>/);
  t.match(text, /metadata\[order\] 42/);
  t.match(text, /idempotency-key once-1/);
  t.match(html, new RegExp(`customers/${customer.id}"`));
  t.match(text, /Told .*customer\.created/);
  t.notMatch(text, new RegExp(KEY), 'the key is nobody’s to read');
});

t.test('[security] the number of a card is hidden', async t => {
  await using made = await openStripeWorld();
  await made.stripe.paymentMethods.create({
    type: 'card',
    card: { number: '4242424242424242', exp_month: 1, exp_year: 2034, cvc: '123' },
  });
  const { text } = await look(made, '/test/logs/1');
  t.match(text, /card\[number\] hidden/);
  t.notMatch(text, /4242424242424242/);
});

t.test('[4.9] an event leads to its request, and an error’s address to what is known of it', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  await stripe.customers.create({ name: 'Ada' });
  const [event] = await made.events('customer.created');
  t.match((await look(made, `/test/events/${event!.id}`)).html, /logs\/1"/);
  // By the second at which it came, when the journal has it no more.
  await made.world.requests(1);
  made.sql.run('DELETE FROM journal');
  const found = await look(made, `/test/logs/${event!.request!.id}?t=${event!.created}`);
  t.match(found, { status: 200, text: /POST \/v1\/customers/ });
  t.match(
    await look(made, `/test/logs/${event!.request!.id}`),
    { status: 404, text: /Neither log has/ },
    'without its second nobody looks for it',
  );
  for (const id of ['0', '-1', '99', '1e3', 'req_%27', '9'.repeat(40)])
    t.equal((await look(made, `/test/logs/${id}`)).status, 404, id);
});

t.test('[4.9] what happens by itself is in the logs, and on the page of what it happened to', async t => {
  await using made = await openStripeWorld();
  const { customer, price } = await shop(made.stripe);
  const { id } = await made.stripe.subscriptions.create({
    customer: customer.id,
    items: [{ price: price.id }],
  });
  await made.advance('32d');
  const { text } = await look(made, `/test/subscriptions/${id}`);
  t.match(
    text,
    /Events Event About When .*customer\.subscription\.updated .*customer\.subscription\.created/,
  );
  t.match(text, /Logs Request .*POST \/v1\/subscriptions/);
  t.match((await look(made, '/test/logs?show=changes')).text, /invoice\.\w+ /);
});

t.test('[2.12] in a branch everything has its page, and the logs begin where it branched off', async t => {
  const twins = { stripe: mountTwin(stripeTwin, null) };
  await using parent = await openNoteWorld({ twins });
  const before = await look(parent, '/test/customers', { form: { name: 'Ada' } });
  const [, id = ''] = /customers\/(cus_\w+)$/.exec(before.location ?? '') ?? [];
  await using branch = await branchOff(parent, { twins });
  t.match(await look(branch, `/test/customers/${id}`), { status: 200, text: /Ada/ });
  t.match((await look(branch, '/test/events')).text, /customer\.created/);
  t.match((await look(branch, '/test/logs?show=changes')).text, /Nothing is in the log yet/);
  t.equal((await look(branch, '/test/logs/1')).status, 404);
  await look(branch, '/test/customers', { form: { name: 'Grace' } });
  t.match((await look(branch, '/test/logs?show=changes')).html, /logs\/2"/);
  t.notMatch((await look(parent, '/test/customers')).text, /Grace/);
});
