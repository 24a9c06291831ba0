// Stripe's refusals: status, type, code and text as its API words them. A refusal unwinds the operation and is
// turned into an answer in one place (answer.ts); nothing may have been written before it is thrown.

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

export class StripeRefusal extends Error {
  readonly status: number;
  readonly fields: ErrorFields;
  constructor(status: number, message: string, fields: ErrorFields) {
    super(message);
    this.status = status;
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

export function unmodelledParameter(name: string, operation: string): StripeRefusal {
  return invalid(
    `This Stripe twin does not model the parameter ${name} of ${operation}. ` +
      'Leave it out, or answer the request with a handler.',
    { code: 'wrld_unmodelled_parameter', param: name },
  );
}

/** The JSON of an answer, keys in the order Stripe sends them. */
export function errorBody(
  message: string,
  fields: ErrorFields,
  request: { readonly id: string; readonly at: number } | null,
): string {
  if (fields.oauth !== undefined) {
    return `${JSON.stringify({ error: fields.oauth, error_description: message }, null, 2)}\n`;
  }
  const type = fields.type ?? 'invalid_request_error';
  const whole: { [name: string]: unknown } = { ...fields, message, type };
  // Only for what the vendor itself would say: the world's own codes have no page there.
  if (request !== null && fields.code !== undefined && !fields.code.startsWith('wrld_')) {
    whole['doc_url'] = `https://stripe.com/docs/error-codes/${fields.code.replaceAll('_', '-')}`;
  }
  if (request !== null) {
    whole['request_log_url'] = `https://dashboard.stripe.com/test/logs/${request.id}?t=${request.at}`;
  }
  const sorted = Object.keys(whole).sort();
  return `${JSON.stringify({ error: Object.fromEntries(sorted.map(key => [key, whole[key]])) }, null, 2)}\n`;
}
