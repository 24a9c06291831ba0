// Paying a checkout session: what the page and the page's own API do once a payment method is there.
import { newCustomer } from '../customers.ts';
import { StripeRefusal } from '../errors.ts';
import { tell } from '../events.ts';
import { newIntent } from '../intent-draft.ts';
import { attachTo } from '../payment-methods.ts';
import { completePayment, completeSetup } from '../payments/complete-action.ts';
import { confirmSetup, newSetup } from '../payments/setup.ts';
import type { Session } from '../payments/wire.ts';
import { attempt, declineOf, foresee } from '../payments.ts';
import { type Act, find, need, save } from '../records.ts';
import { makeSubscription } from '../subscription-create.ts';
import type { PaymentIntent, PaymentMethod } from '../wire.ts';
import { itemsOf } from './items.ts';

export type Buyer = { readonly email: string | null; readonly name: string | null };

/** Throws a 402 for a card that declines, before anything but the attempt is written. The session then stays open. */
export function complete(act: Act, session: Session, method: PaymentMethod, buyer: Buyer): Session {
  if (foresee(method, false) === 'declines') {
    const why = declineOf(method);
    throw new StripeRefusal(402, why.message, {
      type: 'card_error',
      code: why.code,
      decline_code: why.decline_code,
    });
  }
  act.tx.kind('checkout.session.completed');
  const wants = session.mode !== 'payment' || session.customer_creation === 'always';
  const customer = session.customer ?? (wants ? newCustomer(act, buyer).id : null);
  const details: Session = {
    ...session,
    customer,
    customer_details: {
      address: method.billing_details.address,
      business_name: null,
      email: buyer.email,
      individual_name: null,
      name: buyer.name,
      phone: null,
      tax_exempt: 'none',
      tax_ids: [],
    },
    status: 'complete',
    url: null,
  };
  act.tx.cancel(`session:${session.id}`);
  const done =
    details.mode === 'setup'
      ? setUp(act, details, method)
      : details.mode === 'subscription'
        ? subscribe(act, details, method)
        : pay(act, details, method);
  save(act, 'checkout.session', done);
  tell(act, 'checkout.session.completed', 'checkout.session', done);
  return done;
}

function setUp(act: Act, session: Session, method: PaymentMethod): Session {
  const fresh = { ...newSetup(act), customer: session.customer, $session: session.id };
  save(act, 'setup_intent', fresh);
  tell(act, 'setup_intent.created', 'setup_intent', fresh);
  const { intent } = confirmSetup(act, fresh, method, null);
  if (intent.status === 'requires_action') completeSetup(act, intent, true);
  return { ...session, payment_status: 'no_payment_required', setup_intent: fresh.id };
}

type Data = { readonly [field: string]: unknown };

function pay(act: Act, session: Session, method: PaymentMethod): Session {
  const amount = session.amount_total ?? 0;
  if (amount === 0) return { ...session, payment_status: 'no_payment_required' };
  const data = (session.$ask['payment_intent_data'] ?? {}) as Data;
  const fresh: PaymentIntent = {
    ...newIntent(act, {
      amount,
      currency: session.currency ?? 'usd',
      customer: session.customer,
      description: typeof data['description'] === 'string' ? data['description'] : null,
      invoice: null,
    }),
    ...(data as Partial<PaymentIntent>),
    amount,
    application_fee_amount: (data['application_fee_amount'] as number | undefined) ?? null,
    metadata: (data['metadata'] as { [name: string]: string } | undefined) ?? {},
    payment_method_types: session.payment_method_types,
  };
  save(act, 'payment_intent', fresh);
  tell(act, 'payment_intent.created', 'payment_intent', fresh);
  const made = attempt(act, fresh, method, { offSession: false, returnUrl: null });
  const intent = made.outcome === 'action' ? completePayment(act, made.intent, true) : made.intent;
  if (data['setup_future_usage'] !== undefined && session.customer !== null) {
    attachTo(act, method, session.customer);
  }
  return {
    ...session,
    payment_intent: fresh.id,
    payment_status: intent.status === 'processing' ? 'unpaid' : 'paid',
  };
}

function subscribe(act: Act, session: Session, method: PaymentMethod): Session {
  const data = (session.$ask['subscription_data'] ?? {}) as Data;
  if (method.customer === null) attachTo(act, method, session.customer ?? '');
  const recurring = itemsOf(act.tx, session.id).filter(
    item => find(act, 'price', item.price)?.recurring !== null,
  );
  const made = makeSubscription(
    act,
    {
      customer: session.customer ?? '',
      default_payment_method: method.id,
      items: recurring.map(({ price, quantity }) => ({ price, ...(quantity === null ? {} : { quantity }) })),
      ...(data['metadata'] === undefined ? {} : { metadata: data['metadata'] as { [name: string]: string } }),
      ...(typeof data['trial_period_days'] === 'number'
        ? { trial_period_days: data['trial_period_days'] }
        : {}),
    } as never,
    { drafts: false },
  );
  const invoice = find(act, 'invoice', String(made.latest_invoice));
  const intent = find(act, 'payment_intent', invoice?.$payment_intent ?? '');
  if (intent?.status === 'requires_action') completePayment(act, intent, true);
  const waits = intent?.status === 'processing';
  return {
    ...session,
    invoice: invoice?.id ?? null,
    payment_status: waits ? 'unpaid' : (invoice?.total ?? 0) === 0 ? 'no_payment_required' : 'paid',
    subscription: made.id,
  };
}

/** A bank answered a payment that a session was paid with. */
export function sessionPaid(act: Act, intent: PaymentIntent, paid: boolean): void {
  const found = act.tx.list('checkout.session', { where: { payment_intent: intent.id }, limit: 1 }).items[0];
  if (found === undefined || found['payment_status'] !== 'unpaid') return;
  const held = need(act, 'checkout.session', String(found['id']), { param: 'session' });
  const next: Session = { ...held, payment_status: paid ? 'paid' : 'unpaid' };
  save(act, 'checkout.session', next);
  tell(
    act,
    paid ? 'checkout.session.async_payment_succeeded' : 'checkout.session.async_payment_failed',
    'checkout.session',
    next,
  );
}

export function expireSession(act: Act, held: Session): Session {
  const next: Session = { ...held, status: 'expired', url: null };
  act.tx.cancel(`session:${held.id}`);
  save(act, 'checkout.session', next);
  tell(act, 'checkout.session.expired', 'checkout.session', next);
  return next;
}
