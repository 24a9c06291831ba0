// A twin of an API over HTTP with JSON, of its routes: who asks, which route, its body, what it answers, and errors in the
// vendor's own shape. For vendors that are no more special than that; the others implement `Twin` themselves.
import type { Call } from './call.ts';
import type { ErrorShape } from './error-shapes.ts';
import { decodeForm, formJson } from './form.ts';
import { type GenericParts, type GenericTier, genericTier, shapeOf } from './generic.ts';
import { HANDLER_MATCHERS } from './handlers.ts';
import { isJsonObject, type JsonObject, readJson } from './json.ts';
import type { Manifest } from './manifest.ts';
import { Refusal, RefusedReply } from './refusal.ts';
import type { Reply } from './reply.ts';
import { compileRoutes, type RouteLike } from './routes.ts';
import type { Twin } from './twin.ts';
import type { Tx } from './tx.ts';

export type RestAsk = {
  readonly call: Call;
  readonly tx: Tx;
  /** What the braces of the route took. */
  readonly path: { readonly [name: string]: string };
  readonly query: URLSearchParams;
  /** The body: JSON, or a form as the tree its brackets write; empty where there is none. */
  readonly body: JsonObject;
};

export type RestRoute = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** `/v1/parcels/{parcel}` */
  readonly path: string;
  /** As the manifest names it: the type and what is done, `parcel.create`. */
  readonly operation: string;
  /** Throw a `Refusal` to refuse: what was written until then is undone. */
  readonly run: (asked: RestAsk) => Reply;
};

/** A page that people see; it asks for no key. */
export type RestScreen = {
  readonly id: string;
  /** `/track/{parcel}` */
  readonly path: string;
  /** Where it stands, if not at the hosts of the API. */
  readonly host?: string;
  readonly run: (asked: RestAsk) => Reply;
};

export type RestTwin = Pick<Manifest, 'vendor' | 'version' | 'hosts'> &
  Partial<Pick<Manifest, 'api' | 'endpointEnv' | 'upgrades' | 'requestScopes' | 'webhooks'>> &
  Pick<Twin, 'records'> &
  Partial<Pick<Twin, 'due' | 'signature' | 'retryAfter' | 'upgrade'>> & {
    readonly routes: readonly RestRoute[];
    readonly screens?: readonly RestScreen[];
    readonly error: ErrorShape;
    /** Throws a `Refusal` where the vendor would not let the caller in. */
    readonly authenticate?: (call: Call) => void;
    /** Ids of a type begin so: `{ parcel: 'prc_' }`. */
    readonly idPrefixes?: { readonly [type: string]: string };
    /** Every operation that the vendor has (`GET /v1/parcels`); those without a route are told apart from nonsense. */
    readonly catalog?: readonly string[];
    /** What the routes do not model is answered from the vendor's description, as far as that goes (generic.ts). */
    readonly generic?: GenericTier;
  };

export function restTwin(parts: RestTwin): Twin {
  const { routes, screens = [], error, authenticate, due, signature, retryAfter, upgrade } = parts;
  const generic: GenericParts =
    parts.generic === undefined
      ? { routes: [], records: {} }
      : genericTier(parts.generic, routes, Object.keys(parts.records));
  const operations = compileRoutes([...routes, ...generic.routes]);
  const pages = compileRoutes(screens.map(screen => ({ ...screen, method: 'GET' })));
  const vendors = catalogOfRoutes(parts);
  const catalog = compileRoutes(vendors);

  const respond = (call: Call, tx: Tx): Reply => {
    const head = call.method === 'HEAD';
    const method = head ? 'GET' : call.method;
    try {
      const page = pages(method, call.path);
      const shown = page.ok && (call.via !== 'host' || (page.route.host ?? call.host) === call.host);
      const found = shown ? page : operations(method, call.path);
      if (!shown) authenticate?.(call);
      if (!found.ok) throw unknown(call, found.methods, catalog(method, call.path).ok);
      const asked = {
        call,
        tx,
        path: found.params,
        query: new URLSearchParams(call.query),
        body: bodyOf(call),
      };
      const reply = { ...found.route.run(asked), route: found.route.path };
      return head ? { ...reply, body: null } : reply;
    } catch (thrown) {
      if (thrown instanceof Refusal) throw new RefusedReply(error(thrown));
      throw thrown;
    }
  };

  return {
    manifest: manifestOf(parts, { generic: generic.routes.length, catalog: vendors.length }),
    records: { ...generic.records, ...parts.records },
    respond,
    models: call => {
      const method = call.method === 'HEAD' ? 'GET' : call.method;
      return operations(method, call.path).ok || pages(method, call.path).ok;
    },
    error: (status, code, message, type) =>
      error({ status, code, message, details: type === undefined ? {} : { type } }),
    ...(due && { due }),
    ...(signature && { signature }),
    ...(retryAfter && { retryAfter }),
    ...(upgrade && { upgrade }),
  };
}

