// Previews: the invoice a subscription would have next, or would have if it were changed, or made.

import { type Act, all, find, need } from '../api/act.ts';
import { invalid, StripeRefusal } from '../api/errors.ts';
import { operation } from '../api/operation.ts';
import {
  boolean,
  choice,
  type Decoded,
  hash,
  integer,
  list,
  metadata,
  nowOrTime,
  required,
  text,
  time,
} from '../api/params.ts';
import { periodAt } from '../api/periods.ts';
import { discountsParam, taxRatesParam } from '../catalog/discount-params.ts';
import { checkDiscounts, draftDiscount } from '../catalog/discounts.ts';
import { oneTimePrice, oneTimePriceData } from '../catalog/one-time-price.ts';
import { amountOf } from '../catalog/price-draft.ts';
import { ratesOf } from '../catalog/tax-rates.ts';
import { blankItem } from '../invoicing/blank-item.ts';
import { blankInvoice, type Draft, invoiceItemLine, itemLine, pendingItems } from '../invoicing/draft.ts';
import type { Invoice, InvoiceLineItem } from '../invoicing/records.ts';
import { summed } from '../invoicing/sums.ts';
import { invoiceTax } from '../tax/automatic.ts';
import { itemsOf, periodOf } from './clock.ts';
import { anchorOf, anchorParam } from './fields.ts';
import { draftOf } from './invoice.ts';
import { changedItem, choosePrice, itemsParam, newItem } from './items.ts';
import { type ItemChange, prorations } from './proration.ts';
import type { Subscription, SubscriptionItem } from './records.ts';
import { inPeriodAt } from './trial.ts';
import { previewView, upcomingDraft } from './upcoming.ts';

const item = hash({
  amount: integer(),
  currency: text(),
  description: text(),
  discountable: boolean(),
  invoiceitem: text(),
  metadata: metadata(),
  price: text(),
  price_data: oneTimePriceData,
  quantity: integer(0),
  tax_rates: taxRatesParam,
  unit_amount: integer(),
});

const shape = {
  automatic_tax: hash({
    enabled: required(boolean()),
    liability: hash({ type: required(choice('self', 'account')) }),
  }),
  currency: text(),
  discounts: discountsParam,
  invoice_items: list(item),
  customer: text(),
  preview_mode: choice('next'),
  subscription: text(),
  subscription_details: hash({
    billing_cycle_anchor: anchorParam,
    cancel_at_period_end: boolean(),
    cancel_now: boolean(),
    default_tax_rates: taxRatesParam,
    items: itemsParam.changed,
    proration_behavior: choice('always_invoice', 'create_prorations', 'none'),
    proration_date: time(),
    start_date: time(),
    trial_end: nowOrTime(),
  }),
} as const;

const UNMODELLED = [
  'customer_account',
  'customer_details',
  'issuer',
  'on_behalf_of',
  'schedule',
  'schedule_details',
  ...['discounts', 'period', 'quantity_decimal', 'tax_behavior', 'tax_code', 'unit_amount_decimal'].map(
    name => `invoice_items[][${name}]`,
  ),
  'automatic_tax[liability][account]',
  'subscription_details[billing_cycle_anchor][timestamp]',
  'subscription_details[items][][billing_thresholds]',
  'subscription_details[items][][clear_usage]',
  'subscription_details[items][][current_trial]',
  ...['billing_mode', 'billing_schedules', 'cancel_at', 'metadata', 'pause', 'resume_at'].map(
    name => `subscription_details[${name}]`,
  ),
];

export const createPreview = operation(
  'invoices.createPreview',
  'POST /v1/invoices/create_preview',
  shape,
  ({ act, params }) => {
    checkDiscounts(act, params.discounts, 'discounts', { customer: params.customer ?? null });
    const { draft, at } = draftFor(act, params);
    const { invoice, lines } = asAsked(act, draft, params);
    return previewView(act, invoice, lines, at);
  },
  UNMODELLED,
);

type Foreseen = { readonly draft: Draft; readonly at: number };

