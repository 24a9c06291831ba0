// What every request to Stripe has: an id, a version, a key, whose account it is for; and the headers of its answer.
import type { Call } from '../../kit/call.ts';
import { headerOf } from '../../kit/operation.ts';
import type { Reply } from '../../kit/reply.ts';
import { accountOfKey, PLATFORM_ACCOUNT } from './account-key.ts';
import type { AskedIn, AsOf } from './older.ts';

/** What lets a page of any origin read the answer. */
export const PAGE_HEADERS: Reply['headers'] = [
  ['Access-Control-Allow-Origin', '*'],
  ['Access-Control-Expose-Headers', 'Request-Id, Stripe-Manage-Version, Stripe-Should-Retry'],
];

/** `world`: whom the world let in, with a token of its own. */
export type KeyKind = 'secret' | 'publishable' | 'ephemeral' | 'world';

export type Request = AskedIn & {
  readonly id: string;
  readonly at: number;
  /** Null when the version is today's. */
  readonly asOf: AsOf | null;
  readonly key: string | null;
  readonly account: string | null;
  /** It came from a browser's page: Stripe's answers can be read from any. */
  readonly page: boolean;
  readonly keyKind: KeyKind;
};

/**
 * Bearer, or Basic with the key as the user (or, as the world's tokens come, as the password); else the field `key`, where
 * Stripe.js puts it.
 */
export function apiKeyOf(call: Call): string | null {
  const value = headerOf(call, 'authorization');
  if (value === null) return fieldOf(call, 'key');
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

/** A field of the query or of the form, before either is decoded. */
function fieldOf(call: Call, name: string): string | null {
  const field = new RegExp(`(?:^|&)${name}=([\\w]+)`);
  const inQuery = field.exec(call.query)?.[1];
  if (inQuery !== undefined || call.body.length === 0) return inQuery ?? null;
  const type = headerOf(call, 'content-type') ?? '';
  return type.includes('form-urlencoded')
    ? (field.exec(new TextDecoder().decode(call.body))?.[1] ?? null)
    : null;
}

/** For whose account: as the header says, as a page's form does, or as a key of that account's own. */
export function accountOf(call: Call, key: string, kind: KeyKind): string | null {
  const named =
    headerOf(call, 'stripe-account') ?? (kind === 'publishable' ? fieldOf(call, '_stripe_account') : null);
  return named === PLATFORM_ACCOUNT.id ? null : (named ?? accountOfKey(key));
}

export function headersOf(request: Request, status: number): Reply['headers'] {
  return [
    ['Content-Type', 'application/json'],
    ['Cache-Control', 'no-cache, no-store'],
    ['Request-Id', request.id],
    ...(request.page ? PAGE_HEADERS : []),
    ['Stripe-Version', request.version],
    ...(request.account === null ? [] : [['Stripe-Account', request.account] as const]),
    ...(request.key === null ? [] : [['Idempotency-Key', request.key] as const]),
    // An operation that is not modelled will not be on a retry either (the SDK retries a 5xx).
    ...(status >= 500 ? [['Stripe-Should-Retry', 'false'] as const] : []),
  ];
}
