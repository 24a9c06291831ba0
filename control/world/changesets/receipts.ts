// Receipts (2.6, 3): what became of each action of a changeset at its vendor. `landed` waits; of the other four the first
// stands, whatever comes after it.
import type { Sql } from '../../ports/sql.ts';
import type { Receipt } from '../log/entry.ts';
import { asReceipt, RECEIPT_COLUMNS, type ReceiptRow } from '../log/receipt-row.ts';
import type { Action } from './changeset.ts';

export type Settled = {
  readonly status: Exclude<Receipt['status'], 'landed'>;
  readonly external?: string | undefined;
  readonly url?: string | undefined;
  readonly reason?: string | undefined;
};

/** In the order of the actions. */
export const receiptRows = (sql: Pick<Sql, 'all'>, name: string): ReceiptRow[] =>
  sql.all<ReceiptRow>(
    `SELECT ${RECEIPT_COLUMNS} FROM receipt WHERE name = ? ORDER BY CAST(substr(action, 2) AS INTEGER)`,
    name,
  );

export const receiptRow = (sql: Pick<Sql, 'get'>, name: string, action: string): ReceiptRow | undefined =>
  sql.get<ReceiptRow>(`SELECT ${RECEIPT_COLUMNS} FROM receipt WHERE name = ? AND action = ?`, name, action);

export const receiptsOf = (sql: Pick<Sql, 'all'>, name: string): readonly Receipt[] =>
  receiptRows(sql, name).map(asReceipt);

/** Inside a transaction. An action that has a receipt keeps it. */
export const land = (
  sql: Pick<Sql, 'run'>,
  name: string,
  { actionId, service, entries }: Pick<Action, 'actionId' | 'service' | 'entries'>,
  at: number,
): void => {
  sql.run(
    `INSERT INTO receipt(name, action, service, status, at) VALUES (?, ?, ?, 'landed', ?)
     ON CONFLICT(name, action) DO NOTHING`,
    name,
    actionId,
    service,
    at,
  );
  for (const entry of entries)
    sql.run(
      'UPDATE entry SET action = ? WHERE twin = ? AND pos = ? AND changeset = ?',
      actionId,
      service,
      Number(entry.slice(service.length + 1)),
      name,
    );
};

/** Inside a transaction. False where it was settled before. */
export const settle = (
  sql: Pick<Sql, 'run'>,
  { name, action, at }: { readonly name: string; readonly action: string; readonly at: number },
  { status, external, url, reason }: Settled,
): boolean =>
  sql.run(
    `UPDATE receipt SET status = ?, intent = NULL, external = ?, url = ?, reason = ?, at = ?
     WHERE name = ? AND action = ? AND status = 'landed'`,
    status,
    external ?? null,
    url ?? null,
    reason ?? null,
    at,
    name,
    action,
  ) > 0;

/** Inside a transaction: it waits to be asked again. `uncertain`: it may have been done, and whoever goes on must know. */
export const putOff = (
  sql: Pick<Sql, 'run'>,
  {
    name,
    action,
    uncertain,
  }: { readonly name: string; readonly action: string; readonly uncertain: boolean },
  reason: string,
): void => {
  sql.run(
    `UPDATE receipt SET intent = ?, reason = ? WHERE name = ? AND action = ? AND status = 'landed'`,
    uncertain ? 'sending' : null,
    reason,
    name,
    action,
  );
};
