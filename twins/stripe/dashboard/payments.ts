// Payments: an intent with what came of it, and a charge by itself.
import { type Html, html } from '../../kit/html.ts';
import { find, select } from '../api/act.ts';
import type { Charge, PaymentIntent, Refund } from '../payments/records.ts';
import type { Column, Deed, Fact, Kind } from './kind.ts';
import { ofPeople, person } from './people.ts';
import { RELATED_SHOWN, section } from './table.ts';
import { refer, type Visit } from './visit.ts';
import { amount, amountField, amountTyped, badge, instant, words } from './words.ts';

/** What became of it, refunds included. */
function state({ act }: Visit, { status, latest_charge: latest }: PaymentIntent): Html {
  const charge = status === 'succeeded' ? find(act, 'charge', latest ?? '') : undefined;
  if (charge === undefined || charge.amount_refunded === 0)
    return badge(status, status === 'requires_payment_method' ? 'Incomplete' : words(status));
  return badge('refunded', charge.refunded ? 'Refunded' : 'Partly refunded');
}

export const paymentColumns: readonly Column<PaymentIntent>[] = [
  { title: 'Amount', cell: (visit, held) => refer(visit, held.id, amount(held.amount, held.currency)) },
  { title: 'State', cell: state },
  { title: 'Customer', cell: (visit, { customer }) => person(visit, customer) },
  { title: 'Description', wide: true, cell: (_visit, { description }) => description ?? '' },
  { title: 'Created', wide: true, cell: (_visit, { created }) => instant(created) },
];

const chargeColumns: readonly Column<Charge>[] = [
  { title: 'Charge', cell: (visit, held) => refer(visit, held.id, amount(held.amount, held.currency)) },
  { title: 'State', cell: (_visit, { status }) => badge(status) },
  { title: 'Why', wide: true, cell: (_visit, held) => held.failure_message ?? '' },
  { title: 'Created', wide: true, cell: (_visit, { created }) => instant(created) },
];

const refundColumns: readonly Column<Refund>[] = [
  { title: 'Refund', cell: (_visit, held) => amount(held.amount, held.currency) },
  { title: 'State', cell: (_visit, { status }) => badge(status ?? 'pending') },
  { title: 'Reason', cell: (_visit, { reason }) => (reason === null ? '' : words(reason)) },
  { title: 'Id', wide: true, cell: (_visit, { id }) => html`<code>${id}</code>` },
];

const CANCELABLE: readonly string[] = [
  'processing',
  'requires_action',
  'requires_capture',
  'requires_confirmation',
  'requires_payment_method',
];

/** What is left of a charge to give back. */
const left = ({ amount_captured: taken, amount_refunded: back, amount: whole }: Charge): number =>
  taken - Math.max(0, back - (whole - taken));

function refundFields(rest: number, currency: string): Html {
  return html`<label for="amount">Amount (${amount(rest, currency)} are left)</label>
<input id="amount" name="amount" inputmode="decimal" value="${amountField(rest, currency)}" required>
<label for="reason">Reason</label><select id="reason" name="reason"><option value="">none</option><option value="requested_by_customer">requested by the customer</option>
<option value="duplicate">duplicate</option><option value="fraudulent">fraudulent</option></select>`;
}

const refundParams = (form: Visit['form'], currency: string): { readonly [field: string]: string } => ({
  amount: amountTyped(form.get('amount') ?? '', currency),
  ...(form.get('reason') ? { reason: form.get('reason') ?? '' } : {}),
});

const isRefundable = (charge: Charge | undefined): charge is Charge =>
  charge?.status === 'succeeded' && charge.captured && !charge.refunded && !charge.disputed;

const refundOfIntent: Deed<PaymentIntent> = {
  name: 'refund',
  label: 'Refund',
  about: 'Gives the customer back all of it, or a part.',
  fields: (held, { act }) => {
    const charge = find(act, 'charge', held.latest_charge ?? '');
    return refundFields(charge === undefined ? 0 : left(charge), held.currency);
  },
  when: (held, { act }) => isRefundable(find(act, 'charge', held.latest_charge ?? '')),
  does: ({ id, currency }, form) => ({
    operation: 'refunds.create',
    params: { payment_intent: id, ...refundParams(form, currency) },
  }),
};

