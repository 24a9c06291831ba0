// Tax transactions: calculations that came true, and what was taken back of them.

import { type Act, find, need, save, select } from '../api/act.ts';
import { invalid, missing } from '../api/errors.ts';
import { type PageAsk, pageOf } from '../api/list.ts';
import { type MetadataParam, mergeMetadata } from '../api/params.ts';
import { vendor } from '../api/vendor.ts';
import { listView, type View } from '../api/view.ts';
import type { KeptLines } from './records.ts';

type Made = {
  readonly calculation: string;
  readonly metadata?: MetadataParam;
  readonly posted_at?: number;
  readonly reference: string;
};
type Line = KeptLines['$lines'][number];
type Part = { readonly amount: number; readonly amount_tax: number };

function view({ $lines, ...shown }: KeptLines): View {
  return { ...shown, line_items: listView($lines, false, `/v1/tax/transactions/${shown.id}/line_items`) };
}

/** A reference names one transaction and no other. */
function checkReference(act: Act, reference: string): void {
  const { items } = select(act.tx, 'tax.transaction', { where: { reference }, limit: 1 });
  if (items.length === 0) return;
  throw invalid(`A tax transaction with the reference ${reference} already exists.`, {
    code: 'resource_already_exists',
    param: 'reference',
  });
}

const create = vendor<Made>('tax.transactions.createFromCalculation', ({ act, params }) => {
  const from = find(act, 'tax.calculation', params.calculation);
  if (from === undefined) throw missing('tax calculation', params.calculation, { param: 'calculation' });
  checkReference(act, params.reference);
  const { currency, customer, customer_details, ship_from_details, shipping_cost, tax_date } = from;
  const made: KeptLines = {
    id: act.tx.id('tax_', 24),
    object: 'tax.transaction',
    created: act.at,
    currency,
    customer,
    customer_details,
    livemode: false,
    metadata: mergeMetadata({}, params.metadata ?? undefined),
    posted_at: params.posted_at ?? act.at,
    reference: params.reference,
    reversal: null,
    ship_from_details,
    shipping_cost,
    tax_date,
    type: 'transaction',
    $lines: from.$lines.map(line => {
      const { performance_location: _place, ...rest } = line;
      return {
        ...rest,
        id: act.tx.id('tax_li_', 24),
        object: 'tax.transaction_line_item',
        reversal: null,
        type: 'transaction',
      };
    }),
  };
  save(act, 'tax.transaction', made);
  return view(made);
});

type Back = {
  readonly flat_amount?: number;
  readonly line_items?: readonly {
    readonly amount: number;
    readonly amount_tax: number;
    readonly metadata?: MetadataParam;
    readonly original_line_item: string;
    readonly quantity?: number;
    readonly reference: string;
  }[];
  readonly metadata?: MetadataParam;
  readonly mode: 'full' | 'partial';
  readonly original_transaction: string;
  readonly reference: string;
  readonly shipping_cost?: Part;
};

const reverse = vendor<Back>('tax.transactions.createReversal', ({ act, params }) => {
  const from = need(act, 'tax.transaction', params.original_transaction, { param: 'original_transaction' });
  if (from['type'] === 'reversal') {
    throw invalid('A reversal cannot be reversed.', { param: 'original_transaction' });
  }
  checkReference(act, params.reference);
  const lines =
    params.mode === 'full' ? from.$lines.map(line => backOf(act, line, line)) : partOf(act, from, params);
  const shipped = from['shipping_cost'] as (Part & { readonly [field: string]: unknown }) | null;
  const sent =
    params.mode === 'full' && shipped !== null
      ? { amount: -shipped.amount, amount_tax: -shipped.amount_tax }
      : params.shipping_cost;
  const made: KeptLines = {
    ...from,
    id: act.tx.id('tax_', 24),
    created: act.at,
    metadata: mergeMetadata({}, params.metadata ?? undefined),
    posted_at: act.at,
    reference: params.reference,
    reversal: { original_transaction: from.id },
    shipping_cost: sent === undefined || shipped === null ? null : { ...shipped, ...sent },
    type: 'reversal',
    $lines: lines,
  };
  save(act, 'tax.transaction', made);
  return view(made);
});

function backOf(act: Act, line: Line, { amount, amount_tax }: Part, reference?: string): Line {
  return {
    ...line,
    id: act.tx.id('tax_li_', 24),
    amount: -Math.abs(amount),
    amount_tax: -Math.abs(amount_tax),
    ...(reference === undefined ? {} : { reference }),
    reversal: { original_line_item: line.id },
    type: 'reversal',
  };
}

type PartAsk = {
  readonly flat_amount?: number;
  readonly line_items?: readonly (Part & {
    readonly original_line_item: string;
    readonly reference: string;
  })[];
};

function partOf(act: Act, from: KeptLines, params: PartAsk): readonly Line[] {
  const { flat_amount: flat, line_items: asked } = params;
  if (flat !== undefined) {
    const whole = from.$lines.reduce((sum, line) => sum + line.amount + line.amount_tax, 0);
    if (flat >= 0 || -flat > whole) {
      throw invalid(`The flat_amount must be negative and at most ${whole}.`, { param: 'flat_amount' });
    }
    return from.$lines.map(line => {
      const share = -flat / whole;
      const part = {
        amount: Math.round(line.amount * share),
        amount_tax: Math.round(line.amount_tax * share),
      };
      return backOf(act, line, part);
    });
  }
  if (asked === undefined) {
    throw invalid('You must pass `line_items` or `flat_amount` to reverse a part.', { param: 'line_items' });
  }
  return asked.map((part, at) => {
    const line = from.$lines.find(({ id }) => id === part.original_line_item);
    const param = `line_items[${at}][original_line_item]`;
    if (line === undefined) throw missing('line item', part.original_line_item, { param });
    return backOf(act, line, part, part.reference);
  });
}

const inPath = { param: 'transaction', inPath: true } as const;

const retrieve = vendor<object>('tax.transactions.retrieve', ({ act, path }) =>
  view(need(act, 'tax.transaction', path['id'] ?? '', inPath)),
);

const items = vendor<PageAsk>('tax.transactions.listLineItems', ({ act, path, params }) => {
  const held = need(act, 'tax.transaction', path['id'] ?? '', inPath);
  return pageOf(held.$lines, params, `/v1/tax/transactions/${held.id}/line_items`);
});

export const taxTransactionOperations = [create, reverse, retrieve, items];
