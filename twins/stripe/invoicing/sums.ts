// What an invoice comes to: its lines, less what discounts take off, with the taxes on what is left. One function
// counts all of it anew, so that no operation has to know what it disturbs.

import { type Act, find } from '../api/act.ts';
import { rounded } from '../api/money.ts';
import type { Coupon, Discount, TaxRate } from '../catalog/records.ts';
import type { Invoice, InvoiceLineItem } from './records.ts';

type Sums = { readonly invoice: Invoice; readonly lines: readonly InvoiceLineItem[] };
type Part = { line: InvoiceLineItem; left: number; off: Map<string, number> };
type LineTax = NonNullable<InvoiceLineItem['taxes']>[number];

/** The draft with what its lines and itself come to; `unsaved` are discounts that only a preview has. Nothing is saved. */
export function summed(
  act: Act,
  invoice: Invoice,
  lines: readonly InvoiceLineItem[],
  unsaved: readonly Discount[] = [],
): Sums {
  const parts = lines.map((line): Part => ({ line, left: line.amount, off: new Map() }));
  for (const part of parts) {
    for (const { discount, coupon } of discountsOf(act, part.line.discounts, invoice.id, unsaved)) {
      takeOff(discount, coupon, [part]);
    }
  }
  for (const { discount, coupon } of discountsOf(act, invoice.discounts, invoice.id, unsaved)) {
    takeOff(
      discount,
      coupon,
      parts.filter(({ line }) => line.discountable && applies(coupon, line)),
    );
  }
  for (const part of parts) part.left -= sumOf(creditsOf(part.line));
  const done = parts.map(part => taxed(act, invoice, part));
  const subtotal = lines.reduce((sum, { amount }) => sum + amount, 0);
  const discounts = together(
    done.flatMap(({ discount_amounts: amounts }) => amounts ?? []),
    ({ discount }) => discount,
  );
  const taxes = done.flatMap(line => line.taxes ?? []);
  const exclusive = sumOf(taxes.filter(({ tax_behavior }) => tax_behavior === 'exclusive'));
  const pretax = done.flatMap(line => line.pretax_credit_amounts ?? []);
  const total = subtotal - sumOf(pretax) + exclusive;
  const due = Math.max(0, total);
  return {
    invoice: {
      ...invoice,
      amount_due: due,
      amount_remaining: due - invoice.amount_paid,
      subtotal,
      subtotal_excluding_tax:
        subtotal - sumOf(taxes.filter(({ tax_behavior }) => tax_behavior === 'inclusive')),
      total,
      total_discount_amounts: discounts,
      total_excluding_tax: total - sumOf(taxes),
      total_pretax_credit_amounts: together(
        pretax,
        ({ discount, credit_balance_transaction: id }) => `${discount} ${id}`,
      ),
      total_taxes: together(taxes, tax => `${tax.tax_rate_details?.tax_rate} ${tax.taxability_reason}`).map(
        tax => ({
          ...tax,
          taxable_amount: taxes
            .filter(({ tax_rate_details: held }) => held?.tax_rate === tax.tax_rate_details?.tax_rate)
            .reduce((sum, { taxable_amount }) => sum + (taxable_amount ?? 0), 0),
        }),
      ),
    },
    lines: done,
  };
}

/** What credit grants took off a line. */
function creditsOf(line: InvoiceLineItem): NonNullable<InvoiceLineItem['pretax_credit_amounts']> {
  return (line.pretax_credit_amounts ?? []).filter(
    ({ type }: { readonly type: string }) => type === 'credit_balance_transaction',
  );
}

/** A sum of amounts; none is nothing. */
export function sumOf(all: readonly { readonly amount: number }[] | null | undefined): number {
  return (all ?? []).reduce((sum, { amount }) => sum + amount, 0);
}

/** One for each key, with the amounts added up. */
function together<T extends { amount: number }>(all: readonly T[], key: (one: T) => string): T[] {
  const found = new Map<string, T>();
  for (const one of all) {
    const held = found.get(key(one));
    found.set(key(one), held === undefined ? one : { ...held, amount: held.amount + one.amount });
  }
  return [...found.values()];
}

type AtWork = { readonly discount: Discount; readonly coupon: Coupon };

/** Those in force, and those that this invoice used up. */
function discountsOf(
  act: Act,
  ids: readonly string[],
  invoice: string,
  unsaved: readonly Discount[],
): readonly AtWork[] {
  const found: AtWork[] = [];
  for (const id of ids) {
    const discount = unsaved.find(each => each.id === id) ?? find(act, 'discount', id);
    const coupon = discount === undefined ? undefined : find(act, 'coupon', discount.$coupon);
    if (discount === undefined || coupon === undefined) continue;
    const open = discount.end === null || discount.end > act.at || discount.$spent === invoice;
    if (open) found.push({ discount, coupon });
  }
  return found;
}

function applies(coupon: Coupon, line: InvoiceLineItem): boolean {
  const products = coupon.applies_to?.products ?? [];
  return products.length === 0 || products.includes(line.pricing?.price_details?.product ?? '');
}

function takeOff(discount: Discount, coupon: Coupon, parts: readonly Part[]): void {
  if (coupon.percent_off !== null) {
    for (const part of parts) less(part, discount.id, Math.round((part.left * coupon.percent_off) / 100));
    return;
  }
  const positive = parts.filter(({ left }) => left > 0);
  const whole = positive.reduce((sum, { left }) => sum + left, 0);
  let rest = Math.min(coupon.amount_off ?? 0, whole);
  let base = whole;
  for (const part of positive) {
    const share = base === 0 ? 0 : Math.round((rest * part.left) / base);
    base -= part.left;
    rest -= share;
    less(part, discount.id, share);
  }
}

function less(part: Part, discount: string, amount: number): void {
  part.left -= amount;
  part.off.set(discount, (part.off.get(discount) ?? 0) + amount);
}

function taxed(act: Act, invoice: Invoice, { line, left, off }: Part): InvoiceLineItem {
  const own: readonly string[] = line.$tax_rates ?? [];
  const ids: readonly string[] =
    own.length > 0 ? own : invoice.default_tax_rates.map(({ id }: { id: string }) => id);
  const rates = ids
    .map(id => find(act, 'tax_rate', id))
    .filter((rate): rate is TaxRate => rate !== undefined);
  return {
    ...line,
    discount_amounts: [...off].map(([discount, amount]) => ({ amount, discount })),
    pretax_credit_amounts: [
      ...[...off].map(([discount, amount]) => ({ amount, discount, type: 'discount' as const })),
      ...creditsOf(line),
    ],
    taxes: rates.length === 0 ? [] : taxesOn(left, rates, invoice.customer_tax_exempt),
  };
}

/** The taxes of rates on an amount. */
export function taxesOn(amount: number, rates: readonly TaxRate[], exempt: string | null): LineTax[] {
  const inside = rates
    .filter(({ inclusive }) => inclusive)
    .reduce((sum, { percentage }) => sum + percentage, 0);
  const net = amount / (1 + inside / 100);
  const reason =
    exempt === 'exempt' ? 'customer_exempt' : exempt === 'reverse' ? 'reverse_charge' : 'standard_rated';
  return rates.map(rate => ({
    amount: reason === 'standard_rated' ? rounded((net * rate.percentage) / 100) : 0,
    tax_behavior: rate.inclusive ? ('inclusive' as const) : ('exclusive' as const),
    tax_rate_details: { tax_rate: rate.id },
    taxability_reason: reason,
    taxable_amount: rounded(net),
    type: 'tax_rate_details' as const,
  }));
}
