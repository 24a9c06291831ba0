// What a customer may use now: the features of the products that they are subscribed to.

import { type Act, all, need, select } from '../api/act.ts';
import { missing } from '../api/errors.ts';
import { type PageAsk, pageOf } from '../api/list.ts';
import { vendor } from '../api/vendor.ts';
import type { View } from '../api/view.ts';

const SUBSCRIPTIONS_MAX = 100;
const FEATURES_MAX = 100;

type Feature = { readonly id: string; readonly lookup_key: string };
type Entitlement = View & { readonly id: string };

/** Its id says whose it is and of which feature, so that it is found again by it. */
function entitlement(customer: string, { id, lookup_key }: Feature): Entitlement {
  return {
    id: `ent_${customer.slice('cus_'.length)}_${id.slice('feat_'.length)}`,
    object: 'entitlements.active_entitlement',
    feature: id,
    livemode: false,
    lookup_key,
  };
}

function active(act: Act, customer: string): readonly Entitlement[] {
  const held = select(act.tx, 'subscription', {
    where: { customer },
    limit: SUBSCRIPTIONS_MAX,
    keep: body => body['status'] === 'active' || body['status'] === 'trialing',
  }).items;
  const found = new Map<string, Entitlement>();
  for (const { id } of held) {
    for (const item of all(act, 'subscription_item', { subscription: id })) {
      const { product } = need(act, 'price', item.price, { param: 'price' });
      const features = act.tx.list('product_feature', { where: { $parent: product }, limit: FEATURES_MAX });
      for (const { entitlement_feature: feature } of features.items as readonly {
        entitlement_feature?: Feature;
      }[]) {
        if (feature !== undefined) found.set(feature.id, entitlement(customer, feature));
      }
    }
  }
  return [...found.values()];
}

const listAll = vendor<PageAsk & { readonly customer: string }>(
  'entitlements.activeEntitlements.list',
  ({ act, params }) => {
    const { id } = need(act, 'customer', params.customer, { param: 'customer' });
    return pageOf(active(act, id), params, '/v1/entitlements/active_entitlements');
  },
);

const retrieve = vendor<object>('entitlements.activeEntitlements.retrieve', ({ act, path }) => {
  const id = path['id'] ?? '';
  const customer = `cus_${id.split('_')[1] ?? ''}`;
  const held = active(act, customer).find(one => one.id === id);
  if (held === undefined) throw missing('active entitlement', id, { param: 'id', inPath: true });
  return held;
});

export const entitlementOperations = [listAll, retrieve];
