// What Connect keeps: accounts, who is behind them, what they may do, and the fees their platform takes.
import type { Stripe } from 'stripe';
import { select } from '../api/act.ts';
import type { RecordRows } from '../api/record-row.ts';
import { countedUnder } from '../api/view.ts';
import type { Kept, Stored } from '../api/wire.ts';

export type Account = Stored<
  Stripe.Account,
  'external_accounts' | 'individual' | 'capabilities',
  {
    /** Its owner has filled in the hosted form. */
    $onboarded?: boolean;
    /** The newest link to that form. */
    $link?: {
      code: string;
      expires_at: number;
      refresh_url: string;
      return_url: string;
      asks?: readonly string[];
    };
  }
>;
/** What an account's owner agreed to, until its platform takes it up. */
export type OAuthCode = { id: string; account: string; expires_at: number; scope: string; used: boolean };
export type Capability = Stored<Stripe.Capability, never, object>;
export type Person = Stored<Stripe.Person, never, object>;
export type ApplicationFee = Stored<Stripe.ApplicationFee, 'refunds', object>;
export type FeeRefund = Stored<Stripe.FeeRefund, never, object>;

export type ConnectRecords = {
  account: Account;
  capability: Capability;
  person: Person;
  oauth_code: OAuthCode;
  connect_scope: { id: string };
  application_fee: ApplicationFee;
  fee_refund: FeeRefund;
  'v2.core.account': Kept;
  'v2.core.account_person': Kept;
};

const CAPABILITIES_MAX = 100;

export const CONNECT_RECORDS: RecordRows<ConnectRecords> = {
  account: {
    indexes: [],
    inlined: (by, { id }) => ({
      capabilities: Object.fromEntries(
        select(by.tx, 'capability', {
          where: { account: id },
          order: 'oldest',
          limit: CAPABILITIES_MAX,
        }).items.map(held => [held.id.slice(held.id.indexOf(':') + 1), held.status]),
      ),
      external_accounts: countedUnder(
        by,
        'bank_account',
        { account: id },
        `/v1/accounts/${id}/external_accounts`,
      ),
    }),
  },
  capability: { indexes: [['account']] },
  person: { indexes: [['account']] },
  oauth_code: { indexes: [] },
  connect_scope: { indexes: [] },
  application_fee: {
    indexes: [['charge']],
    noun: 'application fee',
    inlined: (by, { id }) => ({
      refunds: countedUnder(by, 'fee_refund', { fee: id }, `/v1/application_fees/${id}/refunds`),
    }),
  },
  fee_refund: { indexes: [['fee']], noun: 'application fee refund' },
  'v2.core.account': { indexes: [['$closed']] },
  'v2.core.account_person': { indexes: [['account']] },
};
