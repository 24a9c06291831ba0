// Amounts, instants and states as the dashboard's pages write them.
import { type Html, html } from '../../kit/html.ts';
import { decimalsOf, grouped } from '../api/money.ts';
import type { Price } from '../catalog/records.ts';
import { isoOf } from '../invoicing/page-words.ts';

/** `1,234.50 USD`. */
export function amount(value: number, currency: string): string {
  return `${value < 0 ? '−' : ''}${grouped(Math.abs(value), currency)} ${currency.toUpperCase()}`;
}

/** `1234.50`, for a field; `amountTyped` reads it back. */
export function amountField(value: number, currency: string): string {
  const decimals = decimalsOf(currency);
  return (value / 10 ** decimals).toFixed(decimals);
}

/** `12.5` of a currency with cents is `1250`; what is no amount stays as it was typed. */
export function amountTyped(typed: string, currency: string): string {
  const decimals = decimalsOf(currency);
  const [, whole, part = ''] = /^\s*(\d{1,12})(?:\.(\d{1,3}))?\s*$/.exec(typed) ?? [];
  if (whole === undefined || part.length > decimals) return typed;
  return String(Number(whole + part.padEnd(decimals, '0')));
}

/** `15 Jan 2026, 12:00:05`, of Stripe's seconds; in UTC. */
export function instant(seconds: number): Html {
  const iso = isoOf(seconds);
  if (iso === null) return html`${seconds}`;
  const [date = '', time = ''] = iso.split('T');
  const [, year = '', month = '1', day = '1'] = /^(.+)-(\d\d)-(\d\d)$/.exec(date) ?? [];
  const shown = `${Number(day)} ${MONTHS[Number(month) - 1]} ${year}`;
  return html`<time datetime="${iso}">${shown}, ${time.slice(0, 8)}</time>`;
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** `requires_payment_method` is `Requires payment method`. */
export function words(name: string): string {
  const spaced = name.replaceAll('_', ' ');
  return spaced.slice(0, 1).toUpperCase() + spaced.slice(1);
}

/** A state in a frame of its own; what it means is in its word, and the colour only helps. */
export function badge(state: string, shown: string = words(state)): Html {
  const kind = GOOD.has(state) ? 'good' : BAD.has(state) ? 'bad' : 'plain';
  return html`<span class="badge ${kind}">${shown}</span>`;
}

const GOOD: ReadonlySet<string> = new Set(['active', 'paid', 'ready', 'succeeded', 'trialing']);
const BAD: ReadonlySet<string> = new Set([
  'failed',
  'incomplete_expired',
  'past_due',
  'uncollectible',
  'unpaid',
]);

/** `every 3 months`; nothing for what is paid once. */
export function every(
  recurring: { readonly interval: string; readonly interval_count: number } | null,
): string {
  if (recurring === null) return '';
  const { interval, interval_count: count } = recurring;
  return count === 1 ? `a ${interval}` : `every ${count} ${interval}s`;
}

/** `15.00 USD a month`; a price may be a part of the smallest unit. */
export function priced({
  unit_amount: unit,
  unit_amount_decimal: exact,
  currency,
  recurring,
}: Price): string {
  const shown =
    unit !== null
      ? amount(unit, currency)
      : exact === null
        ? 'By tiers'
        : `${Number(exact) / 10 ** decimalsOf(currency)} ${currency.toUpperCase()}`;
  return `${shown} ${every(recurring)}`.trim();
}
