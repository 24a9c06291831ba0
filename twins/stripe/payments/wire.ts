// The vendor's types of the payments side, as records hold them (see ../wire.ts).
import type { Stripe } from 'stripe';
import type { Stored, Wire } from '../api/wire.ts';

export type Refund = Stored<Stripe.Refund, never, object>;
/** Its balance transactions are records of their own. */
export type Dispute = Stored<Stripe.Dispute, 'balance_transactions', { $customer: string | null }>;
export type BalanceTransaction = Stored<
  Stripe.BalanceTransaction,
  never,
  { $account: string; $payout: string | null }
>;
/** What an account holds in one currency. */
export type BalanceAccount = {
  id: string;
  $account: string;
  currency: string;
  available: number;
  /** By the second at which it becomes available, as text. */
  pending: { [at: string]: number };
};
export type Payout = Stored<Stripe.Payout, never, { $account: string }>;
export type Transfer = Stored<Stripe.Transfer, 'reversals', object>;
export type TransferReversal = Stored<Stripe.TransferReversal, never, object>;
export type Topup = Stored<Stripe.Topup, never, object>;
export type ApplicationFee = Stored<Stripe.ApplicationFee, 'refunds', object>;
export type FeeRefund = Stored<Stripe.FeeRefund, never, object>;
export type SetupIntent = Stored<Stripe.SetupIntent, never, { $session: string | null }>;
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
export type Session = Stored<
  Stripe.Checkout.Session,
  'line_items',
  {
    $ask: { readonly [field: string]: unknown };
    /** Who pays and with what, while they prove who they are. */
    $paying?: { readonly method: string; readonly buyer: { readonly [field: string]: unknown } };
    /** Made for it before it was paid. */
    $subscription?: string;
  }
>;
export type SessionItem = Stored<
  Stripe.LineItem,
  'price',
  { $parent: string; price: string; $tax_rates: readonly string[] }
>;
export type PaymentLink = Stored<
  Stripe.PaymentLink,
  'line_items',
  { $ask: { readonly [field: string]: unknown } }
>;
export type Account = Stored<
  Stripe.Account,
  'external_accounts' | 'individual' | 'capabilities',
  {
    /** Its owner has filled in the hosted form. */
    $onboarded?: boolean;
    /** The newest link to that form. */
    $link?: { code: string; expires_at: number; refresh_url: string; return_url: string };
  }
>;
/** What an account's owner agreed to, until its platform takes it up. */
export type OAuthCode = { id: string; account: string; expires_at: number; scope: string; used: boolean };
export type Capability = Stored<Stripe.Capability, never, object>;
export type Person = Stored<Stripe.Person, never, object>;
export type File = Stored<Stripe.File, 'links', { $sha256: string }>;
export type FileLink = Stored<Stripe.FileLink, never, object>;
export type EphemeralKey = Stored<Stripe.EphemeralKey, 'secret', { $customer: string | null }>;
export type Cardholder = Stored<Stripe.Issuing.Cardholder, never, object>;
/** Its cardholder is put in by the view. */
export type IssuedCard = Stored<
  Stripe.Issuing.Card,
  'cardholder' | 'cvc' | 'number',
  { cardholder: string; $number: string }
>;
export type Authorization = Stored<
  Stripe.Issuing.Authorization,
  'card' | 'transactions' | 'balance_transactions',
  { card: string; $captured: number; $refundable: number }
>;
export type IssuingTransaction = Stored<Stripe.Issuing.Transaction, never, object>;
export type IssuingDispute = Stored<Stripe.Issuing.Dispute, 'balance_transactions', object>;
export type VerificationSession = Stored<Stripe.Identity.VerificationSession, never, object>;
export type VerificationReport = Stored<Stripe.Identity.VerificationReport, never, object>;
/** Kept as it is answered. */
export type Kept = { id: string; object: string; [field: string]: unknown };
/** With its lines, which are answered in pages. */
export type KeptLines = Kept & {
  $lines: readonly ({
    readonly id: string;
    readonly amount: number;
    readonly amount_tax: number;
  } & { readonly [field: string]: unknown })[];
};
export type ReportRun = Stored<Stripe.Reporting.ReportRun, never, object>;
