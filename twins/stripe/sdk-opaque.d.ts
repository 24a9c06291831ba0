// What `stripe` means to the neutral and edge type checks: the SDK's own types reference Node's, and one such
// reference would let `Buffer` and `node:` into every neutral folder unseen. The Node check reads the real ones.
// biome-ignore lint/suspicious/noExplicitAny: opaque is what this file is for
type Opaque = any;

export declare namespace Stripe {
  class Decimal {
    private readonly brand;
  }
  type Address = Opaque;
  type Charge = Opaque;
  type Customer = Opaque;
  type Invoice = Opaque;
  type InvoiceItem = Opaque;
  type InvoiceLineItem = Opaque;
  type InvoicePayment = Opaque;
  type PaymentIntent = Opaque;
  type PaymentMethod = Opaque;
  type Plan = Opaque;
  type Price = Opaque;
  type Product = Opaque;
  type Subscription = Opaque;
  type SubscriptionItem = Opaque;
  type WebhookEndpoint = Opaque;
}
