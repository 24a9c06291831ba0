// Tax rates: what comes on top of a price, or is in it.
import type { Stripe } from 'stripe';
import { type Act, need, save } from '../api/act.ts';
import { invalid } from '../api/errors.ts';
import { page } from '../api/list.ts';
import { vendor, whole } from '../api/vendor.ts';
import { viewOf } from '../api/view.ts';
import { tell, update } from '../events/events.ts';
import { mergeTags } from './coupons.ts';
import type { TaxRate } from './records.ts';

const create = vendor<Stripe.TaxRateCreateParams>('taxRates.create', ({ act, params }) => {
  if (params.percentage < 0 || params.percentage > 100) {
    throw invalid('The percentage must be between 0 and 100.', { param: 'percentage' });
  }
  const rate = whole<TaxRate>('tax_rate', {
    id: act.tx.id('txr_', 24),
    active: params.active ?? true,
    country: params.country ?? null,
    created: act.at,
    description: params.description ?? null,
    display_name: params.display_name,
    inclusive: params.inclusive,
    jurisdiction: params.jurisdiction ?? null,
    metadata: mergeTags(null, params.metadata),
    percentage: params.percentage,
    rate_type: 'percentage',
    state: params.state ?? null,
    tax_type: params.tax_type ?? null,
  });
  save(act, 'tax_rate', rate);
  tell(act, 'tax_rate.created', 'tax_rate', rate);
  return viewOf(act, 'tax_rate', rate);
});

const inPath = { param: 'tax_rate', inPath: true } as const;

const retrieve = vendor<object>('taxRates.retrieve', ({ act, path }) =>
  viewOf(act, 'tax_rate', need(act, 'tax_rate', path['id'] ?? '', inPath)),
);

const change = vendor<Stripe.TaxRateUpdateParams>('taxRates.update', ({ act, path, params }) => {
  const held = need(act, 'tax_rate', path['id'] ?? '', inPath);
  const { expand: _none, metadata, ...fields } = params;
  const next = { ...held, ...fields, metadata: mergeTags(held.metadata, metadata) } as TaxRate;
  return viewOf(act, 'tax_rate', update(act, 'tax_rate', held, next, 'tax_rate.updated'));
});

const listAll = vendor<Stripe.TaxRateListParams>('taxRates.list', ({ act, params }) => {
  const { active, inclusive } = params;
  const where =
    active !== undefined
      ? { active: String(active) }
      : inclusive !== undefined
        ? { inclusive: String(inclusive) }
        : undefined;
  return page(act, 'tax_rate', params, '/v1/tax_rates', {
    ...(where === undefined ? {} : { where }),
    keep: held => inclusive === undefined || held.inclusive === inclusive,
  });
});

/** The rates that parameters name. Throws `StripeRefusal` for one that is not there. */
export function ratesOf(
  act: Act,
  ids: readonly string[] | null | undefined,
  param: string,
): readonly TaxRate[] {
  return (ids ?? []).map((id, at) => {
    const rate = need(act, 'tax_rate', id, { param: `${param}[${at}]` });
    if (!rate.active) throw invalid(`The tax rate ${id} is not active.`, { param: `${param}[${at}]` });
    return rate;
  });
}

export const taxRateOperations = [create, retrieve, change, listAll];
