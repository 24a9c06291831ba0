// An ephemeral key shows and changes how its own customer pays, while it lives.
import t from 'tap';
import { openStripeWorld } from '../../../kit/stripe-world.ts';

t.test(
  '[4.1] an ephemeral key opens its customer and their methods, for an hour, and nothing else',
  async t => {
    await using made = await openStripeWorld();
    const { stripe } = made;
    const [ada, bo] = [await stripe.customers.create({ name: 'Ada' }), await stripe.customers.create()];
    const key = await stripe.ephemeralKeys.create({ customer: ada.id }, { apiVersion: '2026-10-28.endive' });
    const bos = await stripe.paymentMethods.attach('pm_card_visa', { customer: bo.id });
    const free = await stripe.paymentMethods.create({ type: 'card', card: { token: 'tok_visa' } });
    const ask = (method: string, path: string, body = '', secret = key.secret) =>
      made.ask(method, path, {
        headers: {
          authorization: `Bearer ${secret}`,
          'content-type': 'application/x-www-form-urlencoded',
        },
        body: new TextEncoder().encode(body),
      });
    t.match((await ask('GET', `/v1/customers/${ada.id}`)).body, { id: ada.id, name: 'Ada' });
    const own = `customer=${ada.id}`;
    t.equal((await ask('POST', `/v1/payment_methods/${free.id}/attach`, own)).body.customer, ada.id);
    const list = async (path: string) =>
      (await ask('GET', path)).body.data.map(({ id }: { id: string }) => id);
    t.same(await list(`/v1/payment_methods?${own}&type=card`), [free.id]);
    t.same(await list(`/v1/customers/${ada.id}/payment_methods`), [free.id]);
    t.equal((await ask('GET', `/v1/customers/${ada.id}/payment_methods/${free.id}`)).status, 200);
    t.equal((await ask('POST', `/v1/payment_methods/${free.id}/detach`)).body.customer, null);

    const refusals = [
      ['GET', `/v1/customers/${bo.id}`, '', 404],
      ['GET', `/v1/payment_methods?customer=${bo.id}`, '', 400],
      ['GET', '/v1/payment_methods', '', 400],
      ['POST', `/v1/payment_methods/${bos.id}/attach`, `customer=${bo.id}`, 400],
      ['POST', `/v1/payment_methods/${bos.id}/detach`, '', 404],
      ['POST', `/v1/customers/${ada.id}`, 'name=Eve', 403],
      ['GET', '/v1/customers', '', 403],
      ['POST', '/v1/refunds', '', 403],
    ] as const;
    for (const [method, path, body, status] of refusals)
      t.equal((await ask(method, path, body)).status, status, `${method} ${path}`);

    const made1 = await ask('GET', `/v1/customers/${ada.id}`, '', 'ek_test_madeupmadeupmadeupmadeup');
    t.match(made1, { status: 401, body: { error: { message: /^Invalid API Key provided: ek_test_\*+/ } } });
    const issuing = await stripe.ephemeralKeys.create(
      { issuing_card: 'ic_1' },
      { apiVersion: '2026-10-28.endive' },
    );
    t.equal(
      (await ask('GET', `/v1/customers/${ada.id}`, '', issuing.secret)).status,
      404,
      'it is no customer’s',
    );
    await stripe.ephemeralKeys.del(issuing.id);
    t.equal((await ask('GET', `/v1/customers/${ada.id}`, '', issuing.secret)).status, 401);
    await made.advance('2h');
    t.match(await ask('GET', `/v1/customers/${ada.id}`), {
      status: 401,
      body: { error: { code: 'api_key_expired' } },
    });
  },
);
