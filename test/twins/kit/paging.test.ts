// Pages as vendors cut them, read to their end by a client that follows what it is told, and ids as vendors make them.
import t from 'tap';
import { plainError } from '../../../twins/kit/error-shapes.ts';
import {
  BASE32HEX,
  letters,
  nodeId,
  serial,
  stamp,
  UPPER_ALPHANUMERIC,
  uuid,
} from '../../../twins/kit/ids.ts';
import { mountTwin } from '../../../twins/kit/mount.ts';
import { pageById, pageByNumber, pageByOffset, pageByToken } from '../../../twins/kit/paging.ts';
import { jsonReply } from '../../../twins/kit/reply.ts';
import { type RestAsk, type RestTwin, restTwin } from '../../../twins/kit/rest-twin.ts';
import { type NoteWorld, openNoteWorld } from '../../kit/note-world.ts';

const SIZE = { param: 'limit', usual: 2, max: 3 };
const of = (query: URLSearchParams) => {
  const color = query.get('color');
  return color === null ? {} : { where: { color } };
};

const list =
  (cut: (asked: RestAsk) => object): RestTwin['routes'][number]['run'] =>
  asked =>
    jsonReply(200, cut(asked));
const get = (path: string, cut: (asked: RestAsk) => object): RestTwin['routes'][number] => ({
  method: 'GET',
  path,
  operation: 'thing.list',
  run: list(cut),
});

const PARTS: RestTwin = {
  vendor: 'acme',
  version: '1.0.0',
  hosts: [{ host: 'api.acme.test', paths: ['/'] }],
  records: { thing: { indexes: [['color']] }, counter: { indexes: [] } },
  error: plainError,
  routes: [
    {
      method: 'PUT',
      path: '/things/{id}',
      operation: 'thing.put',
      run: ({ tx, path, body }) => {
        tx.put('thing', path['id']!, { id: path['id'], ...body });
        return jsonReply(200, {});
      },
    },
    {
      method: 'DELETE',
      path: '/things/{id}',
      operation: 'thing.delete',
      run: ({ tx, path }) => {
        tx.delete('thing', path['id']!);
        return jsonReply(200, {});
      },
    },
    get('/by-id', ({ tx, query }) =>
      pageById(tx, 'thing', {
        query,
        size: SIZE,
        of: of(query),
        after: 'starting_after',
        before: 'ending_before',
      }),
    ),
    get('/by-token', ({ tx, query }) =>
      pageByToken(tx, 'thing', { query, size: { ...SIZE, capped: true }, of: of(query), token: 'pageToken' }),
    ),
    get('/by-number', ({ tx, query, call }) => {
      const url = `https://api.acme.test${call.path}?${call.query}`;
      return pageByNumber(tx, 'thing', { query, size: { ...SIZE, param: 'per_page' }, of: of(query), url });
    }),
    get('/by-offset', ({ tx, query }) => pageByOffset(tx, 'thing', { query, size: SIZE, of: of(query) })),
    {
      method: 'POST',
      path: '/ids',
      operation: 'thing.ids',
      run: ({ tx }) =>
        jsonReply(200, {
          uuid: uuid(tx),
          slack: letters(tx, 'C', 10, UPPER_ALPHANUMERIC),
          calendar: letters(tx, '', 26, BASE32HEX),
          numbers: [serial(tx, 'issues of a'), serial(tx, 'issues of a'), serial(tx, 'issues of b', 100)],
          stamps: [stamp(tx, 'C1'), stamp(tx, 'C1'), stamp(tx, 'C2')],
        }),
    },
  ],
};

/** Things a … g, the oldest first; b, d and f are red. */
async function openThings(): Promise<NoteWorld> {
  const at = await openNoteWorld({ twins: { acme: mountTwin(restTwin(PARTS), null) } });
  for (const [n, id] of [...'abcdefg'].entries())
    await at.ask('PUT', `/things/${id}`, { color: n % 2 === 1 ? 'red' : 'blue' });
  return at;
}

type Page = {
  readonly items: readonly { readonly id: string }[];
  readonly more?: boolean;
  readonly next?: string | null;
  readonly link?: string | null;
  readonly error?: { readonly code: string };
};
const ask = async (at: NoteWorld, path: string): Promise<Page> => {
  const [bare = '', query = ''] = path.split('?');
  return (await at.ask('GET', bare, undefined, { query })).body;
};
const ids = ({ items }: Page): string => items.map(({ id }) => id).join('');

t.test('by an id of the page before, or after', async t => {
  await using at = await openThings();
  const pages: string[] = [];
  for (let path = '/by-id?limit=3'; ; ) {
    const page = await ask(at, path);
    pages.push(ids(page));
    if (page.more !== true) break;
    path = `/by-id?limit=3&starting_after=${page.items.at(-1)!.id}`;
  }
  t.strictSame(pages, ['gfe', 'dcb', 'a']);
  t.equal(ids(await ask(at, '/by-id?ending_before=b')), 'dc');
  t.match(await ask(at, '/by-id?color=red'), { items: [{ id: 'f' }, { id: 'd' }], more: true });
  t.equal((await ask(at, '/by-id?starting_after=nobody')).error?.code, 'invalid_cursor');
  for (const limit of ['0', '4', '-1', '1.5', 'x'])
    t.equal((await ask(at, `/by-id?limit=${limit}`)).error?.code, 'invalid_page_size', limit);
});

