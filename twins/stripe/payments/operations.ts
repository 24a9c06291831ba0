// Every operation of the payments side.

import type { Operation } from '../api/operation.ts';
import { appSecretOperations } from '../apps/secrets.ts';
import { balanceOperations } from '../balance/balances.ts';
import { payoutOperations } from '../balance/payouts.ts';
import { balanceSettingsOperations } from '../balance/settings.ts';
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
import { v2AccountOperations } from '../connect/v2-accounts.ts';
import { v2PersonOperations } from '../connect/v2-persons.ts';
import { createCustomerSession } from '../customers/sessions.ts';
import { entitlementOperations } from '../entitlements/active.ts';
import { eventDestinationOperations } from '../events/destinations.ts';
import { thinEventOperations } from '../events/thin.ts';
import { fileOperations } from '../files/files.ts';
import { identityOperations } from '../identity/sessions.ts';
import { authorizationOperations } from '../issuing/authorizations.ts';
import { cardholderOperations } from '../issuing/cardholders.ts';
import { issuingDisputeOperations } from '../issuing/disputes.ts';
import { issuingTestOperations } from '../issuing/test-helpers.ts';
import { issuingTransactionOperations } from '../issuing/transactions.ts';
import { calculationOperations } from '../tax/calculations.ts';
import { taxSettingsOperations } from '../tax/settings.ts';
import { taxTransactionOperations } from '../tax/transactions.ts';
import { terminalOperations } from '../terminal/readers.ts';
import { listDetails } from './amount-details.ts';
import { cashOperations } from './cash-operations.ts';
import { chargeOperations } from './charge-operations.ts';
import { confirmationTokenOperations } from './confirmation-tokens.ts';
import { disputeOperations } from './disputes.ts';
import { incrementAuthorization } from './increment.ts';
import { intentEndings } from './intent-endings.ts';
import { methodConfigurationOperations } from './method-configurations.ts';
import { paymentRecordOperations } from './payment-records.ts';
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
  ...issuingDisputeOperations,
  ...issuingTestOperations,
  ...identityOperations,
  ...calculationOperations,
  ...taxTransactionOperations,
  ...taxSettingsOperations,
  ...terminalOperations,
  ...appSecretOperations,
  ...balanceSettingsOperations,
  ...entitlementOperations,
  createCustomerSession,
  ...methodConfigurationOperations,
  ...paymentRecordOperations,
  ...v2AccountOperations,
  ...v2PersonOperations,
  ...eventDestinationOperations,
  ...thinEventOperations,
];
