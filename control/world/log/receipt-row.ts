// What became of an action at its vendor, as the store keeps it.
import type { Sql, SqlRow } from '../../ports/sql.ts';
import { formatInstant } from '../store/instant.ts';
import type { Receipt } from './entry.ts';

export type ReceiptRow = SqlRow & {
  readonly action: string;
  readonly service: string;
  readonly status: Receipt['status'];
  /** `sending` from before the vendor is asked until its answer is known. */
  readonly intent: 'sending' | null;
  readonly attempt: number;
  readonly idem: string | null;
  readonly external: string | null;
  readonly url: string | null;
  readonly reason: string | null;
  /** Wall time; while it is `sending`, when it was sent first. */
  readonly at: number;
  /** SHA-256 of the bytes that were sent. */
  readonly sent: string | null;
};

/** Of `ReceiptRow`, for a SELECT. */
export const RECEIPT_COLUMNS =
  'action, service, status, intent, attempt, idem, external, url, reason, at, sent';

export const asReceipt = ({ action, service, status, external, url, reason, at }: ReceiptRow): Receipt => ({
  service,
  actionId: action,
  status,
  at: formatInstant(at),
  ...(external === null ? {} : { externalId: external }),
  ...(url === null ? {} : { url }),
  ...(reason === null ? {} : { reason }),
});

/** Null where the changeset was neither pushed nor deployed. */
export const readReceipt = (sql: Pick<Sql, 'get'>, changeset: string, action: string): Receipt | null => {
  const row = sql.get<ReceiptRow>(
    `SELECT ${RECEIPT_COLUMNS} FROM receipt WHERE name = ? AND action = ?`,
    changeset,
    action,
  );
  return row === undefined ? null : asReceipt(row);
};

/** What became of the last action that was performed at the vendor of a twin, or was not (3). */
export type LastReceipt = Omit<Receipt, 'service'> & { readonly changeset: string };

/** Null where none was. */
export const lastReceipt = (sql: Pick<Sql, 'get'>, twin: string): LastReceipt | null => {
  const row = sql.get<ReceiptRow & { readonly name: string }>(
    `SELECT name, ${RECEIPT_COLUMNS} FROM receipt WHERE service = ? AND status <> 'landed' ORDER BY at DESC LIMIT 1`,
    twin,
  );
  if (row === undefined) return null;
  const { service: _, ...receipt } = asReceipt(row);
  return { changeset: row.name, ...receipt };
};
