// A twin made of routes, in a world: who is let in, bodies, refusals that undo, keys, references, and what a vendor's error
// looks like.
import { once as event } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { LogLevel, webApi } from '@slack/bolt';
import t from 'tap';
import {
  githubError,
  googleError,
  plainError,
  problemError,
  resendError,
  slackError,
} from '../../../twins/kit/error-shapes.ts';
import { expand } from '../../../twins/kit/expand.ts';
import { html, pageReply } from '../../../twins/kit/html.ts';
import { once } from '../../../twins/kit/idempotency.ts';
import { textField } from '../../../twins/kit/json.ts';
import { mountTwin } from '../../../twins/kit/mount.ts';
import { Refusal } from '../../../twins/kit/refusal.ts';
import { jsonReply } from '../../../twins/kit/reply.ts';
import { type RestTwin, restTwin } from '../../../twins/kit/rest-twin.ts';
import type { RecordBody } from '../../../twins/kit/tx.ts';
import { openNoteWorld } from '../../kit/note-world.ts';

const CUSTOMERS: { readonly [id: string]: RecordBody } = {
  cus_1: { id: 'cus_1', name: 'Ada', parent: 'cus_2', friends: ['cus_1', 'cus_2'] },
  cus_2: { id: 'cus_2', name: 'Bob', parent: 'cus_gone' },
};
const follow = (_of: object, field: string, id: string): RecordBody | null | undefined =>
  ['parent', 'friends', 'customer'].includes(field) ? (CUSTOMERS[id] ?? null) : undefined;

const PARTS: RestTwin = {
  vendor: 'acme',
  version: '1.2.3',
  hosts: [{ host: 'api.acme.test', paths: ['/v1/'] }],
  records: { order: { indexes: [] }, secret: { indexes: [] } },
  idPrefixes: { order: 'ord_' },
  error: plainError,
  authenticate: ({ headers }) => {
    if (headers['x-key'] === 'bad') throw new Refusal(401, 'no_key', 'Who are you?');
  },
  routes: [
    {
      method: 'POST',
      path: '/v1/orders',
      operation: 'order.create',
      run: ({ call, tx, body }) =>
        once(call, tx, { replayed: [['Idempotent-Replayed', 'true']] }, () => {
          const id = tx.id('ord_', 8);
          tx.put('order', id, { id, item: textField(body, 'item') });
          if (body['refuse'] === true) throw new Refusal(422, 'no_item', 'No.', { param: 'item' });
          return jsonReply(201, { id, body });
        }),
    },
    {
      method: 'GET',
      path: '/v1/orders/{order}',
      operation: 'order.get',
      run: ({ path, query }) => {
        const order = { id: path['order'], customer: 'cus_1', note: 'plain' };
        return jsonReply(200, expand(order, query.getAll('expand'), follow));
      },
    },
  ],
  catalog: ['POST /v1/orders', 'GET /v1/orders/{order}', 'GET /v1/refunds'],
  screens: [
    {
      id: 'inbox',
      path: '/inbox/{name}',
      host: 'app.acme.test',
      run: ({ path }) => ({ status: 200, headers: [], body: JSON.stringify(path['name']) }),
    },
  ],
};

const openAcme = (parts: RestTwin = PARTS) =>
  openNoteWorld({ twins: { acme: mountTwin(restTwin(parts), null) } });

t.test('[2.2] the manifest is made of the routes', async t => {
  t.strictSame(restTwin(PARTS).manifest, {
    kind: 'wrld-twin',
    vendor: 'acme',
    version: '1.2.3',
    protocol: 'http',
    api: { sdks: [] },
    models: [{ type: 'order', idPrefix: 'ord_', operations: ['create', 'get'] }],
    coverage: { modelled: 2, generic: 0, catalog: 3 },
    hosts: PARTS.hosts,
    generative: false,
    matchers: ['method', 'path', 'query', 'header', 'body', 'all', 'any', 'not'],
    root: false,
    screens: [{ id: 'inbox', path: '/inbox/{name}', host: 'app.acme.test' }],
  });
});

t.test('what is asked, and what is not there', async t => {
  await using at = await openAcme();
  const table: [method: string, path: string, more: object, status: number, code: string | null][] = [
    ['GET', '/v1/orders/ord_x', {}, 200, null],
    ['GET', '/v1/orders/ord_x', { headers: { 'x-key': 'bad' } }, 401, 'no_key'],
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

t.test('bodies: JSON, forms, bytes of the route’s own, and what is neither', async t => {
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

t.test('references are replaced where that is asked for', async t => {
  await using at = await openAcme();
  const get = async (...paths: string[]) => {
    const query = paths.map(path => `expand=${path}`).join('&');
    const { body } = await at.ask('GET', '/v1/orders/o', undefined, { query });
    return body.error?.code ?? body;
  };
  t.match(await get(), { customer: 'cus_1' });
  t.match(await get('customer'), { customer: { name: 'Ada', parent: 'cus_2' } });
  t.match(await get('customer.parent.parent', 'customer.friends'), {
    customer: { parent: { name: 'Bob', parent: 'cus_gone' }, friends: [{ name: 'Ada' }, { name: 'Bob' }] },
  });
  for (const path of [
    'nobody',
    'note',
    'customer.name',
    'customer.parent.parent.parent.parent',
    'constructor',
  ])
    t.equal(await get(path), 'invalid_expand', path);
});

t.test('vendors write errors in shapes of their own', async t => {
  const refusal = new Refusal(404, 'not_found', 'Not Found', { documentation_url: 'https://docs.test' });
  const body = (reply: { body: unknown }) => JSON.parse(String(reply.body));
  t.strictSame(body(githubError(refusal)), {
    message: 'Not Found',
    documentation_url: 'https://docs.test',
    status: '404',
  });
  t.strictSame(
    body(googleError(new Refusal(404, 'notFound', 'File not found: x.', { location: 'fileId' }))),
    {
      error: {
        code: 404,
        message: 'File not found: x.',
        errors: [{ message: 'File not found: x.', domain: 'global', reason: 'notFound', location: 'fileId' }],
        status: 'NOT_FOUND',
      },
    },
  );
  t.strictSame(body(resendError(refusal)), { statusCode: 404, name: 'not_found', message: 'Not Found' });
  t.strictSame(body(problemError(new Refusal(409, 'Conflict', 'It is there.'))), {
    type: 'about:blank',
    title: 'Conflict',
    status: 409,
    detail: 'It is there.',
  });
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

t.test('slack’s own client reads its errors, and waits where it is told to', async t => {
  const replies = [
    slackError(new Refusal(429, 'ratelimited', '', { retryAfter: 0 })),
    slackError(new Refusal(404, 'channel_not_found', '')),
  ];
  const server = createServer((_request, response) => {
    const { status, headers, body } = replies.shift()!;
    response.writeHead(status, headers.flat()).end(body as string);
  });
  server.listen(0, '127.0.0.1');
  await event(server, 'listening');
  t.teardown(() => server.close());
  const slackApiUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/`;
  const slack = new webApi.WebClient('xoxb-test', {
    slackApiUrl,
    logLevel: LogLevel.ERROR,
    retryConfig: { retries: 1, minTimeout: 1 },
  });
  await t.rejects(slack.chat.postMessage({ channel: 'C1', text: 'x' }), {
    code: 'slack_webapi_platform_error',
    data: { ok: false, error: 'channel_not_found' },
  });
  t.equal(replies.length, 0);
});
