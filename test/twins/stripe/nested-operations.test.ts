import t from 'tap';
import { callerIn } from '../../kit/stripe-version.ts';
import { openStripeWorld, shop } from '../../kit/stripe-world.ts';

t.test('[4.1] a customer’s subscriptions and cards are at the addresses they had under theirs', async t => {
  await using made = await openStripeWorld();
  const { customer, price } = await shop(made.stripe);
  const other = await made.stripe.customers.create({ name: 'Bo' });
  const old = callerIn(made, '2020-08-27');
  const under = `/v1/customers/${customer.id}`;
  const subscribed = await old.post(
    `${under}/subscriptions`,
    `items[0][price]=${price.id}&expand[]=latest_invoice`,
  );
  t.match(subscribed, { customer: customer.id, status: 'active', latest_invoice: { paid: true } });
  const at = `/subscriptions/${subscribed.id}`;
  t.same(
    (await old.get(`${under}/subscriptions?limit=3`)).data.map(({ id }: { id: string }) => id),
    [subscribed.id],
  );
  t.equal((await old.get(`${under}${at}`)).id, subscribed.id);
  t.equal((await old.post(`${under}${at}`, 'metadata[a]=1')).metadata.a, '1');
  const strange = await old.ask('DELETE', `/v1/customers/${other.id}${at}`);
  t.equal(strange.status, 404);
  t.match(strange.body.error, {
    code: 'resource_missing',
    message: `No such subscription: '${subscribed.id}'`,
  });
  t.equal((await old.ask('DELETE', `${under}${at}`)).body.status, 'canceled');
  const said = await old.ask(
    'POST',
    `${under}/subscriptions`,
    `customer=${other.id}&items[0][price]=${price.id}`,
  );
  t.match(said, { status: 400, body: { error: { param: 'customer' } } }, 'whose it is the address says');

  const one = await old.post(`${under}/subscriptions`, `plan=${price.id}&quantity=2`);
  t.match(one, { items: { data: [{ quantity: 2, price: { id: price.id } }] } });
  for (const [form, param] of [
    ['quantity=2', 'items'],
    [`plan=${price.id}&items[0][price]=${price.id}`, 'plan'],
  ] as const) {
    const refused = await old.ask('POST', `${under}/subscriptions`, form);
    t.match(refused, { status: 400, body: { error: { param } } }, form);
  }
  t.equal((await old.ask('POST', `${under}/cards`, 'metadata[a]=1')).body.error.param, 'source');

  const card = await old.post(`${under}/cards`, 'card=tok_visa');
  t.match(card, { object: 'card', last4: '4242' });
  const list = await old.get(`${under}/cards`);
  t.match(list, { url: `${under}/cards`, data: [card] });
  t.equal((await old.post(`${under}/cards/${card.id}`, 'name=Ada')).name, 'Ada');
  t.match((await old.ask('DELETE', `${under}/cards/${card.id}`)).body, { id: card.id, deleted: true });
  t.equal((await old.ask('GET', `${under}/cards/${card.id}`)).status, 404);
});
