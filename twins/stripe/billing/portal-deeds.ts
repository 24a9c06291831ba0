// What customers do in the billing portal, as far as its configuration lets them.

import { type Act, all } from '../api/act.ts';
import type { Customer } from '../customers/records.ts';
import { update } from '../events/events.ts';
import { cardFrom } from '../payments/card-form.ts';
import { attachTo, refuseUnsaveable } from '../payments/methods.ts';
import { itemsOf, periodOf, reschedule } from '../subscriptions/clock.ts';
import { cancelNow } from '../subscriptions/end.ts';
import type { Subscription } from '../subscriptions/records.ts';
import type { PortalConfiguration } from './records.ts';

type Features = PortalConfiguration['features'];
type Form = ReadonlyMap<string, string>;

/** The card becomes the customer's default, and that of their subscriptions that name one of their own. */
export function saveCard(act: Act, customer: Customer, form: Form): true {
  const method = cardFrom(act, form);
  refuseUnsaveable(method);
  act.tx.kind('payment_method.attached');
  attachTo(act, method, customer.id);
  const next: Customer = {
    ...customer,
    invoice_settings: { ...customer.invoice_settings, default_payment_method: method.id },
  };
  update(act, 'customer', customer, next, 'customer.updated');
  for (const held of all(
    act,
    'subscription',
    { customer: customer.id },
    ({ ended_at }) => ended_at === null,
  )) {
    if (held.default_payment_method === null) continue;
    const after = { ...held, default_payment_method: method.id };
    update(act, 'subscription', held, after, 'customer.subscription.updated');
  }
  return true;
}

/** Null where nothing of it may be changed. */
export function saveDetails(
  act: Act,
  customer: Customer,
  { customer_update: may }: Features,
  form: Form,
): true | null {
  if (!may.enabled) return null;
  const allowed: readonly string[] = may.allowed_updates;
  const given = ['name', 'email', 'phone'].filter(name => allowed.includes(name) && form.has(name));
  const next = { ...customer, ...Object.fromEntries(given.map(name => [name, form.get(name) || null])) };
  act.tx.kind('customer.updated');
  update(act, 'customer', customer, next, 'customer.updated');
  return true;
}

/** As the configuration says: at once, or at the end of what is paid for; `keep` takes that back. */
export function cancelAsAllowed(
  act: Act,
  { subscription_cancel: allowed }: Features,
  held: Subscription,
  keep: boolean,
): true | null {
  if (!allowed.enabled) return null;
  if (allowed.mode === 'immediately' && !keep) {
    cancelNow(act, held, 'cancellation_requested');
    return true;
  }
  const end = periodOf(itemsOf(act, held.id)).end;
  const next: Subscription = {
    ...held,
    cancel_at: keep ? null : end,
    cancel_at_period_end: !keep,
    canceled_at: keep ? null : act.at,
    cancellation_details: {
      comment: null,
      feedback: null,
      feedback_option: null,
      ...held.cancellation_details,
      reason: keep ? null : 'cancellation_requested',
    },
  };
  act.tx.kind('customer.subscription.updated');
  update(act, 'subscription', held, next, 'customer.subscription.updated');
  reschedule(act, next);
  return true;
}
