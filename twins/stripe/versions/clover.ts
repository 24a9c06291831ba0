// What 2025-09-30.clover changed: a coupon is one source of a discount, and one kind of promotion, among others to come.
import type { Change, Turning } from './change.ts';
import { move, nodeAt, preset, put } from './form.ts';
import { unknown } from './gone.ts';

const SINCE = '2025-09-30.clover';

function couponOf(by: Turning, source: unknown): unknown {
  const { coupon } = (source ?? {}) as { readonly coupon?: unknown };
  return typeof coupon === 'string' ? by.found('coupon', coupon) : (coupon ?? null);
}

/** A phase says for how long it lasts. */
const noIterations = unknown('phases[][iterations]');

export const CLOVER: readonly Change[] = [
  {
    since: SINCE,
    log: 'clover/2025-09-30/polymorphic-coupon',
    before: {
      promotion_code: (view, by) => {
        view['coupon'] = couponOf(by, view['promotion']);
      },
    },
    fields: { promotion_code: { coupon: '&coupon' } },
    params: {
      'promotionCodes.create': form => {
        if (nodeAt(form, 'coupon') === undefined) return;
        move(form, 'coupon', 'promotion[coupon]');
        put(form, 'promotion[type]', 'coupon');
      },
    },
    gone: { 'promotionCodes.create': unknown('coupon') },
  },
  {
    since: SINCE,
    log: 'clover/2025-09-30/add-discount-source-property',
    before: {
      discount: (view, by) => {
        view['coupon'] = couponOf(by, view['source']);
      },
    },
    fields: { discount: { coupon: '&coupon' } },
  },
  {
    since: SINCE,
    log: 'clover/2025-09-30/remove-iterations',
    gone: {
      'subscriptionSchedules.create': noIterations,
      'subscriptionSchedules.update': noIterations,
    },
  },
  {
    // Whoever did not say which billing mode got the classic one.
    since: SINCE,
    log: 'clover',
    params: { 'subscriptions.create': form => preset(form, 'billing_mode[type]', 'classic') },
  },
];
