// What a quote offers: its lines, and what they come to with discounts and taxes, at once and each period.
import type { Stripe } from 'stripe';
import { type Act, find, need } from '../api/act.ts';
import { invalid } from '../api/errors.ts';
import { type Given, whole } from '../api/vendor.ts';
import { type View, viewOf } from '../api/view.ts';
import { checkDiscounts, type DiscountAsk, openDiscounts } from '../catalog/discounts.ts';
import { amountOf, newPrice } from '../catalog/price-draft.ts';
import { addPrice } from '../catalog/price-events.ts';
import type { Price } from '../catalog/records.ts';
import { ratesOf } from '../catalog/tax-rates.ts';
import type { Invoice, InvoiceLineItem } from '../invoicing/records.ts';
import { summed, sumOf } from '../invoicing/sums.ts';
import type { Quote, QuoteLine } from './records.ts';

export type LineAsk = Given<NonNullable<Stripe.QuoteCreateParams['line_items']>[number]>;

/** Refuses lines that cannot be offered, before anything is written. */
export function checkLines(act: Act, asks: readonly LineAsk[], customer: string | null): void {
  for (const [at, ask] of asks.entries()) {
    const place = `line_items[${at}]`;
    if (ask.price_data !== undefined) {
      need(act, 'product', ask.price_data.product, { param: `${place}[price_data][product]` });
    } else if (ask.price === undefined) {
      throw invalid(`Missing required param: ${place}[price].`, {
        code: 'parameter_missing',
        param: `${place}[price]`,
      });
    } else need(act, 'price', ask.price, { param: `${place}[price]` });
    checkDiscounts(act, ask.discounts, `${place}[discounts]`, { customer });
    ratesOf(act, ask.tax_rates, `${place}[tax_rates]`);
  }
}

/** The lines, with the prices and the discounts they bring along saved. Only after `checkLines`. */
export function linesOf(act: Act, asks: readonly LineAsk[], customer: string | null): QuoteLine[] {
  return asks.map(ask => {
    let price = ask.price;
    if (ask.price_data !== undefined) {
      const made = newPrice(act, ask.price_data, 'line_items[price_data]');
      addPrice(act, made);
      price = made.id;
    }
    return {
      id: act.tx.recordId('li_', 24),
      price: price ?? '',
      quantity: ask.quantity ?? 1,
      discounts: openDiscounts(act, ask.discounts, { customer, quote: true }),
      tax_rates: [...(ask.tax_rates ?? [])],
    };
  });
}

export type Priced = { readonly line: QuoteLine; readonly price: Price; readonly amount: number };

export function pricedOf(act: Act, lines: readonly QuoteLine[]): readonly Priced[] {
  return lines.map(line => {
    const price = need(act, 'price', line.price, { param: 'line_items' });
    return { line, price, amount: amountOf(price, line.quantity) };
  });
}

/** What lines come to, counted as an invoice of them would be. */
function countedAs(act: Act, quote: Quote, priced: readonly Priced[]): ReturnType<typeof summed> {
  const lines = priced.map(({ line, price, amount }) => ({
    id: line.id,
    amount,
    discountable: true,
    discounts: line.discounts,
    pricing: { price_details: { price: price.id, product: price.product } },
    $tax_rates: line.tax_rates,
  }));
  const customer = find(act, 'customer', quote.customer ?? '');
  const invoice = {
    id: quote.id,
    amount_paid: 0,
    customer_tax_exempt: customer?.tax_exempt ?? 'none',
    default_tax_rates: (quote.default_tax_rates ?? []).map((id: string) => ({ id })),
    discounts: quote.discounts,
  };
  return summed(act, invoice as unknown as Invoice, lines as unknown as InvoiceLineItem[]);
}

type Sums = ReturnType<typeof summed>;

function detailsOf({ invoice }: Sums): Quote['total_details'] {
  return {
    amount_discount: sumOf(invoice.total_discount_amounts),
    amount_shipping: 0,
    amount_tax: sumOf(invoice.total_taxes),
  };
}

/** What is asked for once the quote is accepted: in a trial only what does not recur. */
export function upfrontOf(quote: Quote, priced: readonly Priced[]): readonly Priced[] {
  const trial = quote.subscription_data.trial_period_days !== null;
  return priced.filter(({ price }) => !trial || price.recurring === null);
}

