// Lists and searches of the dashboard: pages by the API's own cursors, filters, and what words and queries find.
import t from 'tap';
import { type DashboardPage, linksOf, look } from '../../../kit/dashboard.ts';
import { openStripeWorld, type StripeWorld, shop } from '../../../kit/stripe-world.ts';

const rows = ({ html }: DashboardPage): readonly string[] =>
  [...html.matchAll(/<th scope="row">(?:<a[^>]*>)?([^<]*)/g)].map(([, shown = '']) => shown);

/** The address that a page's link of a name leads to. */
const to = (target: string, page: DashboardPage, name: 'Newer' | 'Older'): string | null => {
  const link = linksOf(target, {
    ...page,
    html: page.html.match(new RegExp(`<a [^>]*>${name}</a>`))?.[0] ?? '',
  });
  return link[0] ?? null;
};

const customers = async ({ stripe }: StripeWorld, count: number): Promise<void> => {
  for (let n = 1; n <= count; n++) await stripe.customers.create({ name: `C${n}` });
};

t.test('[4.9] a list is paged both ways, and each page says where it ends', async t => {
  await using made = await openStripeWorld();
  await customers(made, 45);
  const first = '/test/customers';
  const walk: string[] = [];
  const seen: string[][] = [];
  for (let at: string | null = first; at !== null; ) {
    walk.push(at);
    const page = await look(made, at);
    seen.push([...rows(page)]);
    t.equal(to(at, page, 'Newer') === null, at === first, at);
    at = to(at, page, 'Older');
  }
  t.strictSame(
    seen.map(each => each.length),
    [20, 20, 5],
  );
  t.strictSame(
    seen.flat(),
    Array.from({ length: 45 }, (_, n) => `C${45 - n}`),
  );
  const last = walk.at(-1)!;
  const back = to(last, await look(made, last), 'Newer')!;
  t.match(back, /ending_before=cus_/);
  const middle = await look(made, back);
  t.strictSame(rows(middle), seen[1]);
  const top = to(back, middle, 'Newer')!;
  const newest = await look(made, top);
  t.strictSame(rows(newest), seen[0]);
  t.equal(to(top, newest, 'Newer'), null);
  t.ok(to(top, newest, 'Older') !== null);
});

