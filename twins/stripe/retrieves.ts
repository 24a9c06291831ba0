// By which request Stripe answers one object of each type: the `retrieve` of the resource that its product lists.
import type { Retrieve } from '../kit/retrieve.ts';
import type { RecordType } from '../kit/twin.ts';
import type { Operation } from './api/operation.ts';
import type { Model } from './api/product.ts';

/** An object of a connected account is the account's to ask for. */
const headers: NonNullable<Retrieve['headers']> = ({ $acct: account }) =>
  typeof account === 'string' ? { 'stripe-account': account } : {};

/** Of objects that no resource of the SDK lists by themselves, or that stand below another. */
const FURTHER: { readonly [type: string]: string } = {
  bank_account: '/v1/customers/{customer}/sources/{id}',
  capability: '/v1/accounts/{account}/capabilities/{id}',
  card: '/v1/customers/{customer}/sources/{id}',
  customer_balance_transaction: '/v1/customers/{customer}/balance_transactions/{id}',
  customer_cash_balance_transaction: '/v1/customers/{customer}/cash_balance_transactions/{id}',
  fee_refund: '/v1/application_fees/{fee}/refunds/{id}',
  'issuing.dispute': '/v1/issuing/disputes/{id}',
  payment_method_configuration: '/v1/payment_method_configurations/{id}',
  payment_record: '/v1/payment_records/{id}',
  person: '/v1/accounts/{account}/persons/{id}',
  'tax.calculation': '/v1/tax/calculations/{id}',
  'tax.transaction': '/v1/tax/transactions/{id}',
  transfer_reversal: '/v1/transfers/{transfer}/reversals/{id}',
  'v2.core.account': '/v2/core/accounts/{id}',
  'v2.core.event_destination': '/v2/core/event_destinations/{id}',
};

/** The types with the requests that answer them; what has no request of its own is as it was. */
export function withRetrieves(
  types: { readonly [type: string]: RecordType },
  models: readonly Model[],
  operations: readonly Pick<Operation, 'name' | 'path'>[],
): { readonly [type: string]: RecordType } {
  const paths = new Map(operations.map(({ name, path }) => [name, path]));
  const made: { [type: string]: RecordType } = { ...types };
  const resources = new Map(models.map(([type, , resource]) => [type, resource]));
  for (const [type, held] of Object.entries(types)) {
    const path = FURTHER[type] ?? paths.get(`${resources.get(type)}.retrieve`);
    if (path?.endsWith('}') === true)
      made[type] = { ...held, retrieve: { path: path.replace(/\{\w+\}$/, '{id}'), headers } };
  }
  return made;
}
