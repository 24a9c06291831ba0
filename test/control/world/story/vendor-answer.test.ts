// A record as its vendor answers it: by the twin itself, whatever handlers say, and without a trace.
import t from 'tap';
import { mountTwin } from '../../../../twins/kit/mount.ts';
import { openLlmWorld } from '../../../kit/llm-world.ts';
import { noteTwin } from '../../../kit/note-twin.ts';
import { openTestSite } from '../../../kit/site.ts';
import { openStripeWorld } from '../../../kit/stripe-world.ts';

t.test(
  '[4.9] the answer of the Stripe twin, past handlers, and nothing of it in log or requests',
  async t => {
    await using shop = await openStripeWorld({
      handlers: {
        handlers: [
          { id: 'down', match: { method: 'GET' }, reply: { error: { status: 500, message: 'scripted' } } },
        ],
      } as never,
    });
    const { stripe, world } = shop;
    const { id } = await stripe.customers.create({ name: 'Ada', metadata: { team: 'red' } });
    const before = await shop.position();
    const told = await world.story.record('stripe', 'customer', id);
    t.equal(told?.retrievedBy, `GET https://api.stripe.com/v1/customers/${id}`);
    const answered = await world.vendorAnswers.of('stripe', 'customer', id);
    t.match(answered, {
      request: { atHost: true, method: 'GET', host: 'api.stripe.com', path: `/v1/customers/${id}` },
      answer: { status: 200 },
    });
    t.match(JSON.parse(answered?.answer.body.text ?? ''), {
      object: 'customer',
      name: 'Ada',
      metadata: { team: 'red' },
    });
    t.equal(await shop.position(), before);
    const asked = await world.vendorAnswers.of('stripe', 'customer', id);
    t.equal(asked?.answer.status, 200, 'as often as somebody looks');
    await stripe.customers.del(id);
    t.match(await world.vendorAnswers.of('stripe', 'customer', id), { answer: { status: 200 } });
    t.match(
      JSON.parse((await world.vendorAnswers.of('stripe', 'customer', id))?.answer.body.text ?? ''),
      { id, deleted: true },
      'as Stripe answers what was deleted',
    );
    const product = await stripe.products.create({ name: 'Tin' });
    await stripe.products.del(product.id);
    t.match(await world.vendorAnswers.of('stripe', 'product', product.id), { answer: { status: 404 } });
    t.equal(await world.vendorAnswers.of('stripe', 'customer', 'cus_none'), null);
    t.equal(await world.vendorAnswers.of('stripe', 'constructor', 'x'), null);
    t.equal(await world.vendorAnswers.of('none', 'customer', id), null);
  },
);

t.test('[4.9] a record of a connected account is asked for as the account asks', async t => {
  await using shop = await openStripeWorld();
  const { stripe, world } = shop;
  const account = await stripe.accounts.create({ type: 'custom', country: 'DE' });
  const { id } = await stripe.customers.create({ name: 'Bob' }, { stripeAccount: account.id });
  const answered = await world.vendorAnswers.of('stripe', 'customer', id);
  t.match(answered, { request: { headers: [['stripe-account', account.id]] }, answer: { status: 200 } });
  const person = await stripe.accounts.createPerson(account.id, { first_name: 'Eve' });
  t.match(await world.vendorAnswers.of('stripe', 'person', person.id), {
    request: { path: `/v1/accounts/${account.id}/persons/${person.id}` },
    answer: { status: 200 },
  });
});

t.test('[4.9] what stands below assistants is asked for with their header', async t => {
  await using llm = await openLlmWorld('openai');
  const beta = { headers: { authorization: 'Bearer sk-test', 'openai-beta': 'assistants=v2' } };
  const thread = await llm.ask('POST', '/v1/threads', {}, beta);
  const message = await llm.ask(
    'POST',
    `/v1/threads/${thread.body.id}/messages`,
    { role: 'user', content: 'Hello' },
    beta,
  );
  t.match(await llm.world.vendorAnswers.of('openai', 'thread_message', message.body.id), {
    answer: { status: 200, body: { text: /Hello/ } },
  });
});

t.test('[4.9] over HTTP: a reader may, and a type without a request has none', async t => {
  const { twin } = noteTwin();
  const { note, hook } = twin.records;
  const retrieve = { path: '/notes/{id}' };
  const throwing = {
    path: '/hooks/{id}',
    headers: () => {
      throw new Error('no headers');
    },
  };
  const records = { note: { ...note!, retrieve }, hook: { ...hook!, retrieve: throwing } };
  await using site = await openTestSite({ twins: { note: mountTwin({ ...twin, records }, null) } });
  const ask = (path: string, token = site.readToken) =>
    site.ask({ target: `/-/acme/notes/${path}`, headers: [['x-wrld-token', token]] });
  const write = (method: string, path: string, body: object) =>
    site.ask({
      method,
      target: `/acme/notes/note${path}`,
      headers: [['x-wrld-token', site.token]],
      body: JSON.stringify(body),
    });
  await write('PUT', '/notes/a', { text: 'first' });
  t.match((await ask('story/note/note/a')).json, { retrievedBy: 'GET https://note.test/notes/a' });
  t.match(await ask('story/note/note/a/answer'), {
    status: 200,
    json: { answer: { status: 200, body: { text: /first/ } } },
  });
  t.match(await ask('story/note/note/b/answer'), {
    status: 404,
    json: { error: { code: 'no-such-record' } },
  });
  t.match((await ask('requests/lines')).json.lines, { length: 1 }, 'the one that wrote it');
});
