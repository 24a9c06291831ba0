// How people speak of Stripe's objects: what each is called in a sentence, what matters of it, and what stands in a table
// of such. Asked for when somebody looks at a world, never by the API.

import type { Look, Wording } from '../kit/twin.ts';
import type { RecordBody } from '../kit/tx.ts';
import { decimalsOf } from './api/money.ts';
import { amount, every } from './dashboard/words.ts';
import { day } from './invoicing/page-words.ts';
import type { RecordName, Records } from './records.ts';

type Titles = { readonly [Name in RecordName]?: Wording<Records[Name]> };

type Paid = { readonly amount: number; readonly currency: string };
type Ref = string | { readonly id: string } | null | undefined;

/** `EUR 1,234.50`. */
function money(value: number | null | undefined, currency: string | null | undefined): string {
  if (typeof value !== 'number' || typeof currency !== 'string') return '';
  const [figures = '', code = ''] = amount(value, currency).split(' ');
  return `${code} ${figures}`;
}

const sum = ({ amount: value, currency }: Paid): string => money(value, currency);

/** By their name, else their address, else the id; empty for nobody. */
function customer(look: Look, ref: Ref): string {
  const id = idOf(ref);
  if (id === null) return '';
  const held = look('customer', id) as Partial<Records['customer']> | undefined;
  return held?.name || held?.email || id;
}

const forCustomer = (look: Look, ref: Ref): string =>
  idOf(ref) === null ? '' : ` for ${customer(look, ref)}`;

const idOf = (ref: Ref): string | null => (typeof ref === 'string' ? ref : (ref?.id ?? null));

/** `EUR 19.00 a month`; a price may be a part of the smallest unit, or go by tiers. */
function priced(look: Look, id: unknown): string {
  const price = look('price', id) as Records['price'] | undefined;
  return price === undefined ? '' : priceText(price);
}

function priceText({
  unit_amount: unit,
  unit_amount_decimal: exact,
  currency,
  recurring,
}: Pick<Records['price'], 'unit_amount' | 'unit_amount_decimal' | 'currency' | 'recurring'>): string {
  const shown =
    unit !== null
      ? money(unit, currency)
      : exact === null || exact === undefined
        ? 'by tiers'
        : `${currency.toUpperCase()} ${Number(exact) / 10 ** decimalsOf(currency)}`;
  return `${shown} ${every(recurring)}`.trim();
}

const product = (look: Look, ref: Ref): string => {
  const held = look('product', idOf(ref)) as Partial<Records['product']> | undefined;
  return held?.name || idOf(ref) || '';
};

/** Those that are there, with commas. */
const joined = (...parts: readonly (string | null | undefined | false)[]): string =>
  parts.filter(part => typeof part === 'string' && part !== '').join(', ');

const state = (status: string | null | undefined): string => (status ?? '').replaceAll('_', ' ');

/** Why a payment failed, in its vendor's words. */
const failure = (error: { readonly message?: string | null } | null | undefined): string =>
  error?.message ?? '';

