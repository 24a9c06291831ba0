// The generic tier: an OpenAPI document becomes a catalog, and the catalog a stateful twin of what nobody modelled.
import { readFile } from 'node:fs/promises';
import { Ajv } from 'ajv';
import t from 'tap';
import { catalogOf } from '../../../twins/kit/catalog.ts';
import { plainError } from '../../../twins/kit/error-shapes.ts';
import { shown } from '../../../twins/kit/generic.ts';
import type { JsonObject } from '../../../twins/kit/json.ts';
import { mountTwin } from '../../../twins/kit/mount.ts';
import { pageById } from '../../../twins/kit/paging.ts';
import { jsonReply } from '../../../twins/kit/reply.ts';
import { restTwin } from '../../../twins/kit/rest-twin.ts';
import { openNoteWorld } from '../../kit/note-world.ts';

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const answers = (schema: object, status = '200') => ({
  responses: { [status]: { description: 'done', content: { 'application/json': { schema } } } },
});
const gone = { responses: { 204: { description: 'gone' } } };

const DOCUMENT = {
  openapi: '3.1.0',
  servers: [{ url: 'https://api.boards.test/v1/' }],
  paths: {
    '/boards': {
      get: answers({ type: 'object', properties: { data: { type: 'array', items: ref('Board') } } }),
      post: answers(ref('Board'), '201'),
    },
    '/boards/{board}': { get: answers(ref('Board')), patch: answers(ref('Board')), delete: gone },
    '/boards/{board}/archive': { post: answers(ref('Archive')) },
    '/boards/{board_id}/cards': {
      get: answers({ type: 'array', items: ref('Card') }),
      post: { responses: { 201: { $ref: '#/components/responses/Card' } } },
    },
    '/boards/{board_id}/cards/{number}': {
      get: answers(ref('Card')),
      put: answers(ref('Card')),
      delete: gone,
    },
    '/labels': { post: answers(ref('Label'), '201') },
    '/tags': { post: answers(ref('Tag'), '201') },
    '/tags/{slug}': { get: answers(ref('Tag')) },
    '/mine/things': { post: answers(ref('Thing'), '201') },
    '/things/{owner}/{thing}': { get: answers(ref('Thing')) },
    '/compare/{basehead}': { get: gone },
    '/compare/{base}...{head}': { get: gone },
    '/search': { get: answers({ type: 'object', properties: { total: { type: 'integer' } } }) },
  },
  components: {
    responses: { Card: { description: 'a card', content: { 'application/json': { schema: ref('Card') } } } },
    schemas: {
      Board: {
        type: 'object',
        description: 'Prose.',
        required: ['id', 'name', 'owner', 'created_at', 'updated_at', 'visibility'],
        properties: {
          id: { type: 'string' },
          name: { type: 'string', description: 'More prose.', example: 'Plans' },
          description: { type: ['string', 'null'] },
          owner: ref('Person'),
          visibility: { enum: ['private', 'public'] },
          created_at: { type: 'string', format: 'date-time' },
          updated_at: { type: 'string', format: 'date-time' },
        },
        'x-order': 1,
      },
      Person: {
        type: 'object',
        required: ['email'],
        properties: { email: { type: 'string', format: 'email' } },
      },
      Card: {
        type: 'object',
        required: ['id', 'number', 'board_id', 'title', 'created'],
        properties: {
          id: { type: 'integer' },
          number: { type: 'integer' },
          board_id: { type: 'string' },
          title: { type: 'string' },
          created: { type: 'integer' },
        },
      },
      Label: { type: 'object', properties: { id: { type: 'string' } } },
      Tag: { type: 'object', required: ['slug'], properties: { slug: { type: 'string' } } },
      Thing: { type: 'object', properties: { id: { type: 'string' } } },
      Archive: { type: 'object', properties: { id: { type: 'string' } } },
      Unused: { type: 'object' },
    },
  },
};

const CATALOG = catalogOf(DOCUMENT as unknown as JsonObject);

