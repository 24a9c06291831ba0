// Webhooks on their way out. A row is written in the transaction that caused it and is sent after the commit,
// so one that was caused is never lost and one that was rolled back never goes: at least once, in order for
// each endpoint. What came of an attempt is an entry of the log.

import type { Trace } from '../../../twins/kit/call.ts';
import type { DeliveryRequest, Instant } from '../../../twins/kit/tx.ts';
import { signDelivery } from '../../../twins/kit/webhooks.ts';
import type { WallClock } from '../../ports/clock.ts';
import type { Entropy } from '../../ports/entropy.ts';
import type { Log } from '../../ports/log.ts';
import type { Outbound } from '../../ports/outbound.ts';
import type { Sql } from '../../ports/sql.ts';
import { DELIVERY_ERROR_CHARS_MAX, DELIVERY_LANES_MAX, DELIVERY_TIMEOUT_MS } from '../limits.ts';
import type { DueQueue, DueRow } from '../log/due.ts';
import { type EntryLog, entryId } from '../log/entry-log.ts';
import type { Newsroom } from '../log/news.ts';
import type { BlobStore } from '../store/blob-store.ts';
import { hex } from '../store/identifier.ts';
import { formatInstant } from '../store/instant.ts';
import { OWN_DUE_KEY } from '../store/transaction.ts';
import type { Seat } from './ledger.ts';

/** One try to send a webhook (twins.md `Delivery`). */
type Attempt = {
  readonly at: string;
  readonly wallAt: string;
  readonly status?: number;
  readonly ms: number;
  readonly error?: string;
};

type Row = {
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
  readonly body: string;
  readonly attempts: string;
};

/** What came of one attempt; `final` when another would not help. */
type Result = {
  readonly ok: boolean;
  readonly status?: number;
  readonly error?: string;
  readonly ms: number;
  readonly final: boolean;
};

type Parts = {
  readonly sql: Sql;
  readonly blobs: BlobStore;
  readonly wall: WallClock;
  readonly entropy: Entropy;
  readonly outbound: Outbound;
  readonly journal: Log;
  readonly log: EntryLog;
  readonly due: DueQueue;
  readonly seats: ReadonlyMap<string, Seat>;
  readonly news: Newsroom;
  /** The instant an entry that is appended now is stamped with. */
  readonly stamp: () => Instant;
  /** A retry was put in the queue of due events. */
  readonly scheduled: () => void;
};

const RETRY_KEY = `${OWN_DUE_KEY}delivery:`;

export const isRetry = (event: DueRow): boolean => event.key.startsWith(RETRY_KEY);

