// Every operation of the payments side.
import { balanceOperations } from '../balance/balances.ts';
import { payoutOperations } from '../balance/payouts.ts';
import { topupOperations } from '../balance/topups.ts';
import { transferOperations } from '../balance/transfers.ts';
import { paymentLinkOperations } from '../checkout/payment-links.ts';
import { checkoutOperations } from '../checkout/sessions.ts';
import { accountOperations } from '../connect/accounts.ts';
import { capabilityOperations } from '../connect/capabilities.ts';
import { externalAccountOperations } from '../connect/external-accounts.ts';
import { feeOperations } from '../connect/fees.ts';
import { oauthOperations } from '../connect/oauth.ts';
import { onboardingOperations } from '../connect/onboarding.ts';
import { personOperations } from '../connect/persons.ts';
import { identityOperations } from '../identity/sessions.ts';
import { authorizationOperations } from '../issuing/authorizations.ts';
import { cardholderOperations } from '../issuing/cardholders.ts';
import { issuingTransactionOperations } from '../issuing/transactions.ts';
import type { Operation } from '../operation.ts';
import { listDetails } from './amount-details.ts';
import { cashOperations } from './cash-balances.ts';
import { chargeOperations } from './charge-operations.ts';
import { confirmationTokenOperations } from './confirmation-tokens.ts';
import { disputeOperations } from './disputes.ts';
import { fileOperations } from './files.ts';
import { incrementAuthorization } from './increment.ts';
import { intentEndings } from './intent-endings.ts';
import { refundOperations } from './refunds.ts';
import { reviewOperations } from './review-operations.ts';
import { setupOperations } from './setup-intents.ts';
import { sourceOperations } from './sources.ts';
import { tokenOperations } from './tokens.ts';

export const paymentsSideOperations: readonly Operation[] = [
  ...chargeOperations,
  incrementAuthorization,
  ...intentEndings,
  listDetails,
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
  ...capabilityOperations,
  ...oauthOperations,
  ...onboardingOperations,
  ...externalAccountOperations,
  ...personOperations,
  ...feeOperations,
  ...fileOperations,
  ...reviewOperations,
  ...cardholderOperations,
  ...authorizationOperations,
  ...issuingTransactionOperations,
  ...identityOperations,
];