/** What the vendor has, each once. */
function catalogOfRoutes({ catalog = [], generic }: RestTwin): readonly RouteLike[] {
  const named = catalog.map(operation => {
    const [method = '', path = ''] = operation.split(' ');
    return { method, path };
  });
  const all = [...named, ...(generic?.catalog.operations ?? [])];
  return [...new Map(all.map(route => [shapeOf(route), route])).values()];
}

function unknown(call: Call, methods: readonly string[], vendorHasIt: boolean): Refusal {
  if (vendorHasIt) {
    const message = `This twin does not model ${call.method} ${call.path}. Answer it with a handler.`;
    return new Refusal(501, 'wrld_unmodelled_operation', message);
  }
  if (methods.length === 0) return new Refusal(404, 'not_found', `There is no ${call.path}.`);
  return new Refusal(405, 'method_not_allowed', `${call.path} takes ${methods.join(', ')}.`);
}

function bodyOf(call: Call): JsonObject {
  if (call.body.length === 0) return {};
  const type = [call.headers['content-type'] ?? ''].flat().join();
  if (type.includes('x-www-form-urlencoded')) {
    const decoded = decodeForm(new TextDecoder().decode(call.body));
    const form = decoded.ok ? formJson(decoded.form) : null;
    if (isJsonObject(form)) return form;
    throw new Refusal(400, 'invalid_form', 'The body is no form that can be read.');
  }
  // Bytes of another kind are the route's to read, of `call.body`.
  if (type !== '' && !type.includes('json')) return {};
  const body = readJson(call.body);
  if (isJsonObject(body)) return body;
  throw new Refusal(400, 'invalid_json', 'The body is no JSON object.');
}

function manifestOf(
  parts: RestTwin,
  counted: { readonly generic: number; readonly catalog: number },
): Manifest {
  const { vendor, version, hosts, routes, screens = [], records, idPrefixes = {} } = parts;
  const { api, endpointEnv, upgrades, requestScopes, webhooks } = parts;
  const operationsOf = (type: string): readonly string[] =>
    routes.map(({ operation }) => operation).filter(operation => operation.startsWith(`${type}.`));
  const modelled = routes.length;
  return {
    kind: 'wrld-twin',
    vendor,
    version,
    protocol: 'http',
    api: api ?? { sdks: [] },
    models: Object.keys(records)
      .map(type => ({
        type,
        ...(idPrefixes[type] === undefined ? {} : { idPrefix: idPrefixes[type] }),
        operations: operationsOf(type).map(operation => operation.slice(type.length + 1)),
      }))
      .filter(({ operations }) => operations.length > 0),
    coverage: {
      modelled,
      generic: counted.generic,
      catalog: Math.max(modelled + counted.generic, counted.catalog),
    },
    hosts,
    ...(endpointEnv && { endpointEnv }),
    ...(upgrades && { upgrades }),
    generative: false,
    matchers: HANDLER_MATCHERS,
    root: false,
    screens: screens.map(({ id, path, host }) => ({ id, path, ...(host === undefined ? {} : { host }) })),
    ...(requestScopes && { requestScopes }),
    ...(webhooks && { webhooks }),
  };
}
