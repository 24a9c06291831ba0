// Webhooks on their way out. A row is written in the transaction that caused it and is sent when that lasts,
// so one that was caused is never lost and one that was rolled back never goes: at least once, in order for
// each endpoint. What came of an attempt is an entry of the log.
import type { Trace } from '../../../twins/kit/call.ts';
import type { DeliveryRequest } from '../../../twins/kit/tx.ts';
import type { Entropy } from '../../ports/entropy.ts';
import type { Sql } from '../../ports/sql.ts';
import { DELIVERY_ERROR_CHARS_MAX } from '../limits.ts';
import type { DueQueue, DueRow } from '../log/due.ts';
import { entryId } from '../log/entry.ts';
import type { Newsroom } from '../log/news.ts';
import { describeFault } from '../store/fault.ts';
import { hex } from '../store/identifier.ts';
import { formatInstant } from '../store/instant.ts';
import type { Threshold } from '../store/threshold.ts';
import { OWN_DUE_KEY } from '../store/transaction.ts';
import { type AttemptParts, type AttemptResult, attempt } from './delivery-attempt.ts';
import { DeliveryLanes } from './delivery-lanes.ts';
import { type Attempt, type DeliveryRow, DeliveryRows, type Waiting } from './delivery-rows.ts';

type Parts = AttemptParts & {
  readonly sql: Sql;
  readonly entropy: Entropy;
  readonly due: DueQueue;
  readonly news: Newsroom;
  readonly threshold: Threshold;
};

const RETRY_KEY = `${OWN_DUE_KEY}delivery:`;

export const isRetry = (event: DueRow): boolean => event.key.startsWith(RETRY_KEY);

export class Deliveries {
  readonly #parts: Parts;
  readonly #rows: DeliveryRows;
  readonly #lanes: DeliveryLanes;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#rows = new DeliveryRows(parts);
    this.#lanes = new DeliveryLanes(id => this.#send(id));
  }

  /** Inside the transaction that causes it. */
  insert(
    twin: string,
    request: DeliveryRequest,
    from: { readonly cause: string | null; readonly trace: Trace | null },
  ): number {
    return this.#rows.insert(twin, request, from);
  }

  /** After the transaction: they go when it lasts, as soon as those before them at their endpoints are through. */
  queue(ids: readonly number[]): void {
    this.#take(() => ids.flatMap(id => this.#rows.waiting(id) ?? []));
  }

  /** What an earlier run of the world left unsent. */
  resume(): void {
    this.#take(() => this.#rows.left());
  }

  /** They join those before them when it lasts that they wait. What a failing store cannot name waits on in its row. */
  #take(waiting: () => readonly Waiting[]): void {
    this.#parts.threshold.once(() => {
      try {
        for (const row of waiting()) this.#join(row);
      } catch (error) {
        this.#parts.processLog.error(
          { fault: describeFault(error) },
          'webhooks could not be read; they are sent later',
        );
      }
      this.#lanes.move();
    });
  }

  /** The instant of a retry has come. */
  retry(event: DueRow): void {
    const { sql, due } = this.#parts;
    const id = Number(event.key.slice(RETRY_KEY.length));
    sql.transaction(() => {
      due.remove(event.twin, event.key);
      this.#rows.resume(id);
    });
    this.queue([id]);
  }

  /** Resolves when none waits for an attempt that could be made now. */
  settled(): Promise<void> {
    return this.#lanes.empty();
  }

  /** Sends no more. An attempt under way goes unrecorded and is made again by the next run. */
  close(): void {
    this.#lanes.close();
  }

  #join({ id, twin, endpoint }: { id: number; twin: string; endpoint: string }): void {
    // A twin that is not in the world any more signs nothing; its webhooks wait until it is again.
    if (this.#parts.seats.has(twin)) this.#lanes.join(`${twin}\0${endpoint}`, id);
  }

  async #send(id: number): Promise<void> {
    try {
      const row = this.#rows.pending(id);
      if (row === undefined) return;
      const span = hex(this.#parts.entropy.bytes(8));
      const result = await attempt(this.#parts, row, span);
      if (!this.#lanes.closed) this.#record(row, span, result);
    } catch (error) {
      // A bug of ours, not of the destination. The row stays pending for the next run of the world.
      const name = error instanceof Error ? error.name : 'unknown';
      this.#parts.processLog.error({ delivery: id, error: name }, 'a webhook could not be handled');
    }
  }

  #record(row: DeliveryRow, span: string, result: AttemptResult): void {
    const { sql, wall, clock, log, due, seats, news } = this.#parts;
    const { twin, trace } = row;
    const error = result.error?.slice(0, DELIVERY_ERROR_CHARS_MAX);
    const outcome = {
      ...(result.status === undefined ? {} : { status: result.status }),
      ...(error === undefined ? {} : { error }),
    };
    const at = clock.stamp();
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
          endpoint: { id: row.endpoint, url: urlWithoutSecrets(row.url) },
          event: { id: row.event, type: row.event_type },
          attempt: attempts.length,
          ...outcome,
        },
      });
      if (wait === null) return this.#rows.settle(row.id, result.ok, attempts);
      this.#rows.postpone(row.id, attempts, at + wait);
      const cause = entryId(twin, position);
      due.set({ twin, key: `${RETRY_KEY}${row.id}`, at: at + wait, payload: '{}', cause });
    });
    log.note({ twin, position, at });
    if (wait !== null) due.announce();
    news.tell({ kind: 'entry', twin, position });
  }
}

/** Receivers put secrets into the query of their URL, and some into its user name; the log shows neither. */
const urlWithoutSecrets = (url: string): string => {
  const parsed = URL.parse(url);
  return parsed === null ? '' : `${parsed.origin}${parsed.pathname}`;
};