t.test('an OpenAPI document becomes a catalog: operations, and the schemas that they need', t => {
  t.strictSame(
    CATALOG.operations.map(({ method, path, type = '', does = '' }) =>
      `${method} ${path} ${does} ${type}`.trim(),
    ),
    [
      'GET /v1/boards list Board',
      'POST /v1/boards create Board',
      'GET /v1/boards/{board} get Board',
      'PATCH /v1/boards/{board} update Board',
      'DELETE /v1/boards/{board} delete Board',
      'POST /v1/boards/{board}/archive create Archive',
      'GET /v1/boards/{board_id}/cards list Card',
      'POST /v1/boards/{board_id}/cards create Card',
      'GET /v1/boards/{board_id}/cards/{number} get Card',
      'PUT /v1/boards/{board_id}/cards/{number} update Card',
      'DELETE /v1/boards/{board_id}/cards/{number} delete Card',
      'POST /v1/labels create Label',
      'POST /v1/tags create Tag',
      'GET /v1/tags/{slug} get Tag',
      'POST /v1/mine/things create Thing',
      'GET /v1/things/{owner}/{thing} get Thing',
      'GET /v1/compare/{basehead}',
      'GET /v1/compare/{base}...{head}',
      'GET /v1/search',
    ],
  );
  t.strictSame(Object.keys(CATALOG.schemas).sort(), [
    'Archive',
    'Board',
    'Card',
    'Label',
    'Person',
    'Tag',
    'Thing',
  ]);
  const text = JSON.stringify(CATALOG);
  t.notMatch(text, /[Pp]rose|x-order|Plans/);
  t.match(text, /"owner":\{"\$ref":"#\/\$defs\/Person"\}/);
  t.ok(Object.hasOwn((CATALOG.schemas['Board'] as { properties: object }).properties, 'description'));
  t.end();
});

const BOARDS = restTwin({
  vendor: 'boards',
  version: '1.0.0',
  hosts: [{ host: 'api.boards.test', paths: ['/v1/'] }],
  records: {},
  error: plainError,
  routes: [
    {
      method: 'DELETE',
      path: '/v1/boards/{id}',
      operation: 'board.delete',
      run: () => jsonReply(200, { by: 'hand' }),
    },
  ],
  generic: {
    catalog: CATALOG,
    idPrefixes: { Board: 'brd_' },
    list: ({ tx, query }, type, of) => {
      const size = { param: 'limit', usual: 2, max: 10 };
      const { items, more } = pageById(tx, type, { query, size, of, after: 'after' });
      return jsonReply(200, { data: items.map(shown), more });
    },
  },
});

const open = () => openNoteWorld({ twins: { boards: mountTwin(BOARDS, null) } });

t.test('[2.2] the coverage says how much of the vendor is of which tier', t => {
  t.strictSame(BOARDS.manifest.coverage, { modelled: 1, generic: 11, catalog: 18 });
  t.strictSame(
    BOARDS.manifest.models,
    [],
    'what the twin models is what somebody wrote, and its route is of no record here',
  );
  t.end();
});

t.test('what was made is read, listed, changed and gone, and fits its schema', async t => {
  await using at = await open();
  const { status, body: made } = await at.ask('POST', '/v1/boards', {
    name: 'Plans',
    nonsense: 1,
    id: 'mine',
  });
  t.equal(status, 201);
  t.match(made, {
    id: /^brd_\w{16}$/,
    name: 'Plans',
    owner: { email: 'ada@example.com' },
    visibility: 'private',
  });
  t.notOk('nonsense' in made);
  t.equal(made.created_at, new Date(at.wall.at).toISOString());
  const fits = new Ajv({ strict: false, validateFormats: false }).compile({
    $ref: '#/$defs/Board',
    $defs: CATALOG.schemas,
  });
  t.ok(fits(made), JSON.stringify(fits.errors));
  t.strictSame((await at.ask('GET', `/v1/boards/${made.id}`)).body, made);
  at.wall.at += 60_000;
  const changed = await at.ask('PATCH', `/v1/boards/${made.id}`, {
    name: 'More',
    visibility: 5,
    description: null,
  });
  t.match(changed.body, { name: 'More', description: null, created_at: made.created_at });
  t.equal(changed.body.updated_at, new Date(at.wall.at).toISOString());
  t.equal((await at.ask('GET', '/v1/boards/brd_nobody')).body.error.code, 'not_found');
  t.strictSame((await at.ask('DELETE', `/v1/boards/${made.id}`)).body, { by: 'hand' }, 'a route comes first');
  const { entries } = (await at.world.log('boards', 0))!;
  t.strictSame(
    entries.map(({ kind }) => kind),
    ['Board.created', 'Board.updated'],
  );
});

