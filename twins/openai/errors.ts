// Errors in OpenAI's shape. A refusal is thrown by an operation before it writes anything.
import type { Reply } from '../kit/reply.ts';

export type ErrorFields = {
  readonly type?: string;
  readonly code?: string | null;
  readonly param?: string | null;
};

export class OpenaiRefusal extends Error {
  override readonly name = 'OpenaiRefusal';
  readonly status: number;
  readonly fields: ErrorFields;

  constructor(status: number, message: string, fields: ErrorFields = {}) {
    super(message);
    this.status = status;
    this.fields = fields;
  }
}

export function invalid(
  message: string,
  param: string | null = null,
  code: string | null = null,
): OpenaiRefusal {
  return new OpenaiRefusal(400, message, { param, code });
}

export function missing(param: string): OpenaiRefusal {
  return invalid(`Missing required parameter: '${param}'.`, param, 'missing_required_parameter');
}

export function notFound(message: string, param: string | null = null): OpenaiRefusal {
  return new OpenaiRefusal(404, message, { param });
}

/** The type OpenAI gives an error of that status. */
function typeOf(status: number): string {
  if (status === 429) return 'rate_limit_exceeded';
  return status >= 500 ? 'server_error' : 'invalid_request_error';
}

export function errorOf(
  status: number,
  message: string,
  { type = typeOf(status), code = null, param = null }: ErrorFields,
): {
  readonly message: string;
  readonly type: string;
  readonly param: string | null;
  readonly code: string | null;
} {
  return { message, type, param, code };
}

/** `Twin.error`. */
export function openaiError(status: number, code: string, message: string, type?: string): Reply {
  const fields = { code: code === '' ? null : code, ...(type === undefined ? {} : { type }) };
  return {
    status,
    headers: [
      ['Content-Type', 'application/json'],
      // No transaction is at hand to make one of.
      ['x-request-id', `req_${crypto.randomUUID().replaceAll('-', '')}`],
      // What the world itself refuses, a retry would not change.
      ...(code.startsWith('wrld_') || code === 'twin_failed' ? [['x-should-retry', 'false'] as const] : []),
    ],
    body: `${JSON.stringify({ error: errorOf(status, message, fields) }, null, 2)}\n`,
  };
}
