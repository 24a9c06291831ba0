// Stripe's Connect: what is called, kept, waited for and told of.
import type { Product } from '../api/product.ts';
import { accountOperations } from './accounts.ts';
import { capabilityOperations } from './capabilities.ts';
import { externalAccountOperations } from './external-accounts.ts';
import { feeOperations } from './fees.ts';
import { oauthOperations } from './oauth.ts';
import { onboardingOperations } from './onboarding.ts';
import { personOperations } from './persons.ts';
import { CONNECT_RECORDS, type ConnectRecords } from './records.ts';
import { v2AccountOperations } from './v2-accounts.ts';
import { v2PersonOperations } from './v2-persons.ts';

export const connect: Product<ConnectRecords> = {
  operations: [
    ...accountOperations,
    ...capabilityOperations,
    ...personOperations,
    ...externalAccountOperations,
    ...onboardingOperations,
    ...oauthOperations,
    ...feeOperations,
    ...v2AccountOperations,
    ...v2PersonOperations,
  ],
  records: CONNECT_RECORDS,
  due: {},
  models: [
    ['account', 'acct_', 'accounts'],
    ['account_link', '', 'accountLinks'],
    ['account_session', '', 'accountSessions'],
    ['application_fee', 'fee_', 'applicationFees'],
  ],
  events: [
    'account.application.authorized',
    'account.application.deauthorized',
    'account.external_account.created',
    'account.external_account.deleted',
    'account.external_account.updated',
    'account.updated',
    'application_fee.created',
    'application_fee.refund.updated',
    'application_fee.refunded',
    'capability.updated',
    'person.created',
    'person.deleted',
    'person.updated',
    'v2.core.account.closed',
    'v2.core.account.created',
    'v2.core.account.updated',
    'v2.core.account[configuration.customer].capability_status_updated',
    'v2.core.account[configuration.customer].updated',
    'v2.core.account[configuration.merchant].capability_status_updated',
    'v2.core.account[configuration.merchant].updated',
    'v2.core.account[configuration.recipient].capability_status_updated',
    'v2.core.account[configuration.recipient].updated',
    'v2.core.account[defaults].updated',
    'v2.core.account[identity].updated',
    'v2.core.account_person.created',
    'v2.core.account_person.deleted',
    'v2.core.account_person.updated',
  ],
};
