// What Identity keeps: sessions in which persons prove who they are, and what came of them.
import type { Stripe } from 'stripe';
import type { RecordRows } from '../api/record-row.ts';
import type { Stored } from '../api/wire.ts';

export type VerificationSession = Stored<
  Stripe.Identity.VerificationSession,
  never,
  { $return_url?: string }
>;
export type VerificationReport = Stored<Stripe.Identity.VerificationReport, never, object>;

export type IdentityRecords = {
  'identity.verification_session': VerificationSession;
  'identity.verification_report': VerificationReport;
};

export const IDENTITY_RECORDS: RecordRows<IdentityRecords> = {
  'identity.verification_session': {
    indexes: [['status'], ['client_reference_id'], ['related_customer']],
    noun: 'VerificationSession',
  },
  'identity.verification_report': {
    indexes: [['verification_session'], ['type'], ['client_reference_id']],
    noun: 'VerificationReport',
  },
};
