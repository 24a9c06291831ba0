// Tax calculations. Where the account is not registered to collect, nothing is collected, and that is told as the
// vendor tells it. Where it is, the rate is that of the account's own tax rate for the country or state: this twin
// knows no rates of the world, and refuses to guess one.

import { type Act, need, save, select } from '../api/act.ts';
import { invalid, StripeRefusal } from '../api/errors.ts';
import { filledField } from '../api/fill-shape.ts';
import { type PageAsk, pageOf } from '../api/list.ts';
import { type MetadataParam, mergeMetadata } from '../api/params.ts';
import { vendor } from '../api/vendor.ts';
import { listView, type View } from '../api/view.ts';
import type { KeptLines } from './records.ts';
import { isRegistered } from './registrations.ts';

const CALCULATION_SECONDS = 90 * 24 * 60 * 60;
const RATES_MAX = 100;
const DEFAULT_CODE = 'txcd_10000000';

type Address = { readonly country?: string | null; readonly state?: string | null };
type Item = {
  readonly amount: number;
  readonly metadata?: MetadataParam;
  readonly product?: string;
  readonly quantity?: number;
  readonly reference?: string;
  readonly tax_behavior?: 'exclusive' | 'inclusive';
  readonly tax_code?: string;
};
type Asked = {
  readonly currency: string;
  readonly customer?: string;
  readonly customer_details?: {
    readonly address?: Address;
    readonly taxability_override?: 'customer_exempt' | 'none' | 'reverse_charge';
  };
  readonly line_items: readonly Item[];
  readonly ship_from_details?: object | null;
  readonly shipping_cost?: Omit<Item, 'quantity'> & { readonly shipping_rate?: string };
  readonly tax_date?: number;
};

type Rate = { readonly percentage: number; readonly display_name: string };

/** The rate that is collected at an address; null where none is. */
function rateAt(act: Act, { country, state }: Address): Rate | null {
  if (country == null || !isRegistered(act, country)) return null;
  const found = select(act.tx, 'tax_rate', {
    where: { active: 'true' },
    limit: RATES_MAX,
    keep: body =>
      body['country'] === country && (body['state'] === null || body['state'] === (state ?? null)),
  }).items;
  // A state's own rate goes before its country's.
  const rate = found.find(({ state: own }) => own !== null) ?? found[0];
  if (rate !== undefined) return rate;
  throw new StripeRefusal(
    501,
    `This Stripe twin knows no tax rates of ${country}: make a tax rate with that country, or answer with a handler.`,
    { type: 'api_error', code: 'wrld_unmodelled_tax_rate' },
  );
}

function taxOn(amount: number, rate: Rate | null, inclusive: boolean): number {
  if (rate === null) return 0;
  const net = inclusive ? amount / (1 + rate.percentage / 100) : amount;
  return Math.round((net * rate.percentage) / 100);
}

type Taxed = {
  readonly rate: Rate | null;
  readonly at: Address;
  readonly inclusive: boolean;
  readonly reason: string;
};

function breakdown(amount: number, tax: number, { rate, at, inclusive, reason }: Taxed): View {
  const taxable = rate === null ? 0 : inclusive ? amount - tax : amount;
  return {
    amount: tax,
    inclusive,
    tax_rate_details: {
      country: at.country ?? null,
      flat_amount: null,
      percentage_decimal: String(rate?.percentage ?? 0),
      rate_type: rate === null ? null : 'percentage',
      state: at.state ?? null,
      tax_type: rate === null ? null : 'sales_tax',
    },
    taxability_reason: reason,
    taxable_amount: taxable,
  };
}

