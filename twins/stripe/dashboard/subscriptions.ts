// Subscriptions: what somebody pays for again and again, and until when.
import { type Html, html } from '../../kit/html.ts';
import { find, select } from '../api/act.ts';
import { itemsOf } from '../subscriptions/clock.ts';
import type { Subscription, SubscriptionItem } from '../subscriptions/records.ts';
import { invoiceColumns } from './invoices.ts';
import type { Column, Deed, Kind } from './kind.ts';
import { ofPeople, person } from './people.ts';
import { RELATED_SHOWN, section } from './table.ts';
import { refer, type Visit } from './visit.ts';
import { badge, instant, priced } from './words.ts';

function nameOf({ act }: Visit, item: SubscriptionItem): string {
  const price = find(act, 'price', item.price);
  return find(act, 'product', price?.product ?? '')?.name ?? item.price;
}

/** The names of what is paid for. */
function plans(visit: Visit, { id }: Subscription): string {
  return itemsOf(visit.act, id)
    .map(item => nameOf(visit, item))
    .join(', ');
}

function state(held: Subscription): Html {
  const ending = held.cancel_at_period_end || (held.cancel_at !== null && held.ended_at === null);
  return ending ? html`${badge(held.status)} ${badge('ending', 'Ends')}` : badge(held.status);
}

export const subscriptionColumns: readonly Column<Subscription>[] = [
  { title: 'Subscription', cell: (visit, held) => refer(visit, held.id, plans(visit, held) || held.id) },
  { title: 'State', cell: (_visit, held) => state(held) },
  { title: 'Customer', cell: (visit, { customer }) => person(visit, customer) },
  { title: 'Created', wide: true, cell: (_visit, { created }) => instant(created) },
];

const itemColumns: readonly Column<SubscriptionItem>[] = [
  { title: 'Product', cell: nameOf },
  {
    title: 'Price',
    cell: (visit, { price: id }) => {
      const price = find(visit.act, 'price', id);
      return price === undefined ? id : refer(visit, id, priced(price));
    },
  },
  { title: 'Quantity', cell: (_visit, { quantity }) => String(quantity ?? '') },
  { title: 'Until', wide: true, cell: (_visit, held) => instant(held.current_period_end) },
];

const runs = ({ ended_at: ended }: Subscription): boolean => ended === null;

const deeds: readonly Deed<Subscription>[] = [
  {
    name: 'cancel',
    label: 'Cancel now',
    about: 'It ends at once; nothing is given back.',
    when: runs,
    does: ({ id }) => ({ operation: 'subscriptions.cancel', path: { subscription: id } }),
  },
  {
    name: 'end',
    label: 'Cancel at the end of the period',
    about: 'It runs until what was paid for is over.',
    when: held => runs(held) && !held.cancel_at_period_end,
    does: ({ id }) => ({
      operation: 'subscriptions.update',
      path: { subscription: id },
      params: { cancel_at_period_end: 'true' },
    }),
  },
  {
    name: 'keep',
    label: 'Do not cancel',
    about: 'It goes on when the period is over.',
    when: held => runs(held) && held.cancel_at_period_end,
    does: ({ id }) => ({
      operation: 'subscriptions.update',
      path: { subscription: id },
      params: { cancel_at_period_end: 'false' },
    }),
  },
];

export const subscriptions: Kind<'subscription'> = {
  type: 'subscription',
  path: 'subscriptions',
  title: 'Subscriptions',
  noun: 'subscription',
  list: {
    operation: 'subscriptions.list',
    search: 'subscriptions.search',
    byWords: (visit, asked) => ofPeople(visit, 'subscription', asked),
    columns: subscriptionColumns,
    filters: [
      {
        param: 'status',
        title: 'State',
        values: ['active', 'trialing', 'past_due', 'unpaid', 'paused', 'incomplete', 'canceled', 'all'],
      },
    ],
    takes: ['customer', 'price', 'test_clock'],
    empty: {
      says: 'No subscriptions yet.',
      curl: '/v1/subscriptions -u sk_test_1: -d customer=cus_… -d "items[0][price]=price_…"',
    },
  },
  heading: () => 'Subscription',
  facts: (visit, held) => [
    ['State', state(held)],
    ['Customer', person(visit, held.customer)],
    ['Of', plans(visit, held)],
    ['Description', held.description],
    ['Trial until', held.trial_end === null ? null : instant(held.trial_end)],
    ['Ends', held.cancel_at === null ? null : instant(held.cancel_at)],
    ['Ended', held.ended_at === null ? null : instant(held.ended_at)],
    ['Test clock', typeof held.test_clock === 'string' ? refer(visit, held.test_clock) : null],
    ['Started', instant(held.start_date)],
  ],
  related: (visit, { id }) => {
    const billed = select(visit.act.tx, 'invoice', {
      where: { $subscription: id },
      limit: RELATED_SHOWN,
    });
    return html`${section(visit, 'Items', itemColumns, itemsOf(visit.act, id))}
${section(visit, 'Invoices', invoiceColumns, billed.items, billed.more ? `invoices?subscription=${id}` : null)}`;
  },
  deeds,
};
