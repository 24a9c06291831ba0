// Subscription items: what a subscription bills for, as parameters ask for it and as operations of their own.

import { type Act, find, need } from '../api/act.ts';
import { invalid, missing } from '../api/errors.ts';
import { page, pageParams } from '../api/list.ts';
import { operation } from '../api/operation.ts';
import {
  boolean,
  choice,
  type Decoded,
  hash,
  integer,
  list,
  mergeMetadata,
  metadata,
  required,
  text,
  time,
} from '../api/params.ts';
import { viewOf } from '../api/view.ts';
import { discountsParam, taxRatesParam } from '../catalog/discount-params.ts';
import { checkDiscounts, openDiscounts } from '../catalog/discounts.ts';
import { isIn, newPrice, priceFields } from '../catalog/price-draft.ts';
import type { Price } from '../catalog/records.ts';
import { ratesOf } from '../catalog/tax-rates.ts';
import { applyChanges } from './change.ts';
import { itemsOf } from './clock.ts';
import { holdChange } from './hold.ts';
import type { ItemChange } from './proration.ts';
import type { Subscription, SubscriptionItem } from './records.ts';
import { checkItemThreshold, itemThresholdsParam } from './threshold-params.ts';
import { checkUsage, clearUsage } from './usage-records.ts';
import { SUBSCRIPTION_ITEMS_MAX } from './view.ts';

const fields = {
  billing_thresholds: itemThresholdsParam,
  metadata: metadata(),
  /** An old name of `price`. */
  plan: text(),
  price: text(),
  price_data: hash({ ...priceFields, product: required(text()) }),
  quantity: integer(0),
  discounts: discountsParam,
  tax_rates: taxRatesParam,
} as const;

/** An element of `items` when a subscription is made. */
const newItemFields = hash(fields);
/** An element of `items` when a subscription is changed. */
const changedItemFields = hash({ ...fields, id: text(), deleted: boolean(), clear_usage: boolean() });

export const ITEM_UNMODELLED = ['current_trial', 'trial'] as const;

type Given = Decoded<typeof fields>;

export type Chosen = {
  readonly price: Price /** Made for this item, not yet saved. */;
  readonly made: boolean;
};

/** The price that an item names or brings along. Refuses one-time and inactive prices. */
export function choosePrice(act: Act, given: Given, param: string): Chosen | null {
  const id = given.price ?? given.plan;
  if (id !== undefined && given.price_data !== undefined) {
    throw invalid(`You may only specify one of these parameters: price, price_data.`, {
      code: 'parameters_exclusive',
      param,
    });
  }
  if (given.price_data !== undefined) {
    const { product, recurring } = given.price_data;
    need(act, 'product', product, { param: `${param}[price_data][product]` });
    if (recurring === undefined) {
      throw invalid(`Missing required param: ${param}[price_data][recurring].`, {
        code: 'parameter_missing',
        param: `${param}[price_data][recurring]`,
      });
    }
    const price = newPrice(act, given.price_data, `${param}[price_data]`);
    checkItemThreshold(given.billing_thresholds, price, param);
    return { price, made: true };
  }
  if (id === undefined) return null;
  const price = find(act, 'price', id);
  if (price === undefined) throw missing('price', id, { param: `${param}[price]` });
  if (price.type !== 'recurring') {
    throw invalid(
      `The price specified is set to \`type=one_time\` but this field only accepts prices with \`type=recurring\`.`,
      { param: `${param}[price]` },
    );
  }
  if (!price.active) {
    throw invalid(`The price specified is inactive. This field only accepts active prices.`, {
      param: `${param}[price]`,
    });
  }
  checkItemThreshold(given.billing_thresholds, price, param);
  return { price, made: false };
}

type Period = { readonly start: number; readonly end: number };

