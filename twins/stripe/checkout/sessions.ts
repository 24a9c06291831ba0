// Checkout sessions.
import { invalid } from '../errors.ts';
import { createdParams, page } from '../list.ts';
import { isCurrency } from '../money.ts';
import { operation } from '../operation.ts';
import {
  boolean,
  choice,
  type Decoded,
  integer,
  list,
  mergeMetadata,
  metadata,
  text,
  time,
  tree,
} from '../params.ts';
import { ownedMethod } from '../payment-methods.ts';
import type { Session } from '../payments/wire.ts';
import { type Act, need, save } from '../records.ts';
import { viewOf } from '../views.ts';
import { complete, expireSession } from './complete.ts';
import { amountOf, itemParam, itemsView, type Line, linesOf, saveLines } from './items.ts';

const DAY_SECONDS = 86_400;
const EXPIRES_MIN_SECONDS = 30 * 60;

export const sessionShape = {
  adaptive_pricing: tree(),
  after_expiration: tree(),
  allow_promotion_codes: boolean(),
  automatic_tax: tree(),
  billing_address_collection: choice('auto', 'required'),
  branding_settings: tree(),
  cancel_url: text(),
  client_reference_id: text(200),
  consent_collection: tree(),
  currency: text(),
  custom_fields: list(tree()),
  custom_text: tree(),
  customer: text(),
  customer_creation: choice('always', 'if_required'),
  customer_email: text(),
  customer_update: tree(),
  discounts: list(tree()),
  excluded_payment_method_types: list(text()),
  expires_at: time(),
  invoice_creation: tree(),
  line_items: list(itemParam),
  locale: text(),
  metadata: metadata(),
  mode: choice('payment', 'setup', 'subscription'),
  name_collection: tree(),
  optional_items: list(tree('quantity', 'maximum', 'minimum')),
  payment_intent_data: tree('application_fee_amount', 'amount'),
  payment_method_collection: choice('always', 'if_required'),
  payment_method_configuration: text(),
  payment_method_data: tree(),
  payment_method_options: tree('expires_after_days'),
  payment_method_types: list(text()),
  phone_number_collection: tree(),
  redirect_on_completion: choice('always', 'if_required', 'never'),
  return_url: text(),
  saved_payment_method_options: tree(),
  setup_intent_data: tree(),
  shipping_address_collection: tree(),
  shipping_options: list(tree('amount', 'value')),
  submit_type: choice('auto', 'book', 'donate', 'pay', 'subscribe'),
  subscription_data: tree(
    'trial_period_days',
    'billing_cycle_anchor',
    'trial_end',
    'application_fee_percent',
  ),
  success_url: text(),
  tax_id_collection: tree(),
  ui_mode: choice('custom', 'elements', 'embedded', 'embedded_page', 'hosted', 'hosted_page'),
  wallet_options: tree(),
} as const;

export type SessionAsk = Decoded<typeof sessionShape>;

function checkUrl(url: string | undefined, param: string): void {
  if (url === undefined || /^https?:\/\/[^/]/.test(url)) return;
  throw invalid('Not a valid URL', { code: 'url_invalid', param });
}

function modeOf(ask: SessionAsk, lines: readonly Line[]): Session['mode'] {
  const recurs = lines.some(({ price }) => price.recurring !== null);
  const mode = ask.mode ?? 'payment';
  if (mode === 'payment' && recurs) {
    throw invalid(
      'You specified `payment` mode but passed a recurring price. Either switch to `subscription` mode or use only one-time prices.',
      { param: 'mode' },
    );
  }
  if (mode === 'subscription' && !recurs) {
    throw invalid('You must provide at least one recurring price in `subscription` mode when using prices.', {
      param: 'mode',
    });
  }
  if (mode !== 'setup' && lines.length === 0) {
    throw invalid('Missing required param: line_items.', { code: 'parameter_missing', param: 'line_items' });
  }
  return mode;
}

