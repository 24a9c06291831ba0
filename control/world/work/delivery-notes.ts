// What an attempt at a webhook leaves behind: the mark that it is under way, and, when it is over or was cut off, an
// entry of the log and a line of its row. What has arrived anywhere is in the log, whenever the world ended.
import type { WallClock } from '../../ports/clock.ts';
import type { Sql } from '../../ports/sql.ts';
import { DELIVERY_ERROR_CHARS_MAX } from '../limits.ts';
import type { DueQueue } from '../log/due.ts';
import { entryId } from '../log/entry.ts';
import type { EntryLog } from '../log/entry-log.ts';
import type { Newsroom } from '../log/news.ts';
import { formatInstant } from '../store/instant.ts';
import { OWN_DUE_KEY } from '../store/transaction.ts';
import type { AttemptResult } from './delivery-attempt.ts';
import type { Attempt, DeliveryRow, DeliveryRows } from './delivery-rows.ts';
import type { Seat } from './seat.ts';
import type { WorldClock } from './world-clock.ts';

type Parts = {
  readonly sql: Sql;
  readonly wall: WallClock;
  readonly clock: WorldClock;
  readonly log: EntryLog;
  readonly due: DueQueue;
  readonly seats: ReadonlyMap<string, Seat>;
  readonly news: Newsroom;
};

export const RETRY_KEY = `${OWN_DUE_KEY}delivery:`;

/** What is told of an attempt whose end nobody noted: it is made again, and the log says that it may be twice. */
const CUT_OFF: AttemptResult = {
  ok: false,
  error: 'the world ended before the answer was noted: it may have arrived, and is sent again',
  ms: 0,
  final: false,
};

export class DeliveryNotes {
  readonly #parts: Parts;
  readonly #rows: DeliveryRows;

  constructor(parts: Parts, rows: DeliveryRows) {
    this.#parts = parts;
    this.#rows = rows;
  }

  /** An attempt is about to be made; one before it that was cut off is told of first. */
  begin(row: DeliveryRow, span: string): void {
    if (row.under_way === null) return this.#parts.sql.transaction(() => this.#rows.begin(row.id, span));
    this.#tell(row, { span: row.under_way, result: CUT_OFF }, attempts => {
      const kept = this.#rows.note(row.id, attempts);
      if (kept) this.#rows.begin(row.id, span);
      return kept;
    });
  }

  /** The attempt is over: it settles the webhook, or the twin says when it is made again. */
  end(row: DeliveryRow, span: string, result: AttemptResult): void {
    const { due, seats } = this.#parts;
    let wait: number | null = null;
    this.#tell(row, { span, result }, (attempts, { at, position }) => {
      const after = seats.get(row.twin)!.twin.retryAfter;
      wait = result.final ? null : (after?.(attempts.length - 1) ?? null);
      if (wait === null) return this.#rows.settle(row.id, result.ok, attempts);
      if (!this.#rows.postpone(row.id, attempts, at + wait)) return false;
      const cause = entryId(row.twin, position);
      due.set({ twin: row.twin, key: `${RETRY_KEY}${row.id}`, at: at + wait, payload: '{}', cause });
      return true;
    });
    if (wait !== null) due.announce();
  }

  /** `write` brings the row to where the attempts leave it; false when the webhook is none of this world's any more. */
  #tell(
    { id, twin, trace, parent_span, cause, endpoint, url, event, event_type, attempts: before }: DeliveryRow,
    { span, result }: { readonly span: string; readonly result: AttemptResult },
    write: (attempts: readonly Attempt[], at: { at: number; position: number }) => boolean,
  ): void {
    const { sql, wall, clock, log, news } = this.#parts;
    const error = result.error?.slice(0, DELIVERY_ERROR_CHARS_MAX);
    const outcome = {
      ...(result.status === undefined ? {} : { status: result.status }),
      ...(error === undefined ? {} : { error }),
    };
    const at = clock.stamp();
    const position = log.tip(twin) + 1;
    const { ms, signed, answer } = result;
    const seen = { ...(signed && { signed }), ...(answer && { answer }) };
    const last = { at: formatInstant(at), wallAt: formatInstant(wall.now()), ms, ...outcome, ...seen };
    const attempts = [...(JSON.parse(before) as Attempt[]), last];
    const told = sql.transaction(() => {
      if (!write(attempts, { at, position })) return false;
      log.append({
        twin,
        position,
        at,
        wall: wall.now(),
        kind: result.ok ? 'webhook.delivered' : 'webhook.failed',
        actor: { type: 'system' },
        changes: [],
        cause,
        trace: { traceId: trace, spanId: span, parentId: parent_span },
        delivery: {
          id: `${twin}:delivery:${id}`,
          endpoint: { id: endpoint, url: urlWithoutSecrets(url) },
          event: { id: event, type: event_type },
          attempt: attempts.length,
          ...outcome,
        },
      });
      return true;
    });
    if (!told) return;
    log.note({ twin, position, at });
    news.tell({ kind: 'entry', twin, position });
  }
}

/** Receivers put secrets into the query of their URL, and some into its user name; the log shows neither. */
export const urlWithoutSecrets = (url: string): string => {
  const parsed = URL.parse(url);
  return parsed === null ? '' : `${parsed.origin}${parsed.pathname}`;
};
