// How vendors write what went wrong. A twin takes the one that is its vendor's; the SDKs read codes and messages out of
// these and nothing else.
import type { Refusal } from './refusal.ts';
import { jsonReply, type Reply } from './reply.ts';

/** A refusal as the vendor's SDKs expect it. */
export type ErrorShape = (refusal: Pick<Refusal, 'status' | 'code' | 'message' | 'details'>) => Reply;

/** `{ error: { code, message, … } }`, as most do. */
export const plainError: ErrorShape = ({ status, code, message, details }) =>
  jsonReply(status, { error: { code, message, ...details } });

/** GitHub. `details`: `errors: [{ resource, field, code }]`, `documentation_url`. */
export const githubError: ErrorShape = ({ status, message, details }) =>
  jsonReply(status, { message, ...details, status: String(status) }, 'application/json; charset=utf-8');

/** Google: the code is the reason (`notFound`). `details`: `status`, `domain`. */
export const googleError: ErrorShape = ({ status, code, message, details }) => {
  const { status: name = GOOGLE_STATUS[status] ?? 'UNKNOWN', domain = 'global', ...more } = details;
  const errors = [{ message, domain, reason: code, ...more }];
  return jsonReply(
    status,
    { error: { code: status, message, errors, status: name } },
    'application/json; charset=UTF-8',
  );
};

/** Slack says it with a 200, except where a client is to slow down. `details`: `response_metadata`, `retryAfter`. */
export const slackError: ErrorShape = ({ status, code, details }) => {
  const { retryAfter, ...more } = details;
  const made = jsonReply(
    status === 429 ? 429 : 200,
    { ok: false, error: code, ...more },
    'application/json; charset=utf-8',
  );
  if (status !== 429) return made;
  return { ...made, headers: [...made.headers, ['Retry-After', String(retryAfter ?? 1)]] };
};

/** Resend: the code is the error's name (`not_found`). */
export const resendError: ErrorShape = ({ status, code, message }) =>
  jsonReply(status, { statusCode: status, name: code, message });

/** RFC 9457. `details`: `type`, `instance` and the vendor's own. */
export const problemError: ErrorShape = ({ status, code, message, details }) =>
  jsonReply(
    status,
    { type: 'about:blank', title: code, status, detail: message, ...details },
    'application/problem+json',
  );

const GOOGLE_STATUS: { readonly [status: number]: string } = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  409: 'ALREADY_EXISTS',
  412: 'FAILED_PRECONDITION',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  501: 'UNIMPLEMENTED',
  503: 'UNAVAILABLE',
};