t.test('[4.9] the logs are paged both ways', async t => {
  await using made = await openStripeWorld();
  await customers(made, 45);
  const seen: (readonly string[])[] = [];
  let last = '';
  for (let at: string | null = '/test/logs?show=changes'; at !== null; ) {
    const page = await look(made, at);
    seen.push([...page.html.matchAll(/logs\/(\d+)"/g)].map(([, position = '']) => position));
    last = at;
    at = to(at, page, 'Older');
  }
  t.strictSame(
    seen.flat(),
    Array.from({ length: 45 }, (_, n) => String(45 - n)),
  );
  const back = to(last, await look(made, last), 'Newer')!;
  const positions = [...(await look(made, back)).html.matchAll(/logs\/(\d+)"/g)].map(
    ([, position]) => position,
  );
  t.strictSame(positions, seen[1]);
});

t.test('[4.9] a cursor that names nothing is told in the API’s words, and logs begin anew', async t => {
  await using made = await openStripeWorld();
  await customers(made, 1);
  t.match(await look(made, '/test/customers?starting_after=cus_no'), {
    status: 400,
    text: /No such customer: 'cus_no'/,
  });
  t.match(await look(made, '/test/customers?starting_after=a&ending_before=b'), {
    status: 400,
    text: /cannot specify both/,
  });
  t.strictSame((await look(made, '/test/logs?show=changes&starting_after=-1%27')).html.match(/logs\/\d+"/g), [
    'logs/1"',
  ]);
});

t.test('[4.9] filters are the list’s own parameters', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const { customer, price } = await shop(stripe);
  await stripe.subscriptions.create({ customer: customer.id, items: [{ price: price.id }] });
  const gone = await stripe.subscriptions.create({ customer: customer.id, items: [{ price: price.id }] });
  await stripe.subscriptions.cancel(gone.id);
  const count = async (target: string): Promise<number> => rows(await look(made, target)).length;
  t.equal(await count('/test/subscriptions'), 1);
  t.equal(await count('/test/subscriptions?status=canceled'), 1);
  t.equal(await count('/test/subscriptions?status=all'), 2);
  t.equal(await count(`/test/invoices?customer=${customer.id}&status=paid`), 2);
  t.equal(await count('/test/invoices?status=void'), 0);
  t.match(await look(made, '/test/invoices?status=void'), { text: /Nothing matches/ });
  t.match(await look(made, '/test/subscriptions?status=nonsense'), { status: 400, text: /Invalid status/ });
  t.equal(await count('/test/events?type=customer.created'), 1);
  t.match((await look(made, '/test/subscriptions?status=canceled')).html, /value="canceled" selected/);
});

t.test('[4.9] a search finds by id, by whole words in any letters, and by the API’s own queries', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const ada = await stripe.customers.create({
    name: 'Ada Lovelace',
    email: 'ada@example.com',
    metadata: { order: '42' },
  });
  await stripe.customers.create({ name: 'Grace' });
  const { id } = await stripe.paymentIntents.create({
    amount: 900,
    currency: 'usd',
    customer: ada.id,
    metadata: { order: '7' },
  });
  await stripe.products.create({ name: 'Tea' });
  const q = (path: string, query: string): Promise<DashboardPage> =>
    look(made, `/test/${path}?query=${encodeURIComponent(query)}`);
  for (const query of [
    'ADA@example.com',
    'ada lovelace',
    ada.id,
    'email:"ada@example.com"',
    'metadata["order"]:"42"',
  ])
    t.strictSame(rows(await q('customers', query)), ['Ada Lovelace'], query);
  for (const query of ['ada@example.com', id, 'metadata["order"]:"7"', 'amount>800'])
    t.strictSame(rows(await q('payments', query)), ['9.00 USD'], query);
  t.strictSame(rows(await q('products', 'tea')), ['Tea']);
  t.match(await q('customers', 'Ad'), { status: 200, text: /Nothing matches/ }, 'a part of a word is none');
  t.match(await q('customers', 'colour:"red"'), { status: 400, text: /unsupported search field/ });
  t.match(await q('search', id), { status: 303, location: `../test/payments/${id}` });
  t.match(rows(await q('search', 'ADA@EXAMPLE.COM')), ['Ada Lovelace']);
  t.match(await q('search', 'nobody'), { status: 200, text: /Nothing is called so/ });
  t.match(await look(made, '/test/search'), { status: 200 });
});

t.test('[4.9] what a search finds is paged as well', async t => {
  await using made = await openStripeWorld();
  for (let n = 0; n < 25; n++) await made.stripe.customers.create({ name: 'Same' });
  const target = `/test/customers?query=${encodeURIComponent('name:"same"')}`;
  const page = await look(made, target);
  const next = to(target, page, 'Older')!;
  t.strictSame([rows(page).length, rows(await look(made, next)).length], [20, 5]);
});

t.test(
  '[4.9] lists are the platform’s; an object of a connected account is found by its id, with what is that account’s',
  async t => {
    await using made = await openStripeWorld();
    const { stripe } = made;
    const { id: stripeAccount } = await stripe.accounts.create({ type: 'custom', country: 'US' });
    const theirs = await stripe.customers.create({ name: 'Theirs' }, { stripeAccount });
    await stripe.customers.create({ name: 'Ours' });
    t.strictSame(rows(await look(made, '/test/customers')), ['Ours']);
    t.strictSame(rows(await look(made, '/test/customers?query=theirs')), []);
    const home = await look(made, '/test');
    t.match(home.text, /customer\.created cus_/);
    t.notMatch(home.text, new RegExp(theirs.id));
    for (const position of [1, 2, 3, 4]) {
      const { text } = await look(made, `/test/logs/${position}`);
      t.notMatch(text, /Told .*Theirs/);
    }
    const page = await look(made, `/test/customers/${theirs.id}`);
    t.match(page.text, /Theirs .*customer\.created/);
    t.notMatch(page.text, /Ours/);
  },
);
