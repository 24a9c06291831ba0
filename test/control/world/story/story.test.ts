// What happened, in words: over the Stripe twin for what people read, over a twin of the test's own for what a twin may get
// wrong, and in a branch, where what the words look at lies in another world.
import t from 'tap';
import type { StoryLine } from '../../../../control/world/story/line.ts';
import { mountTwin } from '../../../../twins/kit/mount.ts';
import { noteTwin } from '../../../kit/note-twin.ts';
import { openTestSite } from '../../../kit/site.ts';
import { openStripeWorld } from '../../../kit/stripe-world.ts';

t.test('[4.9] the timeline in the words of the Stripe twin', async t => {
  await using shop = await openStripeWorld();
  const { stripe, world } = shop;
  const product = await stripe.products.create({ name: 'Gold' });
  const price = await stripe.prices.create({
    product: product.id,
    unit_amount: 1900,
    currency: 'eur',
    recurring: { interval: 'month' },
  });
  const customer = await stripe.customers.create({
    name: 'Ada Lovelace',
    email: 'ada@b.test',
    payment_method: 'pm_card_visa',
    invoice_settings: { default_payment_method: 'pm_card_visa' },
  });
  await stripe.webhookEndpoints.create({ url: 'http://127.0.0.1/hook', enabled_events: ['invoice.paid'] });
  await stripe.subscriptions.create({ customer: customer.id, items: [{ price: price.id }] });
  await shop.world.settled();
  const page = await world.story.newest({});
  t.equal(page.ok, true);
  const lines = page.ok ? page.lines : [];
  t.strictSame(
    lines.map(({ kind, text }) => [kind, text]),
    [
      ['webhook.delivered', 'invoice.paid to http://127.0.0.1/hook: answered 200'],
      ['customer.subscription.created', 'subscription for Ada Lovelace, EUR 19.00 a month'],
      ['webhook_endpoint.created', 'webhooks to http://127.0.0.1/hook, invoice.paid'],
      ['customer.created', 'customer Ada Lovelace, ada@b.test'],
      ['price.created', 'price EUR 19.00 a month of Gold'],
      ['product.created', 'product Gold'],
    ],
  );
  const [sent, made] = lines as [StoryLine, StoryLine];
  t.equal(sent.cause, made.id, 'a webhook names the entry that it tells of');
  t.equal(sent.trace, made.trace);
  t.match(
    made.records.map(({ title }) => title),
    [
      'subscription for Ada Lovelace',
      /^invoice \w+-0001 for Ada Lovelace$/,
      'payment of EUR 19.00 for Ada Lovelace',
      'charge of EUR 19.00 for Ada Lovelace',
      'customer Ada Lovelace',
    ],
  );
  const folded = made.folded.map(({ type }) => type);
  for (const type of ['event', 'subscription_item', 'line_item']) t.ok(folded.includes(type), type);
  const after = await world.story.after('stripe', made.position - 1);
  t.same(after?.ok && after.lines[0], made, 'the same by the log of a twin, oldest first');
  t.match(await world.story.entry('stripe', made.position), { id: made.id, kind: made.kind });
  t.equal(await world.story.entry('stripe', 99), null);
  t.equal(await world.story.after('none', 0), null);
});

const titled = () => {
  const { twin } = noteTwin();
  return mountTwin(
    {
      ...twin,
      records: {
        note: {
          ...twin.records['note']!,
          title: ({ text, of }, look) => {
            if (text === 'throws') throw new Error('no title');
            return typeof of === 'string'
              ? `note on ${look('note', of)?.['text'] ?? 'nothing'}`
              : String(text);
          },
          summary: ({ text }) => (text === 'odd' ? (7 as unknown as string) : ' two\nlines '),
          columns: { Text: ({ text }) => String(text), Gone: () => Promise.resolve() as unknown as string },
        },
        hook: twin.records['hook']!,
      },
    },
    null,
  );
};

