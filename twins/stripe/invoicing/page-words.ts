// Days and taxes as the pages of billing write them.

import { type Act, find } from '../api/act.ts';
import type { Invoice } from './records.ts';

/** `2026-02-15`. */
export function day(seconds: number): string {
  return isoOf(seconds)?.slice(0, 10) ?? String(seconds);
}

/** `2026-02-15T12:00:00.000Z`; null for a time that no calendar has, which the API takes all the same. */
export function isoOf(seconds: number): string | null {
  const at = new Date(seconds * 1000);
  return Number.isNaN(at.getTime()) ? null : at.toISOString();
}

type Tax = {
  readonly amount: number;
  readonly tax_behavior: string;
  readonly tax_rate_details: { readonly tax_rate: string } | null;
};

/** The taxes of an invoice: `VAT 20 %`, `GST 5 % (included)`. */
export function taxWords(act: Act, invoice: Invoice): readonly { name: string; amount: number }[] {
  return ((invoice.total_taxes ?? []) as readonly Tax[]).map(tax => {
    const rate = find(act, 'tax_rate', tax.tax_rate_details?.tax_rate ?? '');
    const name = rate === undefined ? 'Tax' : `${rate.display_name} ${rate.percentage} %`;
    return { name: tax.tax_behavior === 'inclusive' ? `${name} (included)` : name, amount: tax.amount };
  });
}
