// What `stripe` means to the neutral and edge type checks: the SDK's own types reference Node's, and one such
// reference would let `Buffer` and `node:` into every neutral folder unseen. The Node check reads the real ones.
// biome-ignore lint/suspicious/noExplicitAny: opaque is what this file is for
type Opaque = any;

export declare namespace Stripe {
  class Decimal {
    private readonly brand;
  }
  type Account = Opaque;
  type AccountLink = Opaque;
  type AccountSession = Opaque;
  type Address = Opaque;
  type ApplicationFee = Opaque;
  type Balance = Opaque;
  type BalanceTransaction = Opaque;
  type BankAccount = Opaque;
  type Capability = Opaque;
  type Card = Opaque;
  type CashBalance = Opaque;
  type Charge = Opaque;
  type ConfirmationToken = Opaque;
  type Coupon = Opaque;
  type CreditNote = Opaque;
  type CreditNoteLineItem = Opaque;
  type Customer = Opaque;
  type CustomerBalanceTransaction = Opaque;
  type CustomerCashBalanceTransaction = Opaque;
  type Discount = Opaque;
  type Dispute = Opaque;
  type EphemeralKey = Opaque;
  type FeeRefund = Opaque;
  type File = Opaque;
  type FileLink = Opaque;
  type Invoice = Opaque;
  type InvoiceItem = Opaque;
  type InvoiceLineItem = Opaque;
  type InvoicePayment = Opaque;
  type LineItem = Opaque;
  type LoginLink = Opaque;
  type Mandate = Opaque;
  type PaymentIntent = Opaque;
  type PaymentLink = Opaque;
  type PaymentMethod = Opaque;
  type Payout = Opaque;
  type Person = Opaque;
  type Plan = Opaque;
  type Price = Opaque;
  type Product = Opaque;
  type PromotionCode = Opaque;
  type Quote = Opaque;
  type Refund = Opaque;
  type Review = Opaque;
  type SetupAttempt = Opaque;
  type SetupIntent = Opaque;
  type Source = Opaque;
  type Subscription = Opaque;
  type SubscriptionItem = Opaque;
  type SubscriptionSchedule = Opaque;
  type TaxId = Opaque;
  type TaxRate = Opaque;
  type Token = Opaque;
  type Topup = Opaque;
  type Transfer = Opaque;
  type TransferReversal = Opaque;
  type WebhookEndpoint = Opaque;
  type CouponCreateParams = Opaque;
  type CouponListParams = Opaque;
  type CouponUpdateParams = Opaque;
  type CreditNoteCreateParams = Opaque;
  type CreditNoteListParams = Opaque;
  type CreditNoteListPreviewLineItemsParams = Opaque;
  type CreditNotePreviewParams = Opaque;
  type CreditNoteUpdateParams = Opaque;
  type CustomerCreateBalanceTransactionParams = Opaque;
  type CustomerCreateTaxIdParams = Opaque;
  type CustomerListBalanceTransactionsParams = Opaque;
  type CustomerUpdateBalanceTransactionParams = Opaque;
  type InvoiceAddLinesParams = Opaque;
  type InvoiceRemoveLinesParams = Opaque;
  type InvoiceUpdateLineItemParams = Opaque;
  type InvoiceUpdateLinesParams = Opaque;
  type PaginationParams = Opaque;
  type PlanCreateParams = Opaque;
  type PlanListParams = Opaque;
  type PlanUpdateParams = Opaque;
  type PromotionCodeCreateParams = Opaque;
  type PromotionCodeListParams = Opaque;
  type PromotionCodeUpdateParams = Opaque;
  type QuoteCreateParams = Opaque;
  type QuoteFinalizeQuoteParams = Opaque;
  type QuoteListParams = Opaque;
  type QuoteUpdateParams = Opaque;
  type SubscriptionScheduleCancelParams = Opaque;
  type SubscriptionMigrateParams = Opaque;
  type SubscriptionPauseParams = Opaque;
  type SubscriptionScheduleCreateParams = Opaque;
  type SubscriptionScheduleListParams = Opaque;
  type SubscriptionScheduleReleaseParams = Opaque;
  type SubscriptionScheduleUpdateParams = Opaque;
  type TaxIdCreateParams = Opaque;
  type TaxIdListParams = Opaque;
  type TaxRateCreateParams = Opaque;
  type TaxRateListParams = Opaque;
  type TaxRateUpdateParams = Opaque;
  namespace Billing {
    type Alert = Opaque;
    type AlertCreateParams = Opaque;
    type AlertListParams = Opaque;
    type CreditBalanceTransaction = Opaque;
    type CreditGrant = Opaque;
    type CreditGrantCreateParams = Opaque;
    type CreditGrantListParams = Opaque;
    type CreditGrantUpdateParams = Opaque;
    type CreditBalanceSummaryRetrieveParams = Opaque;
    type CreditBalanceTransactionListParams = Opaque;
    type Meter = Opaque;
    type MeterCreateParams = Opaque;
    type MeterEventAdjustmentCreateParams = Opaque;
    type MeterEventCreateParams = Opaque;
    type MeterListEventSummariesParams = Opaque;
    type MeterListParams = Opaque;
    type MeterUpdateParams = Opaque;
  }
  namespace BillingPortal {
    type Configuration = Opaque;
    type ConfigurationCreateParams = Opaque;
    type ConfigurationListParams = Opaque;
    type ConfigurationUpdateParams = Opaque;
    type Session = Opaque;
    type SessionCreateParams = Opaque;
  }
  namespace TestHelpers {
    type TestClock = Opaque;
    type TestClockAdvanceParams = Opaque;
    type TestClockCreateParams = Opaque;
  }
  namespace Checkout {
    type Session = Opaque;
  }
  namespace Identity {
    type VerificationReport = Opaque;
    type VerificationSession = Opaque;
  }
  namespace Issuing {
    type Authorization = Opaque;
    type Card = Opaque;
    type Cardholder = Opaque;
    type Dispute = Opaque;
    type Transaction = Opaque;
  }
  namespace Radar {
    type EarlyFraudWarning = Opaque;
  }
  namespace Reporting {
    type ReportRun = Opaque;
  }
}
