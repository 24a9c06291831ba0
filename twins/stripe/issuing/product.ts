// Stripe's Issuing: what is called, kept, waited for and told of.
import type { Product } from '../api/product.ts';
import { authorizationOperations } from './authorizations.ts';
import { cardholderOperations } from './cardholders.ts';
import { issuingDisputeOperations } from './disputes.ts';
import { type IssuingDue, issuingDue } from './due.ts';
import { ISSUING_RECORDS, type IssuingRecords } from './records.ts';
import { issuingTestOperations } from './test-helpers.ts';
import { issuingTransactionOperations } from './transactions.ts';

export const issuing: Product<IssuingRecords, IssuingDue> = {
  operations: [
    ...cardholderOperations,
    ...authorizationOperations,
    ...issuingTransactionOperations,
    ...issuingDisputeOperations,
    ...issuingTestOperations,
  ],
  records: ISSUING_RECORDS,
  due: issuingDue,
  models: [
    ['issuing.cardholder', 'ich_', 'issuing.cardholders'],
    ['issuing.card', 'ic_', 'issuing.cards'],
    ['issuing.authorization', 'iauth_', 'issuing.authorizations'],
    ['issuing.transaction', 'ipi_', 'issuing.transactions'],
  ],
  events: [
    'issuing_authorization.created',
    'issuing_authorization.request',
    'issuing_authorization.updated',
    'issuing_card.created',
    'issuing_card.updated',
    'issuing_cardholder.created',
    'issuing_cardholder.updated',
    'issuing_dispute.closed',
    'issuing_dispute.created',
    'issuing_dispute.funds_reinstated',
    'issuing_dispute.submitted',
    'issuing_dispute.updated',
    'issuing_transaction.created',
    'issuing_transaction.purchase_details_receipt_updated',
    'issuing_transaction.updated',
  ],
};
