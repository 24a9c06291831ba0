// What a publishable key opens: what Stripe.js and the mobile SDKs do on a customer's own device, and nothing else. Of an
// intent that is what its client secret proves.
import type { FormMap } from '../../kit/form.ts';
import { type Act, find } from './act.ts';
import { invalid, missing, StripeRefusal } from './errors.ts';
import type { Opened } from './keys.ts';

/** What no server asks: a secret key is refused. By the names of the operations. */
export const FROM_PAGES: ReadonlySet<string> = new Set([
  'confirmationTokens.create',
  'elements.sessions.retrieve',
]);

/** By the name of the operation. */
const OPEN: ReadonlySet<string> = new Set([
  ...FROM_PAGES,
  'tokens.create',
  'tokens.retrieve',
  'sources.create',
  'paymentMethods.create',
]);

type Secret = { readonly type: 'payment_intent' | 'setup_intent' | 'source'; readonly param: string };

const INTENT: Secret = { type: 'payment_intent', param: 'intent' };
const SETUP: Secret = { type: 'setup_intent', param: 'intent' };

/** What a client secret opens, and of which record. */
const BY_SECRET: ReadonlyMap<string, Secret> = new Map([
  ['paymentIntents.retrieve', INTENT],
  ['paymentIntents.confirm', INTENT],
  ['paymentIntents.verifyMicrodeposits', { ...INTENT, param: 'id' }],
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
  'client_context',
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
  const method = form.get('payment_method_data');
  for (const name of OF_THE_DEVICE) {
    form.delete(name);
    if (method instanceof Map) method.delete(name);
  }
}

export function checkPublishable(act: Act, { operation, path, params }: Opened): void {
  if (OPEN.has(operation)) return;
  const secret = BY_SECRET.get(operation);
  if (secret === undefined)
    throw new StripeRefusal(
      403,
      'This API call cannot be made with a publishable API key. Please use a secret API key. You can find a list of ' +
        'your API keys at https://dashboard.stripe.com/account/apikeys.',
      { code: 'secret_key_required' },
    );
  const id = path[secret.param] ?? '';
  const held = find(act, secret.type, id) as Keeper | undefined;
  checkSecret(params['client_secret'], () => {
    if (held === undefined) throw missing(secret.type, id, { param: secret.param, inPath: true });
    return held;
  });
}

type Keeper = { readonly client_secret?: unknown };

/** Throws unless it is the client secret of what `held` finds. */
export function checkSecret(given: unknown, held: () => Keeper): void {
  if (typeof given !== 'string')
    throw invalid('Missing required param: client_secret.', {
      code: 'parameter_missing',
      param: 'client_secret',
    });
  if (held().client_secret !== given)
    throw invalid('The client_secret provided does not match the client_secret associated with it.', {
      param: 'client_secret',
    });
}
