// Stripe's refusals: status, type, code and text as its API words them. A refusal unwinds the operation and is
// turned into an answer in one place (`stripeError`); nothing may have been written before it is thrown.
import { Refusal } from '../../kit/refusal.ts';
import type { Reply } from '../../kit/reply.ts';
import { headersOf, type Request } from './request.ts';

export type ErrorType =
  | 'invalid_request_error'
  | 'card_error'
  | 'idempotency_error'
  | 'api_error'
  | 'temporary_session_expired';

export type ErrorFields = {
  readonly type?: ErrorType;
  readonly code?: string;
  readonly param?: string;
  readonly decline_code?: string;
  /** The error as OAuth names it, for the operations that answer as OAuth does. */
  readonly oauth?: string;
  readonly [more: string]: unknown;
};

/** The kit's refusal, with the fields of Stripe's error for its details. */
export class StripeRefusal extends Refusal {
  readonly fields: ErrorFields;

  constructor(status: number, message: string, fields: ErrorFields) {
    super(status, fields.code ?? '', message, fields);
    this.fields = fields;
  }
}

/** 400 `invalid_request_error`, the shape of most refusals. */
export function invalid(message: string, fields: ErrorFields = {}): StripeRefusal {
  return new StripeRefusal(400, message, fields);
}

/** In a path 404, in a parameter 400; the text is the same. */
export function missing(noun: string, id: string, at: { param: string; inPath?: boolean }): StripeRefusal {
  return new StripeRefusal(at.inPath === true ? 404 : 400, `No such ${noun}: '${id}'`, {
    code: 'resource_missing',
    param: at.param,
  });
}

/** A key that is none, and never shown whole. */
export function invalidKey(key: string): StripeRefusal {
  return new StripeRefusal(401, `Invalid API Key provided: ${masked(key)}`, {});
}

export function expiredKey(key: string): StripeRefusal {
  return new StripeRefusal(401, `Expired API Key provided: ${masked(key)}`, { code: 'api_key_expired' });
}

/** Enough to know one's key by, as Stripe shows it; a short one is hidden whole. */
/** Of an account that is none, or none of the platform's. */
export function noAccess(key: string, account: string): StripeRefusal {
  return new StripeRefusal(
    403,
    `The provided key '${masked(key)}' does not have access to account '${account}' (or that account does not ` +
      'exist). Application access may have been revoked.',
    { code: 'account_invalid' },
  );
}

function masked(key: string): string {
  if (key.length < MASKED_KEY_CHARS_MIN) return '*'.repeat(key.length);
  return `${key.slice(0, 8)}${'*'.repeat(Math.min(24, key.length - 12))}${key.slice(-4)}`;
}

const MASKED_KEY_CHARS_MIN = 20;

/** `name`, or `name=word` where the parameter is modelled and only this word of it is not. */
export function unmodelledParameter(name: string, operation: string): StripeRefusal {
  return invalid(
    `This Stripe twin does not model the parameter ${name} of ${operation}. ` +
      'Leave it out, or answer the request with a handler.',
    { code: 'wrld_unmodelled_parameter', param: name.replace(/=.*/s, '') },
  );
}

type Asked = { readonly method: string; readonly path: string };

export function unmodelledOperation({ method, path }: Asked): StripeRefusal {
  return new StripeRefusal(
    501,
    `This Stripe twin does not model ${method} ${path}. Answer it with a handler, or see GET /twin for ` +
      'what is modelled.',
    { type: 'api_error', code: 'wrld_unmodelled_operation' },
  );
}

export function unrecognized({ method, path }: Asked): StripeRefusal {
  return new StripeRefusal(
    404,
    `Unrecognized request URL (${method}: ${path}). Please see https://stripe.com/docs or we can help ` +
      'at https://support.stripe.com/.',
    {},
  );
}

/** The one shape in which Stripe says it; `request` is null for what the world refuses in the twin's place. */
export function stripeError(refusal: Refusal, request: Request | null): Reply {
  const { status } = refusal;
  if (request === null)
    return { status, headers: [['Content-Type', 'application/json']], body: errorBody(refusal, null) };
  const headers = headersOf(request, status);
  return {
    status,
    headers: status === 401 ? [...headers, ['WWW-Authenticate', 'Basic realm="Stripe"']] : headers,
    body: errorBody(refusal, request),
  };
}

/** Keys in the order Stripe sends them. */
function errorBody({ status, code, message, details }: Refusal, request: Request | null): string {
  const { oauth } = details;
  if (oauth !== undefined)
    return `${JSON.stringify({ error: oauth, error_description: message }, null, 2)}\n`;
  const type = request === null ? typeOf(status, details['type']) : details['type'];
  const whole: { [name: string]: unknown } = {
    ...asOfVersion(request, details),
    ...(code !== '' && { code }),
    message,
    type: type ?? 'invalid_request_error',
  };
  if (request !== null) {
    // Only for what the vendor itself would say: the world's own codes have no page there.
    if (code !== '' && !code.startsWith('wrld_'))
      whole['doc_url'] = `https://stripe.com/docs/error-codes/${code.replaceAll('_', '-')}`;
    whole['request_log_url'] = `https://dashboard.stripe.com/test/logs/${request.id}?t=${request.at}`;
  }
  const sorted = Object.keys(whole).sort();
  return `${JSON.stringify({ error: Object.fromEntries(sorted.map(key => [key, whole[key]])) }, null, 2)}\n`;
}

/** What an error carries along, a declined intent, is as the version that is asked in shows it. */
function asOfVersion(request: Request | null, details: Refusal['details']): Refusal['details'] {
  const by = request?.asOf ?? null;
  return by === null ? details : by.older.turned(by, details);
}

const TYPES: readonly ErrorType[] = ['api_error', 'card_error', 'idempotency_error', 'invalid_request_error'];

/** A handler may name a type that Stripe does not have. */
function typeOf(status: number, asked: unknown): ErrorType {
  const known = TYPES.find(type => type === asked);
  if (known !== undefined) return known;
  if (status === 402) return 'card_error';
  return status >= 500 ? 'api_error' : 'invalid_request_error';
}
