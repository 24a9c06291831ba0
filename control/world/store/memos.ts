// Answers that a twin keeps for idempotency keys. They expire by the world's clock, are no state of the twin
// and never stand in the log.
import type { Instant, Memo } from '../../../twins/kit/tx.ts';
import type { Sql } from '../../ports/sql.ts';
import { MEMOS_REMEMBERED_PER_SWEEP, MEMOS_SWEPT_PER_SWEEP_MAX } from '../limits.ts';
import type { BlobStore } from './blob-store.ts';

type Row = { fingerprint: string; status: number; headers: string; body: string };

export class Memos {
  readonly #sql: Sql;
  readonly #blobs: BlobStore;
  readonly #twin: string;
  #remembered = 0;

  constructor({ sql, blobs, twin }: { sql: Sql; blobs: BlobStore; twin: string }) {
    this.#sql = sql;
    this.#blobs = blobs;
    this.#twin = twin;
  }

  recall(key: string, now: Instant): Memo | undefined {
    const row = this.#sql.get<Row>(
      'SELECT fingerprint, status, headers, body FROM memo WHERE twin = ? AND key = ? AND expires > ?',
      this.#twin,
      key,
      now,
    );
    if (row === undefined) return undefined;
    return {
      ...row,
      headers: JSON.parse(row.headers) as Memo['headers'],
      body: this.#blobs.text(row.body),
    };
  }

  remember(key: string, memo: Memo, expires: Instant, now: Instant): void {
    if (this.#remembered++ % MEMOS_REMEMBERED_PER_SWEEP === 0) this.#sweep(now);
    this.#sql.run(
      `INSERT INTO memo(twin, key, fingerprint, status, headers, body, expires) VALUES (?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT(twin, key) DO UPDATE SET fingerprint = excluded.fingerprint, status = excluded.status,
         headers = excluded.headers, body = excluded.body, expires = excluded.expires`,
      this.#twin,
      key,
      memo.fingerprint,
      memo.status,
      JSON.stringify(memo.headers),
      this.#blobs.rowText(memo.body),
      expires,
    );
  }

  /** More than were remembered since the last: it keeps up, and no call waits for a great clearing. */
  #sweep(now: Instant): void {
    this.#sql.run(
      'DELETE FROM memo WHERE (twin, key) IN (SELECT twin, key FROM memo WHERE expires <= ? ORDER BY expires LIMIT +?)',
      now,
      MEMOS_SWEPT_PER_SWEEP_MAX,
    );
  }
}
