// A twin made of its parts, in a world: who is let in, bodies, refusals that undo, keys, and screens.
import t from 'tap';
import { buildTwin } from '../../../twins/kit/build-twin.ts';
import { HIDDEN_CREDENTIAL } from '../../../twins/kit/call.ts';
import { html, pageReply } from '../../../twins/kit/html.ts';
import type { Idempotency } from '../../../twins/kit/idempotency.ts';
import { type JsonObject, textField } from '../../../twins/kit/json.ts';
import { JSON_API, type JsonOperation } from '../../../twins/kit/json-api.ts';
import { manifestOf, modelsOf } from '../../../twins/kit/manifest.ts';
import { mountTwin } from '../../../twins/kit/mount.ts';
import { Refusal } from '../../../twins/kit/refusal.ts';
import { jsonReply, type Reply } from '../../../twins/kit/reply.ts';
import { openNoteWorld } from '../../kit/note-world.ts';

const OPERATIONS: readonly JsonOperation[] = [
  {
    name: 'orders.create',
    method: 'POST',
    path: '/v1/orders',
    run: ({ tx, body }) => {
      const id = tx.id('ord_', 8);
      tx.put('order', id, { id, item: textField(body, 'item') });
      if (body['refuse'] === true) throw new Refusal(422, 'no_item', 'No.', { param: 'item' });
      if (body['decline'] === true) throw new Refusal(402, 'declined', 'No money.');
      if (body['late'] === true) throw new Refusal(418, 'late', 'Too late.');
      return jsonReply(201, { id, body });
    },
  },
  {
    name: 'orders.get',
    method: 'GET',
    path: '/v1/orders/{order}',
    run: ({ path, query }) => jsonReply(200, { id: path['order'], expand: query.getAll('expand') }),
  },
  {
    name: 'orders.export',
    method: 'GET',
    path: '/v1/orders/{order}.csv',
    run: ({ path }) => jsonReply(200, { csv: path['order'] }),
  },
];
const SCREENS = [
  {
    id: 'inbox',
    path: '/inbox/{name}',
    host: 'app.acme.test',
    run: ({ path }: { readonly path: { readonly [name: string]: string } }): Reply => {
      if (path['name'] === 'nobody') throw new Refusal(404, 'nobody', 'Nobody is here.');
      return { status: 200, headers: [], body: JSON.stringify(path['name']) };
    },
  },
];
const CATALOG = ['POST /v1/orders', 'GET /v1/orders/{order}', 'GET /v1/refunds'];
const HOSTS = [{ host: 'api.acme.test', paths: ['/v1/'] }];

const acmeTwin = (idempotency: Idempotency<null, JsonObject> = {}) =>
  buildTwin({
    ...JSON_API,
    manifest: manifestOf({
      vendor: 'acme',
      version: '1.2.3',
      hosts: HOSTS,
      models: modelsOf([['order', 'ord_', 'orders']], OPERATIONS),
      coverage: { modelled: OPERATIONS.length, generic: 0, catalog: CATALOG.length + 1 },
      screens: SCREENS,
    }),
    records: { order: { indexes: [] }, secret: { indexes: [] } },
    operations: OPERATIONS,
    catalog: CATALOG,
    screens: {
      list: SCREENS,
      page: asked => asked,
      error: ({ status, message }) => jsonReply(status, { page: message }),
    },
    authenticate: ({ headers }) => {
      if (headers['x-key'] === 'bad') throw new Refusal(401, 'no_key', 'Who are you?');
    },
    error: ({ status, code, message, details }) =>
      jsonReply(status, { error: { code, message, ...details } }),
    idempotency: { replayed: () => [['Idempotent-Replayed', 'true']], ...idempotency },
    afterWrite: ({ status }) => (status === 402 ? 'kept' : status === 418 ? 'bug' : 'undone'),
  });

const openAcme = (idempotency?: Idempotency<null, JsonObject>) =>
  openNoteWorld({ twins: { acme: mountTwin(acmeTwin(idempotency), null) } });

t.test('[2.2] the manifest is made of the operations', async t => {
  t.strictSame(acmeTwin().manifest, {
    kind: 'wrld-twin',
    vendor: 'acme',
    version: '1.2.3',
    protocol: 'http',
    api: { sdks: [] },
    models: [{ type: 'order', idPrefix: 'ord_', operations: ['create', 'get', 'export'] }],
    coverage: { modelled: 3, generic: 0, catalog: 4 },
    hosts: HOSTS,
    generative: false,
    matchers: ['method', 'path', 'query', 'header', 'body', 'exact', 'all', 'any', 'not'],
    root: false,
    screens: [{ id: 'inbox', path: '/inbox/{name}', host: 'app.acme.test' }],
  });
});

