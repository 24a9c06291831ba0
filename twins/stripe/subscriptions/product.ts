// Stripe's Subscriptions: what is called, kept, waited for and told of.
import type { Product } from '../api/product.ts';
import { type SubscriptionsDue, subscriptionsDue } from './due.ts';
import { subscriptionItemOperations } from './items.ts';
import { subscriptionPauseOperations } from './pause.ts';
import { createPreview } from './preview.ts';
import { SUBSCRIPTION_RECORDS, type SubscriptionRecords } from './records.ts';
import { scheduleOperations } from './schedules.ts';
import { subscriptionOperations } from './subscriptions.ts';

export const subscriptions: Product<SubscriptionRecords, SubscriptionsDue> = {
  operations: [
    ...subscriptionOperations,
    ...subscriptionPauseOperations,
    ...subscriptionItemOperations,
    ...scheduleOperations,
    createPreview,
  ],
  records: SUBSCRIPTION_RECORDS,
  due: subscriptionsDue,
  models: [
    ['subscription', 'sub_', 'subscriptions'],
    ['subscription_item', 'si_', 'subscriptionItems'],
    ['subscription_schedule', 'sub_sched_', 'subscriptionSchedules'],
  ],
  events: [
    'customer.subscription.created',
    'customer.subscription.deleted',
    'customer.subscription.paused',
    'customer.subscription.pending_update_applied',
    'customer.subscription.pending_update_expired',
    'customer.subscription.resumed',
    'customer.subscription.trial_will_end',
    'customer.subscription.updated',
    'invoice.created',
    'invoice.finalized',
    'invoice.marked_uncollectible',
    'invoice.overdue',
    'invoice.sent',
    'invoice.upcoming',
    'invoice.updated',
    'invoice.voided',
    'invoiceitem.created',
    'price.created',
    'setup_intent.created',
    'subscription_schedule.aborted',
    'subscription_schedule.canceled',
    'subscription_schedule.completed',
    'subscription_schedule.created',
    'subscription_schedule.expiring',
    'subscription_schedule.released',
    'subscription_schedule.updated',
  ],
};
