// GET …/openapi.json: the world's own endpoints as an OpenAPI 3.1 document, made from the routes themselves. The
// tests hold every answer against it, so what it says is what is answered.
import type { Access } from './access.ts';
import { json } from './answer.ts';
import { type Answer, type Documented, type Parameter, type Route, TAGS } from './route.ts';
import { type Schema, TEXT } from './schema.ts';
import { failure, SHAPES } from './shapes.ts';

export type Document = { readonly [field: string]: unknown };

type Where = {
  readonly server: string;
  /** `<org>/<world>` of a served world; null: the paths keep both as parameters. */
  readonly world: string | null;
};

/** `documented` is asked when the document is: it holds this route too. */
export function openApiRoute(documented: () => readonly Documented[]): Route {
  return {
    method: 'GET',
    path: '/-/<org>/<world>/openapi.json',
    access: 'open',
    tag: 'World',
    summary: 'this document: the world’s own endpoints in OpenAPI 3.1',
    answers: {
      200: { description: 'the document', schema: { type: 'object', description: 'OpenAPI 3.1' } },
    },
    run: (_call, world, { around }) =>
      json(200, openApi(documented(), { server: around.baseUrl, world: world.name })),
  };
}

export function openApi(documented: readonly Documented[], { server, world }: Where): Document {
  const paths: { [path: string]: { [method: string]: unknown } } = {};
  // `ANY` is a vendor's own API, which its vendor describes.
  for (const route of documented.filter(({ method }) => method !== 'ANY')) {
    const { path, names } = template(route.path, world);
    const at = (paths[path] ??= {});
    at[route.method.toLowerCase()] = operation(route, names);
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'wrld world',
      version: '1',
      description: 'The endpoints that a world answers besides its twins’ own APIs. A GET also answers HEAD.',
    },
    servers: [{ url: server }],
    tags: TAGS.filter(name => documented.some(({ tag }) => tag === name)).map(name => ({ name })),
    paths,
    components: { schemas: SHAPES, securitySchemes: SECURITY },
  };
}

/** What the way to a route answers before `run` does, by what the route opens to. */
export function answersOf({ access, answers, request, signIn }: Documented): {
  readonly [status: string]: Answer;
} {
  const known = !OPEN.has(access);
  return {
    ...(known && {
      401: failure('no credential of this world came'),
      ...(access !== 'admin' && { 403: failure('the credential does not open this') }),
    }),
    ...((access === 'keyless' || (known && access !== 'admin')) && {
      429: failure('over the request budget; see Retry-After'),
      503: failure(
        'the world’s clients have not read what it answered them already, or bytes that this needs cannot be fetched now; see Retry-After',
      ),
    }),
    ...(signIn && { 303: { description: 'to the world’s own page, for who navigates without a session' } }),
    400: failure('the request cannot be read: its target, a header field that came twice, or its body'),
    ...(request && { 413: failure('the body is over 4 MB') }),
    500: failure('a bug; the world’s log says which'),
    ...answers,
  };
}

const OPEN: ReadonlySet<Access> = new Set(['open', 'keyless', 'sign-in']);

const SECURITY = {
  token: { type: 'apiKey', in: 'header', name: 'x-wrld-token', description: 'a token or a key of the world' },
  twinsKey: { type: 'apiKey', in: 'header', name: 'x-twins-key', description: 'as an injector sends it' },
  bearer: { type: 'http', scheme: 'bearer' },
  basic: { type: 'http', scheme: 'basic', description: 'the credential is the password' },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: '__Host-wrld-session',
    description: 'a browser’s session; what is not a read needs Sec-Fetch-Site: same-origin',
  },
} as const;

/** 5.2-4. */
const ADMIN_TOKEN = [{ token: [] }, { bearer: [] }];
const ANY_CREDENTIAL = Object.keys(SECURITY).map(name => ({ [name]: [] }));

/** What a name in a path stands for. */
const NAMES: { readonly [name: string]: string } = {
  org: 'the first part of the world’s name',
  world: 'the second part of the world’s name',
  twin: 'a vendor id',
  vendor: 'a vendor id',
};

const NAME = /<([a-z]+)(?:\.\.\.)?>/g;

function template(path: string, world: string | null): { path: string; names: string[] } {
  const names: string[] = [];
  const placed = world === null ? path : path.replace('<org>/<world>', world);
  const text = placed.replace(NAME, (_, name: string) => {
    names.push(name);
    return `{${name}}`;
  });
  return { path: text, names };
}

function operation(route: Documented, names: readonly string[]): Document {
  const { request, query = {}, headers = {} } = route;
  const parameters = [
    ...names.map(name => ({
      name,
      in: 'path',
      required: true,
      description: NAMES[name] ?? 'its name or id',
      schema: TEXT,
    })),
    ...parametersIn('query', query),
    ...parametersIn('header', headers),
  ];
  return {
    operationId: operationId(route),
    tags: [route.tag],
    summary: route.summary,
    ...(parameters.length > 0 && { parameters }),
    ...(request && {
      requestBody: {
        ...(request.description !== undefined && { description: request.description }),
        required: request.optional !== true,
        content: { [request.type ?? 'application/json']: { schema: request.schema } },
      },
    }),
    responses: Object.fromEntries(
      Object.entries(answersOf(route)).map(([status, answer]) => [status, response(status, answer)]),
    ),
    security: OPEN.has(route.access) ? [] : route.access === 'admin' ? ADMIN_TOKEN : ANY_CREDENTIAL,
  };
}

function parametersIn(where: string, of: { readonly [name: string]: Parameter }): Document[] {
  return Object.entries(of).map(([name, { description, schema, required }]) => ({
    name,
    in: where,
    required: required === true,
    description,
    schema,
  }));
}

function response(status: string, { description, schema, type }: Answer): Document {
  const media = type ?? (schema === undefined ? null : 'application/json');
  return {
    description,
    ...(status === '429' && { headers: { 'Retry-After': { description: 'seconds', schema: SECONDS } } }),
    ...(media !== null && { content: { [media]: { schema: schema ?? TEXT } } }),
  };
}

const SECONDS: Schema = { type: 'integer', minimum: 1 };

/** `GET /-/<org>/<world>/log/<twin>` → `getLogTwin`. */
function operationId({ method, path }: Documented): string {
  const words = path
    .replace('<org>/<world>', path.startsWith('/-/') ? '' : 'world')
    .split(/[^A-Za-z0-9]+/)
    .filter(word => word !== '');
  if (path.endsWith('/')) words.push(path === '/' ? 'Root' : 'Index');
  return [method.toLowerCase(), ...words.map(word => word[0]!.toUpperCase() + word.slice(1))].join('');
}