t.test('[4.9] a title looks at other records, and one that fails leaves the id', async t => {
  await using site = await openTestSite({ twins: { note: titled() } });
  const ask = (path: string) =>
    site.ask({ target: `/-/acme/notes/${path}`, headers: [['x-wrld-token', site.readToken]] });
  const put = (id: string, body: object) =>
    site.ask({
      method: 'PUT',
      target: `/acme/notes/note/notes/${id}`,
      headers: [['x-wrld-token', site.token]],
      body: JSON.stringify(body),
    });
  await put('a', { text: 'first' });
  await put('b', { text: 'second', of: 'a' });
  await put('c', { text: 'throws' });
  await put('d', { text: 'odd', of: 'none' });
  const { lines } = (await ask('story')).json as { lines: readonly StoryLine[] };
  t.strictSame(
    lines.map(({ text }) => text),
    ['note on nothing', 'note c, two lines', 'note on first, two lines', 'first, two lines'],
  );
  t.match((await ask('story?limit=1')).json, { lines: [{ id: 'note:4' }], next: /./ });
  t.match((await ask('story?twin=note&after=3')).json, { lines: [{ id: 'note:4' }], next: null });
  t.match(await ask('story?after=3'), { status: 400, json: { error: { code: 'bad-position' } } });
  t.match(await ask('story?twin=note&after=x'), { status: 400, json: { error: { code: 'bad-position' } } });
  t.match(await ask('story?twin=none'), { status: 404, json: { error: { code: 'no-such-twin' } } });
  t.match(await ask('story?before=x'), { status: 400, json: { error: { code: 'bad-cursor' } } });
  const table = await ask('story/note/note?limit=2');
  t.strictSame(table.json.columns, ['Text', 'Gone']);
  t.match(table.json.rows, [
    { id: 'd', title: 'note on nothing', summary: null, cells: ['odd', null] },
    { id: 'c', title: 'note c', cells: ['throws', null] },
  ]);
  const second = await ask(`story/note/note?limit=2&before=${table.json.next}`);
  t.match(second.json.rows, [{ id: 'b' }, { id: 'a' }]);
  t.match(await ask('story/note/hook'), { status: 200, json: { columns: [], rows: [], next: null } });
  for (const query of ['limit=0', 'before=x'])
    t.equal((await ask(`story/note/note?${query}`)).status, 400, query);
  t.equal((await ask('story/none/note')).status, 404);
  await put('a', { text: 'renamed' });
  t.match((await ask('story/note/note/a')).json, {
    title: 'renamed',
    ended: false,
    versions: [
      { entry: 'note:5', before: { text: 'first' }, after: { text: 'renamed' } },
      { entry: 'note:1', before: null, after: { text: 'first' } },
    ],
  });
  await site.ask({
    method: 'DELETE',
    target: '/acme/notes/note/notes/a',
    headers: [['x-wrld-token', site.token]],
  });
  t.match((await ask('story/note/note/a')).json, {
    title: 'renamed',
    ended: true,
    versions: [{ after: null }, {}, {}],
  });
  t.equal((await ask('story/note/note/none')).status, 404);
  t.match(await ask('log/note/2'), { status: 200, json: { id: 'note:2' } });
  t.match(await ask('log/note/9'), { status: 404, json: { error: { code: 'no-such-entry' } } });
  t.match(await ask('log/none/1'), { status: 404, json: { error: { code: 'no-such-entry' } } });
});

t.test('[4.4] as of an instant: the timeline, a table, a record and the map; and what waits', async t => {
  await using shop = await openStripeWorld();
  const { stripe, world } = shop;
  await world.setClock('2026-01-15T12:00:00Z');
  const kept = await stripe.products.create({ name: 'Gold' });
  const ended = await stripe.products.create({ name: 'Tin' });
  const then = '2026-01-15T12:30:00Z';
  await shop.advance('1h');
  await stripe.products.update(kept.id, { name: 'Platinum' });
  await stripe.products.del(ended.id);
  await stripe.products.create({ name: 'Silver' });
  const point = await world.past.pointAt(then);
  if (!point.ok) throw new Error(point.message);
  const page = await world.story.newest({}, point);
  t.strictSame(page.ok && page.lines.map(({ text }) => text), ['product Tin', 'product Gold']);
  const second = await world.story.newest({ limit: 1 }, point);
  t.match(second.ok && (await world.story.newest({ before: second.next! }, point)), {
    lines: [{ text: 'product Gold' }],
    next: null,
  });
  const all = { before: null, limit: 20 };
  const titles = (await world.story.table('stripe', 'product', all, point))?.rows.map(({ title }) => title);
  t.strictSame(titles, ['product Tin', 'product Gold'], 'what ended since, and as it was called');
  t.match(await world.story.record('stripe', 'product', kept.id, point), {
    title: 'product Gold',
    ended: false,
    versions: { length: 1, 0: { kind: 'product.created', before: null } },
  });
  t.match(await world.past.record('stripe', 'product', ended.id, point), { body: { name: 'Tin' } });
  const resources = async (of: typeof point | null) =>
    (await world.map(of))[0]?.resources.find(({ type }) => type === 'product')?.count;
  t.equal(await resources(point), 2);
  await stripe.products.create({ name: 'Iron' });
  t.strictSame([await resources(point), await resources(null)], [2, 3]);
  t.match(await world.past.pointAt('2030-01-01T00:00:00Z'), { ok: false, why: 'not-yet' });
  t.match(await world.past.pointAt('soon'), { ok: false, why: 'not-an-instant' });

  const price = await stripe.prices.create({
    product: kept.id,
    unit_amount: 1900,
    currency: 'eur',
    recurring: { interval: 'month' },
  });
  const customer = await stripe.customers.create({ name: 'Ada', payment_method: 'pm_card_visa' });
  const { id } = await stripe.subscriptions.create({
    customer: customer.id,
    items: [{ price: price.id }],
    trial_period_days: 5,
  });
  const { due, more } = await world.story.ahead(Date.parse('2026-01-21T00:00:00Z'));
  t.equal(more, false);
  t.match(due.at(-1), {
    twin: 'stripe',
    at: '2026-01-20T13:00:00.000Z',
    text: /^subscription for Ada/,
    record: { type: 'subscription', id },
  });
  t.strictSame(await world.story.ahead(Date.parse('2026-01-15T14:00:00Z')), { due: [], more: false });
});
