// What a page's Elements ask before they show anything: for whom, for what, and which methods to offer.
import { type Act, need } from '../api/act.ts';
import { invalid } from '../api/errors.ts';
import { isCurrency } from '../api/money.ts';
import { operation } from '../api/operation.ts';
import { choice, type Decoded, hash, integer, list, required, text, tree } from '../api/params.ts';
import { checkSecret } from '../api/publishable.ts';
import { type View, viewOf } from '../api/view.ts';
import { ownAccount } from '../connect/accounts.ts';
import { checkAmount } from '../payments/intent-fields.ts';
import { offered } from '../payments/method-configurations.ts';

const SESSION_CHARS = 11;

/** An intent that there is not yet: the page says what it will be of. */
const deferred = {
  amount: integer(0),
  capture_method: choice('automatic', 'automatic_async', 'manual'),
  currency: text(),
  mode: required(choice('payment', 'setup', 'subscription')),
  on_behalf_of: text(),
  payment_method_configuration: text(),
  payment_method_options: tree(),
  payment_method_types: list(text()),
  setup_future_usage: choice('off_session', 'on_session'),
} as const;

const shape = {
  client_secret: text(),
  deferred_intent: hash(deferred),
  locale: text(),
  type: required(choice('deferred_intent', 'payment_intent', 'setup_intent')),
  // Of the page, and of the library that asks.
  elements_init_source: text(),
  referrer_host: text(),
  stripe_js_id: text(),
  top_level_referrer_host: text(),
} as const;

type Preference = { readonly methods: readonly string[]; readonly intent?: View };

/** The intent that a client secret opens. */
function intended(
  act: Act,
  type: 'payment_intent' | 'setup_intent',
  secret: string | undefined,
): Preference & { readonly intent: View } {
  const id = secret?.split('_secret_')[0] ?? '';
  const held = () => need(act, type, id, { param: 'client_secret' });
  checkSecret(secret, held);
  const { payment_method_types: methods } = held();
  return { methods, intent: viewOf(act, type, held()) };
}

function isDeferred(act: Act, given: Decoded<typeof deferred> | undefined): Preference {
  const param = 'deferred_intent';
  if (given === undefined)
    throw invalid(`Missing required param: ${param}.`, { code: 'parameter_missing', param });
  const { amount, mode } = given;
  const currency = given.currency?.toLowerCase();
  const lacks =
    mode === 'setup' ? null : currency === undefined ? 'currency' : amount === undefined ? 'amount' : null;
  if (lacks !== null)
    throw invalid(`Missing required param: ${param}[${lacks}].`, {
      code: 'parameter_missing',
      param: `${param}[${lacks}]`,
    });
  if (currency !== undefined && !isCurrency(currency))
    throw invalid(`Invalid currency: ${given.currency}`, { param: `${param}[currency]` });
  if (mode === 'payment') checkAmount(amount ?? 0, currency ?? '');
  return { methods: given.payment_method_types ?? offered(act, given.payment_method_configuration) };
}

const retrieve = operation(
  'elements.sessions.retrieve',
  'GET /v1/elements/sessions',
  shape,
  ({ act, params }) => {
    const { type } = params;
    const { methods, intent } =
      type === 'deferred_intent'
        ? isDeferred(act, params.deferred_intent)
        : intended(act, type, params.client_secret);
    const { id: account, country, default_currency: currency, settings } = ownAccount(act);
    return {
      session_id: act.tx.id('elements_session_', SESSION_CHARS),
      object: 'elements_session',
      account_id: account,
      // A wallet is its owner's, and no test card is in one.
      apple_pay_preference: 'disabled',
      business_name: (settings as Settings | undefined)?.dashboard?.display_name ?? null,
      card_brand_choice: { eligible: false, preferred_networks: ['cartes_bancaires'] },
      customer: null,
      google_pay_preference: 'disabled',
      link_settings: { link_bank_enabled: false, link_funding_sources: [] },
      locale: params.locale ?? null,
      merchant_country: country,
      merchant_currency: currency,
      ordered_payment_method_types_and_wallets: methods,
      payment_method_preference: {
        object: 'payment_method_preference',
        country_code: country,
        ordered_payment_method_types: methods,
        type,
        ...(intent === undefined ? {} : { [type]: intent }),
      },
      payment_method_specs: [],
      unactivated_payment_method_types: [],
    };
  },
  // What a customer's session allows is not kept.
  ['customer_session_client_secret'],
);

type Settings = { readonly dashboard?: { readonly display_name?: string | null } };

export const elementsOperations = [retrieve];
