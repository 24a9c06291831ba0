// The ways to ship what a checkout sells: the rates it offers, and the one that is taken.

import type { Act } from '../api/act.ts';
import { invalid, missing } from '../api/errors.ts';
import { whole } from '../api/vendor.ts';
import type { Reader } from '../api/view.ts';
import type { Session } from './records.ts';

type Ask = { readonly [field: string]: unknown };
type Amount = { readonly amount: number; readonly currency: string };

export type Option = Session['shipping_options'][number];

/** The options that are asked for; rates that are made here are saved with `saveRates`. Throws. */
export function optionsOf(
  act: Act,
  asks: readonly Ask[] | undefined,
  currency: string | null,
): { readonly options: Option[]; readonly made: readonly Ask[] } {
  const made: Ask[] = [];
  const options = (asks ?? []).map((ask, index): Option => {
    const param = `shipping_options[${index}]`;
    const named = ask['shipping_rate'];
    const rate = typeof named === 'string' ? act.tx.get('shipping_rate', named) : newRate(act, ask, param);
    if (rate === undefined)
      throw missing('shipping rate', String(named), { param: `${param}[shipping_rate]` });
    const amount = rate['fixed_amount'] as Amount | undefined;
    if (amount === undefined || amount.currency !== currency) {
      throw invalid(`The shipping rate must have an amount in ${currency ?? 'the session’s currency'}.`, {
        param,
      });
    }
    if (typeof named !== 'string') made.push(rate);
    return { shipping_amount: amount.amount, shipping_rate: String(rate['id']) };
  });
  return { options, made };
}

function newRate(act: Act, ask: Ask, param: string): Ask {
  const data = ask['shipping_rate_data'] as Ask | undefined;
  const amount = data?.['fixed_amount'] as Amount | undefined;
  if (data === undefined || amount === undefined) {
    throw invalid(`You must specify either \`shipping_rate\` or \`shipping_rate_data\` for ${param}.`, {
      param,
    });
  }
  return {
    ...whole<Ask>('shipping_rate', {
      id: act.tx.id('shr_', 24),
      active: true,
      created: act.at,
      display_name: data['display_name'] ?? null,
      fixed_amount: { ...amount, currency: String(amount.currency).toLowerCase() },
      livemode: false,
      metadata: data['metadata'] ?? {},
      type: 'fixed_amount',
      ...(data['delivery_estimate'] === undefined
        ? {}
        : { delivery_estimate: { maximum: null, minimum: null, ...(data['delivery_estimate'] as Ask) } }),
      ...(data['tax_behavior'] === undefined ? {} : { tax_behavior: data['tax_behavior'] }),
    }),
    $parent: '',
  };
}

export function saveRates(act: Act, rates: readonly Ask[]): void {
  for (const rate of rates) {
    act.wrote = true;
    act.tx.put('shipping_rate', String(rate['id']), rate);
  }
}

/** What taking an option costs; null where nothing is shipped. */
export function costOf(option: Option | undefined): Session['shipping_cost'] {
  if (option === undefined) return null;
  return {
    amount_subtotal: option.shipping_amount,
    amount_tax: 0,
    amount_total: option.shipping_amount,
    shipping_rate: option.shipping_rate,
  };
}

export function nameOfRate(reader: Pick<Reader, 'get'>, option: Option): string {
  return String(reader.get('shipping_rate', String(option.shipping_rate))?.['display_name'] ?? 'Shipping');
}
