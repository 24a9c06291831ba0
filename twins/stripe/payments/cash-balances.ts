// A customer's cash balance: what was sent by bank transfer and not yet spent, and what an intent takes from it. Money
// that arrives is in cash-operations.ts.

import { type Act, find, save } from '../api/act.ts';
import { tell } from '../events/events.ts';
import type { Attempted } from './attempt.ts';
import type { CashBalance, CashTransaction, PaymentIntent, PaymentMethod } from './records.ts';

export function balanceOf(act: Act, customer: string): CashBalance {
  return (
    find(act, 'cash_balance', customer) ?? {
      id: customer,
      object: 'cash_balance',
      available: null,
      customer,
      customer_account: null,
      livemode: false,
      settings: { reconciliation_mode: 'automatic', using_merchant_default: true },
    }
  );
}

export function move(
  act: Act,
  customer: string,
  currency: string,
  net: number,
  more: Partial<CashTransaction>,
): CashTransaction {
  const held = balanceOf(act, customer);
  const ending = (held.available?.[currency] ?? 0) + net;
  save(act, 'cash_balance', { ...held, available: { ...held.available, [currency]: ending } });
  const made: CashTransaction = {
    id: act.tx.id('ccsbtxn_', 24),
    object: 'customer_cash_balance_transaction',
    created: act.at,
    currency,
    customer,
    customer_account: null,
    ending_balance: ending,
    livemode: false,
    net_amount: net,
    type: net < 0 ? 'applied_to_payment' : 'funded',
    ...more,
  };
  save(act, 'customer_cash_balance_transaction', made);
  tell(act, 'customer_cash_balance_transaction.created', 'customer_cash_balance_transaction', made);
  return made;
}

/** A payment by bank transfer: null where the balance has paid for all of it, else with instructions for the rest. */
export function transferred(act: Act, intent: PaymentIntent, method: PaymentMethod): Attempted | null {
  const customer = intent.customer;
  const held = customer === null ? 0 : (balanceOf(act, customer).available?.[intent.currency] ?? 0);
  if (customer !== null && held >= intent.amount) {
    move(act, customer, intent.currency, -intent.amount, {
      applied_to_payment: { payment_intent: intent.id },
    });
    return null;
  }
  if (customer !== null && held > 0) {
    move(act, customer, intent.currency, -held, { applied_to_payment: { payment_intent: intent.id } });
  }
  const after: PaymentIntent = {
    ...intent,
    amount_received: customer === null ? 0 : held,
    last_payment_error: null,
    next_action: instructions(act, intent, intent.amount - held),
    payment_method: method.id,
    status: 'requires_action',
  };
  save(act, 'payment_method', { ...method, customer: null });
  save(act, 'payment_intent', after);
  tell(act, 'payment_intent.requires_action', 'payment_intent', after);
  return { outcome: 'action', intent: after, decline: null };
}

export const TRANSFER_TYPES: { readonly [currency: string]: string } = {
  eur: 'eu_bank_transfer',
  gbp: 'gb_bank_transfer',
  jpy: 'jp_bank_transfer',
  mxn: 'mx_bank_transfer',
  usd: 'us_bank_transfer',
};

export function instructions(
  act: Act,
  intent: PaymentIntent,
  remaining: number,
): PaymentIntent['next_action'] {
  return {
    display_bank_transfer_instructions: {
      amount_remaining: remaining,
      currency: intent.currency,
      financial_addresses: financialAddresses(intent.currency),
      hosted_instructions_url: `https://payments.stripe.com/bank_transfers/instructions/test_${intent.id}`,
      reference: act.tx.id('', 12).toUpperCase(),
      type: TRANSFER_TYPES[intent.currency] ?? 'us_bank_transfer',
    },
    type: 'display_bank_transfer_instructions',
  };
}

export function financialAddresses(currency: string, country = 'DE') {
  const address = {
    city: 'San Francisco',
    country: 'US',
    line1: '1234 Main Street',
    line2: '',
    postal_code: '94103',
    state: 'CA',
  };
  if (currency === 'eur') {
    const iban = {
      account_holder_address: address,
      account_holder_name: 'Twin',
      bank_address: address,
      bic: `SXPY${country}HH`,
      country,
      iban: `${country}00000000000000000001`,
    };
    return [{ iban, supported_networks: ['sepa'], type: 'iban' }];
  }
  const aba = {
    account_holder_address: address,
    account_holder_name: 'Twin',
    account_number: '11119974700',
    account_type: 'checking',
    bank_address: address,
    bank_name: 'US Test Bank',
    routing_number: '999999999',
  };
  return [{ aba, supported_networks: ['ach', 'domestic_wire_us'], type: 'aba' }];
}
