// A checkout session as it begins: what it sells, to whom, and until when.

import { schedule } from '../../kit/due.ts';
import { type Act, need, save } from '../api/act.ts';
import { invalid } from '../api/errors.ts';
import { filledField } from '../api/fill-shape.ts';
import { isCurrency } from '../api/money.ts';
import { mergeMetadata } from '../api/params.ts';
import type { Due } from '../due.ts';
import { tell } from '../events/events.ts';
import { configurationDetails } from '../payments/method-configurations.ts';
import type { SetupIntent } from '../payments/records.ts';
import { newSetup } from '../payments/setup.ts';
import { checkChosen, type Line, saveLines } from './items.ts';
import type { Session } from './records.ts';
import { checkUrl, modeOf, type SessionAsk } from './session-fields.ts';
import { costOf, optionsOf, saveRates } from './shipping.ts';
import { redeemed, sumsOf, withTotals } from './totals.ts';

const DAY_SECONDS = 86_400;
const EXPIRES_MIN_SECONDS = 30 * 60;

/** Opens a session; saved. Throws before it writes. */
export function openSession(act: Act, ask: SessionAsk, lines: readonly Line[], link: string | null): Session {
  const { mode, embedded, currency, expires, discount } = checked(act, ask, lines, link);
  const { options, made: rates } = optionsOf(act, ask.shipping_options, currency);
  const sums = sumsOf(lines, discount);
  const shipping_cost = costOf(options[0]);
  const id = act.tx.id('cs_test_', 58);
  const bare: Session = {
    ...NOT_YET,
    ...pageFields(ask),
    ...paymentFields(act, ask, mode),
    id,
    object: 'checkout.session',
    client_reference_id: ask.client_reference_id ?? null,
    client_secret: embedded ? `${id}_secret_${act.tx.id('', 32)}` : null,
    created: act.at,
    currency,
    discounts:
      discount === null
        ? []
        : [
            {
              coupon: discount.promotion === null ? discount.coupon.id : null,
              promotion_code: discount.promotion,
            },
          ],
    expires_at: expires,
    integration_identifier: ask.integration_identifier ?? null,
    livemode: false,
    metadata: mergeMetadata({}, ask.metadata),
    mode,
    payment_link: link,
    shipping_cost,
    shipping_options: options,
    status: 'open',
    ui_mode: (ask.ui_mode ?? 'hosted_page') as Session['ui_mode'],
    url: embedded ? null : `https://checkout.stripe.com/c/pay/${id}`,
    ...(lines.some(({ price }) => price.custom_unit_amount !== null) ? { $chosen: true } : {}),
    $ask: {
      customer_update: ask.customer_update ?? null,
      payment_intent_data: ask.payment_intent_data ?? null,
      setup_intent_data: ask.setup_intent_data ?? null,
      subscription_data: ask.subscription_data ?? null,
    },
  };
  const setup = mode === 'setup' ? setupFor(act, bare) : null;
  const session: Session = {
    ...bare,
    ...withTotals(bare, sums, shipping_cost?.amount_total ?? null),
    setup_intent: setup?.id ?? null,
  };
  act.tx.kind('checkout.session.created');
  save(act, 'checkout.session', session);
  saveLines(act, id, lines, sums);
  saveRates(act, rates);
  if (setup !== null) {
    save(act, 'setup_intent', setup);
    tell(act, 'setup_intent.created', 'setup_intent', setup);
  }
  schedule<Due>(act.tx, `session:${id}`, expires * 1000, { kind: 'session.expire', session: id });
  return session;
}

/** What is wrong with what is asked is refused here, before anything is written. */
function checked(act: Act, ask: SessionAsk, lines: readonly Line[], link: string | null) {
  const mode = modeOf(ask, lines);
  checkUrl(ask.success_url, 'success_url');
  checkUrl(ask.cancel_url, 'cancel_url');
  checkUrl(ask.return_url, 'return_url');
  const embedded = ask.ui_mode !== undefined && !ask.ui_mode.startsWith('hosted');
  if (!embedded && ask.success_url === undefined && link === null) {
    throw invalid('Missing required param: success_url.', {
      code: 'parameter_missing',
      param: 'success_url',
    });
  }
  if (ask.customer !== undefined && ask.customer_email !== undefined) {
    throw invalid('You may only specify one of these parameters: customer, customer_email.', {
      code: 'parameters_exclusive',
      param: 'customer',
    });
  }
  if (ask.customer !== undefined) need(act, 'customer', ask.customer, { param: 'customer' });
  const currency = lines[0]?.price.currency ?? ask.currency?.toLowerCase() ?? null;
  if (currency !== null && !isCurrency(currency))
    throw invalid(`Invalid currency: ${currency}`, { param: 'currency' });
  const expires = ask.expires_at ?? act.at + DAY_SECONDS;
  if (expires < act.at + EXPIRES_MIN_SECONDS || expires > act.at + DAY_SECONDS) {
    throw invalid(
      'The `expires_at` timestamp must be at least 30 minutes and at most 24 hours from Checkout Session creation.',
      { param: 'expires_at' },
    );
  }
  const discount = redeemed(act, ask.discounts);
  if (discount !== null && ask.allow_promotion_codes !== undefined) {
    throw invalid('You may only specify one of these parameters: allow_promotion_codes, discounts.', {
      code: 'parameters_exclusive',
      param: 'discounts',
    });
  }
  checkChosen(lines, discount !== null || ask.allow_promotion_codes === true);
  return { mode, embedded, currency, expires, discount };
}

