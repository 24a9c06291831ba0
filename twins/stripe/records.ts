// What the twin stores: a record is the vendor's object with ids where it may be expanded, and names with a `$`
// that are the twin's own. Every read and write of a record goes through here.
import type { RecordType } from '../kit/twin.ts';
import type { ListQuery, Page, RecordBody, Tx } from '../kit/tx.ts';
import { missing } from './api/errors.ts';
import type {
  Charge,
  Customer,
  Event,
  Invoice,
  InvoiceItem,
  InvoiceLineItem,
  InvoicePayment,
  PaymentIntent,
  PaymentMethod,
  Price,
  Product,
  Subscription,
  SubscriptionItem,
  WebhookEndpoint,
} from './api/wire.ts';
import { BILLING_NOUNS, BILLING_RECORDS, type BillingRecords } from './billing/records.ts';
import { PAYMENT_NOUNS, PAYMENT_RECORDS, type PaymentRecords } from './payments/records.ts';

export type Records = PaymentRecords &
  BillingRecords & {
    customer: Customer;
    product: Product;
    price: Price;
    payment_method: PaymentMethod;
    payment_intent: PaymentIntent;
    charge: Charge;
    subscription: Subscription;
    subscription_item: SubscriptionItem;
    invoice: Invoice;
    line_item: InvoiceLineItem;
    invoiceitem: InvoiceItem;
    invoice_payment: InvoicePayment;
    event: Event;
    webhook_endpoint: WebhookEndpoint;
  };

export type RecordName = keyof Records;

/** The indexes that lists select on. */
export const RECORDS: { readonly [Name in RecordName]: RecordType } = {
  ...PAYMENT_RECORDS,
  ...BILLING_RECORDS,
  customer: { indexes: [['test_clock']], words: ['email', 'metadata', 'name', 'phone'] },
  product: { indexes: [['active']], words: ['metadata', 'name'] },
  price: { indexes: [['product'], ['lookup_key'], ['active'], ['type']], words: ['lookup_key', 'metadata'] },
  payment_method: { indexes: [['customer']] },
  payment_intent: { indexes: [['customer']], words: ['metadata'] },
  charge: { indexes: [['customer'], ['payment_intent'], ['transfer_group']], words: ['metadata'] },
  subscription: {
    indexes: [['customer'], ['status'], ['$price'], ['collection_method']],
    words: ['metadata'],
  },
  subscription_item: { indexes: [['subscription']] },
  invoice: {
    indexes: [['customer'], ['status'], ['$subscription'], ['collection_method']],
    words: ['metadata'],
  },
  line_item: { indexes: [['invoice']] },
  invoiceitem: { indexes: [['customer'], ['invoice']] },
  invoice_payment: { indexes: [['invoice'], ['status'], ['$payment_intent']] },
  event: { indexes: [['type']] },
  webhook_endpoint: { indexes: [['status']] },
};

/** One request, or one instant that fell due, at work. */
export type Act = {
  readonly tx: Tx;
  /** The world's clock in seconds, as every Stripe timestamp is. */
  readonly at: number;
  /** Nulls for what Stripe does on its own. */
  readonly request: { readonly id: string | null; readonly idempotency_key: string | null };
  /** The connected account that `Stripe-Account` names; null for the platform's own. */
  readonly account: string | null;
  /** Set by the first write; a refusal after it is a bug (answer.ts). */
  wrote: boolean;
};

export function actOf(tx: Tx, request: Act['request'], account: string | null = null): Act {
  return { tx, at: Math.floor(tx.now / 1000), request, account, wrote: false };
}

export function find<Name extends RecordName>(act: Act, type: Name, id: string): Records[Name] | undefined {
  const body = act.tx.get<Records[Name] & RecordBody>(type, id);
  return body === undefined || body['deleted'] === true ? undefined : body;
}

/** Throws Stripe's `resource_missing`, worded with the noun and the parameter that named the id. */
export function need<Name extends RecordName>(
  act: Act,
  type: Name,
  id: string,
  at: { readonly param: string; readonly inPath?: boolean },
): Records[Name] {
  const record = find(act, type, id);
  if (record === undefined) throw missing(NOUNS[type] ?? type, id, at);
  return record;
}

const NOUNS: { readonly [type: string]: string } = {
  ...PAYMENT_NOUNS,
  ...BILLING_NOUNS,
  payment_method: 'PaymentMethod',
  line_item: 'line item',
  webhook_endpoint: 'webhook endpoint',
};

/** The noun as Stripe's messages word it. */
export function nounOf(type: RecordName): string {
  return NOUNS[type] ?? type;
}

export function save<Name extends RecordName>(act: Act, type: Name, record: Records[Name]): void {
  act.wrote = true;
  act.tx.put(type, record.id, record as RecordBody);
}

export function remove(act: Act, type: RecordName, id: string): void {
  act.wrote = true;
  act.tx.delete(type, id);
}

export function select<Name extends RecordName>(
  reader: Pick<Tx, 'list'>,
  type: Name,
  query: ListQuery,
): Page<Records[Name]> {
  return reader.list<Records[Name] & RecordBody>(type, query);
}

/** All records under one index value (that are kept); for the few that one parent holds. Throws past the limit. */
export function all<Name extends RecordName>(
  act: Act,
  type: Name,
  where: { readonly [field: string]: string },
  keep?: (record: Records[Name]) => boolean,
): readonly Records[Name][] {
  const page = select(act.tx, type, {
    where,
    order: 'oldest',
    limit: CHILDREN_MAX,
    ...(keep === undefined ? {} : { keep: body => keep(body as unknown as Records[Name]) }),
  });
  if (page.more) throw new Error(`more than ${CHILDREN_MAX} ${type} records under ${JSON.stringify(where)}`);
  return page.items;
}

/** Items of a subscription, lines of an invoice: what one parent may hold. */
const CHILDREN_MAX = 1_000;
