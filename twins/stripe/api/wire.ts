// The vendor's own published types, bent to what a record holds: decimals are strings, and a field that may be
// expanded holds the id. So the compiler proves every object complete (test of `tsconfig.json`; the neutral
// configurations map `stripe` to sdk-opaque.d.ts, because the SDK's types pull in Node's). Types only: nothing
// of the SDK is loaded at run time.
import type { Stripe } from 'stripe';
import type { Pending } from '../subscriptions/pending-update.ts';

/** `string | Customer | DeletedCustomer | null` → `string | null`. */
type Unexpanded<F> = string extends F ? Exclude<F, { id: string; object: string }> : F;

export type Wire<T> = 0 extends 1 & T
  ? T // `any`: the opaque types stay as they are
  : T extends string
    ? T
    : T extends Stripe.Decimal
      ? string
      : T extends readonly (infer Item)[]
        ? Wire<Unexpanded<Item>>[]
        : T extends object
          ? { [K in keyof T]: Wire<Unexpanded<T[K]>> }
          : T;

/** What a record adds for the twin's own use: names with a `$`, never answered. */
export type Stored<T, Gone extends keyof T, Own> = 0 extends 1 & T
  ? T
  : Omit<Wire<T>, Gone | 'deleted'> & Own;

export type Customer = Stored<Stripe.Customer, 'sources' | 'subscriptions' | 'tax_ids', object>;
export type Product = Stored<Stripe.Product, never, object>;
/** Its tiers are only shown when they are asked for. */
export type Price = Stored<Stripe.Price, 'tiers', { $tiers: readonly Tier[] | null }>;
export type Tier = NonNullable<Wire<Stripe.Price>['tiers']>[number];
/** How a payment that is no card goes: at once, after a page, after the bank, or never. */
export type Flow = 'pays' | 'redirects' | 'settles' | 'disputed' | 'fails' | 'waits' | 'transfer';
export type PaymentMethod = Stored<
  Stripe.PaymentMethod,
  never,
  {
    /** The test card it is; empty for what is no card. */
    $card: string;
    /** What a payment with it comes to, where it is no card. */
    $flow?: Flow;
    /** A payer has proven who they are while it was saved: payments without them are not asked again. */
    $setUp?: boolean;
  }
>;
export type PaymentIntent = Stored<
  Stripe.PaymentIntent,
  never,
  {
    $invoice: string | null;
    /** The lines of its `amount_details`, as they are answered. */
    $lines?: readonly ({ readonly id: string } & { readonly [field: string]: unknown })[];
  }
>;
/** Its refunds are records of their own. */
export type Charge = Stored<Stripe.Charge, 'refunds', { $card: string }>;
export type Plan = Wire<Stripe.Plan>;
/** Its items are records of their own; the view puts them in. */
export type Subscription = Stored<
  Stripe.Subscription,
  'items',
  {
    /** The price of the first item: what lists select on. */
    $price: string;
    /** Failed attempts on the latest renewal; the dunning schedule's place. */
    $attempts: number;
    /** A change that waits for its invoice. */
    $pending?: Pending | null;
  }
>;
export type SubscriptionItem = Stored<Stripe.SubscriptionItem, 'price' | 'plan', { price: string }>;
/** Its lines and payments are records of their own. */
export type Invoice = Stored<
  Stripe.Invoice,
  'lines' | 'payments',
  { $subscription: string | null; $payment_intent: string | null }
>;
export type InvoiceLineItem = Stored<
  Stripe.InvoiceLineItem,
  never,
  { $invoice_item: string | null; $tax_rates?: readonly string[] }
>;
export type InvoiceItem = Stored<
  Stripe.InvoiceItem,
  never,
  { $subscription: string | null; $subscription_item: string | null }
>;
export type InvoicePayment = Stored<Stripe.InvoicePayment, never, { $payment_intent: string | null }>;
export type WebhookEndpoint = Stored<
  Stripe.WebhookEndpoint,
  'secret',
  {
    $secret: string;
    /** What an event destination of the second version is sent; none for an endpoint of the first. */
    $payload?: 'snapshot' | 'thin';
    /** Hears of what connected accounts do. */
    $connect?: boolean;
  }
>;
export type Event = {
  id: string;
  object: 'event';
  /** The connected account that it happened in. */
  account?: string;
  api_version: string | null;
  created: number;
  data: { object: { [field: string]: unknown }; previous_attributes?: { [field: string]: unknown } };
  livemode: boolean;
  pending_webhooks: number;
  request: { id: string | null; idempotency_key: string | null };
  type: string;
};
export type Address = Stripe.Address;
