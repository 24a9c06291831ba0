// The phases and the settings of a subscription schedule, as callers ask for them.
import type { Stripe } from 'stripe';
import type { Act } from '../api/act.ts';
import { invalid } from '../api/errors.ts';
import { boundary } from '../api/periods.ts';
import type { Given } from '../api/vendor.ts';
import { mergeTags } from '../catalog/coupons.ts';
import { checkDiscounts } from '../catalog/discounts.ts';
import { addPrice } from '../catalog/price-events.ts';
import type { Price } from '../catalog/records.ts';
import { ratesOf } from '../catalog/tax-rates.ts';
import { automaticTax } from '../tax/automatic.ts';
import { type Added, checkAdded } from './added-items.ts';
import { checkAlike, checkExtras, choosePrice } from './items.ts';
import type { Phase, Schedule } from './records.ts';

type CreateParams = Stripe.SubscriptionScheduleCreateParams;
export type PhaseAsk = Omit<Given<NonNullable<CreateParams['phases']>[number]>, 'end_date' | 'trial_end'> & {
  /** Before 2025-09-30 a phase lasted for so many iterations of its price's interval. */
  readonly iterations?: number;
  readonly start_date?: number | 'now';
  readonly end_date?: number | 'now';
  readonly trial_end?: number | 'now';
};
type ItemAsk = PhaseAsk['items'][number];
type SettingsAsk = Given<NonNullable<CreateParams['default_settings']>>;

/** What the schedules of this twin do not do. */
export const SCHEDULE_UNMODELLED = [
  'customer_account',
  'end_behavior=none',
  'end_behavior=renew',
  'pause_schedules',
  ...['application_fee_percent', 'billing_thresholds', 'on_behalf_of', 'transfer_data'].flatMap(name => [
    `default_settings[${name}]`,
    `phases[][${name}]`,
  ]),
  'phases[][add_invoice_items][][period]',
  'phases[][items][][billing_thresholds]',
];

const BLANK: Schedule['default_settings'] = {
  application_fee_percent: null,
  automatic_tax: automaticTax(false),
  billing_cycle_anchor: 'automatic',
  billing_thresholds: null,
  collection_method: 'charge_automatically',
  default_payment_method: null,
  description: null,
  invoice_settings: {
    account_tax_ids: null,
    custom_fields: null,
    days_until_due: null,
    description: null,
    footer: null,
    issuer: { type: 'self' },
  },
  on_behalf_of: null,
  transfer_data: null,
};

/** The settings that were asked for over those that are held. */
export function settingsOf(
  asked: SettingsAsk | undefined,
  held: Schedule['default_settings'] = BLANK,
): Schedule['default_settings'] {
  const { automatic_tax: tax, invoice_settings: invoice, ...scalars } = asked ?? {};
  return {
    ...held,
    ...scalars,
    ...(tax === undefined ? {} : { automatic_tax: automaticTax(tax.enabled) }),
    invoice_settings: { ...held.invoice_settings, ...invoice },
  } as Schedule['default_settings'];
}

/** The phases one after another from an instant on. Throws `StripeRefusal` for what does not fit. */
export function phasesOf(act: Act, asks: readonly PhaseAsk[], from: number): Phase[] {
  if (asks.length === 0) {
    throw invalid('Missing required param: phases.', { code: 'parameter_missing', param: 'phases' });
  }
  const made: Price[] = [];
  let at = from;
  const phases = asks.map((ask, index) => {
    const place = `phases[${index}]`;
    const prices = ask.items.map((item: ItemAsk, of: number) => {
      const chosen = choosePrice(act, item, `${place}[items][${of}]`);
      if (chosen === null) {
        throw invalid(`Missing required param: ${place}[items][${of}][price].`, {
          code: 'parameter_missing',
          param: `${place}[items][${of}][price]`,
        });
      }
      checkExtras(act, item, `${place}[items][${of}]`);
      if (chosen.made) made.push(chosen.price);
      return chosen.price;
    });
    checkAlike(prices);
    const [first] = prices;
    if (first === undefined) throw invalid('A phase needs items.', { param: `${place}[items]` });
    checkDiscounts(act, ask.discounts, `${place}[discounts]`);
    const added = checkAdded(act, ask.add_invoice_items, `${place}[add_invoice_items]`);
    for (const { price, made: fresh } of added) if (fresh) made.push(price);
    const begins = at;
    at = endOf(ask, first, begins, act.at);
    if (at <= begins) {
      throw invalid('The end date of a phase must be after its start date.', { param: `${place}[end_date]` });
    }
    return phaseOf(act, ask, { prices, added, from: begins, to: at });
  });
  for (const price of made) addPrice(act, price);
  return phases;
}

