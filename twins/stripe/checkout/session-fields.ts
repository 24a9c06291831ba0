// What callers say of a checkout session, and what of it cannot be.

import { invalid } from '../api/errors.ts';
import {
  boolean,
  choice,
  type Decoded,
  hash,
  list,
  metadata,
  text,
  time,
  tree,
  treeOf,
} from '../api/params.ts';
import { itemParam, type Line } from './items.ts';
import type { Session } from './records.ts';

// Interfaces, so that the types of the package can name them.
interface NameCollection extends NonNullable<Session['name_collection']> {}
interface PaymentMethodOptions extends NonNullable<Session['payment_method_options']> {}
interface ShippingAddressCollection extends NonNullable<Session['shipping_address_collection']> {}

export const sessionShape = {
  adaptive_pricing: tree(),
  after_expiration: tree(),
  allow_promotion_codes: boolean(),
  allowed_payment_method_types: list(text()),
  automatic_tax: tree(),
  billing_address_collection: choice('auto', 'required'),
  branding_settings: tree(),
  cancel_url: text(),
  client_reference_id: text(200),
  consent_collection: tree(),
  currency: text(),
  custom_fields: list(tree('maximum_length', 'minimum_length')),
  custom_text: tree(),
  customer: text(),
  customer_creation: choice('always', 'if_required'),
  customer_email: text(),
  customer_update: hash({
    address: choice('auto', 'never'),
    name: choice('auto', 'never'),
    shipping: choice('auto', 'never'),
  }),
  discounts: list(tree()),
  excluded_payment_method_types: list(text()),
  expires_at: time(),
  integration_identifier: text(),
  invoice_creation: tree(),
  line_items: list(itemParam),
  locale: text(),
  metadata: metadata(),
  mode: choice('payment', 'setup', 'subscription'),
  name_collection: treeOf<NameCollection>(),
  payment_intent_data: tree('application_fee_amount', 'amount'),
  payment_method_collection: choice('always', 'if_required'),
  payment_method_configuration: text(),
  payment_method_data: tree(),
  payment_method_options: treeOf<PaymentMethodOptions>('expires_after_days'),
  payment_method_types: list(text()),
  phone_number_collection: tree(),
  redirect_on_completion: choice('always', 'if_required', 'never'),
  return_url: text(),
  saved_payment_method_options: tree(),
  setup_intent_data: tree(),
  shipping_address_collection: treeOf<ShippingAddressCollection>(),
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

export const SESSION_UNMODELLED = [
  'customer_account',
  'line_items[][dynamic_tax_rates]',
  'managed_payments',
  'optional_items',
  'origin_context',
  'permissions',
];

export type SessionAsk = Decoded<typeof sessionShape>;

export function checkUrl(url: string | undefined, param: string): void {
  if (url === undefined || /^https?:\/\/[^/]/.test(url)) return;
  throw invalid('Not a valid URL', { code: 'url_invalid', param });
}

export function modeOf(ask: SessionAsk, lines: readonly Line[]): Session['mode'] {
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
  const currencies = new Set(lines.map(({ price }) => price.currency));
  if (currencies.size > 1) {
    throw invalid('All line items must have the same currency.', { param: 'line_items' });
  }
  if (mode !== 'payment' && ask.shipping_options !== undefined) {
    throw invalid('`shipping_options` can only be used in `payment` mode.', { param: 'shipping_options' });
  }
  return mode;
}
