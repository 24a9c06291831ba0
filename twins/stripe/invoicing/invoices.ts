// Invoices.

import { schedule } from '../../kit/due.ts';
import { type Act, all, need, remove, save, select } from '../api/act.ts';
import { invalid } from '../api/errors.ts';
import { createdParams, inRange, page, pageParams } from '../api/list.ts';
import { operation } from '../api/operation.ts';
import {
  boolean,
  choice,
  type Decoded,
  hash,
  integer,
  list,
  mergeMetadata,
  metadata,
  range,
  required,
  text,
  time,
  unset,
} from '../api/params.ts';
import { search, searchParams } from '../api/search.ts';
import { viewOf } from '../api/view.ts';
import { discountsParam, taxRatesParam } from '../catalog/discount-params.ts';
import { checkDiscounts, openDiscounts } from '../catalog/discounts.ts';
import { ratesOf } from '../catalog/tax-rates.ts';
import type { Due } from '../due.ts';
import { tell, update } from '../events/events.ts';
import { ownedMethod } from '../payments/methods.ts';
import { needSourceOf } from '../payments/sources.ts';
import { invoiceTax } from '../tax/automatic.ts';
import { checkCollection } from './collection-method.ts';
import { blankInvoice, DRAFT_SECONDS, invoiceItemLine, linesOf, pendingItems, saveDraft } from './draft.ts';
import { needInvoice } from './lifecycle.ts';
import { invoicePayment, invoicePaymentParams } from './payment-settings.ts';
import type { Invoice } from './records.ts';
import { recountDraft } from './recount.ts';

const writable = {
  auto_advance: boolean(),
  automatic_tax: hash({
    enabled: required(boolean()),
    liability: hash({ type: required(choice('self', 'account')) }),
  }),
  collection_method: choice('charge_automatically', 'send_invoice'),
  custom_fields: unset(list(hash({ name: required(text(40)), value: required(text(140)) }))),
  days_until_due: integer(0),
  default_tax_rates: taxRatesParam,
  discounts: discountsParam,
  default_payment_method: text(),
  default_source: unset(text()),
  description: text(),
  due_date: time(),
  effective_at: unset(time()),
  footer: text(),
  metadata: metadata(),
  number: unset(text(26)),
  payment_settings: invoicePaymentParams,
  rendering: hash({
    amount_tax_display: unset(choice('exclude_tax', 'include_inclusive_tax')),
    pdf: hash({ page_size: choice('a4', 'auto', 'letter') }),
  }),
  statement_descriptor: text(22),
} as const;

const UNMODELLED = [
  'account_tax_ids',
  'application_fee_amount',
  'automatic_tax[liability][account]',
  'automatically_finalizes_at',
  'customer_account',
  'from_invoice',
  'issuer',
  'on_behalf_of',
  'rendering[template]',
  'rendering[template_version]',
  'shipping_cost',
  'shipping_details',
  'transfer_data',
];

function withFields(act: Act, held: Invoice, given: Decoded<typeof writable>): Invoice {
  const {
    custom_fields,
    days_until_due: days,
    metadata: tags,
    default_tax_rates,
    discounts,
    automatic_tax: tax,
    payment_settings: payment,
    rendering,
    ...scalars
  } = given;
  const rates = default_tax_rates === undefined ? null : ratesOf(act, default_tax_rates, 'default_tax_rates');
  const advance = scalars.auto_advance ?? held.auto_advance ?? false;
  if (scalars.default_source != null) needSourceOf(act, held.customer ?? '', scalars.default_source);
  return {
    ...held,
    ...(scalars as Partial<Invoice>),
    ...(tax === undefined ? {} : { automatic_tax: invoiceTax(tax.enabled) }),
    ...(payment === undefined ? {} : { payment_settings: invoicePayment(payment, held.payment_settings) }),
    ...(custom_fields === undefined
      ? {}
      : { custom_fields: custom_fields === null ? null : [...custom_fields] }),
    ...(rates === null ? {} : { default_tax_rates: rates.map(rate => ({ ...rate })) }),
    ...(discounts === undefined
      ? {}
      : { discounts: openDiscounts(act, discounts, { customer: held.customer, invoice: held.id }) }),
    ...(days === undefined ? {} : { due_date: act.at + days * 86_400 }),
    automatically_finalizes_at:
      held.status === 'draft' && advance ? (held.automatically_finalizes_at ?? act.at + DRAFT_SECONDS) : null,
    metadata: mergeMetadata(held.metadata ?? {}, tags),
    ...(rendering === undefined ? {} : { rendering: rendered(held.rendering, rendering) }),
  };
}

