// Views of the payments side's records that hold other records in them.

import { listView, type Reader, type View } from '../api/view.ts';
import { type RecordName, type Records, select } from '../records.ts';
import type { BalanceTransaction } from './wire.ts';

/** Views hold views: how one is read is handed in, since every type's view begins with this. */
type Viewing = {
  readonly reader: Reader;
  readonly viewById: (reader: Reader, type: RecordName, id: string) => View | undefined;
};

const INLINE_RECORDS = 10;
const CAPABILITIES_MAX = 100;

/** What is put into a view besides its record's own fields; nothing for most types. */
export function inlined(by: Viewing, type: RecordName, id: string, record: View): View {
  const { reader, viewById } = by;
  switch (type) {
    case 'balance_transaction': {
      const { status, available_on } = record as BalanceTransaction;
      return status === 'pending' && available_on * 1000 <= reader.now ? { status: 'available' } : {};
    }
    case 'dispute':
      return {
        balance_transactions: rows(by, 'balance_transaction', {
          $account: 'platform',
          source: id,
        }).reverse(),
      };
    case 'transfer':
      return {
        reversals: sub(by, 'transfer_reversal', { transfer: id }, `/v1/transfers/${id}/reversals`),
      };
    case 'application_fee':
      return { refunds: sub(by, 'fee_refund', { fee: id }, `/v1/application_fees/${id}/refunds`) };
    case 'account':
      return {
        capabilities: Object.fromEntries(
          select(reader, 'capability', {
            where: { account: id },
            order: 'oldest',
            limit: CAPABILITIES_MAX,
          }).items.map(held => [held.id.slice(held.id.indexOf(':') + 1), held.status]),
        ),
        external_accounts: sub(by, 'bank_account', { account: id }, `/v1/accounts/${id}/external_accounts`),
      };
    case 'issuing.card':
      return { cardholder: viewById(reader, 'issuing.cardholder', String(record['cardholder'])) };
    case 'issuing.authorization':
      return {
        balance_transactions: [],
        card: viewById(reader, 'issuing.card', String(record['card'])),
        transactions: rows(by, 'issuing.transaction', { authorization: id }),
      };
    default:
      return {};
  }
}

function rows(
  { reader, viewById }: Viewing,
  type: RecordName,
  where: { readonly [field: string]: string },
): View[] {
  return select(reader, type, { where, limit: INLINE_RECORDS }).items.map(
    held => viewById(reader, type, (held as Records[RecordName]).id) ?? {},
  );
}

function sub(
  { reader, viewById }: Viewing,
  type: RecordName,
  where: { readonly [field: string]: string },
  url: string,
): View {
  const found = select(reader, type, { where, limit: INLINE_RECORDS });
  const data = found.items.map(held => viewById(reader, type, (held as Records[RecordName]).id) ?? {});
  return { ...listView(data, found.more, url), total_count: data.length };
}
