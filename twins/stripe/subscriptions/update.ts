// Changing a subscription: its fields, its items, when it ends.

import { type Act, find, need, save } from '../api/act.ts';
import { invalid } from '../api/errors.ts';
import { operation } from '../api/operation.ts';
import { choice, type Decoded, hash, mergeMetadata, required, text, time, unset } from '../api/params.ts';
import { viewOf } from '../api/view.ts';
import { checkDiscounts, closeDiscount, type DiscountAsk, openDiscounts } from '../catalog/discounts.ts';
import type { Price } from '../catalog/records.ts';
import { ratesOf } from '../catalog/tax-rates.ts';
import { update } from '../events/events.ts';
import { checkCollection } from '../invoicing/collection-method.ts';
import { subscriptionPayment } from '../invoicing/payment-settings.ts';
import { attachTo, ownedMethod } from '../payments/methods.ts';
import { needSourceOf } from '../payments/sources.ts';
import { automaticTax } from '../tax/automatic.ts';
import { checkAdded, openAdded } from './added-items.ts';
import { applyChanges, type Changes } from './change.ts';
import { itemsOf, periodOf, reschedule } from './clock.ts';
import {
  anchorOf,
  anchorParam,
  cancelAtParam,
  discountAsks,
  SUBSCRIPTION_UNMODELLED,
  subscriptionFields,
} from './fields.ts';
import { holdChange as heldBack } from './hold.ts';
import { changedItem, checkAlike, choosePrice, itemsParam, newItem } from './items.ts';
import type { ItemChange } from './proration.ts';
import type { Subscription } from './records.ts';
import { sharingOf } from './sharing.ts';
import { thresholdsOf, withWatch } from './threshold-params.ts';
import { endTrialNow } from './trial.ts';
import { checkUsage, clearUsage } from './usage-records.ts';

export const cancellation = hash({
  comment: unset(text()),
  feedback: unset(
    choice(
      'customer_service',
      'low_quality',
      'missing_features',
      'other',
      'switched_service',
      'too_complex',
      'too_expensive',
      'unused',
    ),
  ),
});

const updateShape = {
  ...subscriptionFields,
  billing_cycle_anchor: anchorParam,
  cancel_at: unset(cancelAtParam),
  cancellation_details: cancellation,
  items: itemsParam.changed,
  pause_collection: unset(
    hash({
      behavior: required(choice('keep_as_draft', 'mark_uncollectible', 'void')),
      resumes_at: time(),
    }),
  ),
  proration_date: time(),
} as const;

type Given = Decoded<typeof updateShape>;

export function needSubscription(act: Act, path: { readonly [name: string]: string }): Subscription {
  return need(act, 'subscription', path['subscription'] ?? '', { param: 'id', inPath: true });
}

export const updateSubscription = operation(
  'subscriptions.update',
  'POST /v1/subscriptions/{subscription}',
  updateShape,
  ({ act, path, params }) => {
    const held = needSubscription(act, path);
    if (held.ended_at !== null && !onlyMetadata(params)) {
      throw invalid('A canceled subscription can only update its cancellation_details and metadata.', {
        code: 'invalid_canceled_subscription_fields',
      });
    }
    const asks = discountAsks(params);
    checkDiscounts(act, asks, 'discounts', { customer: held.customer, currency: held.currency });
    const rates =
      params.default_tax_rates === undefined
        ? null
        : ratesOf(act, params.default_tax_rates, 'default_tax_rates');
    const plan = planItems(act, held, params);
    if (params.collection_method !== undefined) checkCollection(params, params.collection_method);
    checkTrialEnd(act, params);
    if (params.default_source != null) needSourceOf(act, held.customer, params.default_source);
    const method =
      params.default_payment_method === undefined
        ? null
        : ownedMethod(act, params.default_payment_method, held.customer, 'default_payment_method');
    const resetAnchor = anchorOf(params.billing_cycle_anchor) === 'now';
    const waiting = waits(act, held, params, { ...plan, how: params, resetAnchor });
    if (waiting !== null) return viewOf(act, 'subscription', waiting);
    const added = checkAdded(act, params.add_invoice_items);
    const discounts = asks === undefined ? held.discounts : replaceDiscounts(act, held, asks);
    const next = {
      ...withFields(act, held, params),
      discounts,
      ...(rates === null ? {} : { default_tax_rates: rates.map(rate => ({ ...rate })) }),
      ...(method === null ? {} : { default_payment_method: method.id }),
    };
    act.tx.kind('customer.subscription.updated');
    if (method !== null && find(act, 'payment_method', method.id) === undefined) {
      attachTo(act, { ...method, customer: null }, held.customer);
    }
    openAdded(act, added, { customer: held.customer, subscription: held.id, test_clock: held.test_clock });
    for (const { before, after } of plan.changes)
      if (before !== null && after === null) clearUsage(act, before);
    if (plan.changes.length > 0 || resetAnchor) {
      applyChanges(act, held, {
        changes: plan.changes,
        prices: plan.prices,
        how: params,
        next,
        resetAnchor,
      });
    } else {
      const watched = withWatch(next, itemsOf(act, held.id));
      update(act, 'subscription', held, watched, 'customer.subscription.updated');
      if (held.ended_at === null) reschedule(act, next);
    }
    if (params.trial_end === 'now' && held.status === 'trialing') {
      endTrialNow(act, need(act, 'subscription', held.id, { param: 'id' }));
    }
    return viewOf(act, 'subscription', need(act, 'subscription', held.id, { param: 'id' }));
  },
  [...SUBSCRIPTION_UNMODELLED, 'cancellation_details[feedback_option]'],
);

