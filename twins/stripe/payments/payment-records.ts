// Payment records: payments that another processor made, as their owner reports them. A record has attempts, and each
// report is an event in the life of its latest one.

import { type Act, find, need, save } from '../api/act.ts';
import { fullAddress } from '../api/address.ts';
import { invalid, missing } from '../api/errors.ts';
import { filledField } from '../api/fill-shape.ts';
import { type PageAsk, page } from '../api/list.ts';
import { type MetadataParam, mergeMetadata } from '../api/params.ts';
import { vendor } from '../api/vendor.ts';
import { viewOf } from '../api/view.ts';
import type { Kept } from '../api/wire.ts';

type Money = { readonly currency: string; readonly value: number };
type Details = { readonly [field: string]: unknown };
type Outcome = {
  readonly canceled?: { readonly canceled_at: number };
  readonly failed?: { readonly failed_at: number };
  readonly guaranteed?: { readonly guaranteed_at: number };
  readonly outcome?: 'canceled' | 'failed' | 'guaranteed';
};
type Attempt = Outcome & {
  readonly description?: string;
  readonly initiated_at: number;
  readonly metadata?: MetadataParam;
  readonly payment_method_details?: Details;
  readonly shipping_details?: Details;
};
type Payment = Attempt & {
  readonly amount_requested: Money;
  readonly customer_details?: Details;
  readonly customer_presence?: 'off_session' | 'on_session';
  readonly processor_details?: Details;
};

const AMOUNTS = [
  'amount',
  'amount_authorized',
  'amount_canceled',
  'amount_failed',
  'amount_guaranteed',
  'amount_refunded',
] as const;

/** The fields that records and their attempts share. */
function blank(act: Act, id: string, object: string, asked: Payment): Kept {
  const none = { currency: asked.amount_requested.currency, value: 0 };
  return {
    id,
    object,
    ...Object.fromEntries(AMOUNTS.map(name => [name, none])),
    amount: asked.amount_requested,
    amount_requested: asked.amount_requested,
    application: null,
    created: act.at,
    customer_details: filledField('payment_record', 'customer_details', asked.customer_details ?? null),
    customer_presence: asked.customer_presence ?? null,
    description: asked.description ?? null,
    livemode: false,
    metadata: mergeMetadata({}, asked.metadata ?? undefined),
    payment_method_details: methodOf(act, asked.payment_method_details),
    processor_details: asked.processor_details ?? { type: 'custom', custom: { payment_reference: null } },
    reported_by: 'self',
    shipping_details: filledField('payment_record', 'shipping_details', asked.shipping_details ?? null),
  };
}

function methodOf(act: Act, given: Details | undefined): object {
  const billing = (given?.['billing_details'] ?? {}) as Details;
  const custom = (given?.['custom'] ?? {}) as Details;
  return filledField('payment_record', 'payment_method_details', {
    billing_details: {
      ...filledField<object>('payment_method', 'billing_details', billing),
      address: fullAddress((billing['address'] ?? {}) as { [line: string]: string }),
    },
    custom: { display_name: custom['display_name'] ?? '', type: custom['type'] ?? null },
    payment_method: given?.['payment_method'] ?? act.tx.recordId('pm_', 24),
    type: 'custom',
  });
}

const needRecord = (act: Act, path: { readonly [name: string]: string }): Kept =>
  need(act, 'payment_record', path['id'] ?? '', { param: 'payment_record', inPath: true });

/** Changes a record and its latest attempt alike. */
function both(act: Act, held: Kept, fields: object) {
  const next: Kept = { ...held, ...fields };
  save(act, 'payment_record', next);
  const attempt = find(act, 'payment_attempt_record', String(held['latest_payment_attempt_record']));
  if (attempt !== undefined) save(act, 'payment_attempt_record', { ...attempt, ...fields });
  return viewOf(act, 'payment_record', next);
}

const OUTCOMES = {
  canceled: 'amount_canceled',
  failed: 'amount_failed',
  guaranteed: 'amount_guaranteed',
} as const;

function amountsAfter(held: Kept, outcome: Outcome['outcome']): object {
  return outcome === undefined ? {} : { [OUTCOMES[outcome]]: held['amount_requested'] };
}

function begun(act: Act, record: Kept, asked: Payment): Kept {
  const attempt: Kept = {
    ...blank(act, act.tx.id('par_', 24), 'payment_attempt_record', asked),
    created: asked.initiated_at,
    payment_record: record.id,
  };
  save(act, 'payment_attempt_record', { ...attempt, ...amountsAfter(attempt, asked.outcome) });
  return { ...record, latest_payment_attempt_record: attempt.id };
}

const report = vendor<Payment>('paymentRecords.reportPayment', ({ act, params }) => {
  const asked = params as Payment;
  const fresh = blank(act, act.tx.id('pr_', 24), 'payment_record', asked);
  const record = begun(act, { ...fresh, ...amountsAfter(fresh, asked.outcome) }, asked);
  save(act, 'payment_record', record);
  return viewOf(act, 'payment_record', record);
});

