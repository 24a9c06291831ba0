// What else 2025-03-31.basil changed: periods are each item's own, discounts are several, and shipping is collected
// information.
import type { FormMap } from '../../kit/form.ts';
import { missing, unmodelledParameter, unrecognized } from '../api/errors.ts';
import type { View, Viewer } from '../api/view.ts';
import { SINCE } from './basil-invoices.ts';
import type { Before, Change } from './change.ts';
import { each, move, take } from './form.ts';
import { unknown } from './gone.ts';
import { previewParams } from './preview-params.ts';

type Hash = { readonly [field: string]: unknown };

/** What all items have in common here. */
const period: Before = view => {
  const { items } = view;
  const first = ((items as { readonly data?: readonly Hash[] } | undefined)?.data ?? [])[0] ?? {};
  view['current_period_end'] = first['current_period_end'] ?? null;
  view['current_period_start'] = first['current_period_start'] ?? null;
};

/** The first of its discounts, whole. */
const discount: Before = (view, by) => {
  const first = ((view['discounts'] ?? []) as readonly unknown[])[0];
  view['discount'] = typeof first === 'string' ? by.found('discount', first) : (first ?? null);
};

const phaseCoupons: Before = (view, by) => {
  const phases = (view['phases'] ?? []) as readonly Hash[];
  view['phases'] = phases.map(phase => ({ ...phase, coupon: couponOf(phase, by) }));
};

function couponOf(phase: Hash, { tx }: Viewer): unknown {
  const [first] = (phase['discounts'] ?? []) as readonly Hash[];
  const held = tx.get('discount', String(first?.['discount']))?.['$coupon'];
  return first?.['coupon'] ?? held ?? null;
}

const phaseParams = (form: FormMap): void => {
  for (const phase of each(form, 'phases')) move(phase, 'coupon', 'discounts[0][coupon]');
};

const noUpcoming = (): Error => missing('invoice', 'upcoming', { param: 'invoice', inPath: true });

/** Use that no meter counts is added up. */
const aggregated = ({ usage_type, meter }: View): string | null =>
  usage_type === 'metered' && meter === null ? 'sum' : null;

/** The other ways of adding use up are not modelled. */
function summedUse(at: string, operation: string): (form: FormMap) => void {
  return form => {
    const asked = take(form, at);
    if (asked !== undefined && asked !== 'sum') throw unmodelledParameter(at, operation);
  };
}

export const BASIL: readonly Change[] = [
  {
    since: SINCE,
    log: 'basil/2025-03-31/deprecate-subscription-current-period-start-and-end',
    before: { subscription: period },
  },
  {
    since: SINCE,
    log: 'basil/2025-03-31/deprecate-singular-coupon-promotion-code',
    before: { invoice: discount, subscription: discount, subscription_schedule: phaseCoupons },
    fields: { invoice: { discount: '&discount' }, subscription: { discount: '&discount' } },
    params: {
      'invoices.createPreview': form => move(form, 'coupon', 'discounts[0][coupon]'),
      'subscriptionSchedules.create': phaseParams,
      'subscriptionSchedules.update': phaseParams,
    },
    gone: {
      'customers.create': unknown('coupon', 'promotion_code'),
      'customers.update': unknown('coupon', 'promotion_code'),
      'subscriptions.create': unknown('coupon', 'promotion_code'),
      'subscriptions.update': unknown('coupon', 'promotion_code'),
    },
  },
  {
    since: SINCE,
    log: 'basil/2025-03-31/invoice-preview-api-deprecations',
    params: { 'invoices.listUpcomingLines': previewParams, 'invoices.retrieveUpcoming': previewParams },
    ended: { 'invoices.listUpcomingLines': noUpcoming, 'invoices.retrieveUpcoming': noUpcoming },
  },
  {
    since: SINCE,
    log: 'basil',
    before: {
      'checkout.session': view => {
        const collected = view['collected_information'] as Hash | null | undefined;
        view['shipping_details'] = collected?.['shipping_details'] ?? null;
      },
    },
  },
  {
    since: SINCE,
    log: 'basil/2025-03-31/deprecate-legacy-usage-based-billing',
    ended: {
      'subscriptionItems.createUsageRecord': unrecognized,
      'subscriptionItems.listUsageRecordSummaries': unrecognized,
    },
    before: {
      plan: view => {
        view['aggregate_usage'] = aggregated(view);
      },
      price: view => {
        const recurring = view['recurring'] as View | null;
        if (recurring !== null) view['recurring'] = { ...recurring, aggregate_usage: aggregated(recurring) };
      },
    },
    params: {
      'plans.create': summedUse('aggregate_usage', 'POST /v1/plans'),
      'prices.create': summedUse('recurring[aggregate_usage]', 'POST /v1/prices'),
    },
  },
];
