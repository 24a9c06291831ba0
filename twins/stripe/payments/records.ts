// What payments keep: intents, the charges they make, what comes back of those, and what is paid with.
import type { Stripe } from 'stripe';
import type { RecordRows } from '../api/record-row.ts';
import { listUnder, viewsUnder } from '../api/view.ts';
import type { Kept, Stored, Wire } from '../api/wire.ts';
import type { Person } from '../connect/records.ts';

/** How a payment that is no card goes: at once, after a page, after the bank, or never. */
export type Flow =
  | 'pays'
  | 'redirects'
  | 'settles'
  | 'settles-late'
  | 'disputed'
  | 'fails'
  | 'fails-late'
  | 'no-funds'
  | 'over-limit'
  | 'over-weekly-limit'
  | 'waits'
  | 'transfer';
/** How a payer agreed to be debited. */
export type Accepted = {
  /** Seconds; null: as it was told. */
  readonly at: number | null;
  readonly type: 'offline' | 'online';
  readonly ip: string | null;
  readonly agent: string | null;
};
export type PaymentMethod = Stored<
  Stripe.PaymentMethod,
  never,
  {
    /** The test card it is; empty for what is no card. */
    $card: string;
    /** What a payment with it comes to, where it is no card. */
    $flow?: Flow;
    /** Under which it is debited from now on. */
    $mandate?: string;
    /** A payer has proven who they are while it was saved: payments without them are not asked again. */
    $setUp?: boolean;
    /** It was a customer’s once, and is for nothing any more. */
    $detached?: boolean;
  }
>;
export type PaymentIntent = Stored<
  Stripe.PaymentIntent,
  never,
  {
    $invoice: string | null;
    /** How many charges were made for it; absent where that is not known, as of one that was seen at the real vendor. */
    $charges?: number;
    $accepted?: Accepted | null;
    /** The mandate that it names. */
    $mandate?: string | null;
    /** The lines of its `amount_details`, as they are answered. */
    $lines?: readonly ({ readonly id: string } & { readonly [field: string]: unknown })[];
  }
>;
/** Its refunds are records of their own. */
export type Charge = Stored<Stripe.Charge, 'refunds', { $card: string }>;
export type Refund = Stored<Stripe.Refund, never, object>;
/** Its balance transactions are records of their own. */
export type Dispute = Stored<Stripe.Dispute, 'balance_transactions', { $customer: string | null }>;
export type SetupIntent = Stored<
  Stripe.SetupIntent,
  never,
  {
    $session: string | null;
    $accepted?: Accepted | null;
    /** What a mandate for one debit is about. */
    $single?: { readonly amount: number; readonly currency: string } | null;
  }
>;
export type SetupAttempt = Stored<Stripe.SetupAttempt, never, object>;
export type Mandate = Stored<Stripe.Mandate, never, { $customer: string | null }>;
export type CardSource = Stored<Stripe.Card, never, { $card: string }>;
export type BankAccount = Stored<Stripe.BankAccount, never, { $number: string }>;
export type Token = Stored<
  Stripe.Token,
  'bank_account' | 'card',
  { $made: CardSource | BankAccount | Person | null }
>;
/** The old Sources API; kept as it is answered. */
export type Source = { id: string; object: 'source'; $card: string; [field: string]: unknown };
export type CashBalance = Wire<Stripe.CashBalance> & { id: string };
export type CashTransaction = Stored<Stripe.CustomerCashBalanceTransaction, never, object>;
export type ConfirmationToken = Stored<Stripe.ConfirmationToken, never, { $method: string }>;
export type Review = Stored<Stripe.Review, never, object>;
export type FraudWarning = Stored<Stripe.Radar.EarlyFraudWarning, never, object>;

export type PaymentRecords = {
  payment_method: PaymentMethod;
  payment_intent: PaymentIntent;
  charge: Charge;
  refund: Refund;
  dispute: Dispute;
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
  payment_method_configuration: Kept;
  payment_record: Kept;
  payment_attempt_record: Kept;
};

export const PAYMENT_RECORDS: RecordRows<PaymentRecords> = {
  payment_method: { indexes: [['customer']], noun: 'PaymentMethod' },
  payment_intent: { indexes: [['customer']], words: ['metadata'] },
  charge: {
    indexes: [['customer'], ['payment_intent'], ['transfer_group']],
    words: ['metadata'],
    // Fields of its first years, which no declaration names and every answer has.
    inlined: ({ tx }, { id, disputed }) => ({
      destination: null,
      dispute: disputed
        ? (tx.list('dispute', { where: { charge: id }, limit: 1 }).items[0]?.['id'] ?? null)
        : null,
      order: null,
    }),
    expandable: {
      payment_method: { refs: ['payment_method'] },
      refunds: {
        include: (by, { id }) => listUnder(by, 'refund', { charge: String(id) }, `/v1/charges/${id}/refunds`),
      },
    },
  },
  refund: { indexes: [['charge'], ['payment_intent']] },
  dispute: {
    indexes: [['charge'], ['payment_intent']],
    inlined: (by, { id }) => ({
      balance_transactions: viewsUnder(by, 'balance_transaction', {
        $account: 'platform',
        source: id,
      }).data.reverse(),
    }),
  },
  setup_intent: { indexes: [['customer'], ['payment_method']], noun: 'setupintent' },
  setup_attempt: { indexes: [['setup_intent']] },
  mandate: { indexes: [] },
  card: { indexes: [['customer'], ['account']] },
  bank_account: { indexes: [['customer'], ['account']], noun: 'external account' },
  token: { indexes: [] },
  source: { indexes: [['customer']] },
  cash_balance: { indexes: [] },
  customer_cash_balance_transaction: {
    indexes: [['customer']],
    noun: 'customer cash balance transaction',
  },
  confirmation_token: { indexes: [], noun: 'ConfirmationToken' },
  review: { indexes: [['open']] },
  'radar.early_fraud_warning': {
    indexes: [['charge'], ['payment_intent']],
    // Nothing is left to be done where the money went back, or the dispute is there that was warned of.
    inlined: ({ tx }, { charge }) => {
      const held = tx.get('charge', String(charge));
      return { actionable: held?.['refunded'] !== true && held?.['disputed'] !== true };
    },
  },
  payment_method_configuration: { indexes: [['active']] },
  payment_record: { indexes: [] },
  payment_attempt_record: { indexes: [['payment_record']] },
};