export class Deliveries {
  readonly #parts: Parts;
  /** Ids that wait, by endpoint; the first of each that is in `#sending` is on its way. */
  readonly #lanes = new Map<string, number[]>();
  readonly #sending = new Set<string>();
  #settling: (() => void)[] = [];
  #closed = false;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Inside the transaction that causes it. */
  insert(
    twin: string,
    { endpoint, event, headers, body }: DeliveryRequest,
    { cause, trace }: { cause: string | null; trace: Trace | null },
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
      blobs.stored(body),
    )!.id;
  }

  /** After the commit: sends them as soon as those before them at their endpoints are through. */
  queue(ids: readonly number[]): void {
    for (const id of ids) {
      const row = this.#parts.sql.get<{ twin: string; endpoint: string }>(
        'SELECT twin, endpoint FROM delivery WHERE id = ?',
        id,
      );
      if (row !== undefined) this.#join(id, row);
    }
    this.#pump();
  }

  /** What an earlier run of the world left unsent. */
  resume(): void {
    const waiting = this.#parts.sql.all<{ id: number; twin: string; endpoint: string }>(
      `SELECT id, twin, endpoint FROM delivery WHERE state = 'pending' AND next_at IS NULL ORDER BY id`,
    );
    for (const row of waiting) this.#join(row.id, row);
    this.#pump();
  }

  /** The instant of a retry has come. */
  retry(event: DueRow): void {
    const { sql, due } = this.#parts;
    const id = Number(event.key.slice(RETRY_KEY.length));
    sql.transaction(() => {
      due.remove(event.twin, event.key);
      sql.run('UPDATE delivery SET next_at = NULL WHERE id = ?', id);
    });
    this.queue([id]);
  }

  /** Resolves when none waits for an attempt that could be made now. */
  settled(): Promise<void> {
    if (this.#lanes.size === 0 || this.#closed) return Promise.resolve();
    return new Promise(resolve => {
      this.#settling.push(resolve);
    });
  }

  /** Sends no more. An attempt under way goes unrecorded and is made again by the next run. */
  close(): void {
    this.#closed = true;
    this.#lanes.clear();
    this.#settle();
  }

  #join(id: number, { twin, endpoint }: { twin: string; endpoint: string }): void {
    // A twin that is not in the world any more signs nothing; its webhooks wait until it is again.
    if (!this.#parts.seats.has(twin)) return;
    const lane = `${twin}\0${endpoint}`;
    const ids = this.#lanes.get(lane);
    if (ids === undefined) this.#lanes.set(lane, [id]);
    else ids.push(id);
  }

  #pump(): void {
    if (this.#closed) return;
    for (const lane of this.#lanes.keys()) {
      if (this.#sending.size >= DELIVERY_LANES_MAX) return;
      if (!this.#sending.has(lane)) void this.#drain(lane);
    }
  }

  async #drain(lane: string): Promise<void> {
    this.#sending.add(lane);
    for (let id = this.#lanes.get(lane)?.[0]; id !== undefined; id = this.#lanes.get(lane)?.[0]) {
      try {
        await this.#send(id);
      } catch (error) {
        // A bug of ours, not of the destination. The row stays pending for the next run of the world.
        const name = error instanceof Error ? error.name : 'unknown';
        this.#parts.journal.error({ delivery: id, error: name }, 'a webhook could not be handled');
      }
      this.#lanes.get(lane)?.shift();
    }
    this.#sending.delete(lane);
    this.#lanes.delete(lane);
    if (this.#lanes.size === 0) this.#settle();
    else this.#pump();
  }

  #settle(): void {
    const settling = this.#settling;
    this.#settling = [];
    for (const resolve of settling) resolve();
  }

  async #send(id: number): Promise<void> {
    const { sql, blobs, entropy } = this.#parts;
    const row = sql.get<Row>(
      `SELECT id, twin, cause, trace, parent_span, endpoint, url, event, event_type, headers, body, attempts
       FROM delivery WHERE id = ? AND state = 'pending'`,
      id,
    );
    if (row === undefined) return;
    const span = hex(entropy.bytes(8));
    const result = await this.#attempt({ ...row, body: blobs.text(row.body) }, span);
    if (!this.#closed) this.#record(row, span, result);
  }

  async #attempt(row: Row, span: string): Promise<Result> {
    const { wall, outbound, seats, log, stamp, journal } = this.#parts;
    const { twin, records } = seats.get(row.twin)!;
    const request: DeliveryRequest = {
      endpoint: { id: row.endpoint, url: row.url },
      event: { id: row.event, type: row.event_type },
      headers: JSON.parse(row.headers) as DeliveryRequest['headers'],
      body: row.body,
    };
    let signed: readonly (readonly [string, string])[];
    try {
      const state = records.reader(stamp(), log.tip(row.twin) + 1);
      const signature = twin.signature === undefined ? UNSIGNED : twin.signature(request, state);
      if (signature === null) return { ok: false, error: 'the endpoint is gone', ms: 0, final: true };
      // Wall time: vendors' SDKs reject a signature that is more than five minutes old.
      signed = await signDelivery(signature.scheme, signature.secret, row.body, wall.now(), request.event);
    } catch (error) {
      const name = error instanceof Error ? error.name : 'unknown';
      journal.error({ twin: row.twin, delivery: row.id, error: name }, 'a webhook could not be signed');
      return { ok: false, error: 'the twin could not sign it', ms: 0, final: true };
    }
    const sent = await outbound.send({
      url: row.url,
      method: 'POST',
      headers: [...request.headers, ...signed, ['traceparent', `00-${row.trace}-${span}-01`]],
      body: row.body,
      timeoutMs: DELIVERY_TIMEOUT_MS,
    });
    if (!sent.ok) return { ok: false, error: sent.why, ms: sent.ms, final: sent.refused };
    const ok = sent.status >= 200 && sent.status < 300;
    return { ok, status: sent.status, ms: sent.ms, final: ok };
  }

  #record(row: Row, span: string, result: Result): void {
    const { sql, wall, log, due, seats, news, stamp, scheduled } = this.#parts;
    const { twin, trace } = row;
    const error = result.error?.slice(0, DELIVERY_ERROR_CHARS_MAX);
    const outcome = {
      ...(result.status === undefined ? {} : { status: result.status }),
      ...(error === undefined ? {} : { error }),
    };
    const at = stamp();
    const attempts = JSON.parse(row.attempts) as Attempt[];
    attempts.push({ at: formatInstant(at), wallAt: formatInstant(wall.now()), ms: result.ms, ...outcome });
    const wait = result.final ? null : (seats.get(twin)!.twin.retryAfter?.(attempts.length - 1) ?? null);
    const position = log.tip(twin) + 1;
    sql.transaction(() => {
      log.append({
        twin,
        position,
        at,
        wall: wall.now(),
        kind: result.ok ? 'webhook.delivered' : 'webhook.failed',
        actor: { type: 'system' },
        changes: [],
        cause: row.cause,
        trace: { traceId: trace, spanId: span, parentId: row.parent_span },
        delivery: {
          id: `${twin}:delivery:${row.id}`,
          endpoint: { id: row.endpoint, url: shownUrl(row.url) },
          event: { id: row.event, type: row.event_type },
          attempt: attempts.length,
          ...outcome,
        },
      });
      if (wait === null) {
        sql.run(
          'UPDATE delivery SET state = ?, attempts = ?, body = NULL WHERE id = ?',
          result.ok ? 'delivered' : 'failed',
          JSON.stringify(attempts),
          row.id,
        );
        return;
      }
      sql.run(
        'UPDATE delivery SET attempts = ?, next_at = ? WHERE id = ?',
        JSON.stringify(attempts),
        at + wait,
        row.id,
      );
      const cause = entryId(twin, position);
      due.set({ twin, key: `${RETRY_KEY}${row.id}`, at: at + wait, payload: '{}', cause });
    });
    log.landed({ twin, position, at });
    if (wait !== null) scheduled();
    news.tell({ kind: 'entry', twin, position });
  }
}

/** Receivers put secrets into the query of their URL, and some into its user name; the log shows neither. */
const shownUrl = (url: string): string => {
  const parsed = URL.parse(url);
  return parsed === null ? '' : `${parsed.origin}${parsed.pathname}`;
};

const UNSIGNED = { scheme: 'none', secret: '' } as const;
