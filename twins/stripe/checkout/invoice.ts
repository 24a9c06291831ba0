// The invoice of a session in payment mode that asked for one: made when the money is there, and paid with it.

import { type Act, need, save } from '../api/act.ts';
import { openDiscount } from '../catalog/discounts.ts';
import { priceIn } from '../catalog/price-draft.ts';
import { tell } from '../events/events.ts';
import { blankItem } from '../invoicing/blank-item.ts';
import { finalize, markPaid } from '../invoicing/collect.ts';
import { blankInvoice, invoiceItemLine, saveDraft } from '../invoicing/draft.ts';
import type { InvoiceItem, InvoiceLineItem } from '../invoicing/records.ts';
import type { PaymentIntent } from '../payments/records.ts';
import { itemsOf } from './items.ts';
import type { Session } from './records.ts';
import { discountOf } from './recount.ts';

type Data = { readonly [field: string]: unknown };

/** The id of the paid invoice; null for a session that wants none. */
export function invoiceOf(act: Act, session: Session, intent: PaymentIntent): string | null {
  if (session.invoice_creation?.enabled !== true || session.customer === null) return null;
  const customer = need(act, 'customer', String(session.customer), { param: 'customer' });
  const data = session.invoice_creation.invoice_data as unknown as Data;
  const blank = blankInvoice(act, {
    customer,
    subscription: null,
    currency: intent.currency,
    reason: 'manual',
    period: { start: act.at, end: act.at },
    collection: 'charge_automatically',
    advance: false,
    daysUntilDue: null,
  });
  const used = discountOf(act, session);
  const discounts =
    used === null
      ? []
      : [openDiscount(act, { coupon: used.coupon.id }, { customer: customer.id, invoice: blank.id }).id];
  const items = itemsOf(act.tx, session.id).map(item => {
    const price = priceIn(need(act, 'price', item.price, { param: 'price' }), item.currency);
    const made: InvoiceItem = {
      ...blankItem(act, {
        amount: item.amount_subtotal,
        currency: item.currency,
        customer: customer.id,
        description: item.description,
        period: { start: act.at, end: act.at },
        price,
        quantity: item.quantity ?? 1,
      }),
      tax_rates: item.$tax_rates.map((id: string) => ({
        ...need(act, 'tax_rate', id, { param: 'tax_rates' }),
      })),
      invoice: blank.id,
    };
    save(act, 'invoiceitem', made);
    return invoiceItemLine(act, blank.id, made);
  });
  const draft = saveDraft(act, {
    invoice: {
      ...blank,
      description: (data['description'] ?? null) as string | null,
      discounts,
      footer: (data['footer'] ?? blank.footer) as string | null,
      metadata: (data['metadata'] ?? {}) as { [name: string]: string },
    },
    lines: [...items, ...shippingLine(act, session, customer.id, blank.id)],
  });
  tell(act, 'invoice.created', 'invoice', draft);
  const paying = { ...intent, $invoice: draft.id };
  save(act, 'payment_intent', paying);
  markPaid(act, finalize(act, draft, { paid: paying, atOnce: true }), paying);
  return draft.id;
}

function shippingLine(act: Act, session: Session, customer: string, invoice: string): InvoiceLineItem[] {
  const cost = session.shipping_cost?.amount_total ?? 0;
  if (cost === 0) return [];
  const made: InvoiceItem = {
    ...blankItem(act, {
      amount: cost,
      currency: session.currency ?? 'usd',
      customer,
      description: 'Shipping',
      period: { start: act.at, end: act.at },
      price: null,
      quantity: 1,
    }),
    discountable: false,
    invoice,
  };
  save(act, 'invoiceitem', made);
  return [invoiceItemLine(act, invoice, made)];
}
