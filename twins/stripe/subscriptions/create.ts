// Making a subscription: its items and first period, its trial, its first invoice and what comes of paying it.

import { type Act, find, need, save } from '../api/act.ts';
import { invalid, StripeRefusal } from '../api/errors.ts';
import { operation } from '../api/operation.ts';
import { type Decoded, hash, integer, mergeMetadata, required, text, time } from '../api/params.ts';
import { viewOf } from '../api/view.ts';
import { checkDiscounts, openDiscounts } from '../catalog/discounts.ts';
import { addPrice } from '../catalog/price-events.ts';
import type { Price } from '../catalog/records.ts';
import { ratesOf } from '../catalog/tax-rates.ts';
import type { Customer } from '../customers/records.ts';
import { tell } from '../events/events.ts';
import { type Collected, collect, finalize, methodFor } from '../invoicing/collect.ts';
import { checkCollection } from '../invoicing/collection-method.ts';
import { subscriptionPayment } from '../invoicing/payment-settings.ts';
import type { Invoice } from '../invoicing/records.ts';
import { declineOf, foresee } from '../payments/attempt.ts';
import { declineParam } from '../payments/decline-param.ts';
import { attachTo, ownedMethod } from '../payments/methods.ts';
import type { PaymentMethod } from '../payments/records.ts';
import { needSourceOf } from '../payments/sources.ts';
import { automaticTax } from '../tax/automatic.ts';
import { checkAdded, openAdded } from './added-items.ts';
import { reschedule, TRIAL_NOTICE_SECONDS } from './clock.ts';
import { cancelAtParam, discountAsks, SUBSCRIPTION_UNMODELLED, subscriptionFields } from './fields.ts';
import { openDraft } from './invoice.ts';
import { type Chosen, checkExtras, itemsParam, newItem, withDiscounts } from './items.ts';
import type { Subscription, SubscriptionItem } from './records.ts';
import { openSetup } from './setup.ts';
import { sharingOf, UNSHARED } from './sharing.ts';
import {
  anchorAsked,
  anchorConfig,
  backdated,
  chooseItems,
  firstPeriod,
  type Part,
  shareOf,
  totalOf,
  trialEndOf,
} from './terms.ts';
import { thresholdsOf, withWatch } from './threshold-params.ts';

const shape = {
  ...subscriptionFields,
  backdate_start_date: time(),
  billing_cycle_anchor: time(),
  billing_cycle_anchor_config: hash({
    day_of_month: required(integer(1, 31)),
    hour: integer(0, 23),
    minute: integer(0, 59),
    month: integer(1, 12),
    second: integer(0, 59),
  }),
  cancel_at: cancelAtParam,
  currency: text(),
  customer: required(text()),
  items: required(itemsParam.new),
  trial_period_days: integer(1, 730),
} as const;

export type NewSubscription = Decoded<typeof shape>;
type Given = NewSubscription;

export const createSubscription = operation(
  'subscriptions.create',
  'POST /v1/subscriptions',
  shape,
  ({ act, params }) => viewOf(act, 'subscription', makeSubscription(act, params, { drafts: false })),
  SUBSCRIPTION_UNMODELLED,
);

/**
 * `drafts`: its first invoice waits an hour before anybody is asked to pay, as a schedule's does. `schedule`: the one that
 * begins it. `byPayer`: who pays is there and has confirmed it.
 */
