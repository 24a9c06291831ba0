// What Anthropic refuses, and the one shape in which it says so. An operation refuses before it writes anything.
import type { Unknown } from '../kit/build-twin.ts';
import type { Call } from '../kit/call.ts';
import { modelReply } from '../kit/model-api.ts';
import { Refusal, type RefusalDetails } from '../kit/refusal.ts';
import type { Reply } from '../kit/reply.ts';
import { headersOf, type Request } from './request.ts';

export function invalid(message: string): Refusal {
  return new Refusal(400, '', message);
}

export function notFound(message: string): Refusal {
  return new Refusal(404, '', message);
}

export function unreadable(): Refusal {
  return invalid('The request body is not valid JSON.');
}

/** Not told: Anthropic's errors have no codes. */
const UNKNOWN = 'unknown_operation';

export function unknownOperation({ method, path }: Call, { methods }: Unknown): Refusal {
  if (methods.length > 0) return new Refusal(405, UNKNOWN, 'Method Not Allowed');
  return new Refusal(
    404,
    UNKNOWN,
    `This Anthropic twin does not model ${method} ${path}. Answer it with a handler, or see GET /twin for what is modelled.`,
  );
}

const TYPES: { readonly [status: number]: string } = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  504: 'timeout_error',
  529: 'overloaded_error',
};

function typeOf(status: number): string {
  return TYPES[status] ?? (status >= 500 ? 'api_error' : 'invalid_request_error');
}

export type ErrorBody = {
  readonly type: 'error';
  readonly error: { readonly type: string; readonly message: string };
  readonly request_id: string | null;
};

/** `details`: what a program is told besides; the SDK reads `error_code`. */
export function errorBody(
  type: string,
  message: string,
  requestId: string | null,
  details: RefusalDetails = {},
): ErrorBody {
  const more = Object.keys(details).length === 0 ? {} : { details };
  return { type: 'error', error: { type, message, ...more }, request_id: requestId };
}

/** `details.type`: where it is not the status's; the others are told. */
export function anthropicError(refusal: Refusal, request: Request | null): Reply {
  const { status, code, message } = refusal;
  const { type, ...details } = refusal.details;
  const named = typeof type === 'string' ? type : typeOf(status);
  if (request !== null) {
    const body = JSON.stringify(errorBody(named, message, request.id, details));
    const headers = headersOf(request);
    const final = code === UNKNOWN ? [...headers, NO_RETRY] : headers;
    return modelReply(status, 'application/json', final, body);
  }
  // A code of the world's own is told in the message.
  const own = code.startsWith('wrld_') ? `${code}: ` : '';
  // No transaction is at hand to make an id of.
  const id = `req_01${crypto.randomUUID().replaceAll('-', '').slice(0, 22)}`;
  const headers = [['request-id', id] as const, ...(own === '' ? [] : [NO_RETRY])];
  const body = `${JSON.stringify(errorBody(named, own + message, id))}\n`;
  return modelReply(status, 'application/json', headers, body);
}

/** A retry would not change it. */
const NO_RETRY = ['x-should-retry', 'false'] as const;
