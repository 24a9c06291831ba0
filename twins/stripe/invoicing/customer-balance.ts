// The balance of a customer and what moved it: negative is credit for the next invoice, positive is owed with it.
import type { Stripe } from 'stripe';
import { type Act, find, need, save } from '../api/act.ts';
import { invalid, missing } from '../api/errors.ts';
import { page } from '../api/list.ts';
import { vendor, whole } from '../api/vendor.ts';
import { viewOf } from '../api/view.ts';
import { mergeTags } from '../catalog/coupons.ts';
import type { Customer } from '../customers/records.ts';
import { tell, update } from '../events/events.ts';
import type { BalanceTransaction, Invoice } from './records.ts';

type Moved = {
  readonly amount: number;
  readonly currency: string;
  readonly type: BalanceTransaction['type'];
  readonly invoice?: string;
  readonly credit_note?: string;
  readonly description?: string | null;
  readonly metadata?: { [name: string]: string };
};

/** Writes what moved a balance. The customer is saved by the caller, with the balance this answers. */
export function moveBalance(
  act: Act,
  customer: Customer,
  moved: Moved,
): { readonly customer: Customer; readonly transaction: BalanceTransaction } {
  const balance = customer.balance + moved.amount;
  const transaction = whole<BalanceTransaction>('customer_balance_transaction', {
    id: act.tx.recordId('cbtxn_', 24),
    amount: moved.amount,
    created: act.at,
    credit_note: moved.credit_note ?? null,
    currency: moved.currency,
    customer: customer.id,
    description: moved.description ?? null,
    ending_balance: balance,
    invoice: moved.invoice ?? null,
    metadata: moved.metadata ?? {},
    type: moved.type,
  });
  save(act, 'customer_balance_transaction', transaction);
  return { customer: { ...customer, balance, currency: customer.currency ?? moved.currency }, transaction };
}

const create = vendor<Stripe.CustomerCreateBalanceTransactionParams>(
  'customers.createBalanceTransaction',
  ({ act, path, params }) => {
    const held = need(act, 'customer', path['id'] ?? '', { param: 'customer', inPath: true });
    const currency = params.currency.toLowerCase();
    if (held.currency != null && held.currency !== currency) {
      throw invalid(`The currency of this customer is ${held.currency}; its balance takes no other.`, {
        param: 'currency',
      });
    }
    const { customer, transaction } = moveBalance(act, held, {
      amount: params.amount,
      currency,
      type: 'adjustment',
      description: params.description ?? null,
      metadata: mergeTags(null, params.metadata),
    });
    update(act, 'customer', held, customer, 'customer.updated');
    return viewOf(act, 'customer_balance_transaction', transaction);
  },
);

function needTransaction(act: Act, path: { readonly [name: string]: string }): BalanceTransaction {
  const id = path['id'] ?? '';
  const held = find(act, 'customer_balance_transaction', id);
  if (held === undefined || held.customer !== path['customerId']) {
    throw missing('customer_balance_transaction', id, { param: 'transaction', inPath: true });
  }
  return held;
}

const retrieve = vendor<object>('customers.retrieveBalanceTransaction', ({ act, path }) =>
  viewOf(act, 'customer_balance_transaction', needTransaction(act, path)),
);

const change = vendor<Stripe.CustomerUpdateBalanceTransactionParams>(
  'customers.updateBalanceTransaction',
  ({ act, path, params }) => {
    const held = needTransaction(act, path);
    const next: BalanceTransaction = {
      ...held,
      ...(params.description === undefined ? {} : { description: params.description }),
      metadata: mergeTags(held.metadata, params.metadata),
    };
    act.tx.kind('customer_balance_transaction.updated');
    save(act, 'customer_balance_transaction', next);
    return viewOf(act, 'customer_balance_transaction', next);
  },
);

const listAll = vendor<Stripe.CustomerListBalanceTransactionsParams>(
  'customers.listBalanceTransactions',
  ({ act, path, params }) => {
    const customer = need(act, 'customer', path['id'] ?? '', { param: 'customer', inPath: true });
    return page(
      act,
      'customer_balance_transaction',
      params,
      `/v1/customers/${customer.id}/balance_transactions`,
      {
        where: { customer: customer.id },
      },
    );
  },
);

/** A customer whose balance was set otherwise shows that too. */
export function balanceSet(act: Act, before: number, after: Customer): void {
  if (after.balance === before) return;
  moveBalance(
    act,
    { ...after, balance: before },
    {
      amount: after.balance - before,
      currency: after.currency ?? 'usd',
      type: before === 0 ? 'initial' : 'adjustment',
    },
  );
}

/** A void invoice gives back what it took of a balance. */
export function returnBalance(act: Act, invoice: Invoice): void {
  const moved = (invoice.ending_balance ?? invoice.starting_balance) - invoice.starting_balance;
  const customer = moved === 0 ? undefined : find(act, 'customer', invoice.customer ?? '');
  if (customer === undefined) return;
  const after = moveBalance(act, customer, {
    amount: -moved,
    currency: invoice.currency,
    type: 'unapplied_from_invoice',
    invoice: invoice.id,
  });
  saveMoved(act, customer, after.customer);
}

export const customerBalanceOperations = [create, retrieve, change, listAll];

/** For `tell`: the customer as it stands after its balance moved. */
export function saveMoved(act: Act, before: Customer, after: Customer): void {
  save(act, 'customer', after);
  if (before.balance !== after.balance)
    tell(act, 'customer.updated', 'customer', after, viewOf(act, 'customer', before));
}
