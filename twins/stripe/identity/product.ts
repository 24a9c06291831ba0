// Stripe's Identity: what is called, kept, waited for and told of.
import type { Product } from '../api/product.ts';
import { IDENTITY_RECORDS, type IdentityRecords } from './records.ts';
import { identityOperations } from './sessions.ts';

export const identity: Product<IdentityRecords> = {
  operations: [...identityOperations],
  records: IDENTITY_RECORDS,
  due: {},
  models: [
    ['identity.verification_session', 'vs_', 'identity.verificationSessions'],
    ['identity.verification_report', 'vr_', 'identity.verificationReports'],
  ],
  events: [
    'identity.verification_session.canceled',
    'identity.verification_session.created',
    'identity.verification_session.processing',
    'identity.verification_session.redacted',
    'identity.verification_session.requires_input',
    'identity.verification_session.verified',
  ],
};
