// Money that arrives on a customer's cash balance pays the oldest intent that waits for it; and the operations on such
// balances.

import { type Act, need, save, select } from '../api/act.ts';
import { invalid } from '../api/errors.ts';
import { filledField } from '../api/fill-shape.ts';
import { page, pageParams } from '../api/list.ts';
import { operation } from '../api/operation.ts';
import { choice, hash, integer, list, required, text } from '../api/params.ts';
import { type View, viewOf } from '../api/view.ts';
import { tell, tellView } from '../events/events.ts';
import { settlePaid } from '../invoicing/collect.ts';
import { charge } from './attempt.ts';
import { balanceOf, financialAddresses, instructions, move, TRANSFER_TYPES } from './cash-balances.ts';
import type { CashBalance, CashTransaction, PaymentIntent } from './records.ts';

const WAITING_MAX = 100;

function viewBalance(balance: CashBalance): View {
  const { id: _id, ...view } = balance;
  return view;
}

/** Money arrives. It pays what waits for it, oldest first; what is left stays. */
function fund(
  act: Act,
  customer: string,
  amount: number,
  currency: string,
  reference: string | null,
): CashTransaction {
  const type = TRANSFER_TYPES[currency] ?? 'us_bank_transfer';
  const made = move(act, customer, currency, amount, {
    funded: filledField('customer_cash_balance_transaction', 'funded', {
      bank_transfer: { reference, type, [type]: { sender_name: 'Test sender' } },
    }),
  });
  let left = balanceOf(act, customer).available?.[currency] ?? 0;
  const waiting = select(act.tx, 'payment_intent', {
    where: { customer },
    order: 'oldest',
    limit: WAITING_MAX,
    keep: held => held['status'] === 'requires_action' && held['currency'] === currency && isTransfer(held),
  }).items;
  for (const intent of waiting) {
    if (left <= 0) break;
    left -= apply(act, intent, left);
  }
  if (left > 0) tellView(act, 'cash_balance.funds_available', viewBalance(balanceOf(act, customer)));
  return made;
}

function isTransfer(held: { readonly [field: string]: unknown }): boolean {
  const action = held['next_action'] as { type?: string } | null;
  return action?.type === 'display_bank_transfer_instructions';
}

/** Pays an intent, or as much of it as there is; returns what it took. */
function apply(act: Act, intent: PaymentIntent, amount: number): number {
  const wanted = intent.amount - intent.amount_received;
  const taken = Math.min(wanted, amount);
  move(act, intent.customer ?? '', intent.currency, -taken, {
    applied_to_payment: { payment_intent: intent.id },
  });
  if (taken === wanted) {
    const method = need(act, 'payment_method', intent.payment_method ?? '', { param: 'payment_method' });
    const paid = charge(act, { ...intent, amount_received: intent.amount }, method);
    settlePaid(act, paid.intent);
    return taken;
  }
  const received = intent.amount_received + taken;
  const next: PaymentIntent = {
    ...intent,
    amount_received: received,
    next_action: instructions(act, intent, intent.amount - received),
  };
  save(act, 'payment_intent', next);
  tell(act, 'payment_intent.partially_funded', 'payment_intent', next);
  return taken;
}

const fundOperation = operation(
  'testHelpers.customers.fundCashBalance',
  'POST /v1/test_helpers/customers/{customer}/fund_cash_balance',
  { amount: required(integer(1)), currency: required(text()), reference: text() },
  ({ act, path, params }) => {
    const customer = need(act, 'customer', path['customer'] ?? '', { param: 'customer', inPath: true });
    const made = fund(
      act,
      customer.id,
      params.amount,
      params.currency.toLowerCase(),
      params.reference ?? null,
    );
    return viewOf(act, 'customer_cash_balance_transaction', made);
  },
);

const retrieve = operation(
  'customers.retrieveCashBalance',
  'GET /v1/customers/{customer}/cash_balance',
  {},
  ({ act, path }) =>
    viewBalance(
      balanceOf(act, need(act, 'customer', path['customer'] ?? '', { param: 'customer', inPath: true }).id),
    ),
);