t.test('what is asked, and what is not there', async t => {
  await using at = await openAcme();
  const table: [method: string, path: string, more: object, status: number, code: string | null][] = [
    ['GET', '/v1/orders/ord_x', {}, 200, null],
    ['GET', '/v1/orders/ord_x', { headers: { 'x-key': 'bad' } }, 401, 'no_key'],
    // Stands for a key that is missing: the world's own credential is enough (5.2) …
    ['GET', '/v1/orders/ord_x', { headers: { 'x-key': 'bad' }, letIn: true }, 200, null],
    // … and where one is shown it must be good.
    [
      'GET',
      '/v1/orders/ord_x',
      { headers: { 'x-key': 'bad', authorization: 'Bearer sk_x' }, letIn: true },
      401,
      'no_key',
    ],
    // Ours is ours in every form that it may come in, whatever the vendor thinks of the form …
    ...[
      `Bearer ${HIDDEN_CREDENTIAL}`,
      `token ${HIDDEN_CREDENTIAL}`,
      `Basic ${btoa(`:${HIDDEN_CREDENTIAL}`)}`,
    ].map((authorization): [string, string, object, number, null] => [
      'GET',
      '/v1/orders/ord_x',
      { headers: { 'x-key': 'bad', authorization }, letIn: true },
      200,
      null,
    ]),
    // … and who writes it himself has shown nothing.
    [
      'GET',
      '/v1/orders/ord_x',
      { headers: { 'x-key': 'bad', authorization: `token ${HIDDEN_CREDENTIAL}` } },
      401,
      'no_key',
    ],
    ['GET', '/v1/orders/ord_x.csv', {}, 200, null],
    ['GET', '/v1/nothing', {}, 404, 'not_found'],
    ['PATCH', '/v1/orders', {}, 405, 'method_not_allowed'],
    ['GET', '/v1/refunds', {}, 501, 'wrld_unmodelled_operation'],
    ['GET', '/inbox/ada', {}, 404, 'not_found'],
    ['GET', '/inbox/ada', { host: 'app.acme.test' }, 200, null],
    ['GET', '/inbox/ada', { via: 'url', headers: { 'x-key': 'bad' } }, 200, null],
  ];
  for (const [method, path, more, status, code] of table) {
    const answer = await at.ask(method, path, undefined, more);
    t.strictSame([answer.status, answer.body?.error?.code ?? null], [status, code], `${method} ${path}`);
  }
  t.strictSame(await at.ask('HEAD', '/v1/orders/ord_x'), {
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: null,
  });
});

t.test('bodies: JSON, forms, bytes of the operation’s own, and what is neither', async t => {
  await using at = await openAcme();
  const send = async (type: string, text: string) => {
    const body = new TextEncoder().encode(text);
    const answer = await at.ask('POST', '/v1/orders', undefined, { body, headers: { 'content-type': type } });
    return answer.body.error?.code ?? answer.body.body;
  };
  t.strictSame(await send('application/json', '{"item":"tea"}'), { item: 'tea' });
  t.strictSame(await send('application/x-www-form-urlencoded', 'item=tea&to[0]=a&to[1]=b'), {
    item: 'tea',
    to: ['a', 'b'],
  });
  t.strictSame(await send('image/png', '\x89PNG'), {});
  t.strictSame(await send('application/json', ''), {});
  t.equal(await send('application/json', '[1]'), 'invalid_json');
  t.equal(await send('application/json', '{'), 'invalid_json');
  t.equal(await send('application/x-www-form-urlencoded', 'a=1&a[b]=2'), 'invalid_form');
});

t.test('a refusal undoes what was written before it, and leaves no entry', async t => {
  await using at = await openAcme();
  const refused = await at.ask('POST', '/v1/orders', { refuse: true });
  t.match(refused, { status: 422, body: { error: { code: 'no_item', message: 'No.', param: 'item' } } });
  t.equal((await at.world.log('acme', 0))!.entries.length, 0);
  await at.ask('POST', '/v1/orders', { item: 'tea' });
  t.equal((await at.world.log('acme', 0))!.entries.length, 1);
  t.strictSame(at.logged, []);
});

