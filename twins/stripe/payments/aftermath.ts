// What follows a payment that succeeded with a test card that is known for it: a dispute, a warning of fraud, a
// review.

import { type Act, save } from '../api/act.ts';
import { tell } from '../events/events.ts';
import { testCard } from '../test-cards/test-cards.ts';
import { dispute } from './disputes.ts';
import type { Charge, FraudWarning, Review } from './records.ts';

/** For a charge that is saved and told of. */
export function follow(act: Act, charge: Charge): void {
  if (charge.$card === '') return;
  switch (testCard(charge.$card).after) {
    case 'disputed-as-fraudulent':
      if (charge.captured) dispute(act, charge, { reason: 'fraudulent' });
      return;
    case 'disputed-as-not-received':
      if (charge.captured) dispute(act, charge, { reason: 'product_not_received' });
      return;
    case 'disputed-for-compliance':
      if (charge.captured) dispute(act, charge, { reason: 'noncompliant' });
      return;
    case 'disputed-twice':
      if (charge.captured) disputeTwice(act, charge);
      return;
    case 'inquired-about':
      if (charge.captured) dispute(act, charge, { reason: 'fraudulent', inquiry: true });
      return;
    case 'warned-of-fraud':
      return warn(act, charge);
    case 'reviewed':
      return review(act, charge);
    case 'bypasses-pending':
    case 'refund-fails':
    case 'refund-pends':
    case null:
      return;
  }
}

/** Each half on its own: no more is taken back than was paid. */
function disputeTwice(act: Act, charge: Charge): void {
  const half = Math.floor(charge.amount_captured / 2);
  dispute(act, charge, { reason: 'fraudulent', amount: half });
  dispute(act, charge, { reason: 'fraudulent', amount: charge.amount_captured - half });
}

function warn(act: Act, charge: Charge): void {
  const warning: FraudWarning = {
    id: act.tx.id('issfr_', 24),
    object: 'radar.early_fraud_warning',
    actionable: true,
    charge: charge.id,
    created: act.at,
    fraud_type: 'made_with_stolen_card',
    livemode: false,
    ...(charge.payment_intent === null ? {} : { payment_intent: charge.payment_intent }),
  };
  save(act, 'radar.early_fraud_warning', warning);
  tell(act, 'radar.early_fraud_warning.created', 'radar.early_fraud_warning', warning);
}

function review(act: Act, charge: Charge): void {
  const made: Review = {
    id: act.tx.id('prv_', 24),
    object: 'review',
    billing_zip: charge.billing_details.address?.postal_code ?? null,
    charge: charge.id,
    closed_reason: null,
    created: act.at,
    ip_address: null,
    ip_address_location: null,
    livemode: false,
    open: true,
    opened_reason: 'rule',
    ...(charge.payment_intent === null ? {} : { payment_intent: charge.payment_intent }),
    reason: 'rule',
    session: null,
  };
  save(act, 'review', made);
  save(act, 'charge', { ...charge, review: made.id });
  tell(act, 'review.opened', 'review', made);
}