const change = operation(
  'customers.updateCashBalance',
  'POST /v1/customers/{customer}/cash_balance',
  { settings: hash({ reconciliation_mode: choice('automatic', 'manual', 'merchant_default') }) },
  ({ act, path, params }) => {
    const customer = need(act, 'customer', path['customer'] ?? '', { param: 'customer', inPath: true });
    const mode = params.settings?.reconciliation_mode;
    const held = balanceOf(act, customer.id);
    const next: CashBalance =
      mode === undefined
        ? held
        : {
            ...held,
            settings: {
              reconciliation_mode: mode === 'manual' ? 'manual' : 'automatic',
              using_merchant_default: mode === 'merchant_default',
            },
          };
    act.tx.kind('cash_balance.updated');
    save(act, 'cash_balance', next);
    return viewBalance(next);
  },
);

const transactions = operation(
  'customers.listCashBalanceTransactions',
  'GET /v1/customers/{customer}/cash_balance_transactions',
  pageParams,
  ({ act, path, params }) => {
    const customer = need(act, 'customer', path['customer'] ?? '', { param: 'customer', inPath: true });
    const url = `/v1/customers/${customer.id}/cash_balance_transactions`;
    return page(act, 'customer_cash_balance_transaction', params, url, { where: { customer: customer.id } });
  },
);

const transaction = operation(
  'customers.retrieveCashBalanceTransaction',
  'GET /v1/customers/{customer}/cash_balance_transactions/{transaction}',
  {},
  ({ act, path }) => {
    const id = path['transaction'] ?? '';
    const at = { param: 'transaction', inPath: true };
    return viewOf(
      act,
      'customer_cash_balance_transaction',
      need(act, 'customer_cash_balance_transaction', id, at),
    );
  },
);

/** Where the account may be that money is sent to. */
const EU_COUNTRIES = ['BE', 'DE', 'ES', 'FR', 'IE', 'NL'] as const;

const funding = operation(
  'customers.createFundingInstructions',
  'POST /v1/customers/{customer}/funding_instructions',
  {
    bank_transfer: required(
      hash({
        eu_bank_transfer: hash({ country: required(choice(...EU_COUNTRIES)) }),
        requested_address_types: list(text()),
        type: required(text()),
      }),
    ),
    currency: required(text()),
    funding_type: required(choice('bank_transfer')),
  },
  ({ act, path, params }) => {
    need(act, 'customer', path['customer'] ?? '', { param: 'customer', inPath: true });
    const currency = params.currency.toLowerCase();
    const { eu_bank_transfer: eu, requested_address_types: asked, type } = params.bank_transfer;
    const country = eu?.country ?? 'DE';
    const addresses = financialAddresses(currency, country).filter(
      address => asked === undefined || asked.includes(address.type),
    );
    if (addresses.length === 0)
      throw invalid(`No address of the requested types can be given for ${currency}.`, {
        param: 'bank_transfer[requested_address_types]',
      });
    return {
      object: 'funding_instructions',
      bank_transfer: {
        country: currency === 'eur' ? country : 'US',
        financial_addresses: addresses,
        type,
      },
      currency,
      funding_type: 'bank_transfer',
      livemode: false,
    };
  },
);

const applyBalance = operation(
  'paymentIntents.applyCustomerBalance',
  'POST /v1/payment_intents/{intent}/apply_customer_balance',
  { amount: integer(1), currency: text() },
  ({ act, path, params }) => {
    const intent = need(act, 'payment_intent', path['intent'] ?? '', { param: 'intent', inPath: true });
    const held = balanceOf(act, intent.customer ?? '').available?.[intent.currency] ?? 0;
    const amount = params.amount ?? Math.min(held, intent.amount - intent.amount_received);
    if (!isTransfer(intent) || amount > held || amount === 0) {
      throw invalid('The customer has no cash balance that this PaymentIntent could be paid with.', {
        code: 'payment_intent_unexpected_state',
      });
    }
    apply(act, intent, amount);
    return viewOf(act, 'payment_intent', need(act, 'payment_intent', intent.id, { param: 'intent' }));
  },
);

export const cashOperations = [
  fundOperation,
  retrieve,
  change,
  transactions,
  transaction,
  funding,
  applyBalance,
];
