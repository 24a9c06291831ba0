// What every request to OpenAI has: an id, who asks, the model that is asked for, and the headers of its answer.
import type { Call } from '../kit/call.ts';
import { textField } from '../kit/json.ts';
import { type Asked, headerOf } from '../kit/operation.ts';
import { Refusal } from '../kit/refusal.ts';
import type { Reply } from '../kit/reply.ts';

/** What a minute allows, as the headers tell it; nothing here is ever used up. */
const REQUESTS_A_MINUTE = 10_000;
const TOKENS_A_MINUTE = 2_000_000;

export type Request = { readonly id: string; readonly model: string | null };

export function newRequest(asked: Asked): Request {
  return {
    id: `req_${asked.tx.hex(16)}`,
    model: asked.call.method === 'POST' ? textField(asked.json, 'model') : null,
  };
}

/** Any key is as good as another; a request without one is OpenAI's 401. */
export function authenticate(call: Call): void {
  if (/^bearer\s+\S/i.test(headerOf(call, 'authorization') ?? '') || call.headers['api-key'] !== undefined)
    return;
  throw new Refusal(
    401,
    '',
    "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth " +
      '(i.e. Authorization: Bearer YOUR_KEY).',
  );
}

export function headersOf({ id, model }: Request): Reply['headers'] {
  return [
    ['x-request-id', id],
    ['openai-organization', 'wrld'],
    ['openai-version', '2020-10-01'],
    ['openai-processing-ms', '1'],
    ...(model === null ? [] : LIMITS),
  ];
}

const LIMITS = [
  ['x-ratelimit-limit-requests', String(REQUESTS_A_MINUTE)],
  ['x-ratelimit-limit-tokens', String(TOKENS_A_MINUTE)],
  ['x-ratelimit-remaining-requests', String(REQUESTS_A_MINUTE - 1)],
  ['x-ratelimit-remaining-tokens', String(TOKENS_A_MINUTE - 1)],
  ['x-ratelimit-reset-requests', '6ms'],
  ['x-ratelimit-reset-tokens', '0s'],
] as const;
