// What is kept of subscriptions: themselves, their items, and the schedules that change them.
import type { Stripe } from 'stripe';
import type { RecordRows } from '../api/record-row.ts';
import type { Stored } from '../api/wire.ts';
import type { Pending } from './pending-update.ts';
import { itemInlined, subscriptionInlined } from './view.ts';

/** Its items are records of their own; the view puts them in. */
export type Subscription = Stored<
  Stripe.Subscription,
  'items',
  {
    /** The price of the first item: what lists select on. */
    $price: string;
    /** Failed attempts on the latest renewal; the dunning schedule's place. */
    $attempts: number;
    /** It has a billing threshold, or an item of it has. */
    $watched?: true;
    /** A change that waits for its invoice. */
    $pending?: Pending | null;
  }
>;
export type SubscriptionItem = Stored<
  Stripe.SubscriptionItem,
  'price' | 'plan',
  {
    price: string;
    /** What a billing threshold billed of the period that began then. */
    $billed?: { readonly since: number; readonly quantity: number };
  }
>;
/** Of versions before basil: the SDK declares it no more. Seconds. */
export type UsageRecord = {
  readonly id: string;
  readonly object: 'usage_record';
  readonly livemode: false;
  readonly quantity: number;
  readonly subscription_item: string;
  readonly timestamp: number;
};
export type Schedule = Stored<Stripe.SubscriptionSchedule, never, object>;
export type Phase = Schedule['phases'][number];

export type SubscriptionRecords = {
  subscription: Subscription;
  subscription_item: SubscriptionItem;
  subscription_schedule: Schedule;
  usage_record: UsageRecord;
};

export const SUBSCRIPTION_RECORDS: RecordRows<SubscriptionRecords> = {
  subscription: {
    indexes: [['customer'], ['status'], ['$price'], ['collection_method']],
    words: ['metadata'],
    inlined: subscriptionInlined,
  },
  subscription_item: { indexes: [['subscription']], inlined: itemInlined },
  subscription_schedule: { indexes: [['customer'], ['subscription']], noun: 'subscription schedule' },
  usage_record: { indexes: [['subscription_item']], noun: 'usage record' },
};
