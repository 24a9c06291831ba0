// Keys: which are let in, and what a key of each kind opens.
import type { Call } from '../../kit/call.ts';
import { PLATFORM_ACCOUNT } from './account-key.ts';
import type { Act } from './act.ts';
import { checkEphemeral } from './ephemeral.ts';
import { invalidKey, noAccess, StripeRefusal } from './errors.ts';
import { checkPublishable, FROM_PAGES } from './publishable.ts';
import { apiKeyOf, type KeyKind } from './request.ts';

export type Opened = {
  readonly operation: string;
  readonly path: { readonly [name: string]: string };
  readonly params: { readonly [name: string]: unknown };
};

const KINDS: readonly (readonly [prefix: RegExp, kind: KeyKind])[] = [
  [/^pk_(?:test|live)_./, 'publishable'],
  [/^ek_test_./, 'ephemeral'],
  [/^[rs]k_/, 'secret'],
];

export function kindOfKey(key: string): KeyKind {
  return KINDS.find(([prefix]) => prefix.test(key))?.[1] ?? 'world';
}

export function authenticate(call: Call): void {
  const key = apiKeyOf(call);
  if (key === null) {
    throw new StripeRefusal(
      401,
      'You did not provide an API key. You need to provide your API key in the Authorization header, using ' +
        "Bearer auth (e.g. 'Authorization: Bearer YOUR_SECRET_KEY'). See https://stripe.com/docs/api#authentication " +
        'for details, or we can help at https://support.stripe.com/.',
      {},
    );
  }
  // `mes_test_`: the token of a meter event session. `tok_`: a caller that presents the world's token as its API key was let in by the world (5.2-3).
  // A live key works as a test key does: nothing real is behind either, and an app as it is deployed brings its own.
  if (!/^(sk|rk|pk)_(test|live)_.|^tok_.|^mes_test_.|^ek_test_./.test(key)) throw invalidKey(key);
}

/**
 * Throws for an account that a call is made for, or is about, and that is none of the platform's. `asked` as the header or
 * the key says. Of a real platform not every account is known here.
 */
export function checkAccount(act: Act, asked: string | null, call: Call): void {
  const about = /^\/v1\/accounts\/([^/]+)/.exec(call.path)?.[1] ?? null;
  for (const account of [asked, about]) {
    if (account === null || account === PLATFORM_ACCOUNT.id) continue;
    if (act.tx.get('account', account) ?? act.tx.get('v2.core.account', account)) continue;
    if (act.tx.get('observed_mark', 'any') === undefined) throw noAccess(apiKeyOf(call) ?? '', account);
  }
}

/** Throws for what a key of this kind does not open. */
export function checkKey(
  act: Act,
  kind: KeyKind,
  { call, ...opened }: Opened & { readonly call: Call },
): void {
  if (kind === 'publishable') checkPublishable(act, opened);
  else if (kind === 'ephemeral') checkEphemeral(act, apiKeyOf(call) ?? '', opened);
  else if (kind === 'secret' && FROM_PAGES.has(opened.operation))
    throw new StripeRefusal(
      403,
      'This API call cannot be made with a secret API key. Please use a publishable API key. You can find a list of ' +
        'your API keys at https://dashboard.stripe.com/account/apikeys.',
      {},
    );
}
