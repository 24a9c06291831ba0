// What Stripe does to subscriptions on its own as the world's clock moves, and to the invoices that bill them. A record
// that is gone or moved on is left alone.
import type { DueHandlers } from '../../kit/due.ts';
import { type Act, find } from '../api/act.ts';
import type { Falling } from '../api/product.ts';
import { tell, update } from '../events/events.ts';
import type { Invoice } from '../invoicing/records.ts';
import { reschedule, type SubscriptionWait } from './clock.ts';
import { advance, overdue, retry } from './collection.ts';
import { cancelNow, expire } from './end.ts';
import { expirePending } from './pending-update.ts';
import type { Schedule, Subscription } from './records.ts';
import { renew } from './renewal.ts';
import { nextPhase, type ScheduleWait, startOrAbort } from './schedule-phases.ts';
import { billThreshold } from './thresholds.ts';
import { tellUpcoming } from './upcoming.ts';

type OfSubscription = { readonly subscription: string };
type OfInvoice = { readonly invoice: string };
type OfSchedule = { readonly schedule: string };

export type SubscriptionsDue = { readonly [Wait in SubscriptionWait]: OfSubscription } & {
  readonly [Wait in ScheduleWait]: OfSchedule;
} & {
  'subscription.forget_change': OfSubscription;
  /** A minute in which something was used is over. */
  'subscription.threshold': OfSubscription;
  /** The hour of a draft is over. */
  'invoice.finalize': OfInvoice;
  'invoice.retry': OfInvoice;
  'invoice.overdue': OfInvoice;
};

export const subscriptionsDue: DueHandlers<SubscriptionsDue, Falling> = {
  'subscription.renew': running(renew),
  'subscription.cancel': running((act, held) => cancelNow(act, held, 'cancellation_requested')),
  'subscription.expire': running((act, held) => {
    if (held.status === 'incomplete') expire(act, held);
  }),
  'subscription.trial_will_end': running((act, held) =>
    tell(act, 'customer.subscription.trial_will_end', 'subscription', held),
  ),
  'subscription.upcoming': running(tellUpcoming),
  'subscription.forget_change': running((act, held) => {
    if (held.$pending != null) expirePending(act, held, held.$pending);
  }),
  'subscription.threshold': running(billThreshold),
  'subscription.resume': running((act, held) => {
    const next = { ...held, pause_collection: null };
    update(act, 'subscription', held, next, 'customer.subscription.updated');
    reschedule(act, next);
  }),
  'invoice.finalize': invoiceIn('draft', advance),
  'invoice.retry': invoiceIn('open', retry),
  'invoice.overdue': invoiceIn('open', overdue),
  'schedule.start': scheduleIn('not_started', startOrAbort),
  'schedule.phase': scheduleIn('active', nextPhase),
  'schedule.expiring': scheduleIn('active', (act, held) =>
    tell(act, 'subscription_schedule.expiring', 'subscription_schedule', held),
  ),
};

type Handler<Payload> = (payload: Payload, falling: Falling) => void;

/** For a subscription that has not ended. */
function running(handle: (act: Act, held: Subscription) => void): Handler<OfSubscription> {
  return ({ subscription: id }, { act }) => {
    const held = find(act, 'subscription', id);
    if (held !== undefined && held.ended_at === null) handle(act, held);
  };
}

function invoiceIn(status: Invoice['status'], handle: (act: Act, held: Invoice) => void): Handler<OfInvoice> {
  return ({ invoice: id }, { act }) => {
    const held = find(act, 'invoice', id);
    if (held !== undefined && held.status === status) handle(act, held);
  };
}

function scheduleIn(
  status: Schedule['status'],
  handle: (act: Act, held: Schedule) => void,
): Handler<OfSchedule> {
  return ({ schedule: id }, { act }) => {
    const held = find(act, 'subscription_schedule', id);
    if (held !== undefined && held.status === status) handle(act, held);
  };
}
