// Errors in Anthropic's shape. A refusal is thrown by an operation before it writes anything.
import type { Reply } from '../kit/reply.ts';

export class AnthropicRefusal extends Error {
  override readonly name = 'AnthropicRefusal';
  readonly status: number;
  readonly type: string;
  /** What a program is told besides; the SDK reads `error_code`. */
  readonly details: object | null;

  constructor(status: number, message: string, details: object | null = null) {
    super(message);
    this.status = status;
    this.type = typeOf(status);
    this.details = details;
  }
}

export function invalid(message: string): AnthropicRefusal {
  return new AnthropicRefusal(400, message);
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

export function errorBody(
  type: string,
  message: string,
  requestId: string | null,
  details: object | null = null,
): object {
  const error = { type, message, ...(details === null ? {} : { details }) };
  return { type: 'error', error, request_id: requestId };
}

/** `Twin.error`. A code of the world's own is told in the message: Anthropic's errors have none. */
export function anthropicError(status: number, code: string, message: string, type?: string): Reply {
  const own = code.startsWith('wrld_') ? `${code}: ` : '';
  // No transaction is at hand to make one of.
  const requestId = `req_01${crypto.randomUUID().replaceAll('-', '').slice(0, 22)}`;
  return {
    status,
    headers: [
      ['Content-Type', 'application/json'],
      ['request-id', requestId],
      ...(own === '' ? [] : [['x-should-retry', 'false'] as const]),
    ],
    body: `${JSON.stringify(errorBody(type ?? typeOf(status), own + message, requestId))}\n`,
  };
}
