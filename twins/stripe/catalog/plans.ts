// Plans, the older name of recurring prices: each is kept as a price, so that subscriptions take either.
import type { Stripe } from 'stripe';
import { type Act, find, need, remove, save } from '../api/act.ts';
import { invalid, missing } from '../api/errors.ts';
import { page } from '../api/list.ts';
import { type VendorAsk, vendor } from '../api/vendor.ts';
import type { View } from '../api/view.ts';
import { tell } from '../events/events.ts';
import { mergeTags } from './coupons.ts';
import { planView } from './plan-view.ts';
import { newPrice } from './price-draft.ts';
import { addPrice, changePrice, tellPriceDeleted } from './price-events.ts';
import { newProduct } from './product-draft.ts';
import type { Price } from './records.ts';

const creating = ({ act, params }: VendorAsk<Stripe.PlanCreateParams>): View => {
  const { product, id } = params;
  if (id !== undefined && find(act, 'price', id) !== undefined) {
    throw invalid('Plan already exists.', { code: 'resource_already_exists', param: 'id' });
  }
  const made =
    product === undefined || typeof product === 'string' ? null : newProduct(act, product, 'product[id]');
  const owner =
    made?.id ?? need(act, 'product', typeof product === 'string' ? product : '', { param: 'product' }).id;
  const price = newPrice(
    act,
    {
      active: params.active ?? true,
      billing_scheme: (params.billing_scheme ?? 'per_unit') as 'per_unit',
      currency: params.currency,
      ...(params.nickname === undefined ? {} : { nickname: params.nickname }),
      product: owner,
      recurring: {
        interval: params.interval as 'month',
        interval_count: params.interval_count ?? 1,
        ...(params.meter === undefined ? {} : { meter: params.meter }),
        ...(params.trial_period_days === undefined ? {} : { trial_period_days: params.trial_period_days }),
        usage_type: (params.usage_type ?? 'licensed') as 'licensed',
      },
      ...(params.tiers === undefined ? {} : { tiers: params.tiers }),
      ...(params.tiers_mode === undefined ? {} : { tiers_mode: params.tiers_mode as 'volume' }),
      ...(params.transform_usage === undefined ? {} : { transform_quantity: params.transform_usage }),
      ...(params.amount === undefined ? {} : { unit_amount: params.amount }),
      ...(params.amount_decimal === undefined ? {} : { unit_amount_decimal: params.amount_decimal }),
    },
    '',
  );
  const plan: Price = {
    ...price,
    id: id ?? act.tx.recordId('plan_', 24),
    metadata: mergeTags(null, params.metadata),
  };
  act.tx.kind('plan.created');
  if (made !== null) {
    save(act, 'product', made);
    tell(act, 'product.created', 'product', made);
  }
  addPrice(act, plan);
  return planView(plan);
};

const create = vendor('plans.create', creating, {}, ['product[tax_details]']);

function needPlan(act: Act, path: { readonly [name: string]: string }): Price {
  const id = path['id'] ?? '';
  const price = find(act, 'price', id);
  if (price === undefined || price.type !== 'recurring')
    throw missing('plan', id, { param: 'plan', inPath: true });
  return price;
}

const retrieve = vendor<object>('plans.retrieve', ({ act, path }) => planView(needPlan(act, path)));

const change = vendor<Stripe.PlanUpdateParams>('plans.update', ({ act, path, params }) => {
  const held = needPlan(act, path);
  if (params.product !== undefined) need(act, 'product', params.product, { param: 'product' });
  const next: Price = {
    ...held,
    ...(params.active === undefined ? {} : { active: params.active }),
    ...(params.nickname === undefined ? {} : { nickname: params.nickname }),
    ...(params.product === undefined ? {} : { product: params.product }),
    metadata: mergeTags(held.metadata, params.metadata),
  };
  return planView(changePrice(act, held, next));
});

/** What subscribes to it goes on by it, as at Stripe; here the price stays, inactive. */
const del = vendor<object>('plans.del', ({ act, path }) => {
  const held = needPlan(act, path);
  tellPriceDeleted(act, held);
  const used = act.tx.list('subscription', { where: { $price: held.id }, limit: 1 }).items.length > 0;
  if (used) save(act, 'price', { ...held, active: false });
  else remove(act, 'price', held.id);
  return { id: held.id, object: 'plan', deleted: true };
});

const listAll = vendor<Stripe.PlanListParams>('plans.list', ({ act, params }) => {
  const { active, product } = params;
  const found = page(act, 'price', params, '/v1/plans', {
    where: product === undefined ? { type: 'recurring' } : { product },
    keep: price => price.type === 'recurring' && (active === undefined || price.active === active),
  });
  const data = (found['data'] as readonly { readonly id: string }[]).map(({ id }) =>
    planView(need(act, 'price', id, { param: 'plan' })),
  );
  return { ...found, data };
});

export const planOperations = [create, retrieve, change, del, listAll];
