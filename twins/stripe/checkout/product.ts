// Stripe's Checkout: what is called, kept, waited for and told of.
import type { Product } from '../api/product.ts';
import { type CheckoutDue, checkoutDue } from './due.ts';
import { elementsOperations } from './elements.ts';
import { paymentLinkOperations } from './payment-links.ts';
import { CHECKOUT_RECORDS, type CheckoutRecords } from './records.ts';
import { checkoutOperations } from './sessions.ts';

export const checkout: Product<CheckoutRecords, CheckoutDue> = {
  operations: [...checkoutOperations, ...paymentLinkOperations, ...elementsOperations],
  records: CHECKOUT_RECORDS,
  due: checkoutDue,
  models: [
    ['checkout.session', 'cs_', 'checkout.sessions'],
    ['payment_link', 'plink_', 'paymentLinks'],
  ],
  events: [
    'checkout.session.async_payment_failed',
    'checkout.session.async_payment_succeeded',
    'checkout.session.completed',
    'checkout.session.expired',
    'invoice.created',
    'payment_intent.created',
    'payment_intent.requires_action',
    'payment_link.created',
    'payment_link.updated',
    'price.created',
    'product.created',
    'setup_intent.created',
  ],
};