const capture: Deed<PaymentIntent> = {
  name: 'capture',
  label: 'Capture',
  about: 'Takes what was authorized.',
  when: ({ status }) => status === 'requires_capture',
  does: ({ id }) => ({ operation: 'paymentIntents.capture', path: { intent: id } }),
};

const cancel: Deed<PaymentIntent> = {
  name: 'cancel',
  label: 'Cancel the payment',
  about: 'It cannot be paid any more.',
  when: ({ status, $invoice: invoice }) => invoice === null && CANCELABLE.includes(status),
  does: ({ id }) => ({ operation: 'paymentIntents.cancel', path: { intent: id } }),
};

export const payments: Kind<'payment_intent'> = {
  type: 'payment_intent',
  path: 'payments',
  title: 'Payments',
  noun: 'payment',
  list: {
    operation: 'paymentIntents.list',
    search: 'paymentIntents.search',
    byWords: (visit, asked) => ofPeople(visit, 'payment_intent', asked),
    columns: paymentColumns,
    takes: ['customer'],
    empty: {
      says: 'No payments yet.',
      curl: '/v1/payment_intents -u sk_test_1: -d amount=2000 -d currency=usd -d payment_method=pm_card_visa -d confirm=true -d "automatic_payment_methods[enabled]=true" -d "automatic_payment_methods[allow_redirects]=never"',
    },
  },
  heading: ({ amount: value, currency }) => amount(value, currency),
  facts: (visit, held): readonly Fact[] => {
    const method = find(visit.act, 'payment_method', held.payment_method ?? '');
    return [
      ['State', state(visit, held)],
      ['Customer', person(visit, held.customer)],
      ['Description', held.description],
      [
        'Method',
        method === undefined
          ? null
          : method.card == null
            ? words(method.type)
            : `${words(method.card.brand)} ending in ${method.card.last4}`,
      ],
      ['Why it failed', held.last_payment_error?.message ?? null],
      ['Invoice', held.$invoice === null ? null : refer(visit, held.$invoice)],
      ['Created', instant(held.created)],
    ];
  },
  related: (visit, { id }) => {
    const query = { where: { payment_intent: id }, limit: RELATED_SHOWN };
    const { tx } = visit.act;
    return html`${section(visit, 'Charges', chargeColumns, select(tx, 'charge', query).items)}
${section(visit, 'Refunds', refundColumns, select(tx, 'refund', query).items)}`;
  },
  deeds: [refundOfIntent, capture, cancel],
};

export const charges: Kind<'charge'> = {
  type: 'charge',
  path: 'payments',
  prefix: 'ch_',
  title: 'Payments',
  noun: 'charge',
  heading: ({ amount: value, currency }) => `Charge of ${amount(value, currency)}`,
  facts: (visit, held) => [
    ['State', held.refunded ? badge('refunded') : badge(held.status)],
    ['Payment', held.payment_intent === null ? null : refer(visit, held.payment_intent)],
    ['Customer', person(visit, held.customer)],
    ['Description', held.description],
    ['Why it failed', held.failure_message],
    ['Given back', held.amount_refunded === 0 ? null : amount(held.amount_refunded, held.currency)],
    ['Disputed', held.disputed ? 'yes' : null],
    ['Created', instant(held.created)],
  ],
  related: (visit, { id }) =>
    section(
      visit,
      'Refunds',
      refundColumns,
      select(visit.act.tx, 'refund', { where: { charge: id }, limit: RELATED_SHOWN }).items,
    ),
  deeds: [
    {
      name: 'refund',
      label: 'Refund',
      about: 'Gives the customer back all of it, or a part.',
      fields: held => refundFields(left(held), held.currency),
      when: held => isRefundable(held),
      does: ({ id, currency }, form) => ({
        operation: 'refunds.create',
        params: { charge: id, ...refundParams(form, currency) },
      }),
    },
  ],
};