t.test('by a token, which is good for its own list, and when the page’s records are gone', async t => {
  await using at = await openThings();
  const pages: string[] = [];
  for (let path = '/by-token?limit=100'; ; ) {
    const page = await ask(at, path);
    pages.push(ids(page));
    // As those do who empty a list while they read it.
    for (const { id } of page.items) await at.ask('DELETE', `/things/${id}`);
    if (page.next === null) break;
    path = `/by-token?limit=100&pageToken=${encodeURIComponent(page.next!)}`;
  }
  t.strictSame(pages, ['gfe', 'dcb', 'a']);

  await using other = await openThings();
  const { next } = await ask(other, '/by-token?color=red');
  t.equal(ids(await ask(other, `/by-token?color=red&pageToken=${encodeURIComponent(next!)}`)), 'b');
  for (const path of ['', 'color=blue&'])
    t.equal(
      (await ask(other, `/by-token?${path}pageToken=${encodeURIComponent(next!)}`)).error?.code,
      'invalid_page_token',
      'another list’s',
    );
  for (const token of ['x', '%00', btoa('.'), btoa('zzzzzzzzzzzzz.0')])
    t.equal(
      (await ask(other, `/by-token?pageToken=${encodeURIComponent(token)}`)).error?.code,
      'invalid_page_token',
      token,
    );
});

t.test('by numbers, with links to their neighbours', async t => {
  await using at = await openThings();
  const pages: string[] = [];
  for (let path: string | null = '/by-number?color=blue&per_page=1'; path !== null; ) {
    const page: Page = await ask(at, path);
    pages.push(ids(page));
    const next: string | undefined = /<([^>]+)>; rel="next"/.exec(page.link ?? '')?.[1];
    path = next === undefined ? null : next.slice('https://api.acme.test'.length);
  }
  t.strictSame(pages, ['g', 'e', 'c', 'a']);
  t.equal(
    (await ask(at, '/by-number?per_page=2&page=2')).link,
    [
      '<https://api.acme.test/by-number?per_page=2&page=1>; rel="prev"',
      '<https://api.acme.test/by-number?per_page=2&page=3>; rel="next"',
      '<https://api.acme.test/by-number?per_page=2&page=1>; rel="first"',
    ].join(', '),
  );
  t.match(await ask(at, '/by-number?page=99'), { items: [], link: /rel="prev"/ });
  t.equal((await ask(at, '/by-number?per_page=3&color=none')).link, null);
  for (const page of ['0', '-1', 'x', '1e99'])
    t.equal((await ask(at, `/by-number?page=${page}`)).error?.code, 'invalid_page', page);
});

t.test('by an offset', async t => {
  await using at = await openThings();
  t.match(await ask(at, '/by-offset?offset=2'), { items: [{ id: 'e' }, { id: 'd' }], more: true, offset: 2 });
  t.match(await ask(at, '/by-offset?offset=6'), { items: [{ id: 'a' }], more: false });
  t.match(await ask(at, '/by-offset?offset=7'), { items: [], more: false });
  t.equal((await ask(at, '/by-offset?offset=-1')).error?.code, 'invalid_page');
});

t.test('ids: each kind as its vendor makes it, counted within the world', async t => {
  await using at = await openThings();
  const { body: one } = await at.ask('POST', '/ids');
  const { body: two } = await at.ask('POST', '/ids');
  t.match(one.uuid, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  t.match(one.slack, /^C[A-Z0-9]{10}$/);
  t.match(one.calendar, /^[0-9a-v]{26}$/);
  for (const name of ['uuid', 'slack', 'calendar']) t.not(one[name], two[name]);
  t.strictSame(
    [one.numbers, two.numbers],
    [
      [1, 2, 100],
      [3, 4, 101],
    ],
  );
  const start = at.wall.at / 1000;
  t.strictSame(one.stamps, [`${start}.000000`, `${start}.000001`, `${start}.000000`], 'one for each message');
  t.equal(two.stamps[0], `${start}.000002`, 'also while the clock stands');
  await using other = await openThings();
  t.equal((await other.ask('POST', '/ids')).body.numbers[0], 1, 'another world counts for itself');
});

t.test('GitHub’s global ids are MessagePack', t => {
  const decoded = (id: string) => Buffer.from(id.slice(id.indexOf('_') + 1), 'base64url').toString('hex');
  t.equal(nodeId('R', 0, 1_296_269), 'R_kgDOABPHjQ');
  for (const [numbers, bytes] of [
    [[0, 1], '920001'],
    [[0, 200], '9200ccc8'],
    [[0, 40_000], '9200cd9c40'],
    [[0, 5, 2 ** 33], '930005cf0000000200000000'],
  ] as const)
    t.equal(decoded(nodeId('I', ...numbers)), bytes);
  t.end();
});
