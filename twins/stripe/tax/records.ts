// What Tax keeps: calculations, and the transactions that are made of them.
import type { RecordRows } from '../api/record-row.ts';
import type { Kept } from '../api/wire.ts';

/** With its lines, which are answered in pages. */
export type KeptLines = Kept & {
  $lines: readonly ({
    readonly id: string;
    readonly amount: number;
    readonly amount_tax: number;
  } & { readonly [field: string]: unknown })[];
};

export type TaxRecords = {
  'tax.calculation': KeptLines;
  'tax.settings': Kept;
  'tax.transaction': KeptLines;
};

export const TAX_RECORDS: RecordRows<TaxRecords> = {
  'tax.calculation': { indexes: [], noun: 'tax calculation' },
  'tax.settings': { indexes: [] },
  'tax.transaction': { indexes: [['reference']], noun: 'tax transaction' },
};