/** Opens a session; saved. Throws before it writes. */
export function openSession(act: Act, ask: SessionAsk, lines: readonly Line[], link: string | null): Session {
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
  const total = mode === 'setup' ? null : lines.reduce((sum, line) => sum + amountOf(line), 0);
  const id = act.tx.id('cs_test_', 58);
  const session: Session = {
    id,
    object: 'checkout.session',
    adaptive_pricing: mode === 'payment' ? { enabled: false } : null,
    after_expiration: null,
    allow_promotion_codes: ask.allow_promotion_codes ?? null,
    allowed_payment_method_types: null,
    amount_subtotal: total,
    amount_total: total,
    automatic_tax: { enabled: false, liability: null, provider: null, status: null },
    billing_address_collection: ask.billing_address_collection ?? null,
    cancel_url: ask.cancel_url ?? null,
    client_reference_id: ask.client_reference_id ?? null,
    client_secret: embedded ? `${id}_secret_${act.tx.id('', 32)}` : null,
    collected_information: null,
    consent: null,
    consent_collection: (ask.consent_collection ?? null) as never,
    created: act.at,
    currency,
    currency_conversion: null,
    custom_fields: (ask.custom_fields ?? []) as never,
    custom_text: {
      after_submit: null,
      shipping_address: null,
      submit: null,
      terms_of_service_acceptance: null,
      ...(ask.custom_text as object | undefined),
    },
    customer: ask.customer ?? null,
    customer_account: null,
    customer_creation:
      ask.customer !== undefined
        ? null
        : mode === 'payment'
          ? (ask.customer_creation ?? 'if_required')
          : 'always',
    customer_details: null,
    customer_email: ask.customer_email ?? null,
    discounts: [],
    expires_at: expires,
    integration_identifier: null,
    invoice: null,
    invoice_creation:
      mode === 'payment'
        ? ({
            enabled: false,
            invoice_data: {
              account_tax_ids: null,
              custom_fields: null,
              description: null,
              footer: null,
              issuer: null,
              metadata: {},
              rendering_options: null,
            },
          } as never)
        : null,
    livemode: false,
    locale: (ask.locale ?? null) as Session['locale'],
    managed_payments: null,
    metadata: mergeMetadata({}, ask.metadata),
    mode,
    origin_context: null,
    payment_intent: null,
    payment_link: link,
    payment_method_collection:
      mode === 'subscription' ? (ask.payment_method_collection ?? 'always') : 'if_required',
    payment_method_configuration_details: null,
    payment_method_options: (ask.payment_method_options ?? {
      card: { request_three_d_secure: 'automatic' },
    }) as never,
    payment_method_types: [...(ask.payment_method_types ?? ['card'])],
    payment_status: mode === 'setup' ? 'no_payment_required' : 'unpaid',
    permissions: null,
    phone_number_collection: { enabled: ask.phone_number_collection?.['enabled'] === true },
    recovered_from: null,
    ...(ask.return_url === undefined ? {} : { return_url: ask.return_url }),
    saved_payment_method_options: null,
    setup_intent: null,
    shipping_address_collection: (ask.shipping_address_collection ?? null) as never,
    shipping_cost: null,
    shipping_options: [],
    status: 'open',
    submit_type: (ask.submit_type ?? null) as Session['submit_type'],
    subscription: null,
    success_url: ask.success_url ?? null,
    total_details: total === null ? null : { amount_discount: 0, amount_shipping: 0, amount_tax: 0 },
    ui_mode: (ask.ui_mode ?? 'hosted_page') as Session['ui_mode'],
    url: embedded ? null : `https://checkout.stripe.com/c/pay/${id}`,
    wallet_options: null,
    $ask: {
      payment_intent_data: ask.payment_intent_data ?? null,
      subscription_data: ask.subscription_data ?? null,
    },
  };
  act.tx.kind('checkout.session.created');
  save(act, 'checkout.session', session);
  saveLines(act, id, lines);
  act.tx.schedule(`session:${id}`, expires * 1000, { do: 'expire session', session: id });
  return session;
}

const create = operation(
  'checkout.sessions.create',
  'POST /v1/checkout/sessions',
  sessionShape,
  ({ act, params }) =>
    viewOf(act.tx, 'checkout.session', openSession(act, params, linesOf(act, params.line_items ?? []), null)),
);

