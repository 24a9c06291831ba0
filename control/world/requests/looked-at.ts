// A world's requests as people look at them: one by one, one of them whole, and by the minute. Read when somebody asks; a
// request pays for none of it but its place among the exchanges.
import type { WallClock } from '../../ports/clock.ts';
import type { Sql } from '../../ports/sql.ts';
import type { Threshold } from '../store/threshold.ts';
import { turn } from '../store/turn.ts';
import { type RequestMinutes, requestMinutes } from './by-minute.ts';
import type { RequestCounts } from './counts.ts';
import type { Exchanges } from './exchanges.ts';
import type { Journal } from './journal.ts';
import type { OutsideSeen } from './outside.ts';
import {
  type KnownTwin,
  type LinesAsk,
  type LinesPage,
  RequestLines,
  type WholeRequest,
} from './request-lines.ts';

type Parts = {
  readonly sql: Sql;
  readonly wall: WallClock;
  readonly journal: Journal;
  readonly counts: RequestCounts;
  readonly exchanges: Exchanges;
  readonly twin: KnownTwin;
  readonly threshold: Threshold;
};

export class LookedAt {
  readonly #parts: Parts;
  readonly #lines: RequestLines;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#lines = new RequestLines(parts);
  }

  async page(ask: LinesAsk, outside: OutsideSeen): Promise<LinesPage> {
    this.#parts.journal.flush();
    return this.#parts.threshold.pass(this.#lines.page(ask, outside.lines));
  }

  /** `id` of a line; null where it is not told any more. */
  async one(id: string, outside: OutsideSeen): Promise<WholeRequest | null> {
    this.#parts.journal.flush();
    return this.#parts.threshold.pass(this.#lines.one(id, outside.lines));
  }

  /** The last `minutes`, this one among them. */
  async minutes(minutes: number, outside: OutsideSeen): Promise<RequestMinutes> {
    const { journal, counts, wall, threshold } = this.#parts;
    journal.flush();
    const to = wall.now();
    while (!counts.catchUp(to)) await turn();
    return threshold.pass(requestMinutes(counts, { to, minutes, outside }));
  }
}