export function newItem(
  act: Act,
  subscription: string,
  price: Price,
  given: Omit<Given, 'plan' | 'price' | 'price_data'>,
  period: Period,
): SubscriptionItem {
  return {
    id: act.tx.recordId('si_', 14),
    object: 'subscription_item',
    billing_thresholds: given.billing_thresholds ?? null,
    created: act.at,
    current_period_end: period.end,
    current_period_start: period.start,
    current_trial: null,
    discounts: [],
    metadata: mergeMetadata({}, given.metadata),
    price: price.id,
    ...(price.recurring?.usage_type === 'metered' ? {} : { quantity: given.quantity ?? 1 }),
    subscription,
    tax_rates: ratesOf(act, given.tax_rates, 'tax_rates').map(rate => ({ ...rate })),
  };
}

/** Checks what an item asks for besides its price, before anything is written. */
export function checkExtras(act: Act, given: Given, param: string): void {
  const named = (name: string): string => (param === '' ? name : `${param}[${name}]`);
  checkDiscounts(act, given.discounts, named('discounts'));
  ratesOf(act, given.tax_rates, named('tax_rates'));
}

/** The item with the discounts it asked for, made. Only when it is about to be saved. */
export function withDiscounts(
  act: Act,
  item: SubscriptionItem,
  given: Pick<Given, 'discounts'>,
  customer: string,
): SubscriptionItem {
  if (given.discounts === undefined) return item;
  const of = { customer, subscription: item.subscription, subscription_item: item.id };
  return { ...item, discounts: openDiscounts(act, given.discounts, of) };
}

/** All prices of one subscription are in one currency and at one interval. */
/** `currency`: the subscription's, which a price may have among others. */
export function checkAlike(prices: readonly Price[], currency?: string): void {
  const billedIn = (price: Price): string =>
    currency !== undefined && isIn(price, currency) ? currency : price.currency;
  const [first, ...rest] = prices;
  if (first === undefined) return;
  for (const price of rest) {
    const field =
      billedIn(price) !== billedIn(first)
        ? 'currency'
        : price.recurring?.interval !== first.recurring?.interval ||
            price.recurring?.interval_count !== first.recurring?.interval_count
          ? 'interval'
          : null;
    if (field !== null) {
      throw invalid(
        `Currency and interval fields must match across all plans/prices on this subscription. Found mismatch in ${field} field.`,
        { param: 'items' },
      );
    }
  }
}

const proratingParams = {
  payment_behavior: choice(
    'allow_incomplete',
    'default_incomplete',
    'error_if_incomplete',
    'pending_if_incomplete',
  ),
  proration_behavior: choice('always_invoice', 'create_prorations', 'none'),
  proration_date: time(),
} as const;

function needItem(act: Act, path: { readonly [name: string]: string }): SubscriptionItem {
  const id = path['item'] ?? '';
  const item = find(act, 'subscription_item', id);
  if (item === undefined) throw missing('subscription_item', id, { param: 'item', inPath: true });
  return item;
}

type How = Decoded<typeof proratingParams> & { readonly off_session?: boolean };

/** A change that cannot be paid is refused, or waits for its payment, where it is asked to. */
function change(act: Act, subscription: Subscription, one: ItemChange, how: How, made: Chosen | null): void {
  const asked = { changes: [one], how, prices: made?.made === true ? [made.price] : [] };
  const { payment_behavior: behaviour, off_session: offSession = false } = how;
  if (holdChange(act, subscription, asked, { behaviour, offSession }) !== null) return;
  if (one.before !== null && one.after === null) clearUsage(act, one.before);
  applyChanges(act, subscription, asked);
}