function rendered(
  held: Invoice['rendering'],
  { amount_tax_display: display, pdf }: NonNullable<Decoded<typeof writable>['rendering']>,
): Invoice['rendering'] {
  return {
    amount_tax_display: display === undefined ? (held?.amount_tax_display ?? null) : display,
    pdf: pdf === undefined ? (held?.pdf ?? null) : { page_size: pdf.page_size ?? 'auto' },
    template: null,
    template_version: null,
  };
}

function scheduleDraft(act: Act, invoice: Invoice): void {
  const key = `finalize:${invoice.id}`;
  const at = invoice.automatically_finalizes_at;
  if (at === null) act.tx.cancel(key);
  else schedule<Due>(act.tx, key, at * 1000, { kind: 'invoice.finalize', invoice: invoice.id });
}

const create = operation(
  'invoices.create',
  'POST /v1/invoices',
  {
    ...writable,
    currency: text(),
    customer: text(),
    pending_invoice_items_behavior: choice('exclude', 'include'),
    subscription: text(),
  },
  ({ act, params }) => {
    const {
      currency,
      customer: customerId,
      pending_invoice_items_behavior: pending,
      subscription: sub,
      ...given
    } = params;
    const subscription = sub === undefined ? null : need(act, 'subscription', sub, { param: 'subscription' });
    const payer = customerId ?? subscription?.customer;
    if (payer === undefined)
      throw invalid('Missing required param: customer.', { code: 'parameter_missing', param: 'customer' });
    const customer = need(act, 'customer', payer, { param: 'customer' });
    const collection = given.collection_method ?? 'charge_automatically';
    if (given.due_date === undefined) checkCollection(given, collection);
    const method =
      given.default_payment_method === undefined
        ? null
        : ownedMethod(act, given.default_payment_method, customer.id, 'default_payment_method');
    ratesOf(act, params.default_tax_rates, 'default_tax_rates');
    const waiting =
      pending === 'include' || subscription !== null
        ? pendingItems(
            act,
            customer.id,
            currency ?? subscription?.currency ?? firstCurrency(act, customer.id, customer.currency),
            subscription?.id ?? null,
          )
        : [];
    checkDiscounts(act, params.discounts, 'discounts', { customer: customer.id });
    if (subscription !== null && waiting.length === 0) {
      throw invalid('Nothing to invoice for subscription', { code: 'invoice_no_subscription_line_items' });
    }
    const blank = blankInvoice(act, {
      customer,
      subscription,
      currency: (currency ?? waiting[0]?.currency ?? customer.currency ?? 'usd').toLowerCase(),
      reason: subscription === null ? 'manual' : 'subscription_update',
      period: { start: act.at, end: act.at },
      collection,
      advance: given.auto_advance === true,
      daysUntilDue: null,
    });
    const draft = {
      ...withFields(act, blank, given),
      ...(method === null ? {} : { default_payment_method: method.id }),
    };
    if (method !== null) save(act, 'payment_method', method);
    const invoice = saveDraft(act, {
      invoice: draft,
      lines: waiting.map(item => invoiceItemLine(act, blank.id, item)),
    });
    tell(act, 'invoice.created', 'invoice', invoice);
    scheduleDraft(act, invoice);
    return viewOf(act, 'invoice', invoice);
  },
  UNMODELLED,
);

/** Without a currency an invoice takes up what waits in the customer's, or in the oldest item's. */
function firstCurrency(act: Act, customer: string, known: string | null | undefined): string {
  if (known !== null && known !== undefined) return known;
  const [oldest] = select(act.tx, 'invoiceitem', {
    where: { customer },
    order: 'oldest',
    limit: 1,
    keep: item => item['invoice'] === null,
  }).items;
  return oldest?.currency ?? 'usd';
}

const retrieve = operation('invoices.retrieve', 'GET /v1/invoices/{invoice}', {}, ({ act, path }) =>
  viewOf(act, 'invoice', needInvoice(act, path)),
);

