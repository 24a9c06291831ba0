// A session in subscription mode: the subscription that it begins, and its first invoice.

import { type Act, find, need, save } from '../api/act.ts';
import { amountOf, priceIn } from '../catalog/price-draft.ts';
import type { TaxRate } from '../catalog/records.ts';
import { blankItem } from '../invoicing/blank-item.ts';
import { collect, subscriptionPaid } from '../invoicing/collect.ts';
import type { Invoice } from '../invoicing/records.ts';
import { actionFor } from '../payments/actions.ts';
import { attachTo } from '../payments/methods.ts';
import type { PaymentIntent, PaymentMethod } from '../payments/records.ts';
import { makeSubscription } from '../subscriptions/create.ts';
import { itemsOf } from './items.ts';
import type { Paid } from './pay.ts';
import type { Session, SessionItem } from './records.ts';

type Data = { readonly [field: string]: unknown };

/** The session is not saved. A second try pays the invoice of the first. */
export function subscribe(act: Act, session: Session, method: PaymentMethod | null): Paid {
  const owned =
    method === null
      ? null
      : method.customer === null
        ? attachTo(act, method, String(session.customer))
        : method;
  const begun =
    session.$subscription === undefined ? undefined : find(act, 'subscription', session.$subscription);
  if (begun === undefined || owned === null) return begin(act, session, owned);
  save(act, 'subscription', { ...begun, default_payment_method: owned.id });
  const open = need(act, 'invoice', String(begun.latest_invoice), { param: 'invoice' });
  const collected = collect(act, open, owned, { offSession: false, byPayer: true });
  if (collected.outcome === 'paid') subscriptionPaid(act, collected.invoice);
  return settled(act, session, collected.invoice, owned);
}

function begin(act: Act, session: Session, method: PaymentMethod | null): Paid {
  const data = (session.$ask['subscription_data'] ?? {}) as Data;
  const items = itemsOf(act.tx, session.id);
  const [recurring, once] = [true, false].map(recurs =>
    items.filter(item => (find(act, 'price', item.price)?.recurring !== null) === recurs),
  ) as [SessionItem[], SessionItem[]];
  // What is bought once is on the first invoice.
  for (const item of once) putOnNext(act, String(session.customer), item);
  const discounts = (session.discounts ?? []).map(
    ({ coupon, promotion_code }: NonNullable<Session['discounts']>[number]) => ({
      ...(promotion_code !== null ? { promotion_code } : coupon === null ? {} : { coupon }),
    }),
  );
  const taken = [
    'billing_cycle_anchor',
    'default_tax_rates',
    'description',
    'metadata',
    'on_behalf_of',
    'proration_behavior',
    'transfer_data',
  ];
  const more = [...taken, 'trial_end', 'trial_period_days', 'trial_settings'].filter(
    name => data[name] !== undefined,
  );
  const made = makeSubscription(
    act,
    {
      ...Object.fromEntries(more.map(name => [name, data[name]])),
      ...(discounts.length === 0 ? {} : { discounts }),
      ...(data['application_fee_percent'] === undefined
        ? {}
        : { application_fee_percent: String(data['application_fee_percent']) }),
      customer: session.customer ?? '',
      payment_settings: { payment_method_options: { card: { request_three_d_secure: secureOf(session) } } },
      ...(session.currency == null ? {} : { currency: session.currency }),
      ...(method === null ? {} : { default_payment_method: method.id }),
      items: recurring.map(({ price, quantity, $tax_rates }) => ({
        price,
        ...(quantity === null ? {} : { quantity }),
        ...($tax_rates.length === 0 ? {} : { tax_rates: $tax_rates }),
      })),
    },
    { drafts: false, byPayer: true },
  );
  const next: Session = { ...session, $subscription: made.id };
  return settled(act, next, need(act, 'invoice', String(made.latest_invoice), { param: 'invoice' }), method);
}

/** As the session asks for it. */
function secureOf({ payment_method_options: options }: Session): 'any' | 'automatic' | 'challenge' {
  // The vendor has refused any other word.
  return (options?.card?.request_three_d_secure ?? 'automatic') as 'any' | 'automatic' | 'challenge';
}

/** What came of the first invoice; the payer of one that asks for it goes back to the session. */
function settled(act: Act, session: Session, invoice: Invoice, method: PaymentMethod | null): Paid {
  const next: Session = { ...session, invoice: invoice.id };
  const intent: PaymentIntent | undefined = find(act, 'payment_intent', invoice.$payment_intent ?? '');
  if (intent === undefined || invoice.total === 0) return { session: next, intent: null };
  if (intent.status !== 'requires_action' || method === null) return { session: next, intent };
  const asked = { ...intent, next_action: actionFor(act, intent, method, session.url ?? null) };
  save(act, 'payment_intent', asked);
  return { session: next, intent: asked };
}

function putOnNext(act: Act, customer: string, item: SessionItem): void {
  const price = priceIn(need(act, 'price', item.price, { param: 'price' }), item.currency);
  const quantity = item.quantity ?? 1;
  const rates = item.$tax_rates.map((id: string) => need(act, 'tax_rate', id, { param: 'tax_rates' }));
  save(act, 'invoiceitem', {
    ...blankItem(act, {
      amount: amountOf(price, quantity),
      currency: price.currency,
      customer,
      description: item.description,
      period: { start: act.at, end: act.at },
      price,
      quantity,
    }),
    tax_rates: rates.map((rate: TaxRate) => ({ ...rate })),
  });
}
