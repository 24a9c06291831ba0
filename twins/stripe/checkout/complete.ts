// Paying a checkout session: what the page and the page's own API do once a payment method is there. A payer who
// must prove who they are is sent on, and the session is completed when they have.

import { type Act, need, save } from '../api/act.ts';
import { invalid, StripeRefusal } from '../api/errors.ts';
import type { Address } from '../api/wire.ts';
import { newCustomer } from '../customers/customers.ts';
import type { Customer } from '../customers/records.ts';
import { tell, update } from '../events/events.ts';
import { declineOf, foresee } from '../payments/attempt.ts';
import { declineParam } from '../payments/decline-param.ts';
import { attachTo } from '../payments/methods.ts';
import type { PaymentIntent, PaymentMethod, SetupIntent } from '../payments/records.ts';
import { confirmSetup } from '../payments/setup.ts';
import { invoiceOf } from './invoice.ts';
import { pay } from './pay.ts';
import type { Session } from './records.ts';
import { discountOf } from './recount.ts';
import { subscribe } from './subscribe.ts';

/** What the page asked of who pays. */
export type Buyer = {
  readonly email: string | null;
  readonly name: string | null;
  readonly phone?: string | null;
  readonly business?: string | null;
  readonly promotions?: 'opt_in' | 'opt_out' | null;
  readonly agreed?: boolean;
  readonly shipping?: { readonly address: Address; readonly name: string } | null;
  /** By the key of the custom field. */
  readonly answers?: { readonly [key: string]: string };
};

/** The session, and where the payer must go first; null when it is done. */
export type Completed = { readonly session: Session; readonly action: string | null };

/** Throws a 402 for a card that declines: before anything is written, so that the session stays open as it was. */
export function refuseDeclined(method: PaymentMethod | null): void {
  if (method === null || foresee(method, false) !== 'declines') return;
  const { code, decline_code, message } = declineOf(method);
  throw new StripeRefusal(402, message, {
    type: 'card_error',
    code,
    decline_code,
    ...declineParam({ code }),
  });
}

/** Whether anything has to be paid with: not when nothing is due, unless the session saves a method all the same. */
export function needsMethod(held: Session): boolean {
  if (held.mode === 'setup') return true;
  if (held.mode === 'payment') return held.$chosen === true || (held.amount_total ?? 0) > 0;
  if (held.payment_method_collection !== 'if_required') return true;
  const data = held.$ask['subscription_data'] as { readonly [field: string]: unknown } | null;
  const trial = data?.['trial_period_days'] !== undefined || data?.['trial_end'] !== undefined;
  return !trial && (held.amount_total ?? 0) > 0;
}

/** Only for a method that `refuseDeclined` let pass; null where none is needed. */
export function complete(act: Act, held: Session, method: PaymentMethod | null, buyer: Buyer): Completed {
  if (method === null && needsMethod(held)) {
    throw invalid('Missing required param: payment_method.', {
      code: 'parameter_missing',
      param: 'payment_method',
    });
  }
  const asks = method !== null && foresee(method, false) === 'asks';
  act.tx.kind(asks ? 'payment_intent.requires_action' : 'checkout.session.completed');
  const session = withBuyer(held, method, buyer);
  updateCustomer(act, session, buyer);
  const paying = { ...session, customer: session.customer ?? customerFor(act, session, buyer) };
  switch (paying.mode) {
    case 'setup':
      return method === null ? finished(act, paying, null) : setUp(act, paying, method);
    case 'subscription': {
      const made = subscribe(act, paying, method);
      return made.intent?.status === 'requires_action' && method !== null
        ? waiting(act, made.session, method, buyer, made.intent)
        : finished(act, made.session, made.intent);
    }
    default: {
      const made = method === null ? { session: paying, intent: null } : pay(act, paying, method);
      return made.intent?.status === 'requires_action' && method !== null
        ? waiting(act, made.session, method, buyer, made.intent)
        : finished(act, made.session, made.intent);
    }
  }
}

/** With what the buyer told of themselves. */
function withBuyer(held: Session, method: PaymentMethod | null, buyer: Buyer): Session {
  const answers = buyer.answers ?? {};
  return {
    ...held,
    collected_information: {
      business_name: buyer.business ?? null,
      individual_name: null,
      shipping_details: buyer.shipping ?? null,
    },
    ...(held.consent_collection === null
      ? {}
      : {
          consent: {
            promotions: buyer.promotions ?? null,
            terms_of_service: buyer.agreed === true ? 'accepted' : null,
          },
        }),
    custom_fields: held.custom_fields.map((field: Session['custom_fields'][number]) => ({
      ...field,
      [field.type]: { ...field[field.type as 'text'], value: answers[field.key] ?? null },
    })),
    customer_details: {
      address: method?.billing_details.address ?? null,
      business_name: buyer.business ?? null,
      email: buyer.email,
      individual_name: null,
      name: buyer.name,
      phone: buyer.phone ?? null,
      tax_exempt: 'none',
      tax_ids: [],
    },
  };
}

/** What the session was asked to save onto the customer that it was opened for. */
function updateCustomer(act: Act, session: Session, buyer: Buyer): void {
  const asked = session.$ask['customer_update'] as Partial<Record<string, string>> | null | undefined;
  if (asked == null || session.customer === null) return;
  const held = need(act, 'customer', session.customer, { param: 'customer' });
  const address = session.customer_details?.address ?? null;
  const to = buyer.shipping ?? null;
  const next: Customer = {
    ...held,
    ...(asked['address'] === 'auto' && address !== null ? { address } : {}),
    ...(asked['name'] === 'auto' && buyer.name !== null ? { name: buyer.name } : {}),
    ...(asked['shipping'] === 'auto' && to !== null
      ? { shipping: { address: to.address, name: to.name, phone: null } }
      : {}),
  };
  if (JSON.stringify(next) !== JSON.stringify(held)) update(act, 'customer', held, next, 'customer.updated');
}

