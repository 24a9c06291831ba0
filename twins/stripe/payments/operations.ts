// Every operation of the payments side.
import { balanceOperations } from '../balance/balances.ts';
import { payoutOperations } from '../balance/payouts.ts';
import { topupOperations } from '../balance/topups.ts';
import { transferOperations } from '../balance/transfers.ts';
import { paymentLinkOperations } from '../checkout/payment-links.ts';
import { checkoutOperations } from '../checkout/sessions.ts';
import { accountOperations } from '../connect/accounts.ts';
import { personOperations } from '../connect/persons.ts';
import { identityOperations } from '../identity/sessions.ts';
import { authorizationOperations } from '../issuing/authorizations.ts';
import { cardholderOperations } from '../issuing/cardholders.ts';
import type { Operation } from '../operation.ts';
import { cashOperations } from './cash-balances.ts';
import { chargeOperations } from './charge-operations.ts';
import { confirmationTokenOperations } from './confirmation-tokens.ts';
import { disputeOperations } from './disputes.ts';
import { incrementAuthorization } from './increment.ts';
import { refundOperations } from './refunds.ts';
import { setupOperations } from './setup-intents.ts';
import { sourceOperations } from './sources.ts';
import { tokenOperations } from './tokens.ts';

export const paymentsSideOperations: readonly Operation[] = [
  ...chargeOperations,
  incrementAuthorization,
  ...refundOperations,
  ...disputeOperations,
  ...setupOperations,
  ...confirmationTokenOperations,
  ...tokenOperations,
  ...sourceOperations,
  ...cashOperations,
  ...balanceOperations,
  ...payoutOperations,
  ...topupOperations,
  ...transferOperations,
  ...checkoutOperations,
  ...paymentLinkOperations,
  ...accountOperations,
  ...personOperations,
  ...cardholderOperations,
  ...authorizationOperations,
  ...identityOperations,
];
