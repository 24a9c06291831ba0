// One call, from its bytes to its answer: who asks, which operation, whether it was asked before (idempotency),
// then the operation, then the headers every Stripe answer carries.
import type { Call } from '../../kit/call.ts';
import { digest } from '../../kit/fingerprint.ts';
import { decodeForm, type FormMap } from '../../kit/form.ts';
import type { Reply } from '../../kit/reply.ts';
import type { Router } from '../../kit/routes.ts';
import type { Tx } from '../../kit/tx.ts';
import { accountOfKey } from './account-key.ts';
import { scoped } from './account-scope.ts';
import { actOf } from './act.ts';
import { errorBody, invalid, StripeRefusal } from './errors.ts';
import { expand } from './expand.ts';
import { checkExpansion } from './expand-check.ts';
import { jsonFields } from './json-body.ts';
import { multipartFields } from './multipart.ts';
import type { Operation } from './operation.ts';
import { decode } from './params.ts';
import type { RecordTable } from './record-row.ts';
import { onItsClock } from './test-clock.ts';
import { declares } from './vendor.ts';
import { API_VERSION } from './version.ts';

/** Stripe keeps a key for a day. World milliseconds. */
const IDEMPOTENCY_MS = 24 * 60 * 60 * 1000;
const IDEMPOTENCY_KEY_CHARS_MAX = 255;
const REQUEST_ID_CHARS = 14;

export type KnownRoute = { readonly method: string; readonly path: string };

export type Desk = {
  readonly operations: Router<Operation>;
  readonly records: RecordTable;
  /** Every route of the vendor's API, so that what is not modelled is told from what does not exist. */
  readonly catalog: Router<KnownRoute>;
};

export function answer(desk: Desk, call: Call, tx: Tx): Reply {
  const request = {
    id: tx.id('req_', REQUEST_ID_CHARS),
    at: Math.floor(tx.now / 1000),
    version: header(call, 'stripe-version') ?? API_VERSION,
    key: call.method === 'POST' ? header(call, 'idempotency-key') : null,
    account: header(call, 'stripe-account') ?? accountOfKey(apiKeyOf(call) ?? ''),
  };
  let route: string | null = null;
  try {
    authenticate(call);
    const found = desk.operations(call.method, call.path);
    if (!found.ok) throw unrecognized(desk, call);
    const operation = found.route;
    route = operation.path;
    const form = readForm(call, operation);
    const work = (): Reply => run(desk, operation, { path: found.params, form, call }, tx, request);
    return { ...(request.key === null ? work() : once(request, call, form, tx, work)), route };
  } catch (thrown) {
    if (!(thrown instanceof StripeRefusal)) throw thrown;
    return { ...refusal(thrown, request), ...(route === null ? {} : { route }) };
  }
}

type Request = {
  readonly id: string;
  readonly at: number;
  readonly version: string;
  readonly key: string | null;
  readonly account: string | null;
};

type Asked = {
  readonly path: { readonly [name: string]: string };
  readonly form: FormMap;
  readonly call: Call;
};

function run(
  desk: Desk,
  operation: Operation,
  { path, form, call }: Asked,
  whole: Tx,
  request: Request,
): Reply {
  const tx = scoped(whole, { account: request.account, learns: false });
  let act = actOf(desk.records, tx, { id: request.id, idempotency_key: request.key }, request.account);
  try {
    const route = `${operation.method} ${operation.path}`;
    const params = decode(form, operation.shape, {
      names: operation.unmodelled,
      operation: route,
      declares: name => declares(operation.name, name),
    });
    act = onItsClock(act, path, params);
    const paths = (params['expand'] as readonly string[] | undefined) ?? [];
    checkExpansion(operation.name, paths);
    const view = operation.run({ act, path, params, call });
    if (view['$bytes'] instanceof Uint8Array) return file(view['$bytes'], String(view['$type']), request);
    return reply(200, json(expand(act, view, paths)), request);
  } catch (thrown) {
    // A card that declines is an outcome and keeps what it wrote; any other refusal after a write would leave
    // half an operation behind, so it is a bug, and throwing it on rolls everything back.
    if (!(thrown instanceof StripeRefusal)) throw thrown;
    if (thrown.status !== 402 && act.wrote) throw new Error(`refused after a write: ${thrown.message}`);
    return refusal(thrown, request);
  }
}

/** Answers a repeated key with what the first request was answered; nothing is done twice. */
function once(request: Request, call: Call, form: FormMap, tx: Tx, work: () => Reply): Reply {
  const key = request.key ?? '';
  if (key.length > IDEMPOTENCY_KEY_CHARS_MAX) {
    throw invalid(`Idempotency keys must be at most ${IDEMPOTENCY_KEY_CHARS_MAX} characters.`, {
      type: 'idempotency_error',
    });
  }
  const memoKey = `idempotency:${request.account ?? ''}:${key}`;
  const endpoint = `${call.method} ${call.path}`;
  const fingerprint = `${digest(canonical(form))} ${endpoint}`;
  const memo = tx.recall(memoKey);
  if (memo !== undefined) {
    if (memo.fingerprint !== fingerprint) throw keyReused(memo.fingerprint, endpoint, call.path, key);
    return {
      status: memo.status,
      headers: [
        ...memo.headers,
        ['Idempotent-Replayed', 'true'],
        ['Original-Request', requestIdOf(memo.headers)],
      ],
      body: memo.body,
    };
  }
  const made = work();
  // What fails validation did not begin, and may be asked again with the same key.
  if (made.status < 300 || made.status === 402) {
    tx.remember(
      memoKey,
      { fingerprint, status: made.status, headers: made.headers, body: String(made.body ?? '') },
      tx.now + IDEMPOTENCY_MS,
    );
  }
  return made;
}