const needSession = (act: Act, path: { readonly [name: string]: string }): Session =>
  need(act, 'checkout.session', path['session'] ?? '', { param: 'session', inPath: true });

const retrieve = operation(
  'checkout.sessions.retrieve',
  'GET /v1/checkout/sessions/{session}',
  {},
  ({ act, path }) => viewOf(act.tx, 'checkout.session', needSession(act, path)),
);

const change = operation(
  'checkout.sessions.update',
  'POST /v1/checkout/sessions/{session}',
  { collected_information: tree(), metadata: metadata(), shipping_options: list(tree('amount')) },
  ({ act, path, params }) => {
    const held = needSession(act, path);
    const next = { ...held, metadata: mergeMetadata(held.metadata ?? {}, params.metadata) };
    save(act, 'checkout.session', next); // Stripe has no event for it.
    return viewOf(act.tx, 'checkout.session', next);
  },
);

const expire = operation(
  'checkout.sessions.expire',
  'POST /v1/checkout/sessions/{session}/expire',
  {},
  ({ act, path }) => {
    const held = needSession(act, path);
    if (held.status !== 'open') {
      throw invalid(
        `Only Checkout Sessions with a status in ["open"] can be expired. This Checkout Session has a status of ${held.status}.`,
      );
    }
    return viewOf(act.tx, 'checkout.session', expireSession(act, held));
  },
);

const listAll = operation(
  'checkout.sessions.list',
  'GET /v1/checkout/sessions',
  {
    ...createdParams,
    customer: text(),
    customer_details: tree(),
    payment_intent: text(),
    payment_link: text(),
    status: choice('complete', 'expired', 'open'),
    subscription: text(),
  },
  ({ act, params }) => {
    const { customer, payment_intent, payment_link, status, subscription } = params;
    const where =
      payment_intent !== undefined
        ? { payment_intent }
        : subscription !== undefined
          ? { subscription }
          : customer !== undefined
            ? { customer }
            : payment_link !== undefined
              ? { payment_link }
              : status !== undefined
                ? { status }
                : undefined;
    return page(act, 'checkout.session', params, '/v1/checkout/sessions', {
      ...(where === undefined ? {} : { where }),
      ...(status === undefined ? {} : { keep: held => held.status === status }),
    });
  },
);

const items = operation(
  'checkout.sessions.listLineItems',
  'GET /v1/checkout/sessions/{session}/line_items',
  createdParams,
  ({ act, path }) => {
    const { id } = needSession(act, path);
    return itemsView(act.tx, id, `/v1/checkout/sessions/${id}/line_items`);
  },
);

/** What the hosted page itself asks; command-line tools pay sessions with it. */
const pageOf = operation('paymentPages.retrieve', 'GET /v1/payment_pages/{session}', {}, ({ act, path }) => {
  const held = needSession(act, path);
  return {
    ...viewOf(act.tx, 'checkout.session', held),
    line_item_group: { currency: held.currency, subtotal: held.amount_subtotal, total: held.amount_total },
  };
});

const confirm = operation(
  'paymentPages.confirm',
  'POST /v1/payment_pages/{session}/confirm',
  { expected_amount: integer(0), payment_method: text() },
  ({ act, path, params }) => {
    const held = needSession(act, path);
    if (held.status !== 'open') throw invalid(`This Checkout Session is ${held.status}.`);
    if (params.expected_amount !== undefined && params.expected_amount !== (held.amount_total ?? 0)) {
      throw invalid('The expected amount does not match the amount of the Checkout Session.', {
        param: 'expected_amount',
      });
    }
    const method = ownedMethod(act, params.payment_method ?? '', held.customer, 'payment_method');
    const { email, name } = method.billing_details;
    return viewOf(
      act.tx,
      'checkout.session',
      complete(act, held, method, { email: email ?? held.customer_email, name }),
    );
  },
);

export const checkoutOperations = [create, retrieve, change, expire, listAll, items, pageOf, confirm];
