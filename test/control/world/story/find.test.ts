// What somebody looks for: over the Stripe twin in the words that people read, over notes for how far a look goes.
import t from 'tap';
import type { FoundEntries, FoundRecords } from '../../../../control/world/story/find.ts';
import { FIND_LOOKED_RECORDS_MAX, FIND_TEXT_CHARS_MAX } from '../../../../control/world/story/limits.ts';
import { noteTwin } from '../../../kit/note-twin.ts';
import { openTestSite } from '../../../kit/site.ts';
import { openStripeWorld } from '../../../kit/stripe-world.ts';

const lines = (found: FoundEntries) => {
  if (!found.ok) throw new Error(found.message);
  return found.lines;
};
const records = (found: FoundRecords) => {
  if (!found.ok) throw new Error(found.message);
  return found.records;
};

t.test(
  '[4.9] entries and records by text, in the words of the Stripe twin and in what they hold',
  async t => {
    await using shop = await openStripeWorld();
    const { stripe, world } = shop;
    await world.setClock('2026-01-15T12:00:00Z');
    const ada = await stripe.customers.create({ name: 'Ada Lovelace', email: 'ada@b.test' });
    const grace = await stripe.customers.create({
      name: 'Grace "Amazing" Hopper',
      metadata: { desk: 'northern window' },
    });
    await shop.advance('1h');
    await stripe.customers.update(ada.id, { name: 'Ada King' });
    await stripe.products.create({ name: 'Ada’s engine' });

    const kinds = async (wanted: Parameters<typeof world.find.entries>[0]) =>
      lines(await world.find.entries(wanted)).map(({ kind }) => kind);
    t.strictSame(await kinds({ text: 'ada' }), ['product.created', 'customer.updated', 'customer.created']);
    t.strictSame(await kinds({ text: 'LOVELACE  ada' }), ['customer.updated', 'customer.created']);
    t.strictSame(await kinds({ text: 'customer ada@b.test' }), ['customer.updated', 'customer.created']);
    t.strictSame(await kinds({ text: 'grace NORTHERN window' }), ['customer.created'], 'what no title tells');
    t.strictSame(await kinds({ text: '"amazing"' }), ['customer.created'], 'as people write it');
    t.strictSame(await kinds({ text: 'nowhere' }), []);
    t.strictSame(await kinds({ kind: 'product' }), ['product.created']);
    t.strictSame(await kinds({ kind: 'custom' }), [], 'a kind begins with whole words');
    t.strictSame(await kinds({ text: 'ada', kind: 'customer.updated' }), ['customer.updated']);
    t.strictSame(await kinds({ type: 'product' }), ['product.created']);
    t.strictSame(await kinds({ type: 'product', text: 'hopper' }), []);
    const [made] = lines(await world.find.entries({ kind: 'product' }));
    t.ok((await kinds({ trace: made!.trace! })).includes('product.created'));
    t.strictSame(await kinds({ trace: 'f'.repeat(32) }), []);
    t.strictSame(await kinds({ text: 'metadata' }), [], 'names of fields are no text');
    t.strictSame(
      await kinds({ caller: made?.caller ?? 'nobody' }).then(found => found.length > 0),
      made?.caller !== undefined,
    );
    t.strictSame(await kinds({ caller: 'somebody else' }), []);

    t.equal(lines(await world.find.entries({ text: 'stripe:1' }))[0]?.id, 'stripe:1', 'the id itself first');
    t.equal(
      lines(await world.find.entries({ text: 'stripe:1', twin: 'stripe', kind: 'product' }))[0]?.id,
      undefined,
    );
    const first = await world.find.entries({ text: 'stripe:1', limit: 1 });
    t.equal(first.ok && first.lines.length, 1);

    const titles = async (wanted: Parameters<typeof world.find.records>[0]) =>
      records(await world.find.records(wanted)).map(({ title }) => title);
    t.strictSame(await titles({ text: 'ada', type: 'customer' }), ['customer Ada King']);
    t.ok(
      (await titles({ text: 'ada king' })).every(title => !title.startsWith('customer.')),
      'no events',
    );
    t.strictSame(await titles({ text: 'ada king', type: 'event' }), ['customer.updated: customer Ada King']);
    t.strictSame(await titles({ text: 'northern', twin: 'stripe', type: 'customer' }), [
      'customer Grace "Amazing" Hopper',
    ]);
    t.equal((await titles({ text: grace.id }))[0], 'customer Grace "Amazing" Hopper', 'the id itself first');
    t.equal(
      new Set(records(await world.find.records({ text: grace.id })).map(({ type, id }) => `${type} ${id}`))
        .size,
      records(await world.find.records({ text: grace.id })).length,
      'and once',
    );
    t.strictSame(await titles({ text: 'lovelace', type: 'customer' }), [], 'what it was called before');

    const then = await world.past.pointAt('2026-01-15T12:30:00Z');
    if (!then.ok) throw new Error(then.message);
    t.strictSame(
      records(await world.find.records({ text: 'lovelace', type: 'customer' }, then)).map(({ id }) => id),
      [ada.id],
    );
    t.strictSame(
      lines(await world.find.entries({ text: 'ada' }, then)).map(({ kind }) => kind),
      ['customer.created'],
    );
    t.strictSame(
      lines(await world.find.entries({ text: made!.id }, then)),
      [],
      'an entry that was not there yet',
    );
  },
);