t.test('[6] a key that comes again is answered again: nothing is done, and the log gets nothing', async t => {
  await using at = await openAcme();
  const send = (key: string, body: object, more: object = {}) =>
    at.ask('POST', '/v1/orders', body, { headers: { 'idempotency-key': key, ...more } });
  const first = await send('k1', { item: 'tea' });
  const again = await send('k1', { item: 'tea' });
  t.strictSame(again.body, first.body);
  t.equal(again.headers['idempotent-replayed'], 'true');
  t.match(await send('k1', { item: 'coffee' }), {
    status: 409,
    body: { error: { code: 'idempotency_key_reused' } },
  });
  t.not(
    (await send('k1', { item: 'tea' }, { authorization: 'other' })).body.id,
    first.body.id,
    'another caller',
  );
  t.equal((await send('k2', { refuse: true })).status, 422);
  t.equal((await send('k2', { item: 'tea' })).status, 201, 'what was refused may be asked again');
  t.equal((await send('k'.repeat(256), { item: 'tea' })).status, 400);
  t.equal((await at.world.log('acme', 0))!.entries.length, 3);
  at.wall.at += 24 * 60 * 60 * 1000;
  t.not((await send('k1', { item: 'tea' })).body.id, first.body.id, 'a day later it is forgotten');
});

t.test('pages escape whatever is no piece of a page', t => {
  const items = ['<a>', '"b"'].map(item => html`<li class="${item}">${item}</li>`);
  t.equal(
    html`<p>${null}${1}${"Ada's & Bob"}</p><ul>${items}</ul>`.html,
    '<p>1Ada&#39;s &#38; Bob</p><ul><li class="&#60;a&#62;">&#60;a&#62;</li><li class="&#34;b&#34;">&#34;b&#34;</li></ul>',
  );
  const page = pageReply('a < b', html`<p>${'</style>'}</p>`, { status: 404 });
  t.match(page.body, /<title>a &#60; b<\/title>.*<body><p>&#60;\/style&#62;<\/p><\/body>/s);
  t.equal(page.status, 404);
  t.match(Object.fromEntries(page.headers), {
    'Content-Security-Policy': /^default-src 'none';/,
    'X-Content-Type-Options': 'nosniff',
  });
  t.end();
});

t.test(
  'a refusal that is an outcome keeps what was written; one that must not come so late is a bug',
  async t => {
    await using at = await openAcme();
    t.match(await at.ask('POST', '/v1/orders', { decline: true }), {
      status: 402,
      body: { error: { code: 'declined' } },
    });
    t.equal((await at.world.log('acme', 0))!.entries.length, 1);
    t.strictSame(at.logged, []);
    t.match(await at.ask('POST', '/v1/orders', { late: true }), {
      status: 500,
      body: { error: { code: 'twin_failed' } },
    });
    t.equal((await at.world.log('acme', 0))!.entries.length, 1);
    t.match(at.logged, [{ message: 'a twin failed; nothing was changed' }]);
  },
);

t.test('what a screen refuses is a page', async t => {
  await using at = await openAcme();
  t.match(await at.ask('GET', '/inbox/nobody', undefined, { host: 'app.acme.test' }), {
    status: 404,
    body: { page: 'Nobody is here.' },
  });
});

t.test(
  '[6] a vendor’s own way with keys: whose they are, what is the same, what is kept, what it says',
  async t => {
    await using at = await openAcme({
      owner: () => 'everybody',
      said: body => String(body['item']),
      keeps: status => status === 201 || status === 402,
      replayed: headers => [['Original-Type', headers[0]![1]]],
      keyTooLong: charsMax => new Refusal(400, 'long', `${charsMax}`),
      keyReused: (key, _asked, { method, path }) => new Refusal(400, 'reused', `${key}: ${method} ${path}`),
    });
    const send = (key: string, body: object, more: object = {}) =>
      at.ask('POST', '/v1/orders', body, { headers: { 'idempotency-key': key, ...more } });
    const first = await send('k', { item: 'tea' });
    const again = await send('k', { item: 'tea', more: 1 }, { authorization: 'other' });
    t.strictSame([again.body, again.headers['original-type']], [first.body, 'application/json']);
    t.match((await send('k', { item: 'coffee' })).body, {
      error: { code: 'reused', message: 'k: POST /v1/orders' },
    });
    t.match((await send('k'.repeat(256), {})).body, { error: { code: 'long', message: '255' } });
    t.equal((await send('d', { decline: true })).status, 402);
    t.equal((await send('d', {})).status, 402, 'an outcome is given again');
  },
);