export function makeSubscription(
  act: Act,
  params: Given,
  how: { readonly drafts: boolean; readonly schedule?: string; readonly byPayer?: true },
): Subscription {
  const customer = need(act, 'customer', params.customer, { param: 'customer' });
  const chosen = chooseItems(act, params, customer);
  const trialEnd = trialEndOf(act, params, chosen);
  const asks = discountAsks(params);
  const rates = ratesOf(act, params.default_tax_rates, 'default_tax_rates');
  for (const [at, item] of params.items.entries()) checkExtras(act, item, `items[${at}]`);
  const collection = params.collection_method ?? 'charge_automatically';
  checkCollection(params, collection);
  const method =
    params.default_payment_method === undefined
      ? null
      : ownedMethod(act, params.default_payment_method, customer.id, 'default_payment_method');
  const bare = blank(act, params, customer, chosen, trialEnd, method);
  const earlier = backdated(act, params, chosen, trialEnd);
  const period = firstPeriod(act, params, chosen, trialEnd);
  const plain = chosen.map(({ price }, at) => newItem(act, bare.id, price, params.items[at] ?? {}, period));
  const share = trialEnd !== null ? 0 : shareOf(act, params, chosen, period);
  const added = checkAdded(act, params.add_invoice_items);
  const beside = added.reduce((sum, { amount }) => sum + amount, 0);
  checkDiscounts(act, asks, 'discounts', {
    customer: customer.id,
    amount: totalOf(chosen, params, [...earlier, { share: 1 }]) + beside,
    currency: bare.currency,
  });
  const payer = method ?? methodOf(act, customer, params.default_source);
  if (!how.drafts) {
    const total = totalOf(chosen, params, [...earlier, { share }]) + beside;
    refuseBeforehand(params, payer, collection, total + Math.min(0, customer.balance));
  }
  act.tx.kind('customer.subscription.created');
  for (const { price, made: fresh } of chosen) if (fresh) addPrice(act, price);
  if (method !== null && find(act, 'payment_method', method.id) === undefined) {
    attachTo(act, { ...method, customer: null }, customer.id);
  }
  const made: Subscription = {
    ...withWatch(bare, plain),
    default_tax_rates: rates.map(rate => ({ ...rate })),
    discounts: openDiscounts(act, asks, { customer: customer.id, subscription: bare.id }),
    schedule: how.schedule ?? null,
    test_clock: customer.test_clock ?? null,
  };
  const items = plain.map((item, at) => withDiscounts(act, item, params.items[at] ?? {}, customer.id));
  for (const item of items) save(act, 'subscription_item', item);
  save(act, 'subscription', made);
  openAdded(act, added, {
    customer: customer.id,
    subscription: made.id,
    test_clock: customer.test_clock ?? null,
  });
  const billed = firstInvoice(act, made, items, {
    share,
    earlier,
    trialEnd,
    behaviour: params.payment_behavior ?? 'allow_incomplete',
    offSession: params.off_session === true,
    drafts: how.drafts,
    byPayer: how.byPayer === true,
  });
  const done = withoutPayment(act, billed, params)
    ? { ...billed, pending_setup_intent: openSetup(act, billed) }
    : billed;
  save(act, 'subscription', done);
  tell(act, 'customer.subscription.created', 'subscription', done);
  if (trialEnd !== null && trialEnd - act.at <= TRIAL_NOTICE_SECONDS) {
    tell(act, 'customer.subscription.trial_will_end', 'subscription', done);
  }
  return done;
}

/** Whether nothing was asked for that would leave a payment method behind. */
function withoutPayment(act: Act, made: Subscription, params: Given): boolean {
  if (made.collection_method !== 'charge_automatically') return false;
  const first = find(act, 'invoice', made.latest_invoice ?? '');
  if (first === undefined || first.status === 'draft' || first.total > 0) return false;
  return params.payment_behavior === 'default_incomplete' || methodFor(act, first) === null;
}

/** Without a method of the subscription's own: the source that it names, which must be the customer's, or their default. */
function methodOf(act: Act, customer: Customer, source: string | null | undefined): PaymentMethod | null {
  if (source != null) needSourceOf(act, customer.id, source);
  const id = source ?? customer.invoice_settings.default_payment_method ?? customer.default_source;
  return id === null ? null : (find(act, 'payment_method', id) ?? null);
}

/** What Stripe refuses before it makes anything. */
function refuseBeforehand(params: Given, payer: PaymentMethod | null, collection: string, due: number): void {
  if (collection !== 'charge_automatically' || due <= 0) return;
  if (params.payment_behavior === 'default_incomplete') return;
  if (payer === null) {
    throw invalid(
      'This customer has no attached payment source or default payment method. Please consider adding a default ' +
        'payment method. For more information, visit ' +
        'https://stripe.com/docs/billing/subscriptions/payment-methods-setting#payment-method-priority.',
      { code: 'resource_missing' },
    );
  }
  if (
    params.payment_behavior === 'error_if_incomplete' &&
    foresee(payer, params.off_session === true) !== 'pays'
  ) {
    const { code, decline_code, message } = declineOf(payer);
    throw new StripeRefusal(402, message, {
      type: 'card_error',
      code,
      decline_code,
      ...declineParam({ code }),
    });
  }
}

function blank(
  act: Act,
  params: Given,
  customer: Customer,
  chosen: readonly Chosen[],
  trialEnd: number | null,
  method: PaymentMethod | null,
): Subscription {
  const first = chosen[0]?.price as Price;
  const collection = params.collection_method ?? 'charge_automatically';
  const anchor = trialEnd ?? anchorAsked(act, params) ?? act.at;
  const period = firstPeriod(act, params, chosen, trialEnd);
  const config = params.billing_cycle_anchor_config;
  return {
    id: act.tx.recordId('sub_', 24),
    object: 'subscription',
    application: null,
    automatic_tax: automaticTax(params.automatic_tax?.enabled ?? false),
    billing_cycle_anchor: anchor,
    billing_cycle_anchor_config: config === undefined ? null : anchorConfig(config),
    billing_mode: billingMode(act, params),
    billing_schedules: [],
    billing_thresholds: thresholdsOf(params.billing_thresholds ?? null),
    ...cancellation(act, params, period.end),
    collection_method: collection,
    created: act.at,
    currency: first.currency,
    customer: customer.id,
    customer_account: null,
    days_until_due: params.days_until_due ?? null,
    default_payment_method: method?.id ?? null,
    default_source: params.default_source ?? null,
    default_tax_rates: [],
    description: params.description ?? null,
    discounts: [],
    ended_at: null,
    invoice_settings: {
      account_tax_ids: null,
      custom_fields: null,
      description: null,
      footer: null,
      issuer: { type: 'self' },
    },
    latest_invoice: null,
    livemode: false,
    managed_payments: null,
    metadata: mergeMetadata({}, params.metadata),
    next_pending_invoice_item_invoice: null,
    pause_collection: null,
    payment_settings: paymentSettings(params),
    pending_invoice_item_interval: null,
    pending_setup_intent: null,
    pending_update: null,
    schedule: null,
    start_date: params.backdate_start_date ?? act.at,
    status: trialEnd === null ? 'incomplete' : 'trialing',
    test_clock: null,
    ...sharingOf(act, UNSHARED, params),
    trial_end: trialEnd,
    trial_settings: {
      end_behavior: {
        billing_cycle_anchor: null,
        missing_payment_method:
          params.trial_settings?.end_behavior.missing_payment_method ?? 'create_invoice',
      },
    },
    trial_start: trialEnd === null ? null : act.at,
    $price: first.id,
    $attempts: 0,
  };
}

