// Pages by the ids of their records, read to their end by a client that follows what it is told.
import t from 'tap';
import { buildTwin } from '../../../twins/kit/build-twin.ts';
import { JSON_API, type JsonOperation } from '../../../twins/kit/json-api.ts';
import { manifestOf } from '../../../twins/kit/manifest.ts';
import { mountTwin } from '../../../twins/kit/mount.ts';
import { cursorsOf, limitOf, type PageStyle, pageById, sliceById } from '../../../twins/kit/paging.ts';
import { Refusal } from '../../../twins/kit/refusal.ts';
import { jsonReply } from '../../../twins/kit/reply.ts';
import { type NoteWorld, openNoteWorld } from '../../kit/note-world.ts';

const TRUSTING: PageStyle = {
  usual: 2,
  max: 3,
  after: 'starting_after',
  before: 'ending_before',
  wrongLimit: asked => new Refusal(400, 'wrong_limit', `${asked}`),
};
const STRICT: PageStyle = {
  ...TRUSTING,
  wrongCursor: (param, id) => new Refusal(400, 'wrong_cursor', `${param} ${id}`),
};

const list = (path: string, style: PageStyle): JsonOperation => ({
  name: 'things.list',
  method: 'GET',
  path,
  run: ask => {
    const color = ask.query.get('color');
    return jsonReply(200, pageById(ask, 'thing', style, color === null ? {} : { where: { color } }));
  },
});

const OPERATIONS: readonly JsonOperation[] = [
  {
    name: 'things.put',
    method: 'PUT',
    path: '/things/{id}',
    run: ({ tx, path, body }) => {
      tx.put('thing', path['id']!, { id: path['id'], ...body });
      return jsonReply(200, {});
    },
  },
  list('/strict', STRICT),
  list('/trusting', TRUSTING),
  {
    name: 'letters.list',
    method: 'GET',
    path: '/whole',
    run: ({ query }) => {
      const all = [...'gfedcba'].map(id => ({ id }));
      const cut = { ...cursorsOf(query, TRUSTING), limit: limitOf(query, TRUSTING) };
      return jsonReply(200, sliceById(all, cut));
    },
  },
];

const TWIN = buildTwin({
  ...JSON_API,
  manifest: manifestOf({
    vendor: 'acme',
    version: '1.0.0',
    hosts: [{ host: 'api.acme.test', paths: ['/'] }],
    models: [],
    coverage: { modelled: 4, generic: 0, catalog: 4 },
  }),
  records: { thing: { indexes: [['color']] } },
  operations: OPERATIONS,
  error: ({ status, code, message }) => jsonReply(status, { error: { code, message } }),
});

/** Things a … g, the oldest first; b, d and f are red. */
async function openThings(): Promise<NoteWorld> {
  const at = await openNoteWorld({ twins: { acme: mountTwin(TWIN, null) } });
  for (const [n, id] of [...'abcdefg'].entries())
    await at.ask('PUT', `/things/${id}`, { color: n % 2 === 1 ? 'red' : 'blue' });
  return at;
}

type Page = {
  readonly items: readonly { readonly id: string }[];
  readonly more?: boolean;
  readonly error?: { readonly code: string; readonly message: string };
};
const ask = async (at: NoteWorld, path: string): Promise<Page> => {
  const [bare = '', query = ''] = path.split('?');
  return (await at.ask('GET', bare, undefined, { query })).body;
};
const ids = ({ items }: Page): string => items.map(({ id }) => id).join('');

for (const path of ['/strict', '/trusting', '/whole'])
  t.test(`by an id of the page before, or after: ${path}`, async t => {
    await using at = await openThings();
    const pages: string[] = [];
    for (let next = `${path}?limit=3`; ; ) {
      const page = await ask(at, next);
      pages.push(ids(page));
      if (page.more !== true) break;
      next = `${path}?limit=3&starting_after=${page.items.at(-1)!.id}`;
    }
    t.strictSame(pages, ['gfe', 'dcb', 'a']);
    t.equal(ids(await ask(at, path)), 'gf', 'as many as usual');
    t.equal(ids(await ask(at, `${path}?ending_before=b`)), 'dc');
    t.match(await ask(at, `${path}?ending_before=f&limit=3`), { items: [{ id: 'g' }], more: false });
    for (const limit of ['0', '4', '-1', '1.5', 'x', ''])
      t.equal((await ask(at, `${path}?limit=${limit}`)).error?.code, 'wrong_limit', limit);
  });

t.test('what a condition leaves', async t => {
  await using at = await openThings();
  t.match(await ask(at, '/strict?color=red'), { items: [{ id: 'f' }, { id: 'd' }], more: true });
});

t.test('a cursor that names nothing', async t => {
  await using at = await openThings();
  for (const param of ['starting_after', 'ending_before']) {
    t.strictSame((await ask(at, `/strict?${param}=nobody`)).error, {
      code: 'wrong_cursor',
      message: `${param} nobody`,
    });
    t.equal((await ask(at, `/strict?${param}=`)).error?.code, 'wrong_cursor', 'blank');
    t.equal(ids(await ask(at, `/trusting?${param}=nobody`)), '', 'nothing follows it');
    t.equal(ids(await ask(at, `/trusting?${param}=`)), 'gf', 'blank is none');
  }
  t.equal(ids(await ask(at, '/whole?starting_after=nobody')), 'gf');
  t.equal(ids(await ask(at, '/whole?ending_before=nobody')), '');
});
