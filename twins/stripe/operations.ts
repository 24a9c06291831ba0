// Every operation this twin models.

import type { Operation } from './api/operation.ts';
import { billingOperations } from './billing/operations.ts';
import { priceOperations } from './catalog/prices.ts';
import { productOperations } from './catalog/products.ts';
import { customerOperations } from './customers/customers.ts';
import { eventOperations } from './events/list.ts';
import { webhookEndpointOperations } from './events/webhook-endpoints.ts';
import { invoiceOperations } from './invoicing/invoices.ts';
import { invoiceItemOperations } from './invoicing/items.ts';
import { invoiceLifecycleOperations } from './invoicing/lifecycle.ts';
import { invoicePaymentOperations } from './invoicing/payments.ts';
import { createPreview } from './invoicing/preview.ts';
import { paymentIntentOperations } from './payments/intents.ts';
import { paymentMethodOperations } from './payments/method-operations.ts';
import { paymentsSideOperations } from './payments/operations.ts';
import { subscriptionItemOperations } from './subscriptions/items.ts';
import { subscriptionPauseOperations } from './subscriptions/pause.ts';
import { subscriptionOperations } from './subscriptions/subscriptions.ts';

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