function keyReused(held: string, endpoint: string, path: string, key: string): StripeRefusal {
  const other = held.slice(held.indexOf(' ') + 1);
  const first =
    other === endpoint
      ? 'Keys for idempotent requests can only be used with the same parameters they were first used with.'
      : `Keys for idempotent requests can only be used for the same endpoint they were first used for ('${other.slice(other.indexOf(' ') + 1)}' vs '${path}').`;
  return invalid(
    `${first} Try using a key other than '${key}' if you meant to execute a different request.`,
    { type: 'idempotency_error' },
  );
}

function requestIdOf(headers: Reply['headers']): string {
  return headers.find(([name]) => name === 'Request-Id')?.[1] ?? '';
}

function canonical(form: FormMap): string {
  const sorted = [...form].sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify(sorted.map(([name, node]) => [name, node instanceof Map ? canonical(node) : node]));
}

function authenticate(call: Call): void {
  const key = apiKeyOf(call);
  if (key === null) {
    throw new StripeRefusal(
      401,
      'You did not provide an API key. You need to provide your API key in the Authorization header, using ' +
        "Bearer auth (e.g. 'Authorization: Bearer YOUR_SECRET_KEY'). See https://stripe.com/docs/api#authentication " +
        'for details, or we can help at https://support.stripe.com/.',
      {},
    );
  }
  // `mes_test_`: the token of a meter event session. `tok_`: a caller that presents the world's token as its API key was let in by the world (5.2-3).
  if (!/^(sk|rk)_test_.|^tok_.|^mes_test_./.test(key)) {
    throw new StripeRefusal(401, `Invalid API Key provided: ${masked(key)}`, {});
  }
}

/** Bearer, or Basic with the key as the user (or, as the world's tokens come, as the password). */
function apiKeyOf(call: Call): string | null {
  const value = header(call, 'authorization');
  if (value === null) return null;
  const [scheme = '', credentials = ''] = value.trim().split(/\s+/, 2);
  if (/^bearer$/i.test(scheme)) return credentials === '' ? null : credentials;
  if (!/^basic$/i.test(scheme)) return null;
  try {
    const [user = '', password = ''] = atob(credentials).split(':', 2);
    return user || password || null;
  } catch {
    return null;
  }
}

/** Enough to know one's key by, as Stripe shows it; a short one is hidden whole. */
function masked(key: string): string {
  if (key.length < MASKED_KEY_CHARS_MIN) return '*'.repeat(key.length);
  return `${key.slice(0, 8)}${'*'.repeat(Math.min(24, key.length - 12))}${key.slice(-4)}`;
}

const MASKED_KEY_CHARS_MIN = 20;

function unrecognized(desk: Desk, call: Call): StripeRefusal {
  if (desk.catalog(call.method, call.path).ok) {
    return new StripeRefusal(
      501,
      `This Stripe twin does not model ${call.method} ${call.path}. Answer it with a handler, or see GET /twin for ` +
        'what is modelled.',
      { type: 'api_error', code: 'wrld_unmodelled_operation' },
    );
  }
  return new StripeRefusal(
    404,
    `Unrecognized request URL (${call.method}: ${call.path}). Please see https://stripe.com/docs or we can help ` +
      'at https://support.stripe.com/.',
    {},
  );
}

function readForm(call: Call, operation: Operation): FormMap {
  const parts = [call.query];
  if (operation.body === 'multipart') return multipartFields(call);
  if (operation.body === 'json' && call.method !== 'GET') return jsonFields(call.body);
  if (call.body.length > 0 && call.method !== 'GET') {
    const type = header(call, 'content-type') ?? '';
    if (type !== '' && !type.includes('application/x-www-form-urlencoded')) {
      throw invalid(
        'Invalid request (check that your POST content type is application/x-www-form-urlencoded). If you have ' +
          'any questions, we can help at https://support.stripe.com/.',
      );
    }
    parts.push(new TextDecoder().decode(call.body));
  }
  const decoded = decodeForm(parts.filter(part => part !== '').join('&'));
  if (!decoded.ok)
    throw invalid(`Invalid request: the parameters are ${decoded.why}.`, { param: decoded.name });
  return decoded.form;
}

function refusal(thrown: StripeRefusal, request: Request): Reply {
  const made = reply(thrown.status, errorBody(thrown.message, thrown.fields, request), request);
  if (thrown.status !== 401) return made;
  return { ...made, headers: [...made.headers, ['WWW-Authenticate', 'Basic realm="Stripe"']] };
}

function reply(status: number, body: string, request: Request): Reply {
  return {
    status,
    headers: [
      ['Content-Type', 'application/json'],
      ['Cache-Control', 'no-cache, no-store'],
      ['Request-Id', request.id],
      ['Stripe-Version', request.version],
      ...(request.account === null ? [] : [['Stripe-Account', request.account] as const]),
      ...(request.key === null ? [] : [['Idempotency-Key', request.key] as const]),
      // An operation that is not modelled will not be on a retry either (the SDK retries a 5xx).
      ...(status >= 500 ? [['Stripe-Should-Retry', 'false'] as const] : []),
    ],
    body,
  };
}

function file(bytes: Uint8Array, type: string, request: Request): Reply {
  const made = reply(200, '', request);
  return { ...made, headers: [['Content-Type', type], ...made.headers.slice(1)], body: bytes };
}

function json(view: object): string {
  return `${JSON.stringify(view, null, 2)}\n`;
}

function header(call: Call, name: string): string | null {
  const value = call.headers[name];
  if (value === undefined) return null;
  return typeof value === 'string' ? value : (value[0] ?? null);
}
