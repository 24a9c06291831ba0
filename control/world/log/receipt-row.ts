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

/** Of the last request that was asked of the vendor of a twin; null where none was. */
export const lastReceipt = (sql: Pick<Sql, 'get'>, twin: string): Receipt | null => {
  const row = sql.get<ReceiptRow>(
    `SELECT ${RECEIPT_COLUMNS} FROM receipt WHERE service = ? AND status <> 'landed' ORDER BY at DESC LIMIT 1`,
    twin,
  );
  return row === undefined ? null : asReceipt(row);
};