/** The quote with its sums. */
export function withSums(act: Act, quote: Quote): Quote {
  const priced = pricedOf(act, quote.$lines);
  const recurring = priced.filter(({ price }) => price.recurring !== null);
  const every = recurring[0]?.price.recurring ?? null;
  const all = countedAs(act, quote, priced);
  const often = countedAs(act, quote, recurring);
  const now = countedAs(act, quote, upfrontOf(quote, priced));
  const sums = (of: Sums) => ({
    amount_subtotal: of.invoice.subtotal,
    amount_total: of.invoice.total,
    total_details: detailsOf(of),
  });
  return {
    ...quote,
    amount_subtotal: all.invoice.subtotal,
    amount_total: all.invoice.total,
    computed: {
      recurring:
        every === null
          ? null
          : { ...sums(often), interval: every.interval, interval_count: every.interval_count },
      upfront: sums(now),
    },
    currency: priced[0]?.price.currency ?? null,
    total_details: detailsOf(all),
  } as Quote;
}

/** Its lines as objects. */
export function lineViews(act: Act, quote: Quote, priced: readonly Priced[]): View[] {
  const { lines } = countedAs(act, quote, priced);
  return priced.map(({ line, price, amount }, at) => {
    const sums = lines[at];
    const off = sumOf(sums?.discount_amounts);
    const taxes = sums?.taxes ?? [];
    const exclusive = sumOf(
      taxes.filter(({ tax_behavior }: { readonly tax_behavior: string }) => tax_behavior === 'exclusive'),
    );
    return {
      id: line.id,
      object: 'item',
      adjustable_quantity: null,
      amount_discount: off,
      amount_subtotal: amount,
      amount_tax: sumOf(taxes),
      amount_total: amount - off + exclusive,
      currency: price.currency,
      description: find(act, 'product', price.product)?.name ?? null,
      metadata: {},
      price: viewOf(act, 'price', price),
      quantity: line.quantity,
    };
  });
}

/** A quote holds for 30 days when it does not say how long. Seconds. */
const LIFE_SECONDS = 30 * 86_400;

export function blankQuote(act: Act, from: Quote | null, isRevision: boolean): Quote {
  return whole<Quote>('quote', {
    id: act.tx.id('qt_', 24),
    amount_subtotal: 0,
    amount_total: 0,
    automatic_tax: { enabled: false, liability: null, provider: null, status: null },
    collection_method: 'charge_automatically',
    computed: {
      recurring: null,
      upfront: {
        amount_subtotal: 0,
        amount_total: 0,
        total_details: { amount_discount: 0, amount_shipping: 0, amount_tax: 0 },
      },
    },
    created: act.at,
    customer: from?.customer ?? null,
    default_tax_rates: from?.default_tax_rates ?? [],
    description: from?.description ?? null,
    discounts: from?.discounts ?? [],
    expires_at: act.at + LIFE_SECONDS,
    footer: from?.footer ?? null,
    from_quote: from === null ? null : { is_revision: isRevision, quote: from.id },
    header: from?.header ?? null,
    invoice_settings: from?.invoice_settings ?? {
      custom_fields: null,
      days_until_due: null,
      description: null,
      footer: null,
      issuer: { type: 'self' },
    },
    metadata: from?.metadata ?? {},
    status: 'draft',
    status_transitions: { accepted_at: null, canceled_at: null, finalized_at: null },
    subscription_data: from?.subscription_data ?? {
      billing_mode: { type: 'flexible' },
      description: null,
      effective_date: null,
      metadata: null,
      trial_period_days: null,
    },
    total_details: { amount_discount: 0, amount_shipping: 0, amount_tax: 0 },
    $lines: from?.$lines ?? [],
  });
}

/** Discounts that a quote holds, as its subscription or invoice asks for them. */
export function asksOf(act: Act, ids: readonly string[]): DiscountAsk[] {
  return ids.flatMap(id => {
    const held = find(act, 'discount', id);
    if (held === undefined) return [];
    return [
      held.promotion_code === null
        ? { coupon: held.$coupon }
        : { promotion_code: String(held.promotion_code) },
    ];
  });
}
