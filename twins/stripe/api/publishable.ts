// What a publishable key opens: what Stripe.js and the mobile SDKs do on a customer's own device, and nothing else. Of an
// intent that is what its client secret proves.
import type { FormMap } from '../../kit/form.ts';
import { type Act, find } from './act.ts';
import { invalid, missing, StripeRefusal } from './errors.ts';

export function isPublishable(key: string | null): boolean {
  return key !== null && /^pk_(?:test|live)_./.test(key);
}

/** By the name of the operation. */
const OPEN: ReadonlySet<string> = new Set([
  'tokens.create',
  'tokens.retrieve',
  'sources.create',
  'paymentMethods.create',
  'testHelpers.confirmationTokens.create',
]);

type Secret = { readonly type: 'payment_intent' | 'setup_intent' | 'source'; readonly param: string };

const INTENT: Secret = { type: 'payment_intent', param: 'intent' };
const SETUP: Secret = { type: 'setup_intent', param: 'intent' };

/** What a client secret opens, and of which record. */
const BY_SECRET: ReadonlyMap<string, Secret> = new Map([
  ['paymentIntents.retrieve', INTENT],
  ['paymentIntents.confirm', INTENT],
  ['paymentIntents.verifyMicrodeposits', INTENT],
  ['setupIntents.retrieve', SETUP],
  ['setupIntents.confirm', SETUP],
  ['setupIntents.verifyMicrodeposits', SETUP],
  ['sources.retrieve', { type: 'source', param: 'source' }],
]);

/** What these libraries say of the device that they run on, beside the parameters of the API. */
const OF_THE_DEVICE: readonly string[] = [
  '_stripe_account',
  '_stripe_version',
  'client_attribution_metadata',
  'expected_payment_method_type',
  'guid',
  'muid',
  'pasted_fields',
  'payment_user_agent',
  'referrer',
  'sid',
  'time_on_page',
];

/** Takes out of the form what is no parameter of the operation. */
export function withoutDevice(form: FormMap): void {
  for (const name of OF_THE_DEVICE) form.delete(name);
}

export function checkPublishable(
  act: Act,
  operation: string,
  path: { readonly [name: string]: string },
  params: { readonly [name: string]: unknown },
): void {
  if (OPEN.has(operation)) return;
  const secret = BY_SECRET.get(operation);
  if (secret === undefined)
    throw new StripeRefusal(
      403,
      'This API call cannot be made with a publishable API key. Please use a secret API key. You can find a list of ' +
        'your API keys at https://dashboard.stripe.com/account/apikeys.',
      { code: 'secret_key_required' },
    );
  const given = params['client_secret'];
  if (typeof given !== 'string')
    throw invalid('Missing required param: client_secret.', {
      code: 'parameter_missing',
      param: 'client_secret',
    });
  const id = path[secret.param] ?? '';
  const held = find(act, secret.type, id) as { readonly client_secret?: unknown } | undefined;
  if (held === undefined) throw missing(secret.type, id, { param: secret.param, inPath: true });
  if (held.client_secret !== given)
    throw invalid('The client_secret provided does not match the client_secret associated with it.', {
      param: 'client_secret',
    });
}
