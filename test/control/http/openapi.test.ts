import { Ajv2020 } from 'ajv/dist/2020.js';
import t from 'tap';
import { answersOf, openApi } from '../../../control/http/openapi.ts';
import { documented, routes } from '../../../control/http/routes.ts';
import { SHAPES } from '../../../control/http/shapes.ts';
import { mountTwin } from '../../../twins/kit/mount.ts';
import { type Exchange, holdToContract, key, seen } from '../../kit/contract.ts';
import { noteTwin } from '../../kit/note-twin.ts';
import { openTestSite } from '../../kit/site.ts';

const own = routes.filter(({ method }) => method !== 'ANY');

t.test('the document is OpenAPI 3.1 and names every endpoint', async t => {
  await using site = await openTestSite();
  const { status, json } = await site.ask({ target: '/-/acme/notes/openapi.json' });
  t.equal(status, 200, 'open to everyone');
  t.match(json.openapi, /^3\.1\.\d$/);
  t.match(json.servers, [{ url: site.around.baseUrl }]);
  const paths = json.paths as { [path: string]: { [method: string]: Operation } };
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
  );
  t.equal(operations.length, own.length + 2, 'every route, and the two of every twin');
  t.equal(new Set(operations.map(({ operation }) => operation.operationId)).size, operations.length);
  for (const { path, method, operation } of operations) {
    const name = `${method} ${path}`;
    t.notMatch(path, /[<>]/, name);
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(match => match[1]);
    const described = (operation.parameters ?? []).filter(each => each.in === 'path').map(each => each.name);
    t.same(described, inPath, `${name}: its names are described, each once`);
    t.equal(new Set(inPath).size, inPath.length, `${name}: no name twice`);
    t.ok(
      Object.keys(operation.responses).some(code => /^(2|303$)/.test(code)),
      `${name}: a success`,
    );
    for (const [code, { description }] of Object.entries(operation.responses)) {
      t.match(code, /^[2-5]\d\d$/);
      t.ok(description.length > 0);
    }
    if (method === 'get') t.notOk(operation.requestBody, `${name}: a GET takes no body`);
  }
  const names = new Set(
    [...JSON.stringify(json).matchAll(/#\/components\/schemas\/(\w+)/g)].map(([, it]) => it),
  );
  for (const name of names) t.ok(Object.hasOwn(SHAPES, name!), `${name} is there`);
  for (const name of Object.keys(SHAPES)) t.ok(names.has(name), `${name} is used`);
});

t.test('the document fits the 3.1 meta-schema, and its schemas are JSON Schema 2020-12', t => {
  const ajv = new Ajv2020({ strict: false });
  ajv.addFormat('uri', /^[a-z][a-z0-9+.-]*:/i);
  ajv.addFormat('uri-reference', true);
  ajv.addFormat('regex', true);
  ajv.addFormat('media-range', true);
  const document = openApi(documented, { server: 'http://127.0.0.1:4000', world: null });
  const fits = ajv.compile(OPENAPI_SHAPE);
  t.ok(fits(document), ajv.errorsText(fits.errors));
  const schemas = [
    ...Object.values(SHAPES),
    ...documented.flatMap(each => [
      ...Object.values(answersOf(each)).flatMap(({ schema }) => schema ?? []),
      ...Object.values({ ...each.query, ...each.headers }).map(({ schema }) => schema),
      ...(each.request === undefined ? [] : [each.request.schema]),
    ]),
  ];
  for (const schema of schemas) t.ok(ajv.validateSchema(schema as object), ajv.errorsText(ajv.errors));
  t.end();
});

t.test('every endpoint answers as documented, each status of it', async t => {
  const mounted = mountTwin(noteTwin().twin, null);
  await using site = await openTestSite({
    twins: { note: mounted },
    refusals: [
      {
        nth: 1,
        at: '2026-01-01T00:00:00.000Z',
        agent: null,
        run: 'default',
        record: {
          kind: 'wrld-world-refusal',
          version: 1,
          capability: 'network.egress',
          target: 'https://x.test/',
          missing: 'grant',
          rule: 'sealed',
          reason: 'no',
          see: 'http://127.0.0.1:4000/reference/refusals#sealed',
        },
      },
    ],
    runs: {
      declarations: () => [],
      seen: () => [{ name: 'run-1a', openedAt: '2026-01-01T00:00:00.000Z', closedAt: null }],
      open: async ({ host }) => (host === true ? { name: 'r', secret: 's' } : null),
      close: async name => name === 'r',
    },
  });
  const base = '/-/acme/notes';
  const hook = JSON.stringify({ url: 'http://hook.test/', secret: 's' });
  const as = (token: string) => [['x-wrld-token', token]] as const;
  const write = as(site.token);
  for (const [method, path, body] of [
    ['PUT', 'hooks/h', hook],
    ['PUT', 'notes/a', '{}'],
    ['DELETE', 'notes/a', ''],
  ] as const)
    await site.ask({ method, target: `/acme/notes/note/${path}`, headers: write, body });
  await site.notes.world.settled();
  for (const [status, method, path, body] of [
    [200, 'GET', '/', ''],
    [200, 'GET', '/acme/notes', ''],
    [200, 'GET', '/acme/notes/', ''],
    [200, 'GET', '/reference/refusals', ''],
    [200, 'GET', '/acme/notes/.well-known/wrld-world', ''],
    [200, 'GET', `${base}/log/note`, ''],
    [400, 'GET', `${base}/log/note?after=-1`, ''],
    [404, 'GET', `${base}/log/none`, ''],
    [200, 'GET', `${base}/log/note/1`, ''],
    [404, 'GET', `${base}/log/note/99`, ''],
    [200, 'GET', `${base}/checkpoint/note`, ''],
    [400, 'GET', `${base}/checkpoint/note?at=9999`, ''],
    [404, 'GET', `${base}/checkpoint/none`, ''],
    [200, 'GET', `${base}/history`, ''],
    [400, 'GET', `${base}/history?at=tomorrow`, ''],
    [200, 'GET', `${base}/diff`, ''],
    [400, 'GET', `${base}/diff?after=x`, ''],
    [200, 'GET', `${base}/timeline`, ''],
    [400, 'GET', `${base}/timeline?limit=0`, ''],
    [400, 'GET', `${base}/timeline?before=x`, ''],
    [404, 'GET', `${base}/timeline?twin=none`, ''],
    [200, 'GET', `${base}/conversations`, ''],
    [400, 'GET', `${base}/conversations?limit=0`, ''],
    [404, 'GET', `${base}/conversations/note/1`, ''],
    [200, 'GET', `${base}/webhooks`, ''],
    [200, 'GET', `${base}/webhooks?failed=true&limit=1`, ''],
    [400, 'GET', `${base}/webhooks?failed=perhaps`, ''],
    [200, 'GET', `${base}/webhooks/note/1`, ''],
    [404, 'GET', `${base}/webhooks/note/99`, ''],
    [200, 'GET', `${base}/requests`, ''],
    [400, 'GET', `${base}/requests?hours=0`, ''],
    [200, 'GET', `${base}/requests/lines?limit=2`, ''],
    [400, 'GET', `${base}/requests/lines?before=x`, ''],
    [200, 'GET', `${base}/requests/lines/t1`, ''],
    [404, 'GET', `${base}/requests/lines/x`, ''],
    [200, 'GET', `${base}/requests/minutes`, ''],
    [400, 'GET', `${base}/requests/minutes?minutes=1441`, ''],
    [200, 'GET', `${base}/find/entries?text=note`, ''],
    [400, 'GET', `${base}/find/entries?before=x`, ''],
    [404, 'GET', `${base}/find/entries?twin=none`, ''],
    [200, 'GET', `${base}/find/records?text=h`, ''],
    [400, 'GET', `${base}/find/records`, ''],
    [404, 'GET', `${base}/find/records?text=h&twin=none`, ''],
    [200, 'GET', `${base}/report`, ''],
    [200, 'GET', `${base}/report?since=run`, ''],
    [200, 'GET', `${base}/report?since=note:1`, ''],
    [400, 'GET', `${base}/report?since=tomorrow`, ''],
    [404, 'GET', `${base}/report?since=note:99`, ''],
    [200, 'GET', `${base}/records/note/note`, ''],
    [400, 'GET', `${base}/records/note/note?limit=0`, ''],
    [404, 'GET', `${base}/records/none/note`, ''],
    [200, 'GET', `${base}/records/note/hook/h`, ''],
    [404, 'GET', `${base}/records/note/note/a`, ''],
    [400, 'GET', `${base}/records/note/hook/h?at=tomorrow`, ''],
    [200, 'GET', `${base}/twins/note/coverage?path=/notes`, ''],
    [400, 'GET', `${base}/twins/note/coverage`, ''],
    [404, 'GET', `${base}/twins/none/coverage?path=/notes`, ''],
    [200, 'GET', `${base}/runs`, ''],
    [200, 'GET', `${base}/clock`, ''],
    [409, 'POST', `${base}/clock/advance`, '{"by":"1h"}'],
    [400, 'PUT', `${base}/clock`, '{"at":"tomorrow"}'],
    [200, 'PUT', `${base}/clock`, '{"at":"2026-02-01T00:00:00Z"}'],
    [409, 'PUT', `${base}/clock`, '{"at":"2020-01-01T00:00:00Z"}'],
    [200, 'POST', `${base}/clock/advance`, '{"by":"1h"}'],
    [400, 'POST', `${base}/clock/advance`, '{"by":"soon"}'],
    [200, 'GET', `${base}/map`, ''],
    [200, 'GET', `${base}/map?at=2026-01-01T00:00:00Z`, ''],
    [400, 'GET', `${base}/map?at=tomorrow`, ''],
    [200, 'GET', `${base}/due`, ''],
    [400, 'GET', `${base}/due?until=tomorrow`, ''],
    [200, 'GET', `${base}/twins`, ''],
    [200, 'GET', `${base}/twins/note/status`, ''],
    [404, 'GET', `${base}/twins/none/status`, ''],
    [200, 'GET', `${base}/refusals`, ''],
    [200, 'GET', `${base}/events`, ''],
    [200, 'GET', `${base}/openapi.json`, ''],
    [204, 'DELETE', `${base}/runs/r`, ''],
    [404, 'DELETE', `${base}/runs/none`, ''],
    [201, 'POST', `${base}/runs`, '{"declaration":{"host":true}}'],
    [400, 'POST', `${base}/runs`, '{"declaration":1}'],
    [409, 'POST', `${base}/runs`, '{"declaration":{}}'],
    [404, 'GET', `${base}/nothing`, ''],
    [405, 'PUT', `${base}/map`, ''],
    [405, 'DELETE', `${base}/timeline`, ''],
  ] as const) {
    const answer = await site.ask({ method, target: path, headers: write, body });
    t.equal(answer.status, status, `${method} ${path}`);
  }
  site.notes.world.map = () => Promise.reject(new Error('a bug'));
  t.equal((await site.ask({ target: `${base}/map`, headers: write })).status, 500);
  for (const route of own) {
    const target = targetOf(route.path);
    const doubled = await site.ask({ method: route.method, target, headers: [...write, ...write] });
    t.equal(doubled.status, 400, `${route.method} ${target}: doubled`);
    const { status } = await site.ask({ method: route.method, target, headers: as('tok_w_wrong') });
    // What proves itself by a signature is not asked for a credential of ours.
    if (answersOf(route)[401] !== undefined && route.access !== 'keyless')
      t.equal(status, 401, `${route.method} ${target}: nobody`);
  }
  for (const route of own.filter(({ access }) =>
    ['write', 'keys', 'token', 'rules', 'seal'].includes(access),
  )) {
    const { status } = await site.ask({
      method: route.method,
      target: targetOf(route.path),
      headers: as(site.readToken),
    });
    t.equal(status, 403, `${route.method} ${route.path}: a reader`);
  }
  for (const tag of ['Looking', 'Time', 'History'] as const) {
    for (const route of own.filter(each => each.tag === tag && CHECKED.test(each.path))) {
      for (const status of Object.keys(route.answers).filter(code => !ELSEWHERE.has(code)))
        t.ok(seen.has(key(route, status)), `${key(route, status)} was answered here`);
    }
  }
});

/** As many followers as a world takes, and a state over 24 MB: in the tests of events and of checkpoints. */
const ELSEWHERE = new Set(['503', '413']);

/** Routes whose every status is asked for above; the others' are in their own tests. */
const CHECKED =
  // A grant is a change of the world's file: refusals.test.ts has one; webhooks.test.ts sends one again,
  // and conversations.test.ts has a model.
  /\/(checkpoint|history|diff|log|timeline|requests|clock|advance|due|map|refusals(?!\/<nth>\/grant)|events|report|records|webhooks(?!.*resend)|conversations(?!\/<twin>))(\/|$)/;

t.test('a twin’s own endpoints answer as documented (4.1)', async t => {
  await using site = await openTestSite({ twins: { note: mountTwin(noteTwin().twin, HANDLERS) } });
  const headers = [['x-wrld-token', site.readToken]] as const;
  await site.ask({ target: '/acme/notes/note/nothing', headers });
  for (const [path, shape] of [
    ['/twin', SHAPES.TwinManifest],
    ['/twin/scenario', SHAPES.Scenario],
  ] as const) {
    const { json } = await site.ask({ target: `/acme/notes/note${path}`, headers });
    const validate = new Ajv2020({ strict: false, formats: { 'date-time': true } }).compile({
      ...shape,
      components: { schemas: SHAPES },
      additionalProperties: false,
    });
    t.ok(validate(json), JSON.stringify(validate.errors));
  }
});

const HANDLERS = {
  version: 1,
  unmatched: 'error',
  handlers: [{ id: 'one', match: { method: 'POST', path: '/notes' }, reply: { status: 201 } }],
} as const;

t.test('the contract check finds what is not as documented', t => {
  const good: Exchange = {
    world: 'acme/notes',
    method: 'GET',
    target: '/-/acme/notes/clock',
    status: 200,
    contentType: 'application/json; charset=utf-8',
    text: '{"at":"2026-01-01T00:00:00.000Z","frozen":false}',
  };
  holdToContract(good);
  for (const [why, wrong] of [
    [/does not document 418/, { status: 418 }],
    [/type is application\/json/, { contentType: 'text/plain' }],
    [/must have required property 'frozen'/, { text: '{"at":"2026-01-01T00:00:00.000Z"}' }],
    [/must NOT have additional/, { text: '{"at":"2026-01-01T00:00:00.000Z","frozen":false,"more":1}' }],
    [/must match format/, { text: '{"at":"yesterday","frozen":false}' }],
    [/no JSON/, { text: '<p>' }],
    [/without this route answers 405/, { method: 'DELETE' }],
    [/without this route answers 404/, { target: '/-/acme/notes/clocks' }],
    [/must have required property 'error'/, { status: 409, method: 'PUT', text: '{}' }],
  ] as const)
    t.throws(() => holdToContract({ ...good, ...wrong }), why, String(why));
  holdToContract({
    ...good,
    target: '/acme/notes/note/x',
    status: 299,
    text: 'a vendor’s answer is its own',
  });
  t.end();
});

type Operation = {
  readonly operationId: string;
  readonly parameters?: readonly { readonly in: string; readonly name: string }[];
  readonly requestBody?: object;
  readonly responses: { readonly [status: string]: { readonly description: string } };
};

function targetOf(path: string): string {
  return path.replace('<org>/<world>', 'acme/notes').replace(/<[a-z]+>/g, 'none');
}

/** The parts of the OpenAPI 3.1 meta-schema that the document uses, written from its specification. */
const OPENAPI_SHAPE = {
  type: 'object',
  required: ['openapi', 'info', 'paths'],
  additionalProperties: false,
  properties: {
    openapi: { type: 'string', pattern: '^3\\.1\\.\\d+$' },
    info: {
      type: 'object',
      required: ['title', 'version'],
      additionalProperties: false,
      properties: { title: { type: 'string' }, version: { type: 'string' }, description: { type: 'string' } },
    },
    servers: {
      type: 'array',
      items: { type: 'object', required: ['url'], properties: { url: { type: 'string', format: 'uri' } } },
    },
    tags: {
      type: 'array',
      items: {
        type: 'object',
        required: ['name'],
        additionalProperties: false,
        properties: { name: { type: 'string' } },
      },
    },
    paths: {
      type: 'object',
      propertyNames: { pattern: '^/' },
      additionalProperties: {
        type: 'object',
        propertyNames: { enum: ['get', 'put', 'post', 'delete'] },
        additionalProperties: { $ref: '#/$defs/operation' },
      },
    },
    components: {
      type: 'object',
      additionalProperties: false,
      properties: {
        schemas: { type: 'object', propertyNames: { pattern: '^[A-Za-z0-9._-]+$' } },
        securitySchemes: {
          type: 'object',
          additionalProperties: {
            type: 'object',
            required: ['type'],
            additionalProperties: false,
            properties: {
              type: { enum: ['apiKey', 'http'] },
              in: { enum: ['query', 'header', 'cookie'] },
              name: { type: 'string' },
              scheme: { type: 'string' },
              description: { type: 'string' },
            },
          },
        },
      },
    },
  },
  $defs: {
    operation: {
      type: 'object',
      required: ['responses'],
      additionalProperties: false,
      properties: {
        operationId: { type: 'string' },
        tags: { type: 'array', items: { type: 'string' } },
        summary: { type: 'string' },
        parameters: {
          type: 'array',
          items: {
            type: 'object',
            required: ['name', 'in', 'schema'],
            additionalProperties: false,
            properties: {
              name: { type: 'string' },
              in: { enum: ['query', 'header', 'path', 'cookie'] },
              required: { type: 'boolean' },
              description: { type: 'string' },
              schema: { type: 'object' },
            },
            if: { properties: { in: { const: 'path' } } },
            // biome-ignore lint/suspicious/noThenProperty: JSON Schema's own keyword
            then: { properties: { required: { const: true } } },
          },
        },
        requestBody: {
          type: 'object',
          required: ['content'],
          additionalProperties: false,
          properties: {
            description: { type: 'string' },
            required: { type: 'boolean' },
            content: { $ref: '#/$defs/content' },
          },
        },
        responses: {
          type: 'object',
          minProperties: 1,
          propertyNames: { pattern: '^[1-5][0-9]{2}$' },
          additionalProperties: {
            type: 'object',
            required: ['description'],
            additionalProperties: false,
            properties: {
              description: { type: 'string' },
              headers: { type: 'object' },
              content: { $ref: '#/$defs/content' },
            },
          },
        },
        security: { type: 'array', items: { type: 'object', additionalProperties: { type: 'array' } } },
      },
    },
    content: {
      type: 'object',
      propertyNames: { pattern: '^[a-z]+/([a-z0-9.+-]+|\\*)$' },
      additionalProperties: {
        type: 'object',
        required: ['schema'],
        properties: { schema: { type: 'object' } },
      },
    },
  },
} as const;