function draftFor(act: Act, params: Given): Foreseen {
  if (params.subscription === undefined) return newDraft(act, params);
  const subscription = need(act, 'subscription', params.subscription, { param: 'subscription' });
  const details = params.subscription_details;
  const ending = details?.cancel_at_period_end ?? subscription.cancel_at_period_end;
  const changes =
    details?.items !== undefined ||
    details?.cancel_now === true ||
    details?.trial_end === 'now' ||
    anchorOf(details?.billing_cycle_anchor) === 'now';
  if (subscription.ended_at !== null || (ending && !changes)) throw noneUpcoming(subscription.customer);
  return changes ? changedDraft(act, subscription, params) : upcomingDraft(act, subscription);
}

function noneUpcoming(customer: string): Error {
  return new StripeRefusal(404, `No upcoming invoices for customer: '${customer}'`, {
    code: 'invoice_upcoming_none',
  });
}

/** The draft with the items, discounts and taxes that the call would have on it. */
function asAsked(act: Act, { invoice, lines }: Draft, params: Given): Draft {
  const own = (params.invoice_items ?? []).map((given, at) => extraLine(act, invoice, given, at));
  const replaced = new Set((params.invoice_items ?? []).map(({ invoiceitem }) => invoiceitem));
  const all = [
    ...lines.filter(line => line.$invoice_item === null || !replaced.has(line.$invoice_item)),
    ...own,
  ];
  const of = { customer: invoice.customer, invoice: invoice.id };
  const unsaved = (params.discounts ?? []).flatMap(ask =>
    ask.discount === undefined ? [draftDiscount(act, ask, of).discount] : [],
  );
  const kept = (params.discounts ?? []).flatMap(({ discount }) => (discount === undefined ? [] : [discount]));
  const rates = params.subscription_details?.default_tax_rates;
  const next = {
    ...invoice,
    ...(params.automatic_tax === undefined
      ? {}
      : { automatic_tax: invoiceTax(params.automatic_tax.enabled) }),
    ...(rates === undefined
      ? {}
      : {
          default_tax_rates: ratesOf(act, rates, 'subscription_details[default_tax_rates]').map(rate => ({
            ...rate,
          })),
        }),
    ...(params.discounts === undefined
      ? {}
      : { discounts: [...kept, ...unsaved.map(discount => discount.id)] }),
  };
  return summed(act, next, all, unsaved);
}

type Extra = NonNullable<Given['invoice_items']>[number];

/** A line of an invoice item that is not made, or is changed. */
function extraLine(act: Act, invoice: Invoice, given: Extra, at: number): InvoiceLineItem {
  const param = `invoice_items[${at}]`;
  const held =
    given.invoiceitem === undefined
      ? null
      : need(act, 'invoiceitem', given.invoiceitem, { param: `${param}[invoiceitem]` });
  const price = oneTimePrice(act, given, param, `${param}[price]`)?.price ?? null;
  const quantity = given.quantity ?? held?.quantity ?? 1;
  const each = given.unit_amount === undefined ? undefined : given.unit_amount * quantity;
  const amount = given.amount ?? each ?? (price === null ? held?.amount : amountOf(price, quantity));
  if (amount === undefined) {
    throw invalid(`Missing required param: ${param}[amount].`, {
      code: 'parameter_missing',
      param: `${param}[amount]`,
    });
  }
  const product = price === null ? undefined : find(act, 'product', price.product);
  const bare =
    held ??
    blankItem(act, {
      amount,
      currency: invoice.currency,
      customer: invoice.customer ?? '',
      description: product?.name ?? null,
      period: { end: act.at, start: act.at },
      price,
      quantity,
    });
  const rates = ratesOf(act, given.tax_rates, `${param}[tax_rates]`);
  return invoiceItemLine(act, invoice.id, {
    ...bare,
    amount,
    ...(given.description === undefined ? {} : { description: given.description }),
    discountable: given.discountable ?? bare.discountable,
    quantity,
    ...(given.tax_rates === undefined ? {} : { tax_rates: rates.map(rate => ({ ...rate })) }),
  });
}

type Given = Decoded<typeof shape>;
type Element = NonNullable<NonNullable<Given['subscription_details']>['items']>[number];