/** What a session does not have before it is paid, or ever here. */
const NOT_YET = {
  amount_subtotal: null,
  amount_total: null,
  collected_information: null,
  consent: null,
  currency_conversion: null,
  customer_account: null,
  customer_details: null,
  invoice: null,
  managed_payments: null,
  origin_context: null,
  payment_intent: null,
  permissions: null,
  recovered_from: null,
  setup_intent: null,
  subscription: null,
  total_details: null,
  wallet_options: null,
} as const;

/** How the page of an account looks that chose nothing. */
const BRANDING = {
  background_color: '#ffffff',
  border_style: 'rounded',
  button_color: '#0074d4',
  display_name: 'Twin',
  font_family: 'default',
  icon: null,
  logo: null,
} as const;

/** How the page looks and what it asks of who pays. */
function pageFields(ask: SessionAsk) {
  return {
    after_expiration:
      ask.after_expiration === undefined
        ? null
        : filledField('checkout.session', 'after_expiration', {
            ...ask.after_expiration,
          }),
    allow_promotion_codes: ask.allow_promotion_codes ?? null,
    billing_address_collection: ask.billing_address_collection ?? null,
    branding_settings: filledField('checkout.session', 'branding_settings', {
      ...BRANDING,
      ...ask.branding_settings,
    }),
    cancel_url: ask.cancel_url ?? null,
    consent_collection: filledField('checkout.session', 'consent_collection', ask.consent_collection ?? null),
    custom_fields: filledField('checkout.session', 'custom_fields', customFields(ask.custom_fields)),
    custom_text: {
      after_submit: null,
      shipping_address: null,
      submit: null,
      terms_of_service_acceptance: null,
      ...(ask.custom_text as object | undefined),
    },
    locale: (ask.locale ?? null) as Session['locale'],
    ...(ask.name_collection === undefined ? {} : { name_collection: ask.name_collection }),
    phone_number_collection: { enabled: ask.phone_number_collection?.['enabled'] === true },
    ...(ask.return_url === undefined ? {} : { return_url: ask.return_url }),
    shipping_address_collection: ask.shipping_address_collection ?? null,
    submit_type: (ask.submit_type ?? null) as Session['submit_type'],
    success_url: ask.success_url ?? null,
    ...(ask.tax_id_collection === undefined
      ? {}
      : { tax_id_collection: { enabled: ask.tax_id_collection['enabled'] === true, required: 'never' } }),
  } satisfies Partial<Session>;
}

/** What is paid with, by whom, and what that makes. */
function paymentFields(act: Act, ask: SessionAsk, mode: Session['mode']) {
  return {
    adaptive_pricing: mode === 'setup' ? null : { enabled: false },
    allowed_payment_method_types:
      ask.allowed_payment_method_types === undefined ? null : [...ask.allowed_payment_method_types],
    automatic_tax:
      ask.automatic_tax?.['enabled'] === true
        ? // Nobody is registered to collect any, so none is due.
          { enabled: true, liability: { type: 'self' }, provider: 'stripe', status: 'complete' }
        : { enabled: false, liability: null, provider: null, status: null },
    customer: ask.customer ?? null,
    customer_creation:
      ask.customer !== undefined
        ? null
        : mode === 'payment'
          ? (ask.customer_creation ?? 'if_required')
          : 'always',
    customer_email: ask.customer_email ?? null,
    invoice_creation:
      mode === 'payment'
        ? {
            enabled: ask.invoice_creation?.['enabled'] === true,
            invoice_data: {
              account_tax_ids: null,
              custom_fields: null,
              description: null,
              footer: null,
              issuer: null,
              metadata: {},
              rendering_options: null,
              ...(ask.invoice_creation?.['invoice_data'] as object | undefined),
            },
          }
        : null,
    payment_method_collection:
      mode === 'subscription' ? (ask.payment_method_collection ?? 'always') : 'if_required',
    payment_method_configuration_details: configurationDetails(act, ask),
    payment_method_options: ask.payment_method_options ?? {
      card: { request_three_d_secure: 'automatic' },
    },
    payment_method_types: [...(ask.payment_method_types ?? ask.allowed_payment_method_types ?? ['card'])],
    payment_status: mode === 'setup' ? 'no_payment_required' : 'unpaid',
    saved_payment_method_options:
      ask.customer === undefined
        ? null
        : {
            allow_redisplay_filters: ['always'],
            payment_method_remove: 'disabled',
            payment_method_save: null,
            ...ask.saved_payment_method_options,
          },
  } satisfies Partial<Session>;
}

/** What a session in setup mode saves a method with. */
function setupFor(act: Act, session: Session): SetupIntent {
  const data = session.$ask['setup_intent_data'] as { readonly [field: string]: unknown } | null;
  return {
    ...newSetup(act),
    customer: session.customer,
    description: typeof data?.['description'] === 'string' ? data['description'] : null,
    metadata: (data?.['metadata'] as { [name: string]: string } | undefined) ?? {},
    payment_method_types: session.payment_method_types,
    $session: session.id,
  };
}

/** Each has a value to fill in, of its type. */
function customFields(given: SessionAsk['custom_fields']): readonly object[] {
  return (given ?? []).map(field => {
    const type = String(field['type']);
    const own = (field[type] ?? {}) as object;
    return { optional: false, ...field, [type]: { default_value: null, value: null, ...own } };
  });
}
