// Stripe Tax: an account without registrations collects nowhere, and this twin's has none. Asking for it is answered
// and shown; it adds no tax.
import type { Invoice } from '../invoicing/records.ts';
import type { Subscription } from '../subscriptions/records.ts';

export function automaticTax(enabled: boolean): Subscription['automatic_tax'] {
  return { disabled_reason: null, enabled, liability: enabled ? { type: 'self' } : null };
}

export function invoiceTax(enabled: boolean): Invoice['automatic_tax'] {
  return {
    ...automaticTax(enabled),
    provider: enabled ? 'stripe' : null,
    status: enabled ? 'complete' : null,
  };
}
