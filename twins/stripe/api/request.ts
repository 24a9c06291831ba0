// What every request to Stripe has: an id, a version, a key, whose account it is for; and the headers of its answer.
import type { Call } from '../../kit/call.ts';
import { headerOf } from '../../kit/operation.ts';
import type { Reply } from '../../kit/reply.ts';

export type Request = {
  readonly id: string;
  readonly at: number;
  readonly version: string;
  readonly key: string | null;
  readonly account: string | null;
};

/** Bearer, or Basic with the key as the user (or, as the world's tokens come, as the password). */
export function apiKeyOf(call: Call): string | null {
  const value = headerOf(call, 'authorization');
  if (value === null) return null;
  const [scheme = '', credentials = ''] = value.trim().split(/\s+/, 2);
  if (/^bearer$/i.test(scheme)) return credentials === '' ? null : credentials;
  if (!/^basic$/i.test(scheme)) return null;
  try {
    const [user = '', password = ''] = atob(credentials).split(':', 2);
    return user || password || null;
  } catch {
    return null;
  }
}

export function headersOf(request: Request, status: number): Reply['headers'] {
  return [
    ['Content-Type', 'application/json'],
    ['Cache-Control', 'no-cache, no-store'],
    ['Request-Id', request.id],
    ['Stripe-Version', request.version],
    ...(request.account === null ? [] : [['Stripe-Account', request.account] as const]),
    ...(request.key === null ? [] : [['Idempotency-Key', request.key] as const]),
    // An operation that is not modelled will not be on a retry either (the SDK retries a 5xx).
    ...(status >= 500 ? [['Stripe-Should-Retry', 'false'] as const] : []),
  ];
}