t.test('[4.9] a look goes so far and says where the next goes on, and what is new moves nothing', async t => {
  await using site = await openTestSite();
  const { notes } = site;
  const ask = (path: string) =>
    site.ask({ target: `/-/acme/notes/${path}`, headers: [['x-wrld-token', site.readToken]] });
  const puts = Array.from({ length: FIND_LOOKED_RECORDS_MAX + 500 }, (_, n) => [
    `n${n}`,
    { text: n % 1000 === 3 ? `needle ${n}` : `hay ${n}` },
  ]);
  for (let at = 0; at < puts.length; at += 100)
    await notes.ask('POST', '/bulk', { puts: puts.slice(at, at + 100), deletes: [] });
  const found: string[] = [];
  let next: string | null = null;
  let looks = 0;
  do {
    const page = await ask(
      `find/records?text=needle&limit=2${next === null ? '' : `&before=${encodeURIComponent(next)}`}`,
    );
    t.equal(page.status, 200);
    found.push(...page.json.records.map(({ id }: { id: string }) => id));
    next = page.json.next;
    t.strictSame(page.json.reached === null, next === null);
    // What is made meanwhile is before the first page.
    await notes.ask('PUT', `/notes/late${looks++}`, { text: 'needle, late' });
  } while (next !== null);
  t.strictSame(found, ['n5003', 'n4003', 'n3003', 'n2003', 'n1003', 'n3']);
  const none = await ask('find/records?text=nowhere');
  t.match(none.json, {
    records: [],
    looked: FIND_LOOKED_RECORDS_MAX,
    reached: { twin: 'note', type: 'note' },
    next: /./,
  });
  t.match((await ask(`find/records?text=nowhere&before=${encodeURIComponent(none.json.next)}`)).json, {
    next: null,
  });

  const entries: string[] = [];
  for (let before: string | null = null, page = 0; page === 0 || before !== null; page++) {
    const { json } = await ask(`find/entries?text=late&limit=1${before === null ? '' : `&before=${before}`}`);
    entries.push(...json.lines.map(({ records }: { records: { id: string }[] }) => records[0]!.id));
    before = json.next;
  }
  t.strictSame(
    entries,
    Array.from({ length: looks }, (_, at) => `late${looks - 1 - at}`),
  );

  for (const [path, code] of [
    ['find/entries?before=x', 'bad-cursor'],
    ['find/records?text=a&before=x', 'bad-cursor'],
    ['find/records?text=a&before=note/%25/1', 'bad-cursor'],
    ['find/records', 'no-text'],
    ['find/records?text=%20', 'no-text'],
    ['find/entries?limit=0', 'bad-limit'],
    ['find/entries?trace=x', 'bad-trace'],
    [`find/entries?text=${'a'.repeat(FIND_TEXT_CHARS_MAX + 1)}`, 'text-too-long'],
    [`find/records?text=${'a'.repeat(FIND_TEXT_CHARS_MAX + 1)}`, 'text-too-long'],
    ['find/entries?at=soon', 'not-an-instant'],
    ['find/records?text=a&at=soon', 'not-an-instant'],
  ] as const)
    t.match(await ask(path), { status: 400, json: { error: { code } } }, path);
  for (const path of ['find/entries?twin=none', 'find/records?text=a&twin=none'])
    t.equal((await ask(path)).status, 404, path);
});

t.test('[4.9] of several twins, one that is asked for is looked through alone', async t => {
  await using site = await openTestSite({ twins: { one: noteTwin(), two: noteTwin() } });
  const headers = [['x-wrld-token', site.token]] as const;
  for (const twin of ['one', 'two']) {
    const target = `/acme/notes/${twin}/notes/a`;
    await site.ask({ method: 'PUT', target, headers, body: '{"text":"tea"}' });
  }
  const found = async (more: string): Promise<readonly string[]> => {
    const { json } = await site.ask({ target: `/-/acme/notes/find/records?text=tea${more}`, headers });
    return json.records.map(({ twin }: { twin: string }) => twin);
  };
  t.strictSame(await found(''), ['one', 'two']);
  t.strictSame(await found('&twin=two'), ['two']);
});