/** The next invoice if these items changed: prorations (or none), then the next period of what remains. */
function changedDraft(act: Act, subscription: Subscription, params: Given): Foreseen {
  const details = params.subscription_details;
  const held = itemsOf(act, subscription.id);
  const period = periodOf(held);
  const ends = details?.cancel_now === true;
  const changes = ends
    ? held.map(before => ({ before, after: null }))
    : (details?.items ?? []).map((given, at) => changeOf(act, subscription, held, given, at));
  const touched = new Set(changes.map(({ before }) => before?.id));
  const rest = held.filter(item => !touched.has(item.id));
  const after = [...rest, ...changes.map(change => change.after).filter(item => item !== null)];
  // A trial that ends and an anchor that moves begin a period now: what was is given back, and all is billed anew.
  const restarts = details?.trial_end === 'now' || anchorOf(details?.billing_cycle_anchor) === 'now';
  const behaviour = details?.proration_behavior ?? 'create_prorations';
  const trialing = subscription.status === 'trialing';
  const given = restarts ? held.map(before => ({ before, after: null })) : changes;
  const more =
    behaviour === 'none' || trialing
      ? []
      : prorations(act, subscription, given, details?.proration_date ?? act.at, restarts);
  const now = behaviour === 'always_invoice' || ends || restarts;
  const draft = draftOf(act, {
    subscription,
    items:
      now && !restarts ? [] : after.map(each => inPeriodFrom(act, subscription, each, restarts, period.end)),
    reason: now ? 'subscription_update' : 'upcoming',
    share: 1,
    period,
    waits: true,
    more,
  });
  return { draft, at: now ? act.at : period.end };
}

function inPeriodFrom(
  act: Act,
  subscription: Subscription,
  held: SubscriptionItem,
  restarts: boolean,
  next: number,
): SubscriptionItem {
  return restarts
    ? inPeriodAt(act, { ...subscription, billing_cycle_anchor: act.at }, held, act.at)
    : inPeriodAt(act, subscription, held, next);
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
    : { before, after: changedItem(act, before, chosen?.price ?? null, given) };
}

/** The first invoice of a subscription that is not made yet; without items, what the customer would have next. */
function newDraft(act: Act, params: Given): Foreseen {
  if (params.customer === undefined) {
    throw invalid('Missing required param: customer.', { code: 'parameter_missing', param: 'customer' });
  }
  const customer = need(act, 'customer', params.customer, { param: 'customer' });
  const details = params.subscription_details;
  const items = details?.items ?? [];
  const next = items.length === 0 ? soonest(act, customer.id) : null;
  if (next !== null) return upcomingDraft(act, next);
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
  const first = priced[0]?.price;
  const currency = params.currency ?? first?.currency ?? customer.currency ?? 'usd';
  const waiting = pendingItems(act, customer.id, currency, null);
  if (first === undefined && waiting.length === 0 && (params.invoice_items ?? []).length === 0) {
    throw noneUpcoming(customer.id);
  }
  const trialEnd = typeof details?.trial_end === 'number' ? details.trial_end : null;
  const begins = details?.start_date ?? act.at;
  const whole = periodAt(begins, first?.recurring ?? { interval: 'month', interval_count: 1 }, begins);
  const period = trialEnd === null ? whole : { start: begins, end: trialEnd };
  const invoice = blankInvoice(act, {
    customer,
    subscription: null,
    currency,
    reason: 'upcoming',
    period: { start: begins, end: begins },
    collection: 'charge_automatically',
    advance: true,
    daysUntilDue: null,
  });
  const lines = priced.map(({ price, given }) => {
    const product = find(act, 'product', price.product);
    const line = itemLine(act, invoice.id, { id: '', metadata: {} } as Subscription, {
      item: newItem(act, '', price, given, period),
      price,
      productName: product?.name ?? price.product,
      share: trialEnd === null ? 1 : 0,
    });
    return { ...line, parent: null, subscription: null };
  });
  const extra = waiting.map(held => invoiceItemLine(act, invoice.id, held));
  return { draft: summed(act, invoice, [...extra, ...lines]), at: begins };
}

/** The subscription of a customer that is invoiced next; null for none. */
function soonest(act: Act, customer: string): Subscription | null {
  const running = all(
    act,
    'subscription',
    { customer },
    ({ ended_at, cancel_at_period_end }) => ended_at === null && !cancel_at_period_end,
  );
  const end = (held: Subscription): number => periodOf(itemsOf(act, held.id)).end;
  return running.toSorted((a, b) => end(a) - end(b))[0] ?? null;
}