const reportAttempt = vendor<Attempt>('paymentRecords.reportPaymentAttempt', ({ act, path, params }) => {
  const held = needRecord(act, path);
  const asked = params as Attempt;
  const whole = {
    payment_method_details: held['payment_method_details'] as Details,
    ...asked,
    amount_requested: held['amount_requested'] as Money,
  };
  const next = { ...begun(act, held, whole), ...amountsAfter(held, asked.outcome) };
  save(act, 'payment_record', next);
  return viewOf(act, 'payment_record', next);
});

type Tagged = { readonly metadata?: MetadataParam };

function ending(outcome: keyof typeof OUTCOMES) {
  const word = `${outcome[0]?.toUpperCase()}${outcome.slice(1)}`;
  return vendor<Tagged>(`paymentRecords.reportPaymentAttempt${word}`, ({ act, path, params }) => {
    const held = needRecord(act, path);
    const done = Object.values(OUTCOMES).find(name => (held[name] as Money).value > 0);
    if (done !== undefined) {
      throw invalid(`The latest attempt of this payment has already ended: ${done.slice('amount_'.length)}.`);
    }
    return both(act, held, { ...mergeTags(held, params.metadata), ...amountsAfter(held, outcome) });
  });
}

function mergeTags(held: Kept, given: { readonly [name: string]: string } | null | undefined): object {
  const before = held['metadata'] as { [name: string]: string };
  return given === undefined ? {} : { metadata: mergeMetadata(before, given ?? '') };
}

type Informed = Tagged & {
  readonly customer_details?: Details;
  readonly description?: string;
  readonly shipping_details?: Details;
};

const inform = vendor<Informed>(
  'paymentRecords.reportPaymentAttemptInformational',
  ({ act, path, params }) => {
    const held = needRecord(act, path);
    const { metadata, customer_details: customer, description, shipping_details: shipping } = params;
    const merged = (name: string, given: object) =>
      filledField('payment_record', name, { ...(held[name] as object | null), ...given });
    return both(act, held, {
      ...mergeTags(held, metadata),
      ...(description === undefined ? {} : { description }),
      ...(customer === undefined ? {} : { customer_details: merged('customer_details', customer) }),
      ...(shipping === undefined ? {} : { shipping_details: merged('shipping_details', shipping) }),
    });
  },
);

type Refunding = Tagged & {
  readonly amount?: Money;
  readonly processor_details: { readonly custom?: { readonly refund_reference: string } };
  readonly refunded: { readonly refunded_at: number };
};
/** What its owner calls a refund at the other processor. */
type Refund = { readonly reference: string | null; readonly value: number; readonly refunded_at: number };

const refunded = vendor<Refunding>('paymentRecords.reportRefund', ({ act, path, params }) => {
  const held = needRecord(act, path);
  const paid = (held['amount_guaranteed'] as Money).value;
  const before = held['amount_refunded'] as Money;
  const value = params.amount?.value ?? paid - before.value;
  if (value <= 0 || before.value + value > paid) {
    throw invalid(`At most ${paid - before.value} of this payment can be refunded.`, { param: 'amount' });
  }
  const amount_refunded = { ...before, value: before.value + value };
  const { refunded_at } = params.refunded;
  if (refunded_at > act.at)
    throw invalid('A refund cannot be reported before it was made.', { param: 'refunded[refunded_at]' });
  const reference = params.processor_details.custom?.refund_reference ?? null;
  const $refunds = [...((held['$refunds'] ?? []) as readonly Refund[]), { reference, value, refunded_at }];
  return both(act, held, { ...mergeTags(held, params.metadata), amount_refunded, $refunds });
});

const retrieve = vendor<object>('paymentRecords.retrieve', ({ act, path }) =>
  viewOf(act, 'payment_record', needRecord(act, path)),
);

type Between = { readonly created_after?: number; readonly created_before?: number };

const listAll = vendor<PageAsk & Between>('paymentRecords.list', ({ act, params }) => {
  const { created_after: gt, created_before: lt, ...paging } = params;
  const created = { ...(gt === undefined ? {} : { gt }), ...(lt === undefined ? {} : { lt }) };
  return page(act, 'payment_record', { ...paging, created }, '/v1/payment_records');
});

const attempt = vendor<object>('paymentAttemptRecords.retrieve', ({ act, path }) => {
  const held = find(act, 'payment_attempt_record', path['id'] ?? '');
  if (held === undefined)
    throw missing('payment_attempt_record', path['id'] ?? '', { param: 'id', inPath: true });
  return viewOf(act, 'payment_attempt_record', held);
});

const attempts = vendor<PageAsk & { readonly payment_record: string }>(
  'paymentAttemptRecords.list',
  ({ act, params }) =>
    page(act, 'payment_attempt_record', params, '/v1/payment_attempt_records', {
      where: { payment_record: params.payment_record },
    }),
);

export const paymentRecordOperations = [
  report,
  reportAttempt,
  ending('canceled'),
  ending('failed'),
  ending('guaranteed'),
  inform,
  refunded,
  retrieve,
  listAll,
  attempt,
  attempts,
];
