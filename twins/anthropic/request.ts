// What every request to Anthropic has: an id, who asks, and the headers of its answer.
import type { Call } from '../kit/call.ts';
import { type Asked, headerOf } from '../kit/operation.ts';
import { Refusal } from '../kit/refusal.ts';
import type { Reply } from '../kit/reply.ts';

/** What a minute allows, as the headers tell it; nothing here is ever used up. */
const REQUESTS_A_MINUTE = 4_000;
const TOKENS_A_MINUTE = 400_000;

export type Request = { readonly id: string; readonly now: number };

export function newRequest({ tx }: Asked): Request {
  return { id: tx.id('req_01', 22), now: tx.now };
}

/** Any key is as good as another, in either header. */
export function authenticate(call: Call): void {
  if (!headerOf(call, 'x-api-key') && !/^bearer\s+\S/i.test(headerOf(call, 'authorization') ?? ''))
    throw new Refusal(401, '', 'x-api-key header is required');
  if (!headerOf(call, 'anthropic-version'))
    throw new Refusal(400, '', 'anthropic-version: header is required');
}

export function headersOf({ id, now }: Request): Reply['headers'] {
  const reset = new Date(now + 1000).toISOString();
  return [
    ['request-id', id],
    ['anthropic-organization-id', '00000000-0000-4000-8000-000000000000'],
    ['anthropic-ratelimit-requests-limit', String(REQUESTS_A_MINUTE)],
    ['anthropic-ratelimit-requests-remaining', String(REQUESTS_A_MINUTE - 1)],
    ['anthropic-ratelimit-requests-reset', reset],
    ['anthropic-ratelimit-tokens-limit', String(TOKENS_A_MINUTE)],
    ['anthropic-ratelimit-tokens-remaining', String(TOKENS_A_MINUTE)],
    ['anthropic-ratelimit-tokens-reset', reset],
  ];
}
