// Previews: the invoice a subscription would have next, or would have if it were changed, or made.

import { summed } from './billing/sums.ts';
import { invalid } from './errors.ts';
import { blankInvoice, type Draft, itemLine } from './invoice-draft.ts';
import { operation } from './operation.ts';
import { boolean, choice, type Decoded, hash, text, time } from './params.ts';
import { periodAt } from './periods.ts';
import { type ItemChange, prorations } from './proration.ts';
import { type Act, find, need } from './records.ts';
import { previewView, upcomingView } from './renewal.ts';
import { itemsOf, periodOf } from './subscription-clock.ts';
import { draftOf } from './subscription-invoice.ts';
import { changedItem, choosePrice, itemsParam, newItem } from './subscription-items.ts';
import { inPeriodAt } from './trial.ts';
import type { Price, Subscription, SubscriptionItem } from './wire.ts';

const shape = {
  currency: text(),
  customer: text(),
  preview_mode: choice('next'),
  subscription: text(),
  subscription_details: hash({
    cancel_at_period_end: boolean(),
    items: itemsParam.changed,
    proration_behavior: choice('always_invoice', 'create_prorations', 'none'),
    proration_date: time(),
  }),
} as const;

const UNMODELLED = [
  'automatic_tax',
  'customer_account',
  'customer_details',
  'discounts',
  'invoice_items',
  'issuer',
  'on_behalf_of',
  'schedule',
  'schedule_details',
  ...[
    'billing_cycle_anchor',
    'billing_mode',
    'billing_schedules',
    'cancel_at',
    'cancel_now',
    'default_tax_rates',
    'resume_at',
    'start_date',
    'trial_end',
  ].map(name => `subscription_details[${name}]`),
];

export const createPreview = operation(
  'invoices.createPreview',
  'POST /v1/invoices/create_preview',
  shape,
  ({ act, params }) => {
    if (params.subscription !== undefined) {
      const subscription = need(act, 'subscription', params.subscription, { param: 'subscription' });
      const ending = params.subscription_details?.cancel_at_period_end ?? subscription.cancel_at_period_end;
      if (subscription.ended_at !== null || ending) {
        throw invalid(`No upcoming invoices for customer: '${subscription.customer}'`, {
          code: 'invoice_upcoming_none',
        });
      }
      if (params.subscription_details?.items === undefined) return upcomingView(act, subscription);
      return changedView(act, subscription, params);
    }
    return newView(act, params);
  },
  UNMODELLED,
);

type Given = Decoded<typeof shape>;
type Element = NonNullable<NonNullable<Given['subscription_details']>['items']>[number];

/** The next invoice if these items changed: prorations (or none), then the next period of what remains. */
function changedView(act: Act, subscription: Subscription, params: Given): ReturnType<typeof upcomingView> {
  const details = params.subscription_details;
  const held = itemsOf(act, subscription.id);
  const period = periodOf(held);
  const changes = (details?.items ?? []).map((given, at) => changeOf(act, subscription, held, given, at));
  const behaviour = details?.proration_behavior ?? 'create_prorations';
  const more =
    behaviour === 'none' ? [] : prorations(act, subscription, changes, details?.proration_date ?? act.at);
  const touched = new Set(changes.map(({ before }) => before?.id));
  const after = [
    ...held.filter(item => !touched.has(item.id)),
    ...changes.map(change => change.after).filter(item => item !== null),
  ];
  const now = behaviour === 'always_invoice';
  const draft = draftOf(act, {
    subscription,
    items: now ? [] : after.map(item => inPeriodAt(act, subscription, item, period.end)),
    reason: now ? 'subscription_update' : 'upcoming',
    share: 1,
    period,
    waits: true,
    more,
  });
  return previewView(act, draft.invoice, draft.lines, now ? act.at : period.end);
}

function changeOf(
  act: Act,
  subscription: Subscription,
  held: readonly SubscriptionItem[],
  given: Element,
  at: number,
): ItemChange {
  const param = `subscription_details[items][${at}]`;
  const chosen = choosePrice(act, given, param);
  if (chosen?.made === true) {
    throw invalid('A preview of a changed subscription takes prices that exist in this twin.', {
      code: 'wrld_unmodelled_parameter',
      param: `${param}[price_data]`,
    });
  }
  if (given.id === undefined) {
    if (chosen === null) {
      throw invalid(`Missing required param: ${param}[price].`, {
        code: 'parameter_missing',
        param: `${param}[price]`,
      });
    }
    return { before: null, after: newItem(act, subscription.id, chosen.price, given, periodOf(held)) };
  }
  const before = held.find(item => item.id === given.id);
  if (before === undefined) {
    throw invalid(`No such subscription item: '${given.id}'`, {
      code: 'resource_missing',
      param: `${param}[id]`,
    });
  }
  return given.deleted === true
    ? { before, after: null }
    : { before, after: changedItem(before, chosen?.price ?? null, given) };
}

/** The first invoice of a subscription that is not made yet. */
function newView(act: Act, params: Given): ReturnType<typeof upcomingView> {
  if (params.customer === undefined) {
    throw invalid('Missing required param: customer.', { code: 'parameter_missing', param: 'customer' });
  }
  const customer = need(act, 'customer', params.customer, { param: 'customer' });
  const items = params.subscription_details?.items ?? [];
  if (items.length === 0) {
    throw invalid(`No upcoming invoices for customer: '${customer.id}'`, { code: 'invoice_upcoming_none' });
  }
  const priced = items.map((given, at) => {
    const chosen = choosePrice(act, given, `subscription_details[items][${at}]`);
    if (chosen === null) {
      throw invalid(`Missing required param: subscription_details[items][${at}][price].`, {
        code: 'parameter_missing',
        param: `subscription_details[items][${at}][price]`,
      });
    }
    return { price: chosen.price, given };
  });
  const first = priced[0]?.price as Price;
  const period = periodAt(act.at, first.recurring ?? { interval: 'month', interval_count: 1 }, act.at);
  const invoice = blankInvoice(act, {
    customer,
    subscription: null,
    currency: first.currency,
    reason: 'upcoming',
    period: { start: act.at, end: act.at },
    collection: 'charge_automatically',
    advance: true,
    daysUntilDue: null,
  });
  const lines = priced.map(({ price, given }) => {
    const item = newItem(act, '', price, given, period);
    const product = find(act, 'product', price.product);
    const line = itemLine(act, invoice.id, { id: '', metadata: {} } as Subscription, {
      item,
      price,
      productName: product?.name ?? price.product,
      share: 1,
    });
    return { ...line, parent: null, subscription: null };
  });
  const draft: Draft = summed(act, invoice, lines);
  return previewView(act, draft.invoice, draft.lines, act.at);
}
