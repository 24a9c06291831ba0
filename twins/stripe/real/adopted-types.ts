// The objects of the real Stripe that become records here, a row each: what the twin keeps besides the vendor's own fields,
// and what it keeps apart from them. What has no row is not copied: webhook endpoints never are, since a copy that sends
// webhooks to the real account's own receivers is nothing that anybody asked for.
import type { RecordBody } from '../../kit/tx.ts';
import { cardLike } from '../test-cards/test-cards.ts';

export type Inside = {
  /** As the vendor wrote it. */
  readonly object: RecordBody;
  /** Adopts an object that is inside of it; its id. */
  readonly adopt: (object: RecordBody) => unknown;
  /** What is inside of it and stays there. */
  readonly flat: (object: RecordBody) => RecordBody;
};

/** `body`: with ids for what is expanded. Null for what says too little to be kept. */
type Row = (body: RecordBody, inside: Inside) => RecordBody | null;

const asItIs: Row = body => body;

export const ADOPTED_TYPES: { readonly [object: string]: Row } = {
  product: asItIs,
  price: (body, { object }) => {
    const { tiers, currency_options: _options, ...rest } = body;
    // Its tiers are only there where they were asked for; without them it could not be charged by.
    if (object['billing_scheme'] === 'tiered' && tiers === undefined) return null;
    return { ...rest, $tiers: tiers ?? null };
  },
  coupon: body => without(body, 'valid', 'currency_options'),
  promotion_code: body => ({ ...body, $coupon: textIn(body, 'promotion', 'coupon') ?? '' }),
  discount: body => ({ ...body, $coupon: textIn(body, 'source', 'coupon') ?? '' }),
  tax_rate: asItIs,
  customer: (body, { object, adopt, flat }) => {
    const discount = objectIn(object, 'discount');
    if (discount !== null) adopt(discount);
    return {
      ...without(body, 'sources', 'subscriptions', 'tax_ids', 'cash_balance'),
      ...(discount === null ? {} : { discount: flat(discount) }),
    };
  },
  payment_method: body => ({ ...body, $card: cardOf(objectIn(body, 'card')) }),
  subscription: (body, { object, adopt }) => {
    const items = listIn(object, 'items');
    for (const item of items) adopt(item);
    const first = items[0] === undefined ? null : objectIn(items[0], 'price');
    return { ...without(body, 'items'), $price: String(first?.['id'] ?? ''), $attempts: 0 };
  },
  subscription_item: (body, { object, adopt }) => {
    const price = objectIn(object, 'price');
    if (price === null) return null;
    adopt(price);
    return { ...without(body, 'plan'), price: price['id'] };
  },
  invoice: (body, { object, adopt }) => {
    const payments = listIn(object, 'payments');
    for (const inner of [...listIn(object, 'lines'), ...payments]) adopt(inner);
    const paidBy = payments.map(payment => intentOf(payment)).find(intent => intent !== null);
    return {
      ...without(body, 'lines', 'payments', 'confirmation_secret'),
      $subscription: textIn(body, 'parent', 'subscription_details', 'subscription'),
      $payment_intent: paidBy ?? null,
    };
  },
  line_item: body => ({
    ...body,
    $invoice_item: textIn(body, 'parent', 'invoice_item_details', 'invoice_item'),
  }),
  invoice_payment: body => ({ ...body, $payment_intent: intentOf(body) }),
  payment_intent: body => ({ ...body, $invoice: null }),
  charge: body => ({
    ...without(body, 'refunds'),
    $card: cardOf(objectIn(objectIn(body, 'payment_method_details') ?? {}, 'card')),
  }),
  refund: asItIs,
};

/** How the twin charges a real card: as the test card that it is, else as one of its brand that pays. */
function cardOf(card: RecordBody | null): string {
  return card === null ? '' : cardLike(String(card['brand']), String(card['last4']));
}

function intentOf(payment: RecordBody): string | null {
  const paid = objectIn(payment, 'payment') ?? {};
  return textIn(paid, 'payment_intent') ?? textIn(paid, 'payment_intent', 'id');
}

function without(body: RecordBody, ...names: readonly string[]): RecordBody {
  return Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)));
}

function objectIn(body: RecordBody, name: string): RecordBody | null {
  const held = body[name];
  return typeof held === 'object' && held !== null && !Array.isArray(held) ? (held as RecordBody) : null;
}

/** What a list inside an object shows. */
export function listIn(body: RecordBody, name: string): readonly RecordBody[] {
  const data = objectIn(body, name)?.['data'];
  return Array.isArray(data) ? (data as readonly RecordBody[]) : [];
}

function textIn(body: RecordBody, ...path: readonly string[]): string | null {
  let held: unknown = body;
  for (const name of path) {
    if (typeof held !== 'object' || held === null || !Object.hasOwn(held, name)) return null;
    held = (held as RecordBody)[name];
  }
  return typeof held === 'string' ? held : null;
}
