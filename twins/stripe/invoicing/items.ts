// Invoice items: what waits to be put on a customer's next invoice, or is put on a draft at once.

import { type Act, find, need, remove, save } from '../api/act.ts';
import { invalid } from '../api/errors.ts';
import { createdParams, page } from '../api/list.ts';
import { isCurrency, rounded } from '../api/money.ts';
import { operation } from '../api/operation.ts';
import {
  boolean,
  type Decoded,
  decimal,
  hash,
  integer,
  mergeMetadata,
  metadata,
  required,
  text,
  time,
} from '../api/params.ts';
import { viewOf } from '../api/view.ts';
import { discountsParam, taxRatesParam } from '../catalog/discount-params.ts';
import { checkDiscounts, openDiscounts } from '../catalog/discounts.ts';
import { oneTimePrice, oneTimePriceData } from '../catalog/one-time-price.ts';
import { amountOf } from '../catalog/price-draft.ts';
import { addPrice } from '../catalog/price-events.ts';
import type { Price } from '../catalog/records.ts';
import { ratesOf } from '../catalog/tax-rates.ts';
import { tell } from '../events/events.ts';
import { blankItem } from './blank-item.ts';
import { invoiceItemLine, linesOf } from './draft.ts';
import type { Invoice, InvoiceItem } from './records.ts';
import { recountDraft } from './recount.ts';

const writable = {
  amount: integer(),
  description: text(),
  discountable: boolean(),
  metadata: metadata(),
  period: hash({ end: required(time()), start: required(time()) }),
  price_data: oneTimePriceData,
  pricing: hash({ price: text() }),
  quantity: integer(0),
  discounts: discountsParam,
  tax_rates: taxRatesParam,
  unit_amount_decimal: decimal(),
} as const;

const UNMODELLED = ['customer_account', 'invoicing_rules', 'quantity_decimal', 'tax_behavior', 'tax_code'];

type Given = Decoded<typeof writable>;

function priceOf(act: Act, given: Given): ReturnType<typeof oneTimePrice> {
  const { price_data, pricing } = given;
  return oneTimePrice(
    act,
    {
      ...(price_data === undefined ? {} : { price_data }),
      ...(pricing?.price === undefined ? {} : { price: pricing.price }),
    },
    '',
    'pricing[price]',
  );
}

function amountFrom(given: Given, price: Price | null, quantity: number): number | null {
  if (given.amount !== undefined) return given.amount;
  if (given.unit_amount_decimal !== undefined) return rounded(Number(given.unit_amount_decimal) * quantity);
  return price === null ? null : amountOf(price, quantity);
}

const create = operation(
  'invoiceItems.create',
  'POST /v1/invoiceitems',
  { ...writable, currency: text(), customer: text(), invoice: text(), subscription: text() },
  ({ act, params }) => {
    const invoice = params.invoice === undefined ? null : needDraft(act, params.invoice);
    const payer = params.customer ?? invoice?.customer ?? null;
    if (payer === null)
      throw invalid('Missing required param: customer.', { code: 'parameter_missing', param: 'customer' });
    const customer = need(act, 'customer', payer, { param: 'customer' });
    if (invoice !== null && invoice.customer !== customer.id) {
      throw invalid(`No such invoice: '${invoice.id}'`, { code: 'resource_missing', param: 'invoice' });
    }
    const subscription =
      params.subscription === undefined
        ? null
        : need(act, 'subscription', params.subscription, { param: 'subscription' });
    checkDiscounts(act, params.discounts, 'discounts', { customer: customer.id });
    const rates = ratesOf(act, params.tax_rates, 'tax_rates');
    const chosen = priceOf(act, params);
    const quantity = params.quantity ?? 1;
    const amount = amountFrom(params, chosen?.price ?? null, quantity);
    if (amount === null) {
      throw invalid(
        'You must pass one of `amount`, `unit_amount_decimal`, `pricing[price]` or `price_data`.',
        {
          code: 'parameter_missing',
          param: 'amount',
        },
      );
    }
    const currency = (
      chosen?.price.currency ??
      params.currency ??
      invoice?.currency ??
      customer.currency ??
      ''
    ).toLowerCase();
    if (currency === '')
      throw invalid('Missing required param: currency.', { code: 'parameter_missing', param: 'currency' });
    if (!isCurrency(currency)) throw invalid(`Invalid currency: ${currency}`, { param: 'currency' });
    act.tx.kind('invoiceitem.created');
    if (chosen?.made === true) addPrice(act, chosen.price);
    const name = chosen === null ? null : (find(act, 'product', chosen.price.product)?.name ?? null);
    const bare = {
      ...blankItem(act, {
        amount,
        currency,
        customer: customer.id,
        description: params.description ?? name,
        period: params.period ?? { end: act.at, start: act.at },
        price: chosen?.price ?? null,
        quantity,
      }),
      discountable: params.discountable ?? true,
      tax_rates: rates.map(rate => ({ ...rate })),
      test_clock: customer.test_clock ?? null,
      invoice: invoice?.id ?? null,
      metadata: mergeMetadata({}, params.metadata),
      parent:
        subscription === null
          ? null
          : { subscription_details: { subscription: subscription.id }, type: 'subscription_details' },
      $subscription: subscription?.id ?? null,
    };
    const item: InvoiceItem = {
      ...bare,
      discounts: openDiscounts(act, params.discounts, { customer: customer.id, invoice_item: bare.id }),
    } as InvoiceItem;
    save(act, 'invoiceitem', item);
    tell(act, 'invoiceitem.created', 'invoiceitem', item);
    if (invoice !== null) {
      save(act, 'line_item', invoiceItemLine(act, invoice.id, item));
      recountDraft(act, invoice);
    }
    return viewOf(act, 'invoiceitem', item);
  },
  UNMODELLED,
);