t.test('what belongs to something is listed there alone, and counted there', async t => {
  await using at = await open();
  const card = async (board: string, title: string) =>
    (await at.ask('POST', `/v1/boards/${board}/cards`, { title })).body;
  t.match(await card('a', 'one'), {
    id: 1,
    number: 1,
    board_id: 'a',
    title: 'one',
    created: at.wall.at / 1000,
  });
  t.match(await card('a', 'two'), { id: 2 });
  t.match(await card('a', 'three'), { id: 3 });
  t.match(await card('b', 'other'), { id: 4, number: 1, board_id: 'b' });
  const listed = await at.ask('GET', '/v1/boards/a/cards');
  t.match(listed.body, { data: [{ id: 3 }, { id: 2 }], more: true });
  t.notMatch(JSON.stringify(listed.body), /\$/);
  for (const name of ['A', 'B', 'C']) await at.ask('POST', '/v1/boards', { name });
  const boards = (await at.ask('GET', '/v1/boards')).body;
  t.match(boards, { data: [{ name: 'C' }, { name: 'B' }], more: true });
  const rest = await at.ask('GET', '/v1/boards', undefined, { query: `after=${boards.data[1].id}` });
  t.match(rest.body, { data: [{ name: 'A' }], more: false });
  t.match((await at.ask('GET', '/v1/boards/b/cards')).body, { data: [{ title: 'other' }], more: false });
  t.equal((await at.ask('PUT', '/v1/boards/b/cards/1', { title: 'new' })).body.title, 'new');
  t.equal((await at.ask('GET', '/v1/boards/a/cards/1')).body.title, 'one');
  t.equal((await at.ask('DELETE', '/v1/boards/a/cards/1')).status, 204);
  t.equal((await at.ask('GET', '/v1/boards/a/cards/1')).status, 404);
  t.equal((await at.ask('GET', '/v1/boards/b/cards/1')).status, 200);
});

t.test('what its path names by a field of its own is called by what the caller says', async t => {
  await using at = await open();
  t.strictSame((await at.ask('POST', '/v1/tags', { slug: 'red' })).body, { slug: 'red' });
  t.strictSame((await at.ask('GET', '/v1/tags/red')).body, { slug: 'red' });
  t.match(await at.ask('POST', '/v1/tags', { slug: 'red' }), {
    status: 409,
    body: { error: { code: 'already_exists' } },
  });
});

t.test('what cannot be answered truthfully stays unmodelled, and is told apart from nonsense', async t => {
  await using at = await open();
  for (const [method, path] of [
    ['GET', '/v1/search'],
    ['GET', '/v1/compare/main...next'],
    ['POST', '/v1/labels'],
    ['POST', '/v1/mine/things'],
    ['POST', '/v1/boards/a/archive'],
  ] as const)
    t.equal((await at.ask(method, path)).status, 501, `${method} ${path}`);
  t.equal((await at.ask('GET', '/v1/nonsense')).status, 404);
});

t.test('the world’s own description compiles', async t => {
  const text = await readFile(new URL('../../../docs/reference/openapi.json', import.meta.url), 'utf8');
  const { operations } = catalogOf(JSON.parse(text) as JsonObject);
  t.ok(operations.length > 30);
  t.ok(operations.some(({ does }) => does === 'list'));
});
