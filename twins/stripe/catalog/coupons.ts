// Coupons, and the codes that customers know them by.
import type { Stripe } from 'stripe';
import { type Act, need, save, select } from '../api/act.ts';
import { invalid, missing } from '../api/errors.ts';
import { page } from '../api/list.ts';
import { isCurrency } from '../api/money.ts';
import { type MetadataParam, mergeMetadata, text } from '../api/params.ts';
import { vendor, whole } from '../api/vendor.ts';
import { viewOf } from '../api/view.ts';
import { tell, update } from '../events/events.ts';
import { isValid } from './coupon-validity.ts';
import type { Coupon, PromotionCode } from './records.ts';

const CODE_CHARS = 8;

/** Metadata as it is decoded: an emptied parameter removes all. */
export function mergeTags(
  held: { readonly [name: string]: string } | null,
  given: unknown,
): { [name: string]: string } {
  return mergeMetadata(held ?? {}, (given === null ? '' : given) as MetadataParam | undefined);
}

const create = vendor<Stripe.CouponCreateParams>(
  'coupons.create',
  ({ act, params }) => {
    const { amount_off, percent_off, duration = 'once', id } = params;
    if ((amount_off === undefined) === (percent_off === undefined)) {
      throw invalid('Must provide either `amount_off` or `percent_off`, and not both.', {
        code: amount_off === undefined ? 'parameter_missing' : 'parameters_exclusive',
      });
    }
    if (percent_off !== undefined && (percent_off <= 0 || percent_off > 100)) {
      throw invalid('`percent_off` must be greater than 0 and less than or equal to 100.', {
        param: 'percent_off',
      });
    }
    if (amount_off !== undefined && amount_off <= 0) {
      throw invalid('This value must be greater than or equal to 1.', {
        code: 'parameter_invalid_integer',
        param: 'amount_off',
      });
    }
    const currency = params.currency?.toLowerCase() ?? null;
    if (amount_off !== undefined && (currency === null || !isCurrency(currency))) {
      throw invalid('You must pass `currency` when passing `amount_off`', {
        code: 'parameter_missing',
        param: 'currency',
      });
    }
    if ((duration === 'repeating') !== (params.duration_in_months !== undefined)) {
      throw invalid('`duration_in_months` must be set if and only if `duration` is `repeating`.', {
        param: 'duration_in_months',
      });
    }
    if (id !== undefined && act.tx.get('coupon', id) !== undefined) {
      throw invalid('Coupon already exists.', { code: 'resource_already_exists', param: 'id' });
    }
    const coupon = whole<Coupon>('coupon', {
      id: id ?? act.tx.id('', CODE_CHARS),
      amount_off: amount_off ?? null,
      ...(params.applies_to === undefined
        ? {}
        : { applies_to: { products: [...(params.applies_to.products ?? [])] } }),
      created: act.at,
      currency: amount_off === undefined ? null : currency,
      duration,
      duration_in_months: params.duration_in_months ?? null,
      max_redemptions: params.max_redemptions ?? null,
      metadata: mergeTags(null, params.metadata),
      name: params.name ?? null,
      percent_off: percent_off ?? null,
      redeem_by: params.redeem_by ?? null,
      times_redeemed: 0,
    });
    save(act, 'coupon', coupon);
    tell(act, 'coupon.created', 'coupon', coupon);
    return viewOf(act, 'coupon', coupon);
  },
  {},
  ['currency_options'],
);

function needCoupon(act: Act, id: string, at: { param: string; inPath?: boolean }): Coupon {
  const coupon = need(act, 'coupon', id, at);
  if (coupon.$gone === true) throw missing('coupon', id, at);
  return coupon;
}

const inPath = { param: 'coupon', inPath: true } as const;

const retrieve = vendor<object>('coupons.retrieve', ({ act, path }) =>
  viewOf(act, 'coupon', needCoupon(act, path['id'] ?? '', inPath)),
);

const change = vendor<Stripe.CouponUpdateParams>(
  'coupons.update',
  ({ act, path, params }) => {
    const held = needCoupon(act, path['id'] ?? '', inPath);
    const next: Coupon = {
      ...held,
      metadata: mergeTags(held.metadata, params.metadata),
      ...(params.name === undefined ? {} : { name: params.name }),
    };
    return viewOf(act, 'coupon', update(act, 'coupon', held, next, 'coupon.updated'));
  },
  {},
  ['currency_options'],
);

/** What was redeemed with it goes on, so the record stays; nobody is answered it any more. */
const del = vendor<object>('coupons.del', ({ act, path }) => {
  const held = needCoupon(act, path['id'] ?? '', inPath);
  save(act, 'coupon', { ...held, $gone: true });
  tell(act, 'coupon.deleted', 'coupon', held);
  return { id: held.id, object: 'coupon', deleted: true };
});