type Span = {
  readonly prices: readonly Price[];
  readonly added: readonly Added[];
  readonly from: number;
  readonly to: number;
};

/** When a phase that starts then is over: as it says, or after one interval of its price. */
function endOf(given: PhaseAsk, price: Price, from: number, now: number): number {
  if (given.end_date !== undefined) return given.end_date === 'now' ? now : given.end_date;
  if (given.duration !== undefined) {
    const { interval, interval_count = 1 } = given.duration;
    return boundary(from, { interval, interval_count }, 1);
  }
  const every = price.recurring ?? { interval: 'month', interval_count: 1 };
  return boundary(from, every, given.iterations ?? 1);
}

export function phaseOf(act: Act, ask: PhaseAsk, { prices, added, from, to }: Span): Phase {
  const rates = (ids: readonly string[] | null | undefined): NonNullable<Phase['default_tax_rates']> =>
    ratesOf(act, ids, 'tax_rates').map(rate => ({ ...rate }));
  const discounts = (asks: PhaseAsk['discounts']): Phase['discounts'] =>
    (asks ?? []).map((each: { coupon?: string; discount?: string; promotion_code?: string }) => ({
      coupon: each.coupon ?? null,
      discount: each.discount ?? null,
      promotion_code: each.promotion_code ?? null,
    }));
  const trialEnd = ask.trial_end === 'now' ? null : (ask.trial_end ?? null);
  return {
    add_invoice_items: added.map(({ given, price }) => ({
      discountable: given.discountable ?? null,
      discounts: discounts(given.discounts),
      metadata: mergeTags(null, given.metadata),
      period: { end: { type: 'phase_end' }, start: { type: 'phase_start' } },
      price: price.id,
      quantity: given.quantity ?? 1,
      tax_rates: rates(given.tax_rates),
    })),
    application_fee_percent: null,
    ...(ask.automatic_tax === undefined ? {} : { automatic_tax: automaticTax(ask.automatic_tax.enabled) }),
    billing_cycle_anchor: ask.billing_cycle_anchor ?? null,
    billing_thresholds: null,
    collection_method: ask.collection_method ?? null,
    currency: prices[0]?.currency ?? 'usd',
    default_payment_method: ask.default_payment_method ?? null,
    default_tax_rates: rates(ask.default_tax_rates),
    description: ask.description ?? null,
    discounts: discounts(ask.discounts),
    end_date: to,
    invoice_settings:
      ask.invoice_settings === undefined
        ? null
        : ({ ...BLANK.invoice_settings, ...ask.invoice_settings } as Phase['invoice_settings']),
    items: ask.items.map((item: ItemAsk, at: number) => ({
      billing_thresholds: null,
      discounts: discounts(item.discounts),
      metadata: mergeTags(null, item.metadata),
      plan: prices[at]?.id ?? '',
      price: prices[at]?.id ?? '',
      ...(prices[at]?.recurring?.usage_type === 'metered' ? {} : { quantity: item.quantity ?? 1 }),
      tax_rates: rates(item.tax_rates),
    })),
    metadata: mergeTags(null, ask.metadata),
    on_behalf_of: null,
    proration_behavior: (ask.proration_behavior ?? 'create_prorations') as Phase['proration_behavior'],
    start_date: from,
    transfer_data: null,
    trial_end: ask.trial === true ? to : trialEnd,
  };
}
