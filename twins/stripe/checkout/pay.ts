// A session in payment mode: the intent that it is paid with.

import { type Act, find, save } from '../api/act.ts';
import { filledField } from '../api/fill-shape.ts';
import { tell } from '../events/events.ts';
import { attempt } from '../payments/attempt.ts';
import { newIntent } from '../payments/intent-draft.ts';
import type { PaymentIntent, PaymentMethod } from '../payments/records.ts';
import type { Session } from './records.ts';

type Data = {
  readonly transfer_data?: NonNullable<PaymentIntent['transfer_data']>;
  readonly [field: string]: unknown;
};
export type Paid = { readonly session: Session; readonly intent: PaymentIntent | null };

/** The session is not saved. A second try pays the intent of the first. */
export function pay(act: Act, session: Session, method: PaymentMethod): Paid {
  const amount = session.amount_total ?? 0;
  if (amount === 0) return { session, intent: null };
  const begun = find(act, 'payment_intent', String(session.payment_intent ?? ''));
  const shipping = session.collected_information?.shipping_details ?? null;
  const intent: PaymentIntent = {
    ...(begun ?? draft(act, session)),
    amount,
    customer: session.customer,
    ...(shipping === null
      ? {}
      : { shipping: filledField('payment_intent', 'shipping', shipping) as PaymentIntent['shipping'] }),
  };
  save(act, 'payment_intent', intent);
  if (begun === undefined) tell(act, 'payment_intent.created', 'payment_intent', intent);
  const made = attempt(act, intent, method, { offSession: false, returnUrl: session.url ?? null });
  return { session, intent: made.intent };
}

function draft(act: Act, session: Session): PaymentIntent {
  const { transfer_data, metadata, shipping, ...data } = (session.$ask['payment_intent_data'] ?? {}) as Data;
  const fresh = newIntent(act, {
    amount: session.amount_total ?? 0,
    currency: session.currency ?? 'usd',
    customer: session.customer,
    description: null,
    invoice: null,
  });
  return {
    ...fresh,
    ...(data as Partial<PaymentIntent>),
    metadata: (metadata as { [name: string]: string } | undefined) ?? {},
    payment_method_types: session.payment_method_types,
    shipping: filledField('payment_intent', 'shipping', (shipping ?? null) as PaymentIntent['shipping']),
    ...(transfer_data === undefined ? {} : { transfer_data }),
  };
}