const listAll = vendor<Stripe.CouponListParams>('coupons.list', ({ act, params }) =>
  page(act, 'coupon', params, '/v1/coupons', { keep: coupon => coupon.$gone !== true }),
);

const createCode = vendor<Stripe.PromotionCodeCreateParams & { coupon?: string }>(
  'promotionCodes.create',
  ({ act, params }) => {
    // Before 2025-09-30 the coupon was a parameter of its own.
    const id = params.promotion?.coupon ?? params.coupon;
    if (id === undefined) {
      throw invalid('Missing required param: promotion.', { code: 'parameter_missing', param: 'promotion' });
    }
    const coupon = needCoupon(act, id, { param: 'promotion[coupon]' });
    if (!isValid(coupon, act.at))
      throw invalid(`Coupon expired: ${coupon.id}`, { code: 'coupon_expired', param: 'coupon' });
    if (typeof params.customer === 'string') need(act, 'customer', params.customer, { param: 'customer' });
    const code = params.code ?? act.tx.hex(CODE_CHARS / 2).toUpperCase();
    if (!/^[A-Za-z0-9_-]+$/.test(code)) {
      throw invalid('Promotion codes may only contain letters, digits, dashes and underscores.', {
        param: 'code',
      });
    }
    if (activeCode(act, code, params.customer ?? null) !== undefined) {
      throw invalid(`An active promotion code with \`code: ${code}\` already exists.`, {
        code: 'resource_already_exists',
        param: 'code',
      });
    }
    const made = whole<PromotionCode>('promotion_code', {
      id: act.tx.id('promo_', 24),
      active: params.active ?? true,
      code,
      created: act.at,
      customer: params.customer ?? null,
      expires_at: params.expires_at ?? null,
      max_redemptions: params.max_redemptions ?? null,
      metadata: mergeTags(null, params.metadata),
      promotion: { coupon: coupon.id, type: 'coupon' },
      restrictions: {
        first_time_transaction: params.restrictions?.first_time_transaction ?? false,
        minimum_amount: params.restrictions?.minimum_amount ?? null,
        minimum_amount_currency: params.restrictions?.minimum_amount_currency ?? null,
      },
      times_redeemed: 0,
      $coupon: coupon.id,
    });
    save(act, 'promotion_code', made);
    tell(act, 'promotion_code.created', 'promotion_code', made);
    return viewOf(act, 'promotion_code', made);
  },
  {
    coupon: text(),
    promotion: { kind: 'hash', shape: { coupon: text(), type: { ...text(), required: true } } },
  },
  ['customer_account', 'restrictions[currency_options]'],
);

/** Codes are compared without regard to case. */
function activeCode(act: Act, code: string, customer: string | null): PromotionCode | undefined {
  return select(act.tx, 'promotion_code', {
    where: { active: 'true' },
    limit: 1,
    keep: held =>
      String(held['code']).toLowerCase() === code.toLowerCase() &&
      (held['customer'] === null || customer === null || held['customer'] === customer),
  }).items[0];
}

const codeInPath = { param: 'promotion_code', inPath: true } as const;

const retrieveCode = vendor<object>('promotionCodes.retrieve', ({ act, path }) =>
  viewOf(act, 'promotion_code', need(act, 'promotion_code', path['id'] ?? '', codeInPath)),
);

const changeCode = vendor<Stripe.PromotionCodeUpdateParams>(
  'promotionCodes.update',
  ({ act, path, params }) => {
    const held = need(act, 'promotion_code', path['id'] ?? '', codeInPath);
    const next: PromotionCode = {
      ...held,
      ...(params.active === undefined ? {} : { active: params.active }),
      metadata: mergeTags(held.metadata, params.metadata),
    };
    return viewOf(act, 'promotion_code', update(act, 'promotion_code', held, next, 'promotion_code.updated'));
  },
  {},
  ['restrictions'],
);

const listCodes = vendor<Stripe.PromotionCodeListParams>('promotionCodes.list', ({ act, params }) => {
  const { active, code, coupon, customer } = params;
  const where =
    code !== undefined
      ? { code }
      : coupon !== undefined
        ? { $coupon: coupon }
        : customer !== undefined
          ? { customer }
          : active !== undefined
            ? { active: String(active) }
            : undefined;
  return page(act, 'promotion_code', params, '/v1/promotion_codes', {
    ...(where === undefined ? {} : { where }),
    keep: held =>
      (active === undefined || held.active === active) &&
      (coupon === undefined || held.$coupon === coupon) &&
      (customer === undefined || held.customer === customer),
  });
});

export const couponOperations = [
  create,
  retrieve,
  change,
  del,
  listAll,
  createCode,
  retrieveCode,
  changeCode,
  listCodes,
];