const change = operation(
  'invoices.update',
  'POST /v1/invoices/{invoice}',
  writable,
  ({ act, path, params }) => {
    const held = needInvoice(act, path);
    checkDiscounts(act, params.discounts, 'discounts', {
      customer: held.customer,
      amount: held.subtotal,
      currency: held.currency,
    });
    const bound = Object.keys(params).find(name => !['metadata', 'auto_advance', 'expand'].includes(name));
    if (held.status !== 'draft' && bound !== undefined) {
      throw invalid(
        `Finalized invoices can't be updated in this way. You can only update ${bound} while the invoice is a draft.`,
        { code: 'invoice_not_editable', param: bound },
      );
    }
    const method =
      params.default_payment_method === undefined
        ? null
        : ownedMethod(act, params.default_payment_method, held.customer, 'default_payment_method');
    if (method !== null) save(act, 'payment_method', method);
    const next = {
      ...withFields(act, held, params),
      ...(method === null ? {} : { default_payment_method: method.id }),
    };
    if (held.status !== 'draft') {
      return viewOf(act, 'invoice', update(act, 'invoice', held, next, 'invoice.updated'));
    }
    scheduleDraft(act, next);
    return viewOf(act, 'invoice', recountDraft(act, held, next));
  },
  UNMODELLED,
);

const del = operation('invoices.del', 'DELETE /v1/invoices/{invoice}', {}, ({ act, path }) => {
  const held = needInvoice(act, path);
  if (held.status !== 'draft') {
    throw invalid('You can only delete draft invoices. To cancel a finalized invoice, void it instead.', {
      code: 'invoice_not_editable',
    });
  }
  if (held.$subscription !== null) {
    throw invalid("You can't delete invoices created by subscriptions.", {});
  }
  act.tx.cancel(`finalize:${held.id}`);
  tell(act, 'invoice.deleted', 'invoice', held);
  for (const line of linesOf(act, held.id)) remove(act, 'line_item', line.id);
  for (const item of all(act, 'invoiceitem', { invoice: held.id })) {
    save(act, 'invoiceitem', { ...item, invoice: null });
  }
  remove(act, 'invoice', held.id);
  return { id: held.id, object: 'invoice', deleted: true };
});

const listAll = operation(
  'invoices.list',
  'GET /v1/invoices',
  {
    ...createdParams,
    collection_method: choice('charge_automatically', 'send_invoice'),
    customer: text(),
    due_date: range(),
    status: choice('draft', 'open', 'paid', 'uncollectible', 'void'),
    subscription: text(),
  },
  ({ act, params }) => {
    const { collection_method, customer, due_date, status, subscription } = params;
    if (customer !== undefined) need(act, 'customer', customer, { param: 'customer' });
    if (subscription !== undefined) need(act, 'subscription', subscription, { param: 'subscription' });
    const where =
      subscription !== undefined
        ? { $subscription: subscription }
        : customer !== undefined
          ? { customer }
          : status !== undefined
            ? { status }
            : collection_method !== undefined
              ? { collection_method }
              : undefined;
    const more = [collection_method, due_date, customer, status].some(value => value !== undefined);
    return page(act, 'invoice', params, '/v1/invoices', {
      ...(where === undefined ? {} : { where }),
      ...(more
        ? {
            keep: invoice =>
              (customer === undefined || invoice.customer === customer) &&
              (status === undefined || invoice.status === status) &&
              (collection_method === undefined || invoice.collection_method === collection_method) &&
              inRange(invoice.due_date, due_date),
          }
        : {}),
    });
  },
  ['customer_account'],
);

const lines = operation(
  'invoices.listLineItems',
  'GET /v1/invoices/{invoice}/lines',
  pageParams,
  ({ act, path, params }) => {
    const held = needInvoice(act, path);
    return page(act, 'line_item', params, `/v1/invoices/${held.id}/lines`, {
      where: { invoice: held.id },
      order: 'oldest',
    });
  },
);

const find_ = operation('invoices.search', 'GET /v1/invoices/search', searchParams, ({ act, params }) =>
  search(act, 'invoice', params, '/v1/invoices/search', [
    'created',
    'currency',
    'customer',
    'last_finalization_error_code',
    'metadata',
    'number',
    'receipt_number',
    'status',
    'total',
  ]),
);

export const invoiceOperations = [create, retrieve, change, del, listAll, lines, find_];
