// Why fields of the Stripe twin's objects have one value: what can be made true is made true, and the rest has its reason
// here, which docs/twins/fidelity.md shows. A test holds both against each other.

/** `*.livemode` is that field of every object. */
export const CONSTANT_FIELDS: readonly { readonly why: string; readonly fields: readonly string[] }[] = [
  { why: 'a world is a test mode, and nothing in it is live', fields: ['*.livemode'] },
  {
    why: 'an account of the second version is no customer here: the parameter is refused by name',
    fields: ['*.customer_account', 'identity.verification_session.related_customer_account'],
  },
  {
    why: 'the parameter that sets it is refused by name',
    fields: [
      'invoice.account_tax_ids',
      'invoice.from_invoice',
      'invoice.latest_revision',
      'invoice.shipping_cost',
      'invoice.shipping_details',
      'issuing.authorization.fleet',
      'issuing.authorization.fuel',
      'issuing.card.lifecycle_controls',
      'payment_intent.managed_payments',
      'subscription.billing_schedules',
      'subscription.managed_payments',
      'subscription.next_pending_invoice_item_invoice',
      'subscription.pending_invoice_item_interval',
      'subscription_item.current_trial',
      'tax.calculation_line_item.performance_location',
    ],
  },
  {
    why: 'objects do not note the Connect application whose key made them',
    fields: ['invoice.application', 'subscription.application', 'webhook_endpoint.application'],
  },
  {
    why: 'no receipt is sent, and a number comes with the first',
    fields: ['charge.receipt_number', 'invoice.receipt_number', 'refund.receipt_number'],
  },
  {
    why: 'a transfer makes no payment in the account that receives it',
    fields: [
      'charge.source_transfer',
      'refund.source_transfer_reversal',
      'transfer_reversal.destination_payment_refund',
    ],
  },
  {
    why: 'money is not converted, and each currency has one balance',
    fields: ['balance_transaction.balance_type', 'balance_transaction.exchange_rate'],
  },
  {
    why: 'payouts are made by calls, never by a schedule, and no fee of the platform’s is taken of them',
    fields: [
      'payout.application_fee',
      'payout.application_fee_amount',
      'payout.automatic',
      'payout.reconciliation_status',
    ],
  },
  { why: 'a top-up is made by a call', fields: ['topup.initiated_by'] },
  {
    why: 'no published test card is of a wallet or regulated, and the cards that are issued are of one brand',
    fields: ['card.dynamic_last4', 'card.regulated_status', 'card.tokenization_method', 'issuing.card.brand'],
  },
  {
    why: 'no network token is made of an issued card, and nobody says whether it was there',
    fields: [
      'issuing.authorization.card_presence',
      'issuing.authorization.token',
      'issuing.transaction.token',
    ],
  },
  {
    why: 'the test card that is warned of is warned of as stolen, and of issued cards nobody warns',
    fields: ['issuing.card.latest_fraud_warning', 'radar.early_fraud_warning.fraud_type'],
  },
  {
    why: 'rules alone open reviews, and of who pays no address and no browser is known',
    fields: ['review.ip_address_location', 'review.opened_reason', 'token.client_ip'],
  },
  {
    why: 'no network’s programme is modelled that a dispute could be eligible for',
    fields: ['dispute.enhanced_eligibility_types'],
  },
  {
    why: 'no document is read, so there is nothing to tell of it',
    fields: ['identity.verification_session.verified_outputs'],
  },
  {
    why: 'it finalizes by the world’s clock, which waits for no webhook, or is refused and stays a draft',
    fields: ['invoice.last_finalization_error', 'invoice.webhooks_delivered_at'],
  },
  { why: 'nothing is debited after a notice to the customer', fields: ['payment_intent.processing'] },
  { why: 'a report that can begin succeeds', fields: ['reporting.report_run.error'] },
  { why: 'these events are the platform’s own', fields: ['v2.core.event.context'] },
];

/** Whether a field of the table is that constant. */
export const isNamed = (field: string, constant: string): boolean =>
  field === constant || (field.startsWith('*.') && constant.endsWith(field.slice(1)));