/** What may change beside a change that waits. */
const BESIDE_PENDING = [
  'billing_cycle_anchor',
  'expand',
  'items',
  'off_session',
  'payment_behavior',
  'proration_behavior',
  'proration_date',
];

/** The subscription when the change waits for its payment; null where it goes ahead. */
function waits(act: Act, subscription: Subscription, params: Given, asked: Changes): Subscription | null {
  const { payment_behavior: behaviour, off_session: offSession = false } = params;
  const other = Object.keys(params).find(name => !BESIDE_PENDING.includes(name));
  if (behaviour === 'pending_if_incomplete' && other !== undefined) {
    throw invalid(`You cannot change \`${other}\` with \`payment_behavior=pending_if_incomplete\`.`, {
      param: other,
    });
  }
  return heldBack(act, subscription, asked, { behaviour, offSession });
}

/** Those that are no longer asked for end; those that are new begin. */
function replaceDiscounts(act: Act, held: Subscription, asks: readonly DiscountAsk[]): string[] {
  const next = openDiscounts(act, asks, { customer: held.customer, subscription: held.id });
  for (const id of held.discounts) if (!next.includes(id)) closeDiscount(act, id);
  return next;
}

function onlyMetadata(params: Given): boolean {
  return Object.keys(params).every(name => ['metadata', 'cancellation_details', 'expand'].includes(name));
}

function checkTrialEnd(act: Act, params: Given): void {
  if (typeof params.trial_end === 'number' && params.trial_end <= act.at) {
    throw invalid('Invalid timestamp: must be an integer Unix timestamp in the future.', {
      param: 'trial_end',
    });
  }
}

/** Which items the parameters touch. An element without an id adds one. */
function planItems(
  act: Act,
  subscription: Subscription,
  params: Given,
): { changes: readonly ItemChange[]; prices: readonly Price[] } {
  if (params.items === undefined) return { changes: [], prices: [] };
  const held = itemsOf(act, subscription.id);
  const prices: Price[] = [];
  const changes = params.items.map((given, at): ItemChange => {
    const chosen = choosePrice(act, given, `items[${at}]`);
    if (chosen?.made === true) prices.push(chosen.price);
    if (given.id === undefined) {
      if (chosen === null) {
        throw invalid(`Missing required param: items[${at}][price].`, {
          code: 'parameter_missing',
          param: `items[${at}][price]`,
        });
      }
      const period = periodOf(held);
      return { before: null, after: newItem(act, subscription.id, chosen.price, given, period) };
    }
    const before = held.find(item => item.id === given.id);
    if (before === undefined) {
      throw invalid(`No such subscription item: '${given.id}'`, {
        code: 'resource_missing',
        param: `items[${at}][id]`,
      });
    }
    if (given.deleted === true) {
      checkUsage(act, before, given.clear_usage, `items[${at}][clear_usage]`);
      return { before, after: null };
    }
    return { before, after: changedItem(act, before, chosen?.price ?? null, given) };
  });
  const left = itemsAfter(held, changes);
  if (left.length === 0) {
    throw invalid(
      'A subscription must have at least one active plan. Cancel the subscription itself to stop it.',
      {
        param: 'items',
      },
    );
  }
  const priced = left.map(
    item =>
      prices.find(price => price.id === item.price) ?? need(act, 'price', item.price, { param: 'items' }),
  );
  checkAlike(priced, subscription.currency);
  return { changes, prices };
}

