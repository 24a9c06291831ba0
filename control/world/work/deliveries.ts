// Webhooks on their way out. A row is written in the transaction that caused it and is sent when that lasts, and when
// there is a policy to judge it by, so one that was caused is never lost and one that was rolled back never goes: at
// least once, in order for each endpoint. What came of an attempt is an entry of the log.
import type { Trace } from '../../../twins/kit/call.ts';
import type { DeliveryRequest } from '../../../twins/kit/tx.ts';
import type { Alarms } from '../../ports/alarms.ts';
import type { Entropy } from '../../ports/entropy.ts';
import type { Sql } from '../../ports/sql.ts';
import { DELIVERY_AGAIN_MS } from '../limits.ts';
import type { DueQueue, DueRow } from '../log/due.ts';
import type { Newsroom } from '../log/news.ts';
import { describeFault } from '../store/fault.ts';
import { hex } from '../store/identifier.ts';
import type { Threshold } from '../store/threshold.ts';
import { type AttemptParts, attempt } from './delivery-attempt.ts';
import { DeliveryLanes } from './delivery-lanes.ts';
import { DeliveryNotes, RETRY_KEY } from './delivery-notes.ts';
import { DeliveryRows, type Waiting } from './delivery-rows.ts';

type Parts = AttemptParts & {
  readonly sql: Sql;
  readonly entropy: Entropy;
  readonly due: DueQueue;
  readonly news: Newsroom;
  readonly threshold: Threshold;
  readonly alarms: Alarms;
};

export const isRetry = (event: DueRow): boolean => event.key.startsWith(RETRY_KEY);

export class Deliveries {
  readonly #parts: Parts;
  readonly #rows: DeliveryRows;
  readonly #notes: DeliveryNotes;
  readonly #lanes: DeliveryLanes;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#rows = new DeliveryRows(parts);
    this.#notes = new DeliveryNotes(parts, this.#rows);
    this.#lanes = new DeliveryLanes(id => this.#send(id));
    parts.alarms.onWake(() => this.resume());
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

  /** What waits for an attempt and has no place yet: what an earlier run left unsent, or what this one could not handle. */
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
        this.#resumeLater();
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

  /** Somebody wants it sent once more, now: an attempt as any other. False where it is on its way, or its body is gone. */
  again(twin: string, id: number): boolean {
    const { sql, due } = this.#parts;
    const waits = sql.transaction(() => {
      if (!this.#rows.again(id)) return false;
      due.remove(twin, `${RETRY_KEY}${id}`);
      return true;
    });
    if (waits) {
      due.announce();
      this.queue([id]);
    }
    return waits;
  }

  /** Notes of attempts were lost before they lasted: their webhooks wait still, and are taken up again. */
  forget(): void {
    this.#resumeLater();
  }

  /** What waits is taken from the store anew: something else is in it now. */
  restart(): void {
    this.#lanes.clear();
    this.resume();
  }

  /** Resolves when none waits for an attempt that could be made now. */
  settled(): Promise<void> {
    return this.#lanes.empty();
  }

  /** Sends no more. An attempt under way goes unrecorded: the next run tells of it, and makes it again. */
  close(): void {
    this.#lanes.close();
    this.#parts.alarms.set(null);
  }

  #join({ id, twin, endpoint }: { id: number; twin: string; endpoint: string }): void {
    // A twin that is not in the world any more signs nothing; its webhooks wait until it is again.
    if (this.#parts.seats.has(twin)) this.#lanes.join(`${twin}\0${endpoint}`, id);
  }

  async #send(id: number): Promise<void> {
    const { outbound, entropy, threshold, processLog } = this.#parts;
    try {
      // A signature is as young as its attempt, so nothing is signed before it can be judged.
      await outbound.ready();
      const row = this.#lanes.closed ? undefined : this.#rows.pending(id);
      if (row === undefined) return;
      const span = hex(entropy.bytes(8));
      this.#notes.begin(row, span);
      await threshold.waiting();
      const begun = this.#lanes.closed ? undefined : this.#rows.pending(id);
      if (begun === undefined) return;
      const result = await attempt(this.#parts, begun, span);
      if (!this.#lanes.closed) this.#notes.end(begun, span, result);
    } catch (error) {
      if (this.#lanes.closed) return;
      // A bug of ours or a store that fails, and nothing of the destination's. The row stays pending.
      const name = error instanceof Error ? error.name : 'unknown';
      processLog.error({ delivery: id, error: name }, 'a webhook could not be handled; it is tried again');
      this.#resumeLater();
    }
  }

  #resumeLater(): void {
    if (!this.#lanes.closed) this.#parts.alarms.set(this.#parts.wall.now() + DELIVERY_AGAIN_MS);
  }
}
