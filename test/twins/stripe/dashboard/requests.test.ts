// The developers' logs as the journal has them: what only read and what was refused are in them, found by their ids, by words
// and by what came of them.
import t from 'tap';
import type { Call } from '../../../../twins/kit/call.ts';
import { linksOf, look } from '../../../kit/dashboard.ts';
import { KEY, openStripeWorld, type StripeWorld } from '../../../kit/stripe-world.ts';

let spans = 0;
/** Each with a span of its own, as the world gives them. */
const own = (): Pick<Call, 'trace'> => ({
  trace: {
    traceId: '0af7651916cd43dd8448eb211c80319c',
    spanId: String(++spans).padStart(16, '0'),
    parentId: null,
  },
});

const asked = ({ ask }: StripeWorld, method: string, path: string, form = '', query = '') =>
  ask(method, path, { ...own(), form, query });

t.test('[4.9] every request is in the logs with what came of it: reads and refused ones too', async t => {
  await using made = await openStripeWorld();
  const { id } = (await asked(made, 'POST', '/v1/customers', 'name=Ada')).body;
  await asked(made, 'GET', `/v1/customers/${id}`);
  await asked(made, 'POST', '/v1/customers', 'email=nobody');
  await asked(made, 'DELETE', `/v1/customers/${id}`);
  const page = await look(made, '/test/logs', own());
  const rows = [...page.html.matchAll(/<th scope="row">.*?<\/tr>/g)].map(([row]) =>
    row.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' '),
  );
  t.match(rows, [
    new RegExp(`DELETE /v1/customers/${id} 200 req_`),
    /POST \/v1\/customers 400 req_/,
    new RegExp(`GET /v1/customers/${id} 200 req_`),
    /POST \/v1\/customers 200 req_/,
  ]);
  t.equal(rows.length, 4, 'a page of the dashboard is no request of the API');
  const count = async (query: string): Promise<number> =>
    (await look(made, `/test/logs?${query}`, own())).html.match(/logs\/req_/g)?.length ?? 0;
  t.equal(await count('show=failed'), 1);
  t.equal(await count('show=succeeded'), 3);
  t.equal(await count('show=succeeded&method=POST'), 1);
  t.equal(await count(`query=${id}`), 2);
  t.equal(await count('query=400'), 1);
  t.equal(await count('query=nothing-like-it'), 0);
});

t.test(
  '[4.9] what an error’s address leads to says what was asked and answered, without the key',
  async t => {
    await using made = await openStripeWorld();
    const refused = await asked(made, 'POST', '/v1/customers', 'email=nobody&metadata[order]=42');
    const { pathname, search } = new URL(refused.body.error.request_log_url);
    const page = await look(made, pathname + search, own());
    t.match(page, { status: 200, text: /Status 400/ });
    t.match(page.text, /Asked .*metadata\[order\]=42/);
    t.match(page.text, /Answered .*"message": "Invalid email address: nobody"/);
    t.match(page.text, /It changed nothing/);
    t.notMatch(page.text, new RegExp(KEY));
    const wrote = await asked(made, 'POST', '/v1/customers', 'name=Ada');
    const target = `/test/logs/${wrote.headers['request-id']}`;
    t.ok(linksOf(target, await look(made, target, own())).includes('/test/logs/1'), 'what it changed');
    const found = await look(made, `/test/search?query=${wrote.headers['request-id']}`, own());
    t.match(found, { status: 303, location: new RegExp(`logs/${wrote.headers['request-id']}$`) });
  },
);

t.test('[4.9] pages lead from the newest to the oldest, each request once', async t => {
  await using made = await openStripeWorld();
  const ids: string[] = [];
  for (let n = 0; n < 45; n++)
    ids.unshift((await asked(made, 'GET', '/v1/customers')).headers['request-id']!);
  const seen: string[][] = [];
  for (let at: string | undefined = '/test/logs?method=GET'; at !== undefined; ) {
    const page = await look(made, at, own());
    seen.push([...page.html.matchAll(/logs\/(req_\w+)"/g)].map(([, id = '']) => id));
    at = linksOf(at, page).find(link => /before=\d+$/.test(link));
    if (seen.length > 5) break;
  }
  t.strictSame(seen.flat(), ids);
  t.strictSame(
    seen.map(({ length }) => length),
    [20, 20, 5],
  );
});
