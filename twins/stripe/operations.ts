// Every operation this twin models.
import { billingOperations } from './billing/operations.ts';
import { customerOperations } from './customers.ts';
import { eventOperations } from './event-list.ts';
import { invoiceItemOperations } from './invoice-items.ts';
import { invoiceLifecycleOperations } from './invoice-lifecycle.ts';
import { invoicePaymentOperations } from './invoice-payments.ts';
import { createPreview } from './invoice-preview.ts';
import { invoiceOperations } from './invoices.ts';
import type { Operation } from './operation.ts';
import { paymentIntentOperations } from './payment-intents.ts';
import { paymentMethodOperations } from './payment-method-operations.ts';
import { paymentsSideOperations } from './payments/operations.ts';
import { priceOperations } from './prices.ts';
import { productOperations } from './products.ts';
import { subscriptionItemOperations } from './subscription-items.ts';
import { subscriptionPauseOperations } from './subscription-pause.ts';
import { subscriptionOperations } from './subscriptions.ts';
import { webhookEndpointOperations } from './webhook-endpoints.ts';

export const OPERATIONS: readonly Operation[] = [
  ...customerOperations,
  ...productOperations,
  ...priceOperations,
  ...paymentMethodOperations,
  ...paymentIntentOperations,
  ...paymentsSideOperations,
  ...subscriptionOperations,
  ...subscriptionPauseOperations,
  ...subscriptionItemOperations,
  ...invoiceOperations,
  ...invoiceLifecycleOperations,
  ...invoicePaymentOperations,
  createPreview,
  ...invoiceItemOperations,
  ...eventOperations,
  ...webhookEndpointOperations,
  ...billingOperations,
];