/** A customer is made where one is wanted, or what is bought needs one. */
function customerFor(act: Act, session: Session, buyer: Buyer): string | null {
  const data = session.$ask['payment_intent_data'] as { readonly setup_future_usage?: unknown } | null;
  const wants =
    session.mode === 'subscription' ||
    session.customer_creation === 'always' ||
    data?.setup_future_usage !== undefined ||
    session.invoice_creation?.enabled === true;
  if (!wants) return null;
  const to = buyer.shipping ?? null;
  return newCustomer(act, {
    email: buyer.email,
    name: buyer.name,
    phone: buyer.phone ?? null,
    address: session.customer_details?.address ?? null,
    shipping: to === null ? null : { address: to.address, name: to.name, phone: null },
  }).id;
}

function setUp(act: Act, session: Session, method: PaymentMethod): Completed {
  const fresh = need(act, 'setup_intent', String(session.setup_intent), { param: 'setup_intent' });
  const { intent } = confirmSetup(act, { ...fresh, customer: session.customer }, method, session.url ?? null);
  if (intent.status === 'requires_action') {
    save(act, 'checkout.session', { ...session, $paying: { method: method.id, buyer: {} } });
    return { session, action: urlOf(intent.next_action) };
  }
  return finished(act, session, null);
}

/** The payer has yet to prove who they are. */
function waiting(
  act: Act,
  session: Session,
  method: PaymentMethod,
  buyer: Buyer,
  intent: PaymentIntent,
): Completed {
  const next: Session = {
    ...session,
    payment_intent: session.mode === 'payment' ? intent.id : session.payment_intent,
    $paying: { method: method.id, buyer },
  };
  save(act, 'checkout.session', next);
  return { session: next, action: urlOf(intent.next_action) };
}

function urlOf(action: PaymentIntent['next_action']): string | null {
  const next = action as {
    redirect_to_url?: { url: string | null };
    use_stripe_sdk?: { stripe_js?: string };
  } | null;
  return next?.redirect_to_url?.url ?? next?.use_stripe_sdk?.stripe_js ?? null;
}

/** All is done but what a bank has yet to say. `intent` is what it was paid with; null when nothing was due. */
function finished(act: Act, session: Session, intent: PaymentIntent | null): Completed {
  const { $paying: _paid, $subscription: subscription, ...held } = session;
  const method = intent?.payment_method ?? null;
  const keeps = intent !== null && intent.setup_future_usage !== null && held.customer !== null;
  const paid =
    keeps && method !== null ? need(act, 'payment_method', method, { param: 'payment_method' }) : null;
  if (paid !== null && paid.customer === null) attachTo(act, paid, String(held.customer));
  const done: Session = {
    ...held,
    payment_intent: held.mode === 'payment' ? (intent?.id ?? null) : null,
    payment_status:
      intent === null ? 'no_payment_required' : intent.status === 'processing' ? 'unpaid' : 'paid',
    status: 'complete',
    url: null,
    ...(subscription === undefined ? {} : { subscription }),
  };
  redeem(act, done);
  const invoice = intent?.status === 'succeeded' ? invoiceOf(act, done, intent) : null;
  const whole = invoice === null ? done : { ...done, invoice };
  act.tx.kind('checkout.session.completed');
  act.tx.cancel(`session:${session.id}`);
  save(act, 'checkout.session', whole);
  tell(act, 'checkout.session.completed', 'checkout.session', whole);
  return { session: whole, action: null };
}

/** Subscriptions and invoices count the use of their discounts themselves. */
function redeem(act: Act, session: Session): void {
  const counts = session.mode === 'payment' && session.invoice_creation?.enabled !== true;
  const used = counts ? discountOf(act, session) : null;
  if (used === null) return;
  const { coupon, promotion } = used;
  save(act, 'coupon', { ...coupon, times_redeemed: coupon.times_redeemed + 1 });
  if (promotion === null) return;
  const code = need(act, 'promotion_code', promotion, { param: 'promotion_code' });
  save(act, 'promotion_code', { ...code, times_redeemed: code.times_redeemed + 1 });
}

/** The payer of a session that waited has proven who they are (or not: then it stays open for another try). */
export function provenFor(act: Act, session: string, intent: PaymentIntent | SetupIntent): void {
  const held = need(act, 'checkout.session', session, { param: 'session' });
  if (held.status !== 'open' || held.$paying === undefined) return;
  if (intent.status === 'requires_payment_method') {
    const { $paying: _gone, ...open } = held;
    save(act, 'checkout.session', open);
    return;
  }
  finished(act, held, intent.object === 'setup_intent' ? null : intent);
}

/** A bank answered a payment that a session was paid with. */
export function sessionPaid(act: Act, intent: PaymentIntent, paid: boolean): void {
  const found = act.tx.list('checkout.session', { where: { payment_intent: intent.id }, limit: 1 }).items[0];
  if (found === undefined || found['payment_status'] !== 'unpaid' || found['status'] !== 'complete') return;
  const held = need(act, 'checkout.session', String(found['id']), { param: 'session' });
  const invoice = paid ? invoiceOf(act, held, intent) : null;
  const next: Session = {
    ...held,
    ...(invoice === null ? {} : { invoice }),
    payment_status: paid ? 'paid' : 'unpaid',
  };
  save(act, 'checkout.session', next);
  tell(
    act,
    paid ? 'checkout.session.async_payment_succeeded' : 'checkout.session.async_payment_failed',
    'checkout.session',
    next,
  );
}
