// From a call's bytes to its answer, as Stripe goes about it: who asks, its form, what it takes, and the object or the file
// that is answered. `buildTwin` puts these into order (kit/build-twin.ts).
import type { AfterWrite, Told, Unknown } from '../../kit/build-twin.ts';
import type { Call } from '../../kit/call.ts';
import { decodeForm, type FormMap } from '../../kit/form.ts';
import { type Asked, headerOf } from '../../kit/operation.ts';
import type { Refusal } from '../../kit/refusal.ts';
import type { Reply } from '../../kit/reply.ts';
import type { Tx } from '../../kit/tx.ts';
import { scoped } from './account-scope.ts';
import { accountVersion } from './account-version.ts';
import { actOf } from './act.ts';
import { invalid, unmodelledOperation, unrecognized } from './errors.ts';
import { expand } from './expand.ts';
import { checkExpansion } from './expand-check.ts';
import { jsonFields } from './json-body.ts';
import { checkAccount, checkKey, kindOfKey } from './keys.ts';
import { multipartFields } from './multipart.ts';
import type { AsOf, Older, Versions } from './older.ts';
import type { Ask, Operation } from './operation.ts';
import { decode, type Shape } from './params.ts';
import { withoutDevice } from './publishable.ts';
import type { RecordTable } from './record-row.ts';
import { accountOf, apiKeyOf, headersOf, PAGE_HEADERS, type Request } from './request.ts';
import { onItsClock } from './test-clock.ts';
import { takesCount } from './total-count.ts';
import { declares } from './vendor.ts';
import { API_VERSION, apiVersions, checkVersion } from './version.ts';
import type { View } from './view.ts';

const REQUEST_ID_CHARS = 14;

export const newRequest =
  (records: RecordTable, versions: Versions) =>
  ({ call, tx }: Asked): Request => {
    const key = apiKeyOf(call) ?? '';
    const keyKind = kindOfKey(key);
    const account = accountOf(call, key, keyKind);
    const named = headerOf(call, 'stripe-version');
    const asked = named ?? accountVersion(tx);
    // One that never was is refused by `readForm`, in the account's.
    const version = asked === API_VERSION || !apiVersions().has(asked) ? API_VERSION : asked;
    return {
      id: tx.id('req_', REQUEST_ID_CHARS),
      at: Math.floor(tx.now / 1000),
      version,
      named: named !== null || version !== API_VERSION,
      asOf:
        version === API_VERSION
          ? null
          : asOf(versions.older(version), scoped(tx, { account, learns: false }), records),
      key: call.method === 'POST' ? headerOf(call, 'idempotency-key') : null,
      account,
      page: headerOf(call, 'origin') !== null,
      keyKind,
    };
  };

function asOf(older: Older | null, tx: Tx, records: RecordTable): AsOf | null {
  return older === null ? null : { tx, records, older };
}

/** The question that a browser asks before it lets a page's request out. */
export function preflight(call: Call): Reply | null {
  if (call.method !== 'OPTIONS' || headerOf(call, 'origin') === null) return null;
  const asked = headerOf(call, 'access-control-request-headers');
  return {
    status: 200,
    headers: [
      ...PAGE_HEADERS,
      ['Access-Control-Allow-Methods', 'GET, HEAD, PUT, PATCH, POST, DELETE'],
      ...(asked === null ? [] : [['Access-Control-Allow-Headers', asked] as const]),
      ['Access-Control-Max-Age', '300'],
    ],
    body: null,
  };
}

export function unknownOperation({ method, path }: Call, { catalogued }: Unknown): Refusal {
  return catalogued ? unmodelledOperation({ method, path }) : unrecognized({ method, path });
}

/** The query and the body as one form, or what another kind of body says in its place. */
export function readForm({ call }: Asked, operation: Operation): FormMap {
  checkVersion(headerOf(call, 'stripe-version') ?? API_VERSION);
  const parts = [call.query];
  if (operation.body === 'multipart') return formOf(multipartFields(call));
  if (operation.body === 'json' && call.method !== 'GET') return jsonFields(call.body);
  if (call.body.length > 0 && call.method !== 'GET') {
    const type = headerOf(call, 'content-type') ?? '';
    if (type !== '' && !type.includes('application/x-www-form-urlencoded')) {
      throw invalid(
        'Invalid request (check that your POST content type is application/x-www-form-urlencoded). If you have ' +
          'any questions, we can help at https://support.stripe.com/.',
      );
    }
    parts.push(new TextDecoder().decode(call.body));
  }
  return formOf(parts.filter(part => part !== '').join('&'));
}

function formOf(sent: string): FormMap {
  const decoded = decodeForm(sent);
  if (!decoded.ok)
    throw invalid(`Invalid request: the parameters are ${decoded.why}.`, { param: decoded.name });
  return decoded.form;
}

/** What an operation is given; what it takes is checked here. */
export function askOf(
  records: RecordTable,
  versions: Versions,
): (asked: Asked, told: Told<Operation, Request, FormMap>) => Ask<Shape> {
  return ({ call, tx, path }, { operation, request, body: form }) => {
    const whole = scoped(tx, { account: request.account, learns: false });
    const from = { id: request.id, idempotency_key: request.key };
    const made = actOf(records, whole, from, request.account, request.asOf?.older);
    if (form.has('key') && headerOf(call, 'authorization') === null) form.delete('key');
    if (request.keyKind === 'publishable') withoutDevice(form);
    checkAccount(made, request.account, call);
    const act = takesCount(form, operation.name, request) ? { ...made, counts: true as const } : made;
    versions.check(operation.name, form, request, call);
    request.asOf?.older.today(operation.name, form);
    const params = decode(form, operation.shape, {
      names: operation.unmodelled,
      operation: `${operation.method} ${operation.path}`,
      declares: (name, value) => declares(operation.name, name, value),
    });
    checkKey(act, request.keyKind, { operation: operation.name, path, params, call });
    const asked = { act: onItsClock(act, path, params), path, params, call };
    checkExpansion(operation.name, expanded(asked), request.asOf?.older);
    return asked;
  };
}

function expanded({ params }: Ask<Shape>): readonly string[] {
  return (params['expand'] as readonly string[] | undefined) ?? [];
}

export function replyOf(view: View, request: Request, ask: Ask<Shape>): Reply {
  const headers = headersOf(request, 200);
  const { $bytes: bytes, $type: type } = view;
  if (bytes instanceof Uint8Array)
    return { status: 200, headers: [['Content-Type', String(type)], ...headers.slice(1)], body: bytes };
  const { act } = ask;
  const shown =
    act.older === undefined ? view : act.older.turned(act, view, { inPlace: act.tx.writes === 0 });
  const whole = expand(act, shown, expanded(ask));
  return { status: 200, headers, body: `${JSON.stringify(whole, null, 2)}\n` };
}

/**
 * A card that declines is an outcome and keeps what it wrote; any other refusal after a write would leave half an
 * operation behind, so it is a bug, and everything is rolled back.
 */
export const afterWrite: AfterWrite = ({ status }) => (status === 402 ? 'kept' : 'bug');
