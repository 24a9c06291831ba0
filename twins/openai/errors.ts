// What OpenAI refuses, and the one shape in which it says so. An operation refuses before it writes anything.
import type { Unknown } from '../kit/build-twin.ts';
import type { Call } from '../kit/call.ts';
import { textField } from '../kit/json.ts';
import { modelReply } from '../kit/model-api.ts';
import { Refusal } from '../kit/refusal.ts';
import type { Reply } from '../kit/reply.ts';
import { headersOf, type Request } from './request.ts';

export function invalid(message: string, param: string | null = null, code: string | null = null): Refusal {
  return new Refusal(400, code ?? '', message, { param });
}

export function missing(param: string): Refusal {
  return invalid(`Missing required parameter: '${param}'.`, param, 'missing_required_parameter');
}

export function notFound(message: string, param: string | null = null): Refusal {
  return new Refusal(404, '', message, { param });
}

export function unreadable(): Refusal {
  return invalid(
    'We could not parse the JSON body of your request. (HINT: This likely means you aren’t using your HTTP library ' +
      'correctly. The OpenAI API expects a JSON payload, but what was sent was not valid JSON.)',
  );
}

export function unknownOperation({ method, path }: Call, { methods }: Unknown): Refusal {
  if (methods.length > 0) {
    const hint = `(HINT: Perhaps you meant to make a ${methods.join(' or ')} request?)`;
    return new Refusal(405, 'method_not_supported', `Not allowed to ${method} on ${path} ${hint}`);
  }
  return new Refusal(
    404,
    'wrld_unmodelled_operation',
    `This OpenAI twin does not model ${method} ${path}. Answer it with a handler, or see GET /twin for what is modelled.`,
  );
}

export type ErrorFields = {
  readonly type?: string | null;
  readonly code?: string | null;
  readonly param?: string | null;
};

export type ErrorObject = {
  readonly message: string;
  readonly type: string;
  readonly param: string | null;
  readonly code: string | null;
};

export function errorOf(
  status: number,
  message: string,
  { type = null, code = null, param = null }: ErrorFields = {},
): ErrorObject {
  return { message, type: type ?? typeOf(status), param, code };
}

/** The type OpenAI gives an error of that status. */
function typeOf(status: number): string {
  if (status === 429) return 'rate_limit_exceeded';
  return status >= 500 ? 'server_error' : 'invalid_request_error';
}

/** `details`: `param`, and `type` where it is not the status's. */
export function openaiError({ status, code, message, details }: Refusal, request: Request | null): Reply {
  const error = errorOf(status, message, {
    type: textField(details, 'type'),
    code: code === '' ? null : code,
    param: textField(details, 'param'),
  });
  const headers = request === null ? ownHeaders(code) : headersOf(request);
  return modelReply(status, 'application/json', headers, `${JSON.stringify({ error }, null, 2)}\n`);
}

/** Of what the world refuses in the twin's place, or a socket does. */
function ownHeaders(code: string): Reply['headers'] {
  // No transaction is at hand to make an id of.
  const id = ['x-request-id', `req_${crypto.randomUUID().replaceAll('-', '')}`] as const;
  // A retry would not change it.
  const final = code.startsWith('wrld_') || code === 'twin_failed';
  return final ? [id, ['x-should-retry', 'false']] : [id];
}
