// What falls due in any of the products.
import { type DueHandlers, type DuePayload, handleDue } from '../kit/due.ts';
import type { DueEvent } from '../kit/twin.ts';
import type { Tx } from '../kit/tx.ts';
import { scoped } from './api/account-scope.ts';
import { type Act, actOf } from './api/act.ts';
import type { Falling } from './api/product.ts';
import { type BalanceDue, balanceDue } from './balance/due.ts';
import { type BillingDue, billingDue } from './billing/due.ts';
import { type CheckoutDue, checkoutDue } from './checkout/due.ts';
import { dueOfToday } from './earlier-due.ts';
import { type IssuingDue, issuingDue } from './issuing/due.ts';
import { type PaymentsDue, paymentsDue } from './payments/due.ts';
import { type QuotesDue, quotesDue } from './quotes/due.ts';
import { RECORDS } from './records.ts';
import { type ReportingDue, reportingDue } from './reporting/due.ts';
import { type SubscriptionsDue, subscriptionsDue } from './subscriptions/due.ts';

export type Due = BalanceDue &
  BillingDue &
  CheckoutDue &
  IssuingDue &
  PaymentsDue &
  QuotesDue &
  ReportingDue &
  SubscriptionsDue;

const HANDLERS: DueHandlers<Due, Falling> = {
  ...balanceDue,
  ...billingDue,
  ...checkoutDue,
  ...issuingDue,
  ...paymentsDue,
  ...quotesDue,
  ...reportingDue,
  ...subscriptionsDue,
};

/** `Twin.due`: the payload says what to do with what, and whose it is. */
export function due(event: DueEvent, tx: Tx): void {
  const { $acct: owner, ...payload } = event.payload;
  const account = typeof owner === 'string' ? owner : null;
  const own = scoped(tx, { account, learns: false });
  const act = actOf(RECORDS, own, { id: null, idempotency_key: null }, account);
  handleDue<Due, Falling>(HANDLERS, dueOfToday(payload), { act, happen });
}

/** What waited for a test clock. */
function happen(act: Act, payload: DuePayload<Due>): void {
  handleDue<Due, Falling>(HANDLERS, dueOfToday(payload), { act, happen });
}
