// Customers: who pays, with what, and for what.
import { html } from '../../kit/html.ts';
import { find, select } from '../api/act.ts';
import type { Customer } from '../customers/records.ts';
import { invoiceColumns } from './invoices.ts';
import type { Column, Kind } from './kind.ts';
import { paymentColumns } from './payments.ts';
import { customerName, customersCalled } from './people.ts';
import { subscriptionColumns } from './subscriptions.ts';
import { RELATED_SHOWN, section } from './table.ts';
import { refer } from './visit.ts';
import { amount, badge, instant, words } from './words.ts';

export const customerColumns: readonly Column<Customer>[] = [
  { title: 'Customer', cell: (visit, held) => refer(visit, held.id, customerName(held)) },
  { title: 'Email', cell: (_visit, { email }) => email ?? '' },
  { title: 'Description', wide: true, cell: (_visit, { description }) => description ?? '' },
  { title: 'Created', wide: true, cell: (_visit, { created }) => instant(created) },
];

export const customers: Kind<'customer'> = {
  type: 'customer',
  path: 'customers',
  title: 'Customers',
  noun: 'customer',
  list: {
    operation: 'customers.list',
    search: 'customers.search',
    byWords: customersCalled,
    columns: customerColumns,
    takes: ['email', 'test_clock'],
    empty: {
      says: 'No customers yet.',
      curl: '/v1/customers -u sk_test_1: -d name="Ada Lovelace" -d email=ada@example.com',
    },
    make: {
      label: 'Create a customer',
      fields: html`<label for="name">Name</label><input id="name" name="name" autocomplete="off">
<label for="email">Email</label><input id="email" name="email" type="email" autocomplete="off">
<label for="description">Description</label><input id="description" name="description" autocomplete="off">`,
      asks: form => {
        const given = ['name', 'email', 'description'].map(field => [field, form.get(field) ?? ''] as const);
        const params = Object.fromEntries(given.filter(([, value]) => value !== ''));
        return { operation: 'customers.create', params };
      },
    },
  },
  heading: customerName,
  facts: (visit, held) => {
    const method = find(visit.act, 'payment_method', held.invoice_settings.default_payment_method ?? '');
    const owes = held.balance ?? 0;
    return [
      ['Email', held.email],
      ['Name', held.name ?? null],
      ['Phone', held.phone ?? null],
      ['Description', held.description],
      ['State', held.delinquent === true ? badge('past_due', 'Delinquent') : null],
      [
        'Balance',
        owes === 0
          ? null
          : `${amount(Math.abs(owes), held.currency ?? 'usd')} ${owes > 0 ? 'owed' : 'in credit'}`,
      ],
      [
        'Pays with',
        method === undefined
          ? null
          : method.card == null
            ? words(method.type)
            : `${words(method.card.brand)} ending in ${method.card.last4}`,
      ],
      ['Test clock', typeof held.test_clock === 'string' ? refer(visit, held.test_clock) : null],
      ['Created', instant(held.created)],
    ];
  },
  related: (visit, { id }) => {
    const query = { where: { customer: id }, limit: RELATED_SHOWN };
    const { tx } = visit.act;
    const [paid, subscribed, billed] = [
      select(tx, 'payment_intent', query),
      select(tx, 'subscription', query),
      select(tx, 'invoice', query),
    ];
    const more = (path: string, there: boolean): string | null => (there ? `${path}?customer=${id}` : null);
    return html`${section(visit, 'Subscriptions', theirs(subscriptionColumns), subscribed.items, more('subscriptions', subscribed.more))}
${section(visit, 'Payments', theirs(paymentColumns), paid.items, more('payments', paid.more))}
${section(visit, 'Invoices', theirs(invoiceColumns), billed.items, more('invoices', billed.more))}`;
  },
};

/** On the customer's own page nobody needs to be told whose it is. */
function theirs<Held>(columns: readonly Column<Held>[]): readonly Column<Held>[] {
  return columns.filter(({ title }) => title !== 'Customer');
}