const create = vendor<Asked>('tax.calculations.create', ({ act, params }) => {
  const customer =
    params.customer === undefined ? undefined : need(act, 'customer', params.customer, { param: 'customer' });
  const at = (params.customer_details?.address ?? customer?.address ?? null) as Address | null;
  if (at === null) {
    throw invalid('The customer’s address is needed to calculate tax.', {
      code: 'customer_tax_location_invalid',
      param: 'customer_details[address]',
    });
  }
  const override = params.customer_details?.taxability_override ?? 'none';
  const rate = override === 'none' ? rateAt(act, at) : null;
  const reason = override !== 'none' ? override : rate === null ? 'not_collecting' : 'standard_rated';
  const id = act.tx.id('taxcalc_', 24);
  const lines = params.line_items.map((item, index) => {
    const behavior = item.tax_behavior ?? 'exclusive';
    return {
      id: act.tx.id('tax_li_', 24),
      object: 'tax.calculation_line_item',
      amount: item.amount,
      amount_tax: taxOn(item.amount, rate, behavior === 'inclusive'),
      livemode: false,
      metadata: mergeMetadata({}, item.metadata ?? undefined),
      performance_location: null,
      product: item.product ?? null,
      quantity: item.quantity ?? 1,
      reference: item.reference ?? `L${index + 1}`,
      tax_behavior: behavior,
      tax_code: item.tax_code ?? DEFAULT_CODE,
    };
  });
  const shipping = params.shipping_cost;
  const shipped =
    shipping === undefined
      ? null
      : {
          amount: shipping.amount,
          amount_tax: taxOn(shipping.amount, rate, shipping.tax_behavior === 'inclusive'),
          ...(shipping.shipping_rate === undefined ? {} : { shipping_rate: shipping.shipping_rate }),
          tax_behavior: shipping.tax_behavior ?? 'exclusive',
          tax_code: shipping.tax_code ?? 'txcd_92010001',
        };
  const all = shipped === null ? lines : [...lines, shipped];
  const taxOf = (behavior: string): number =>
    all.reduce((sum, { amount_tax, tax_behavior }) => sum + (tax_behavior === behavior ? amount_tax : 0), 0);
  const made: KeptLines = {
    id,
    object: 'tax.calculation',
    amount_total: all.reduce((sum, { amount }) => sum + amount, 0) + taxOf('exclusive'),
    currency: params.currency.toLowerCase(),
    customer: params.customer ?? null,
    customer_details: filledField('tax.calculation', 'customer_details', {
      tax_ids: [],
      taxability_override: 'none',
      address_source: 'billing',
      ...params.customer_details,
      address: at,
    }),
    expires_at: act.at + CALCULATION_SECONDS,
    livemode: false,
    ship_from_details: params.ship_from_details ?? null,
    shipping_cost: shipped,
    tax_amount_exclusive: taxOf('exclusive'),
    tax_amount_inclusive: taxOf('inclusive'),
    tax_breakdown: ['exclusive', 'inclusive'].flatMap(behavior => {
      const those = all.filter(({ tax_behavior }) => tax_behavior === behavior);
      const amount = those.reduce((sum, line) => sum + line.amount, 0);
      return those.length === 0
        ? []
        : [breakdown(amount, taxOf(behavior), { rate, at, inclusive: behavior === 'inclusive', reason })];
    }),
    tax_date: params.tax_date ?? act.at,
    $lines: lines,
  };
  save(act, 'tax.calculation', made);
  return calculationView(made);
});

function calculationView({ $lines, ...shown }: KeptLines): View {
  const url = `/v1/tax/calculations/${shown.id}/line_items`;
  return { ...shown, line_items: listView($lines, false, url) };
}

const inPath = { param: 'calculation', inPath: true } as const;

const retrieve = vendor<object>('tax.calculations.retrieve', ({ act, path }) =>
  calculationView(need(act, 'tax.calculation', path['id'] ?? '', inPath)),
);

const items = vendor<PageAsk>('tax.calculations.listLineItems', ({ act, path, params }) => {
  const held = need(act, 'tax.calculation', path['id'] ?? '', inPath);
  return pageOf(held.$lines, params, `/v1/tax/calculations/${held.id}/line_items`);
});

export const calculationOperations = [create, retrieve, items];