function needDraft(act: Act, id: string): Invoice {
  const invoice = need(act, 'invoice', id, { param: 'invoice' });
  if (invoice.status !== 'draft') throw notEditable();
  return invoice;
}

function notEditable(): Error {
  return invalid('Invoice is no longer editable', { code: 'invoice_not_editable', param: 'invoice' });
}

function needItem(act: Act, path: { readonly [name: string]: string }): InvoiceItem {
  return need(act, 'invoiceitem', path['invoiceitem'] ?? '', { param: 'invoiceitem', inPath: true });
}

function draftOf(act: Act, item: InvoiceItem): Invoice | null {
  const invoice = item.invoice === null ? undefined : find(act, 'invoice', item.invoice);
  if (invoice === undefined) return null;
  if (invoice.status !== 'draft') throw notEditable();
  return invoice;
}

const retrieve = operation(
  'invoiceItems.retrieve',
  'GET /v1/invoiceitems/{invoiceitem}',
  {},
  ({ act, path }) => viewOf(act, 'invoiceitem', needItem(act, path)),
);

const change = operation(
  'invoiceItems.update',
  'POST /v1/invoiceitems/{invoiceitem}',
  writable,
  ({ act, path, params }) => {
    const held = needItem(act, path);
    const invoice = draftOf(act, held);
    checkDiscounts(act, params.discounts, 'discounts', { customer: held.customer });
    const rates = params.tax_rates === undefined ? null : ratesOf(act, params.tax_rates, 'tax_rates');
    const chosen = priceOf(act, params);
    const quantity = params.quantity ?? held.quantity;
    const held1 = held.quantity === 0 ? held.amount : held.amount / held.quantity;
    const amount = amountFrom(params, chosen?.price ?? null, quantity) ?? rounded(held1 * quantity);
    act.tx.kind('invoiceitem.updated');
    if (chosen?.made === true) addPrice(act, chosen.price);
    const next: InvoiceItem = {
      ...held,
      amount,
      net_amount: amount,
      ...(params.description === undefined ? {} : { description: params.description }),
      ...(params.discountable === undefined ? {} : { discountable: params.discountable }),
      metadata: mergeMetadata(held.metadata ?? {}, params.metadata),
      ...(rates === null ? {} : { tax_rates: rates.map(rate => ({ ...rate })) }),
      ...(params.discounts === undefined
        ? {}
        : {
            discounts: openDiscounts(act, params.discounts, {
              customer: held.customer,
              invoice_item: held.id,
            }),
          }),
      ...(params.period === undefined ? {} : { period: params.period }),
      ...(chosen === null
        ? {}
        : {
            pricing: {
              price_details: { price: chosen.price.id, product: chosen.price.product },
              type: 'price_details' as const,
              unit_amount_decimal: chosen.price.unit_amount_decimal,
            },
          }),
      quantity,
      quantity_decimal: String(quantity),
    };
    save(act, 'invoiceitem', next); // Stripe has no event for an update of an invoice item.
    const line =
      invoice === null ? undefined : linesOf(act, invoice.id).find(made => made.$invoice_item === held.id);
    if (invoice !== null && line !== undefined) {
      save(act, 'line_item', { ...invoiceItemLine(act, invoice.id, next), id: line.id });
      recountDraft(act, invoice);
    }
    return viewOf(act, 'invoiceitem', next);
  },
  UNMODELLED,
);

const del = operation('invoiceItems.del', 'DELETE /v1/invoiceitems/{invoiceitem}', {}, ({ act, path }) => {
  const held = needItem(act, path);
  const invoice = draftOf(act, held);
  tell(act, 'invoiceitem.deleted', 'invoiceitem', held);
  remove(act, 'invoiceitem', held.id);
  const line =
    invoice === null ? undefined : linesOf(act, invoice.id).find(made => made.$invoice_item === held.id);
  if (invoice !== null && line !== undefined) {
    remove(act, 'line_item', line.id);
    recountDraft(act, invoice);
  }
  return { id: held.id, object: 'invoiceitem', deleted: true };
});

const listAll = operation(
  'invoiceItems.list',
  'GET /v1/invoiceitems',
  { ...createdParams, customer: text(), invoice: text(), pending: boolean() },
  ({ act, params }) => {
    const { customer, invoice, pending } = params;
    const where = invoice !== undefined ? { invoice } : customer !== undefined ? { customer } : undefined;
    return page(act, 'invoiceitem', params, '/v1/invoiceitems', {
      ...(where === undefined ? {} : { where }),
      keep: item =>
        (customer === undefined || item.customer === customer) &&
        (pending === undefined || (item.invoice === null) === pending),
    });
  },
  ['customer_account'],
);

export const invoiceItemOperations = [create, retrieve, change, del, listAll];
