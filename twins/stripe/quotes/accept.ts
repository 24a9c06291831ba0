// What an accepted quote makes: a subscription, a schedule of one that begins later, or an invoice.

import { type Act, find, need, save } from '../api/act.ts';
import { isRedeemable, openDiscounts } from '../catalog/discounts.ts';
import { ratesOf } from '../catalog/tax-rates.ts';
import { tell } from '../events/events.ts';
import { blankItem } from '../invoicing/blank-item.ts';
import { blankInvoice, invoiceItemLine, saveDraft } from '../invoicing/draft.ts';
import type { InvoiceItem } from '../invoicing/records.ts';
import { makeSubscription } from '../subscriptions/create.ts';
import type { PhaseAsk } from '../subscriptions/schedule-draft.ts';
import { makeSchedule } from '../subscriptions/schedules.ts';
import { asksOf, type Priced, pricedOf } from './draft.ts';
import type { Quote } from './records.ts';

type Made = Partial<Pick<Quote, 'invoice' | 'subscription' | 'subscription_schedule'>>;

export function makeAccepted(act: Act, quote: Quote): Made {
  const priced = pricedOf(act, quote.$lines);
  const recurring = priced.filter(({ price }) => price.recurring !== null);
  const once = priced.filter(({ price }) => price.recurring === null);
  if (recurring.length === 0) return { invoice: invoiced(act, quote, once) };
  const begins = quote.subscription_data.effective_date;
  return begins !== null && begins > act.at
    ? { subscription_schedule: scheduled(act, quote, begins, recurring, once) }
    : subscribed(act, quote, recurring, once);
}

/** The invoice items of what is asked for once, which wait for the invoice. */
function pending(act: Act, quote: Quote, once: readonly Priced[]): readonly InvoiceItem[] {
  return once.map(({ line, price, amount }) => {
    const bare = blankItem(act, {
      amount,
      currency: price.currency,
      customer: quote.customer ?? '',
      description: find(act, 'product', price.product)?.name ?? null,
      period: { end: act.at, start: act.at },
      price,
      quantity: line.quantity,
    });
    const item: InvoiceItem = {
      ...bare,
      discounts: openDiscounts(act, discountsOf(act, line.discounts), {
        customer: quote.customer,
        invoice_item: bare.id,
      }),
      tax_rates: ratesOf(act, line.tax_rates, 'tax_rates').map(rate => ({ ...rate })),
    };
    save(act, 'invoiceitem', item);
    tell(act, 'invoiceitem.created', 'invoiceitem', item);
    return item;
  });
}

/** Those that can still be redeemed. */
function discountsOf(act: Act, ids: readonly string[]) {
  return asksOf(act, ids).filter(ask => isRedeemable(act, ask)) as {
    coupon?: string;
    promotion_code?: string;
  }[];
}

function collectionOf(quote: Quote) {
  return quote.collection_method === 'send_invoice'
    ? {
        collection_method: 'send_invoice' as const,
        days_until_due: quote.invoice_settings.days_until_due ?? 30,
      }
    : {};
}

function subscribed(
  act: Act,
  quote: Quote,
  recurring: readonly Priced[],
  once: readonly Priced[],
): { subscription: string; invoice: string | null } {
  pending(act, quote, once);
  const { description, metadata, trial_period_days: trial } = quote.subscription_data;
  const made = makeSubscription(
    act,
    {
      customer: quote.customer ?? '',
      default_tax_rates: [...((quote.default_tax_rates as readonly string[] | undefined) ?? [])],
      description,
      discounts: discountsOf(act, quote.discounts),
      items: recurring.map(({ line }) => ({
        discounts: discountsOf(act, line.discounts),
        price: line.price,
        quantity: line.quantity,
        tax_rates: line.tax_rates,
      })),
      metadata: metadata ?? {},
      ...(trial === null ? {} : { trial_period_days: trial }),
      ...collectionOf(quote),
    },
    { drafts: true },
  );
  return { subscription: made.id, invoice: made.latest_invoice };
}

function scheduled(
  act: Act,
  quote: Quote,
  begins: number,
  recurring: readonly Priced[],
  once: readonly Priced[],
): string {
  const { description, metadata } = quote.subscription_data;
  const phase = {
    add_invoice_items: once.map(({ line }) => ({ price: line.price, quantity: line.quantity })),
    default_tax_rates: quote.default_tax_rates,
    discounts: discountsOf(act, quote.discounts),
    items: recurring.map(({ line }) => ({
      price: line.price,
      quantity: line.quantity,
      tax_rates: line.tax_rates,
    })),
    metadata: metadata ?? {},
    ...(description === null ? {} : { description }),
  } as unknown as PhaseAsk;
  const { collection_method: collection, days_until_due: days } = collectionOf(quote);
  const made = makeSchedule(act, {
    customer: need(act, 'customer', quote.customer ?? '', { param: 'customer' }),
    begins,
    phases: [phase],
    settings:
      collection === undefined
        ? {}
        : { collection_method: collection, invoice_settings: { days_until_due: days } },
    endBehavior: 'release',
    metadata: {},
  });
  return made.id;
}

function invoiced(act: Act, quote: Quote, once: readonly Priced[]): string {
  const customer = need(act, 'customer', quote.customer ?? '', { param: 'customer' });
  const items = pending(act, quote, once);
  const { description, footer } = quote.invoice_settings;
  const blank = blankInvoice(act, {
    customer,
    subscription: null,
    currency: quote.currency ?? 'usd',
    reason: 'manual',
    period: { start: act.at, end: act.at },
    collection: quote.collection_method,
    advance: false,
    daysUntilDue:
      quote.collection_method === 'send_invoice' ? (quote.invoice_settings.days_until_due ?? 30) : null,
  });
  const rates = ratesOf(act, quote.default_tax_rates as readonly string[] | undefined, 'default_tax_rates');
  const invoice = saveDraft(act, {
    invoice: {
      ...blank,
      default_tax_rates: rates.map(rate => ({ ...rate })),
      description,
      discounts: [
        ...blank.discounts,
        ...openDiscounts(act, discountsOf(act, quote.discounts), {
          customer: customer.id,
          invoice: blank.id,
        }),
      ],
      footer: footer ?? blank.footer,
      parent: { quote_details: { quote: quote.id }, subscription_details: null, type: 'quote_details' },
    },
    lines: items.map(item => invoiceItemLine(act, blank.id, item)),
  });
  tell(act, 'invoice.created', 'invoice', invoice);
  return invoice.id;
}
