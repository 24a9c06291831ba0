// What callers may set on a subscription, made or changed.

import {
  boolean,
  choice,
  either,
  hash,
  integer,
  metadata,
  nowOrTime,
  required,
  text,
  unset,
  wordOrTime,
} from '../api/params.ts';
import { discountsParam, taxRatesParam } from '../catalog/discount-params.ts';
import type { DiscountAsk } from '../catalog/discounts.ts';
import { subscriptionPaymentParams } from '../invoicing/payment-settings.ts';
import { ADDED_UNMODELLED, addedItemsParam } from './added-items.ts';
import { ITEM_UNMODELLED } from './items.ts';
import { sharingParams } from './sharing.ts';
import { thresholdsParam } from './threshold-params.ts';

/** Until 2026-09-30 it was the word alone. */
export const anchorParam = either(
  choice('now', 'unchanged'),
  hash({ type: required(choice('now', 'unchanged')) }),
);

export function anchorOf(
  given: 'now' | 'unchanged' | { readonly type: 'now' | 'unchanged' } | undefined,
): 'now' | 'unchanged' {
  return (typeof given === 'object' ? given.type : given) ?? 'unchanged';
}

/** When to end: at a time, or with a period. All items of a subscription have the same here. */
export const cancelAtParam = wordOrTime('max_billed_until', 'max_period_end', 'min_period_end');

/** Fields that creating and updating share. */
export const subscriptionFields = {
  /** A parameter until 2025-09-30; the discount is made all the same. */
  coupon: unset(text()),
  promotion_code: unset(text()),
  add_invoice_items: addedItemsParam,
  ...sharingParams,
  automatic_tax: hash({
    enabled: required(boolean()),
    liability: hash({ type: required(choice('self', 'account')) }),
  }),
  billing_mode: hash({
    flexible: hash({ proration_discounts: choice('included', 'itemized') }),
    type: required(choice('classic', 'flexible')),
  }),
  discounts: discountsParam,
  default_tax_rates: taxRatesParam,
  billing_thresholds: thresholdsParam,
  cancel_at_period_end: boolean(),
  collection_method: choice('charge_automatically', 'send_invoice'),
  days_until_due: integer(0),
  default_payment_method: text(),
  default_source: unset(text()),
  description: unset(text(500)),
  metadata: metadata(),
  off_session: boolean(),
  payment_behavior: choice(
    'allow_incomplete',
    'default_incomplete',
    'error_if_incomplete',
    'pending_if_incomplete',
  ),
  payment_settings: hash({
    ...subscriptionPaymentParams,
    save_default_payment_method: choice('off', 'on_subscription'),
  }),
  proration_behavior: choice('always_invoice', 'create_prorations', 'none'),
  trial_end: nowOrTime(),
  trial_from_plan: boolean(),
  trial_settings: hash({
    end_behavior: required(
      hash({ missing_payment_method: required(choice('cancel', 'create_invoice', 'pause')) }),
    ),
  }),
} as const;

export const SUBSCRIPTION_UNMODELLED = [
  ...ADDED_UNMODELLED,
  'automatic_tax[liability][account]',
  'billing_schedules',
  'customer_account',
  'invoice_settings',
  'pending_invoice_item_interval',
  'trial_settings[end_behavior][billing_cycle_anchor]',
  ...ITEM_UNMODELLED.map(name => `items[][${name}]`),
];
/** The discounts that parameters ask for, by their name of now or of before; undefined where they ask for no change. */
export function discountAsks(params: {
  readonly coupon?: string | null;
  readonly promotion_code?: string | null;
  readonly discounts?: readonly DiscountAsk[] | null;
}): readonly DiscountAsk[] | undefined {
  if (params.discounts !== undefined) return params.discounts ?? [];
  if (typeof params.promotion_code === 'string') return [{ promotion_code: params.promotion_code }];
  if (typeof params.coupon === 'string') return [{ coupon: params.coupon }];
  return params.coupon === null || params.promotion_code === null ? [] : undefined;
}