function itemsAfter(
  held: ReturnType<typeof itemsOf>,
  changes: readonly ItemChange[],
): NonNullable<ItemChange['after']>[] {
  const touched = new Set(changes.map(({ before }) => before?.id));
  const after = changes.map(change => change.after).filter(item => item !== null);
  return [...held.filter(item => !touched.has(item.id)), ...after];
}

function withFields(act: Act, held: Subscription, given: Given): Subscription {
  const { settings, ...rest } = { settings: given.payment_settings, ...given };
  const details = rest.cancellation_details;
  return {
    ...held,
    ...cancelFields(act, held, given),
    ...sharingOf(act, held, given),
    ...(rest.collection_method === undefined
      ? {}
      : { collection_method: rest.collection_method, days_until_due: rest.days_until_due ?? null }),
    ...(rest.billing_thresholds === undefined
      ? {}
      : { billing_thresholds: thresholdsOf(rest.billing_thresholds) }),
    ...(rest.default_source === undefined ? {} : { default_source: rest.default_source }),
    ...(rest.description === undefined ? {} : { description: rest.description }),
    ...(rest.automatic_tax === undefined ? {} : { automatic_tax: automaticTax(rest.automatic_tax.enabled) }),
    metadata: mergeMetadata(held.metadata, rest.metadata),
    ...(rest.pause_collection === undefined
      ? {}
      : {
          pause_collection:
            rest.pause_collection === null
              ? null
              : {
                  behavior: rest.pause_collection.behavior,
                  resumes_at: rest.pause_collection.resumes_at ?? null,
                },
        }),
    ...(details === undefined || held.cancellation_details === null
      ? {}
      : { cancellation_details: { ...held.cancellation_details, ...details, ...cancelReason(given, held) } }),
    ...(settings === undefined || held.payment_settings === null
      ? {}
      : { payment_settings: paymentAfter(settings, held.payment_settings) }),
    ...(rest.trial_settings === undefined
      ? {}
      : {
          trial_settings: {
            end_behavior: {
              billing_cycle_anchor: null,
              missing_payment_method: rest.trial_settings.end_behavior.missing_payment_method,
            },
          },
        }),
    ...(typeof rest.trial_end === 'number' ? trialUntil(act, held, rest.trial_end) : {}),
  };
}

function paymentAfter(
  { save_default_payment_method: saves, ...asked }: NonNullable<Given['payment_settings']>,
  held: NonNullable<Subscription['payment_settings']>,
): Subscription['payment_settings'] {
  return {
    ...subscriptionPayment(asked, held),
    ...(saves === undefined ? {} : { save_default_payment_method: saves }),
  };
}

function cancelReason(given: Given, held: Subscription): { reason: 'cancellation_requested' | null } {
  const asked =
    given.cancel_at_period_end ??
    (given.cancel_at === undefined ? held.cancel_at !== null : given.cancel_at !== null);
  return { reason: asked ? 'cancellation_requested' : null };
}

/** Canceling at the end of the period names that end; taking it back clears all of it. */
function cancelFields(act: Act, held: Subscription, given: Given): Partial<Subscription> {
  const { cancel_at_period_end: atEnd, cancel_at: asked } = given;
  const at = typeof asked === 'string' ? periodOf(itemsOf(act, held.id)).end : asked;
  if (atEnd === undefined && at === undefined) return {};
  if (atEnd === true && typeof at === 'number') {
    throw invalid('You may only specify one of these parameters: cancel_at, cancel_at_period_end.', {
      code: 'parameters_exclusive',
      param: 'cancel_at',
    });
  }
  if (typeof at === 'number' && at <= act.at) {
    throw invalid('Invalid timestamp: cancel_at must be in the future.', { param: 'cancel_at' });
  }
  const when = atEnd === true ? periodOf(itemsOf(act, held.id)).end : (at ?? null);
  return {
    cancel_at: when,
    cancel_at_period_end: atEnd === true,
    canceled_at: when === null ? null : act.at,
    cancellation_details: {
      comment: null,
      feedback: null,
      feedback_option: null,
      ...held.cancellation_details,
      reason: when === null ? null : 'cancellation_requested',
    },
  };
}

/** A trial given (or lengthened) later: the period runs to its end, and the anchor moves there. */
function trialUntil(act: Act, held: Subscription, end: number): Partial<Subscription> {
  for (const item of itemsOf(act, held.id)) {
    save(act, 'subscription_item', { ...item, current_period_end: end });
  }
  return {
    billing_cycle_anchor: end,
    status: 'trialing',
    trial_end: end,
    trial_start: held.trial_start ?? act.at,
  };
}
