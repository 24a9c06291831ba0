// A subscription that is paused by a call, and one that goes over to the newer way of billing.
import type { Stripe } from 'stripe';
import { need, save } from '../api/act.ts';
import { invalid } from '../api/errors.ts';
import { type VendorAsk, vendor } from '../api/vendor.ts';
import { type View, viewOf } from '../api/view.ts';
import { tell, update } from '../events/events.ts';
import { billNow } from './change.ts';
import { itemsOf, reschedule } from './clock.ts';
import { prorations, saveProrations } from './proration.ts';
import type { Subscription } from './records.ts';

const pausing = ({ act, path, params }: VendorAsk<Stripe.SubscriptionPauseParams>): View => {
  const held = need(act, 'subscription', path['id'] ?? '', { param: 'id', inPath: true });
  if (!['active', 'trialing', 'past_due'].includes(held.status)) {
    throw invalid(`This subscription cannot be paused because its status is ${held.status}.`, {
      param: 'id',
    });
  }
  act.tx.kind('customer.subscription.paused');
  const before = viewOf(act, 'subscription', held);
  const billed = held.status !== 'trialing';
  const from = params.bill_for?.unused_time_from?.type ?? 'none';
  if (billed && from !== 'none') {
    const unused = itemsOf(act, held.id).flatMap(item =>
      prorations(
        act,
        held,
        [{ before: item, after: null }],
        from === 'now' ? act.at : item.current_period_start,
      ),
    );
    saveProrations(act, unused);
  }
  const settled = billed && params.invoicing_behavior === 'invoice' ? billNow(act, held, true) : held;
  const paused: Subscription = { ...settled, status: 'paused' };
  save(act, 'subscription', paused);
  reschedule(act, paused);
  tell(act, 'customer.subscription.updated', 'subscription', paused, before);
  tell(act, 'customer.subscription.paused', 'subscription', paused);
  return viewOf(act, 'subscription', paused);
};

const pause = vendor('subscriptions.pause', pausing, {}, ['bill_for[outstanding_usage_through][type]=now']);

const migrate = vendor<Stripe.SubscriptionMigrateParams>('subscriptions.migrate', ({ act, path, params }) => {
  const held = need(act, 'subscription', path['id'] ?? '', { param: 'id', inPath: true });
  if (held.billing_mode.type === 'flexible') {
    throw invalid('This subscription is already in the flexible billing mode.', { param: 'billing_mode' });
  }
  const next: Subscription = {
    ...held,
    billing_mode: {
      flexible: {
        proration_discounts: params.billing_mode.flexible?.proration_discounts ?? 'included',
      },
      type: 'flexible',
      updated_at: act.at,
    },
  };
  return viewOf(
    act,
    'subscription',
    update(act, 'subscription', held, next, 'customer.subscription.updated'),
  );
});

export const subscriptionPauseOperations = [pause, migrate];
