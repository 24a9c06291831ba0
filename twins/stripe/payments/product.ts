// Stripe's Payments: what is called, kept, waited for and told of.
import type { Product } from '../api/product.ts';
import { listDetails } from './amount-details.ts';
import { cashOperations } from './cash-operations.ts';
import { chargeOperations } from './charge-operations.ts';
import { confirmationTokenOperations } from './confirmation-tokens.ts';
import { disputeOperations } from './disputes.ts';
import { type PaymentsDue, paymentsDue } from './due.ts';
import { incrementAuthorization } from './increment.ts';
import { intentEndings } from './intent-endings.ts';
import { paymentIntentOperations } from './intents.ts';
import { methodConfigurationOperations } from './method-configurations.ts';
import { paymentMethodOperations } from './method-operations.ts';
import { oldSourceOperations } from './old-sources.ts';
import { paymentRecordOperations } from './payment-records.ts';
import { PAYMENT_RECORDS, type PaymentRecords } from './records.ts';
import { refundOperations } from './refunds.ts';
import { reviewOperations } from './reviews.ts';
import { setupOperations } from './setup-intents.ts';
import { sourceOperations } from './sources.ts';
import { tokenOperations } from './tokens.ts';

export const payments: Product<PaymentRecords, PaymentsDue> = {
  operations: [
    ...paymentIntentOperations,
    incrementAuthorization,
    ...intentEndings,
    listDetails,
    ...chargeOperations,
    ...refundOperations,
    ...disputeOperations,
    ...reviewOperations,
    ...setupOperations,
    ...paymentMethodOperations,
    ...methodConfigurationOperations,
    ...confirmationTokenOperations,
    ...tokenOperations,
    ...sourceOperations,
    ...oldSourceOperations,
    ...cashOperations,
    ...paymentRecordOperations,
  ],
  records: PAYMENT_RECORDS,
  due: paymentsDue,
  models: [
    ['payment_method', 'pm_', 'paymentMethods'],
    ['payment_intent', 'pi_', 'paymentIntents'],
    ['charge', 'ch_', 'charges'],
    ['refund', 're_', 'refunds'],
    ['dispute', 'dp_', 'disputes'],
    ['setup_intent', 'seti_', 'setupIntents'],
    ['setup_attempt', 'setatt_', 'setupAttempts'],
    ['mandate', 'mandate_', 'mandates'],
    ['confirmation_token', 'ctoken_', 'confirmationTokens'],
    ['token', 'tok_', 'tokens'],
    ['source', 'src_', 'sources'],
    ['review', 'prv_', 'reviews'],
    ['radar.early_fraud_warning', 'issfr_', 'radar.earlyFraudWarnings'],
  ],
  events: [
    'cash_balance.funds_available',
    'charge.captured',
    'charge.dispute.closed',
    'charge.dispute.created',
    'charge.dispute.funds_reinstated',
    'charge.dispute.funds_withdrawn',
    'charge.dispute.updated',
    'charge.expired',
    'charge.failed',
    'charge.pending',
    'charge.refund.updated',
    'charge.refunded',
    'charge.succeeded',
    'charge.updated',
    'customer.source.created',
    'customer.source.deleted',
    'customer.source.updated',
    'customer.updated',
    'customer_cash_balance_transaction.created',
    'mandate.updated',
    'payment_intent.amount_capturable_updated',
    'payment_intent.canceled',
    'payment_intent.created',
    'payment_intent.partially_funded',
    'payment_intent.payment_failed',
    'payment_intent.processing',
    'payment_intent.requires_action',
    'payment_intent.succeeded',
    'payment_method.attached',
    'payment_method.detached',
    'payment_method.updated',
    'radar.early_fraud_warning.created',
    'refund.created',
    'refund.failed',
    'refund.updated',
    'review.closed',
    'review.opened',
    'setup_intent.canceled',
    'setup_intent.created',
    'setup_intent.requires_action',
    'setup_intent.setup_failed',
    'setup_intent.succeeded',
    'source.chargeable',
  ],
};