const create = operation(
  'subscriptionItems.create',
  'POST /v1/subscription_items',
  { ...fields, ...proratingParams, subscription: required(text()) },
  ({ act, params }) => {
    const subscription = need(act, 'subscription', params.subscription, { param: 'subscription' });
    const chosen = choosePrice(act, params, 'price');
    if (chosen === null)
      throw invalid('Missing required param: price.', { code: 'parameter_missing', param: 'price' });
    const held = itemsOf(act, subscription.id);
    if (held.length >= SUBSCRIPTION_ITEMS_MAX) {
      throw invalid(`A subscription can have at most ${SUBSCRIPTION_ITEMS_MAX} items.`, {
        param: 'subscription',
      });
    }
    if (held.some(item => item.price === chosen.price.id)) {
      throw invalid(`Cannot add multiple subscription items with the same plan: \`${chosen.price.id}\``, {
        param: 'price',
      });
    }
    const others = held.map(item => need(act, 'price', item.price, { param: 'price' }));
    checkAlike([...others, chosen.price], subscription.currency);
    const period = held[0];
    const item = newItem(act, subscription.id, chosen.price, params, {
      start: period?.current_period_start ?? act.at,
      end: period?.current_period_end ?? act.at,
    });
    checkExtras(act, params, '');
    const after = withDiscounts(act, item, params, subscription.customer);
    change(act, subscription, { before: null, after }, params, chosen);
    return viewOf(act, 'subscription_item', after);
  },
  [...ITEM_UNMODELLED],
);

const retrieve = operation(
  'subscriptionItems.retrieve',
  'GET /v1/subscription_items/{item}',
  {},
  ({ act, path }) => viewOf(act, 'subscription_item', needItem(act, path)),
);

const update = operation(
  'subscriptionItems.update',
  'POST /v1/subscription_items/{item}',
  { ...fields, ...proratingParams, off_session: boolean() },
  ({ act, path, params }) => {
    const held = needItem(act, path);
    const subscription = need(act, 'subscription', held.subscription, { param: 'subscription' });
    const chosen = choosePrice(act, params, 'price');
    checkExtras(act, params, '');
    const next = changedItem(act, held, chosen?.price ?? null, params);
    const after = withDiscounts(act, next, params, subscription.customer);
    change(act, subscription, { before: held, after }, params, chosen);
    return viewOf(act, 'subscription_item', need(act, 'subscription_item', held.id, { param: 'item' }));
  },
  [...ITEM_UNMODELLED],
);

export function changedItem(
  act: Act,
  held: SubscriptionItem,
  price: Price | null,
  given: Given,
): SubscriptionItem {
  return {
    ...held,
    ...(given.tax_rates === undefined
      ? {}
      : { tax_rates: ratesOf(act, given.tax_rates, 'tax_rates').map(rate => ({ ...rate })) }),
    ...(price === null ? {} : { price: price.id }),
    ...(given.quantity === undefined ? {} : { quantity: given.quantity }),
    ...(given.billing_thresholds === undefined ? {} : { billing_thresholds: given.billing_thresholds }),
    metadata: mergeMetadata(held.metadata, given.metadata),
  };
}

const del = operation(
  'subscriptionItems.del',
  'DELETE /v1/subscription_items/{item}',
  { ...proratingParams, clear_usage: boolean() },
  ({ act, path, params }) => {
    const held = needItem(act, path);
    const subscription = need(act, 'subscription', held.subscription, { param: 'subscription' });
    if (itemsOf(act, subscription.id).length === 1) {
      throw invalid(
        'A subscription must have at least one active plan. Cancel the subscription itself to stop it.',
        { param: 'item' },
      );
    }
    checkUsage(act, held, params.clear_usage, 'clear_usage');
    change(act, subscription, { before: held, after: null }, params, null);
    return { id: held.id, object: 'subscription_item', deleted: true };
  },
);

const listAll = operation(
  'subscriptionItems.list',
  'GET /v1/subscription_items',
  { ...pageParams, subscription: required(text()) },
  ({ act, params }) => {
    const subscription = need(act, 'subscription', params.subscription, { param: 'subscription' });
    return page(act, 'subscription_item', params, '/v1/subscription_items', {
      where: { subscription: subscription.id },
      order: 'oldest',
    });
  },
);

export const subscriptionItemOperations = [create, retrieve, update, del, listAll];

export const itemsParam = { new: list(newItemFields), changed: list(changedItemFields) } as const;