function billingMode(act: Act, { billing_mode: asked }: Given): Subscription['billing_mode'] {
  if (asked?.type === 'classic') return { flexible: null, type: 'classic' };
  return {
    flexible: { proration_discounts: asked?.flexible?.proration_discounts ?? 'included' },
    type: 'flexible',
    updated_at: act.at,
  };
}

/** When it ends, where that is known from the start. */
function cancellation(act: Act, params: Given, periodEnd: number) {
  const atEnd = params.cancel_at_period_end === true;
  if (atEnd && params.cancel_at !== undefined) {
    throw invalid('You may only specify one of these parameters: cancel_at, cancel_at_period_end.', {
      code: 'parameters_exclusive',
      param: 'cancel_at',
    });
  }
  const asked = atEnd || params.cancel_at !== undefined;
  return {
    cancel_at: atEnd || typeof params.cancel_at === 'string' ? periodEnd : (params.cancel_at ?? null),
    cancel_at_period_end: atEnd,
    canceled_at: asked ? act.at : null,
    cancellation_details: {
      comment: null,
      feedback: null,
      feedback_option: null,
      reason: asked ? ('cancellation_requested' as const) : null,
    },
  };
}

function paymentSettings(params: Given): Subscription['payment_settings'] {
  const { save_default_payment_method: saves = 'off', ...asked } = params.payment_settings ?? {};
  return subscriptionPayment(asked, {
    payment_method_options: null,
    payment_method_types: null,
    save_default_payment_method: saves,
  });
}

type First = {
  readonly share: number;
  readonly earlier: readonly Part[];
  readonly trialEnd: number | null;
  readonly behaviour:
    | 'allow_incomplete'
    | 'default_incomplete'
    | 'error_if_incomplete'
    | 'pending_if_incomplete';
  readonly offSession: boolean;
  readonly drafts: boolean;
  readonly byPayer: boolean;
};

/** The first invoice is finalized at once; whether it is paid decides the status. */
function firstInvoice(
  act: Act,
  made: Subscription,
  items: readonly SubscriptionItem[],
  first: First,
): Subscription {
  const draft = openDraft(act, {
    subscription: made,
    items,
    reason: 'subscription_create',
    share: first.share,
    earlier: first.earlier,
    period: { start: act.at, end: act.at },
    waits:
      (made.collection_method === 'send_invoice' || first.drafts) &&
      (first.share > 0 || first.earlier.length > 0),
  });
  const invoiced = draft.automatically_finalizes_at === null ? finalize(act, draft, { atOnce: true }) : draft;
  const collected = firstPayment(act, invoiced, first);
  const status = statusAfter(made, collected?.outcome ?? null, invoiced);
  const paidWith = collected?.attempted?.intent.payment_method ?? null;
  const keep =
    made.payment_settings?.save_default_payment_method === 'on_subscription' && collected?.outcome === 'paid';
  const done: Subscription = {
    ...made,
    default_payment_method: keep ? paidWith : made.default_payment_method,
    latest_invoice: invoiced.id,
    status,
  };
  save(act, 'subscription', done);
  reschedule(act, done);
  return done;
}

function firstPayment(act: Act, invoice: Invoice, first: First): Collected | null {
  if (invoice.status !== 'open' || invoice.collection_method !== 'charge_automatically') return null;
  const method = methodFor(act, invoice);
  if (first.behaviour !== 'default_incomplete')
    return collect(act, invoice, method, { ...first, atOnce: !first.byPayer });
  // Left for the caller to confirm; it only knows which method it would take.
  const intent = find(act, 'payment_intent', invoice.$payment_intent ?? '');
  if (intent !== undefined && method !== null) {
    save(act, 'payment_intent', { ...intent, payment_method: method.id, status: 'requires_confirmation' });
  }
  return { invoice, outcome: 'action', attempted: null };
}

function statusAfter(
  made: Subscription,
  outcome: Collected['outcome'] | null,
  invoice: Invoice,
): Subscription['status'] {
  if (made.status === 'trialing') return 'trialing';
  if (made.collection_method === 'send_invoice' || invoice.status === 'draft') return 'active';
  return outcome === 'paid' || invoice.status === 'paid' ? 'active' : 'incomplete';
}
