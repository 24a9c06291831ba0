// The record types of the payments side, and the indexes that their lists select on.
import type { RecordType } from '../../kit/twin.ts';
import type {
  Account,
  ApplicationFee,
  Authorization,
  BalanceAccount,
  BalanceTransaction,
  BankAccount,
  Capability,
  Cardholder,
  CardSource,
  CashBalance,
  CashTransaction,
  ConfirmationToken,
  Dispute,
  EphemeralKey,
  FeeRefund,
  File,
  FileLink,
  FraudWarning,
  IssuedCard,
  IssuingDispute,
  IssuingTransaction,
  Kept,
  KeptLines,
  Mandate,
  OAuthCode,
  PaymentLink,
  Payout,
  Person,
  Refund,
  ReportRun,
  Review,
  Session,
  SessionItem,
  SetupAttempt,
  SetupIntent,
  Source,
  Token,
  Topup,
  Transfer,
  TransferReversal,
  VerificationReport,
  VerificationSession,
} from './wire.ts';

export type PaymentRecords = {
  refund: Refund;
  dispute: Dispute;
  balance_transaction: BalanceTransaction;
  balance_account: BalanceAccount;
  payout: Payout;
  transfer: Transfer;
  transfer_reversal: TransferReversal;
  topup: Topup;
  application_fee: ApplicationFee;
  fee_refund: FeeRefund;
  setup_intent: SetupIntent;
  setup_attempt: SetupAttempt;
  mandate: Mandate;
  card: CardSource;
  bank_account: BankAccount;
  token: Token;
  source: Source;
  cash_balance: CashBalance;
  customer_cash_balance_transaction: CashTransaction;
  confirmation_token: ConfirmationToken;
  review: Review;
  'radar.early_fraud_warning': FraudWarning;
  'checkout.session': Session;
  item: SessionItem;
  payment_link: PaymentLink;
  account: Account;
  capability: Capability;
  person: Person;
  file: File;
  oauth_code: OAuthCode;
  connect_scope: { id: string };
  file_link: FileLink;
  ephemeral_key: EphemeralKey;
  'issuing.cardholder': Cardholder;
  'issuing.card': IssuedCard;
  'issuing.authorization': Authorization;
  'issuing.transaction': IssuingTransaction;
  'issuing.dispute': IssuingDispute;
  'identity.verification_session': VerificationSession;
  'identity.verification_report': VerificationReport;
  'reporting.report_run': ReportRun;
  'tax.calculation': KeptLines;
  'tax.settings': Kept;
  'tax.transaction': KeptLines;
  balance_settings: Kept;
  payment_method_configuration: Kept;
  payment_record: Kept;
  payment_attempt_record: Kept;
  'v2.core.account': Kept;
  'v2.core.account_person': Kept;
  'v2.core.event_destination': Kept;
};

export const PAYMENT_RECORDS: { readonly [Name in keyof PaymentRecords]: RecordType } = {
  refund: { indexes: [['charge'], ['payment_intent']] },
  dispute: { indexes: [['charge'], ['payment_intent']] },
  balance_transaction: {
    indexes: [
      ['$account'],
      ['$account', 'type'],
      ['$account', 'source'],
      ['$payout'],
      ['$account', 'currency'],
    ],
  },
  balance_account: { indexes: [['$account']] },
  payout: { indexes: [['$account'], ['$account', 'status'], ['$account', 'destination']] },
  transfer: { indexes: [['destination'], ['transfer_group']] },
  transfer_reversal: { indexes: [['transfer']] },
  topup: { indexes: [['status']] },
  application_fee: { indexes: [['charge']] },
  fee_refund: { indexes: [['fee']] },
  setup_intent: { indexes: [['customer'], ['payment_method']] },
  setup_attempt: { indexes: [['setup_intent']] },
  mandate: { indexes: [] },
  card: { indexes: [['customer'], ['account']] },
  bank_account: { indexes: [['customer'], ['account']] },
  token: { indexes: [] },
  source: { indexes: [['customer']] },
  cash_balance: { indexes: [] },
  customer_cash_balance_transaction: { indexes: [['customer']] },
  confirmation_token: { indexes: [] },
  review: { indexes: [['open']] },
  'radar.early_fraud_warning': { indexes: [['charge'], ['payment_intent']] },
  'checkout.session': {
    indexes: [
      ['customer'],
      ['payment_intent'],
      ['payment_link'],
      ['status'],
      ['subscription'],
      ['$subscription'],
    ],
  },
  item: { indexes: [['$parent']] },
  payment_link: { indexes: [['active']] },
  account: { indexes: [] },
  capability: { indexes: [['account']] },
  person: { indexes: [['account']] },
  file: { indexes: [['purpose']] },
  oauth_code: { indexes: [] },
  connect_scope: { indexes: [] },
  file_link: { indexes: [['file']] },
  ephemeral_key: { indexes: [] },
  'issuing.cardholder': { indexes: [['status'], ['type'], ['email'], ['phone_number']] },
  'issuing.card': { indexes: [['cardholder'], ['status'], ['type']] },
  'issuing.authorization': { indexes: [['card'], ['cardholder'], ['status']] },
  'issuing.transaction': { indexes: [['card'], ['cardholder'], ['authorization'], ['type']] },
  'issuing.dispute': { indexes: [['transaction'], ['status']] },
  'identity.verification_session': {
    indexes: [['status'], ['client_reference_id'], ['related_customer']],
  },
  'identity.verification_report': { indexes: [['verification_session'], ['type'], ['client_reference_id']] },
  'reporting.report_run': { indexes: [] },
  'tax.calculation': { indexes: [] },
  'tax.settings': { indexes: [] },
  'tax.transaction': { indexes: [['reference']] },
  balance_settings: { indexes: [] },
  payment_method_configuration: { indexes: [['active']] },
  payment_record: { indexes: [] },
  payment_attempt_record: { indexes: [['payment_record']] },
  'v2.core.account': { indexes: [['$closed']] },
  'v2.core.account_person': { indexes: [['account']] },
  'v2.core.event_destination': { indexes: [] },
};

/** As Stripe's messages name them, where it is not the type's own name. */
export const PAYMENT_NOUNS: { readonly [type: string]: string } = {
  balance_transaction: 'balance transaction',
  setup_intent: 'setupintent',
  'checkout.session': 'checkout.session',
  customer_cash_balance_transaction: 'customer cash balance transaction',
  confirmation_token: 'ConfirmationToken',
  payment_link: 'PaymentLink',
  'issuing.cardholder': 'Issuing cardholder',
  'issuing.card': 'issuing card',
  'issuing.authorization': 'issuing authorization',
  'issuing.transaction': 'issuing transaction',
  'issuing.dispute': 'issuing dispute',
  'identity.verification_session': 'VerificationSession',
  'identity.verification_report': 'VerificationReport',
  'reporting.report_run': 'reporting/report_run',
  bank_account: 'external account',
  file: 'file upload',
  'tax.calculation': 'tax calculation',
  'tax.transaction': 'tax transaction',
  transfer_reversal: 'transfer reversal',
  fee_refund: 'application fee refund',
  application_fee: 'application fee',
};