export const TITLES: Titles = {
  customer: {
    title: ({ name, email, id }) => `customer ${name || email || id}`,
    summary: ({ name, email }) => (name ? (email ?? null) : null),
    columns: { Name: ({ name }) => name, Email: ({ email }) => email, Since: ({ created }) => day(created) },
  },
  product: {
    title: ({ name }) => `product ${name}`,
    summary: ({ active, description }) => joined(!active && 'archived', description),
    columns: { Name: ({ name }) => name, Active: ({ active }) => active },
  },
  price: {
    title: (price, look) => `price ${priceText(price)} of ${product(look, price.product)}`,
    summary: ({ nickname, active }) => joined(!active && 'archived', nickname),
    columns: {
      Price: price => priceText(price),
      Product: (price, look) => product(look, price.product),
      Active: ({ active }) => active,
    },
  },
  coupon: {
    title: ({ name, id }) => `coupon ${name || id}`,
    summary: ({ percent_off: percent, amount_off: off, currency, duration }) =>
      joined(percent ? `${percent} % off` : `${money(off, currency)} off`, duration),
  },
  promotion_code: { title: ({ code }) => `promotion code ${code}` },
  subscription: {
    title: ({ customer: of }, look) => `subscription${forCustomer(look, of)}`,
    summary: ({ $price, status, cancel_at_period_end: ends }, look) =>
      joined(priced(look, $price), status !== 'active' && state(status), ends && 'ends with its period'),
    columns: {
      Customer: ({ customer: of }, look) => customer(look, of),
      Price: ({ $price }, look) => priced(look, $price),
      Status: ({ status }) => state(status),
    },
  },
  subscription_schedule: {
    title: ({ customer: of }, look) => `subscription schedule${forCustomer(look, of)}`,
    summary: ({ status }) => state(status),
  },
  invoice: {
    title: ({ number, customer: of }, look) =>
      `${number === null ? 'draft invoice' : `invoice ${number}`}${forCustomer(look, of)}`,
    summary: ({ total, currency, status }) =>
      joined(money(total, currency), status !== 'draft' && state(status)),
    columns: {
      Number: ({ number }) => number,
      Customer: ({ customer: of }, look) => customer(look, of),
      Total: ({ total, currency }) => money(total, currency),
      Status: ({ status }) => state(status),
      Made: ({ created }) => day(created),
    },
  },
  invoiceitem: {
    title: (item, look) => `invoice item of ${sum(item)}${forCustomer(look, item.customer)}`,
    summary: ({ description }) => description,
  },
  credit_note: {
    title: (note, look) => `credit note ${note.number} of ${sum(note)}${forCustomer(look, note.customer)}`,
    summary: ({ status }) => state(status),
  },
  payment_intent: {
    title: (intent, look) => `payment of ${sum(intent)}${forCustomer(look, intent.customer)}`,
    summary: ({ status, last_payment_error: error }) => joined(state(status), failure(error)),
    columns: {
      Amount: sum,
      Customer: ({ customer: of }, look) => customer(look, of),
      Status: ({ status }) => state(status),
      Made: ({ created }) => day(created),
    },
  },
  setup_intent: {
    title: ({ customer: of }, look) => `setup of a payment method${forCustomer(look, of)}`,
    summary: ({ status, last_setup_error: error }) => joined(state(status), failure(error)),
  },
  charge: {
    title: (charge, look) => `charge of ${sum(charge)}${forCustomer(look, charge.customer)}`,
    summary: ({ status, refunded, amount_refunded: back, currency, failure_message: why }) =>
      joined(
        state(status),
        why,
        refunded ? 'refunded' : back > 0 && `${money(back, currency)} of it refunded`,
      ),
    columns: {
      Amount: sum,
      Customer: ({ customer: of }, look) => customer(look, of),
      Status: ({ status }) => state(status),
      Refunded: ({ amount_refunded: back, currency }) => (back > 0 ? money(back, currency) : null),
      Made: ({ created }) => day(created),
    },
  },
  refund: {
    title: (refund, look) => {
      const charge = look('charge', idOf(refund.charge)) as Partial<Records['charge']> | undefined;
      return `refund of ${sum(refund)}${forCustomer(look, charge?.customer)}`;
    },
    summary: ({ status, reason }) => joined(state(status), state(reason)),
    columns: { Amount: sum, Status: ({ status }) => state(status), Made: ({ created }) => day(created) },
  },
  dispute: {
    title: dispute => `dispute over ${sum(dispute)}`,
    summary: ({ status, reason }) => joined(state(status), state(reason)),
  },
  payment_method: {
    title: ({ type, card }) =>
      card === undefined || card === null
        ? `payment method ${state(type)}`
        : `card ${card.brand} ${card.last4}`,
    summary: ({ customer: of }, look) => (idOf(of) === null ? null : `of ${customer(look, of)}`),
  },
  'checkout.session': {
    title: (session, look) => {
      const { amount_total: total, currency, customer: of, customer_details: details, mode } = session;
      const who = idOf(of) === null ? (details?.email ?? '') : customer(look, of);
      const what = mode === 'setup' ? '' : ` over ${money(total, currency)}`;
      return `checkout${what}${who === '' ? '' : ` for ${who}`}`;
    },
    summary: ({ status, payment_status: paid }) => joined(state(status), state(paid)),
    columns: {
      Total: ({ amount_total: total, currency }) => money(total, currency),
      Customer: ({ customer: of }, look) => customer(look, of),
      Status: ({ status }) => state(status),
      Paid: ({ payment_status: paid }) => state(paid),
    },
  },
  payout: { title: payout => `payout of ${sum(payout)}`, summary: ({ status }) => state(status) },
  transfer: { title: transfer => `transfer of ${sum(transfer)}` },
  account: {
    title: ({ email, id }) => `account ${email || id}`,
  },
  quote: {
    title: ({ number, id, customer: of }, look) => `quote ${number ?? id}${forCustomer(look, of)}`,
    summary: ({ amount_total: total, currency, status }) => joined(money(total, currency), state(status)),
  },
  webhook_endpoint: {
    title: ({ url }) => `webhooks to ${url}`,
    summary: ({ status, enabled_events: events }) =>
      joined(
        status !== 'enabled' && state(status),
        events.includes('*')
          ? 'every event'
          : events.length > 2
            ? `${events.length} kinds of event`
            : events.join(', '),
      ),
  },
  event: {
    title: ({ type, data }, look) => {
      const held = data.object as { readonly object?: unknown };
      const of = TITLES[String(held.object) as RecordName] as Wording | undefined;
      const told = of?.title?.(held as RecordBody, look) ?? null;
      return told === null ? type : `${type}: ${told}`;
    },
    columns: { Type: ({ type }) => type, At: ({ created }) => day(created) },
  },
};
