// The rows of webhooks. One is written in the transaction that caused it and stays pending until an attempt settles it.
// The newest keep their bodies after that, to be looked at and to be sent again.
import type { Trace } from '../../../twins/kit/call.ts';
import type { DeliveryRequest, Instant } from '../../../twins/kit/tx.ts';
import type { SignatureHeaders } from '../../../twins/kit/webhooks.ts';
import type { Entropy } from '../../ports/entropy.ts';
import type { Sql, SqlValue } from '../../ports/sql.ts';
import { DELIVERY_BODY_ROWS_MAX } from '../limits.ts';
import type { BlobStore } from '../store/blob-store.ts';
import { hex } from '../store/identifier.ts';

/** One try to send a webhook (twins.md `Delivery`). */
export type Attempt = {
  readonly at: string;
  readonly wallAt: string;
  readonly status?: number;
  readonly ms: number;
  readonly error?: string;
  /** The headers that it was signed with. */
  readonly signed?: SignatureHeaders;
  /** How the answer of a receiver that did not take it begins. */
  readonly answer?: string;
};

export type DeliveryRow = {
  readonly id: number;
  readonly twin: string;
  readonly cause: string | null;
  readonly trace: string;
  readonly parent_span: string | null;
  readonly endpoint: string;
  readonly url: string;
  readonly event: string;
  readonly event_type: string;
  readonly headers: string;
  /** As it stands in the row (blob-store.ts). */
  readonly body: string;
  readonly attempts: string;
  /** The span of an attempt that began and whose end was not noted. */
  readonly under_way: string | null;
};

/** In which lane a webhook goes. */
export type Waiting = { readonly id: number; readonly twin: string; readonly endpoint: string };

type Parts = { readonly sql: Sql; readonly blobs: BlobStore; readonly entropy: Entropy };

export class DeliveryRows {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Inside the transaction that causes it. */
  insert(
    twin: string,
    { endpoint, event, headers, body }: DeliveryRequest,
    { cause, trace }: { readonly cause: string | null; readonly trace: Trace | null },
  ): number {
    const { sql, blobs, entropy } = this.#parts;
    return sql.get<{ id: number }>(
      `INSERT INTO delivery(twin, cause, trace, parent_span, endpoint, url, event, event_type, headers, body, state, attempts)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'pending', '[]') RETURNING id`,
      twin,
      cause,
      trace?.traceId ?? hex(entropy.bytes(16)),
      trace?.spanId ?? null,
      endpoint.id,
      endpoint.url,
      event.id,
      event.type,
      JSON.stringify(headers),
      blobs.rowText(body),
    )!.id;
  }

  waiting(id: number): Waiting | undefined {
    return this.#parts.sql.get<Waiting>('SELECT id, twin, endpoint FROM delivery WHERE id = ?', id);
  }

  /** What an earlier run of the world left unsent, oldest first. */
  left(): readonly Waiting[] {
    return this.#parts.sql.all<Waiting>(
      `SELECT id, twin, endpoint FROM delivery WHERE state = 'pending' AND next_at IS NULL ORDER BY id`,
    );
  }

  /** Undefined for one that is settled, or waits for its instant. */
  pending(id: number): DeliveryRow | undefined {
    return this.#parts.sql.get<DeliveryRow>(
      `SELECT id, twin, cause, trace, parent_span, endpoint, url, event, event_type, headers, body, attempts,
         (SELECT span FROM delivery_under_way AS begun WHERE begun.id = delivery.id) AS under_way
       FROM delivery WHERE id = ? AND state = 'pending' AND next_at IS NULL`,
      id,
    );
  }

  /** On disk before the attempt is made: whatever arrives is known to have been sent. */
  begin(id: number, span: string): void {
    this.#parts.sql.run(
      'INSERT INTO delivery_under_way(id, span) VALUES (?, ?) ON CONFLICT(id) DO UPDATE SET span = excluded.span',
      id,
      span,
    );
  }

  /** As `settle` and `postpone`, false when it is pending no more; it goes on waiting. */
  note(id: number, attempts: readonly Attempt[]): boolean {
    return this.#end(id, 'attempts = ?', JSON.stringify(attempts));
  }

  settle(id: number, ok: boolean, attempts: readonly Attempt[]): boolean {
    const state = ok ? 'delivered' : 'failed';
    // One that took long to settle is among the newest no more; one that has left them waits, or is settled.
    const kept = 'CASE WHEN id > (SELECT max(id) FROM delivery) - ? THEN body END';
    const settled = this.#end(
      id,
      `state = ?, attempts = ?, body = ${kept}`,
      ...[state, JSON.stringify(attempts), DELIVERY_BODY_ROWS_MAX],
    );
    this.#parts.sql.run(
      `UPDATE delivery SET body = NULL WHERE id = ? AND state <> 'pending'`,
      id - DELIVERY_BODY_ROWS_MAX,
    );
    return settled;
  }

  /** One that is settled, or waits for its instant, waits for an attempt now; false for any other, and without its body. */
  again(id: number): boolean {
    return (
      this.#parts.sql.run(
        `UPDATE delivery SET state = 'pending', next_at = NULL
         WHERE id = ? AND body IS NOT NULL AND (state <> 'pending' OR next_at IS NOT NULL)`,
        id,
      ) > 0
    );
  }

  /** Another attempt is to be made at that instant. */
  postpone(id: number, attempts: readonly Attempt[], until: Instant): boolean {
    return this.#end(id, 'attempts = ?, next_at = ?', JSON.stringify(attempts), until);
  }

  /** The instant of another attempt has come. */
  resume(id: number): void {
    this.#parts.sql.run('UPDATE delivery SET next_at = NULL WHERE id = ?', id);
  }

  #end(id: number, set: string, ...values: readonly SqlValue[]): boolean {
    const { sql } = this.#parts;
    sql.run('DELETE FROM delivery_under_way WHERE id = ?', id);
    return sql.run(`UPDATE delivery SET ${set} WHERE id = ? AND state = 'pending'`, ...values, id) > 0;
  }
}
