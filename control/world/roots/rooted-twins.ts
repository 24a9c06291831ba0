// The roots of a world as its endpoints know them: read and set, refreshed, and what is in conflict with them resolved. What
// they answer lasts by then.

import { REFRESH_RECORDS_PER_TURN_MAX, STATUS_CONFLICTS_MAX } from '../limits.ts';
import { formatInstant } from '../store/instant.ts';
import type { Seat } from '../work/seat.ts';
import { type Conflict, conflictRows, conflictsOf, resolve, type Side } from './conflicts.ts';
import { ObservedPages } from './observed-pages.ts';
import { Refresh, type RefreshResult } from './refresh.ts';
import { readRefresh } from './refresh-row.ts';
import type { Root } from './root.ts';
import { parseRoot, type RootDefaults, type RootResult } from './root-document.ts';
import type { Roots } from './roots.ts';

/** 2.7, `refresh`. */
export type RefreshStanding = {
  /** ISO 8601, wall time: when the last pass ended; null before the first has. */
  readonly lastAt: string | null;
  /** When the next one begins by itself; null for none. */
  readonly nextAt: string | null;
  /** Of the pass that is under way: records so far, and since when. */
  readonly progress: { readonly done: number; readonly since: string } | null;
  /** Why the last pass ended early; null where it ended well. */
  readonly fault: { readonly at: string; readonly message: string } | null;
  /** Those of the first records that are in conflict. */
  readonly conflicts: readonly Conflict[];
};

export type ResolveResult =
  | { readonly ok: true; readonly resolved: number }
  | { readonly ok: false; readonly why: 'no-root' | 'no-conflict'; readonly message: string };

type Parts = ConstructorParameters<typeof Refresh>[0] & {
  /** Whether a root may be on this machine, by a literal address. */
  readonly loopback: boolean;
  /** Resolves when the host lets the world go where its roots are now, and nowhere else. */
  readonly moved: () => Promise<void>;
};

/** Of a twin that does not say how it is copied. */
const DEFAULTS: RootDefaults = { every: null, atMost: '1m' };

export class RootedTwins {
  readonly #parts: Parts;
  readonly #roots: Roots;
  readonly #refresh: Refresh;
  readonly #pages: ObservedPages;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#roots = parts.roots;
    this.#refresh = new Refresh(parts);
    this.#pages = new ObservedPages(parts);
  }

  get(twin: string): Root | null {
    return this.#roots.get(twin);
  }

  /** ISO 8601: the last completed refresh (5.5); null for a twin without a root, and before the first. */
  observedAt(twin: string): string | null {
    return this.#roots.observedAt(twin);
  }

  /** `value`: as a request has it; null clears. Of a twin that is in the world. */
  async put(
    twin: string,
    value: unknown,
  ): Promise<{ readonly ok: true; readonly root: Root | null } | Extract<RootResult, { ok: false }>> {
    const read = value === null ? ({ ok: true, root: null } as const) : this.#read(twin, value);
    if (!read.ok) return read;
    const { sql, threshold, moved } = this.#parts;
    sql.transaction(() => this.#roots.set(twin, read.root));
    await moved();
    this.#refresh.changed(twin);
    await threshold.waiting();
    return { ok: true, root: this.get(twin) };
  }

  /** As `put`, of a world whose store has no root for the twin. Throws `TypeError` for what is no root. */
  setOnce(twin: string, value: unknown): void {
    if (this.get(twin) !== null) return;
    const read = this.#read(twin, value);
    if (!read.ok) throw new TypeError(read.message);
    this.#parts.sql.transaction(() => this.#roots.set(twin, read.root));
  }

  #read(twin: string, value: unknown): RootResult {
    const { loopback, seats } = this.#parts;
    const { every, atMost } = seats.get(twin)?.twin.real?.observes ?? DEFAULTS;
    return parseRoot(value, { loopback, defaults: { every, atMost } });
  }

  /** Begins a pass beside the requests; `standing` says how far it is. */
  async refresh(twin: string, how: { readonly force: boolean }): Promise<RefreshResult> {
    const result = this.#refresh.start(twin, how);
    await this.#parts.threshold.waiting();
    return result;
  }

  standing(twin: string): RefreshStanding {
    const { sql } = this.#parts;
    const { observed, began, done, fault, faultAt } = readRefresh(sql, twin);
    const seat = this.#parts.seats.get(twin);
    const nextAt = this.#refresh.nextAt(twin);
    const running = this.#refresh.isRunning(twin);
    return {
      lastAt: observed === null ? null : formatInstant(observed),
      nextAt: nextAt === null ? null : formatInstant(nextAt),
      progress: running && began !== null ? { done, since: formatInstant(began) } : null,
      fault: fault === null || faultAt === null ? null : { at: formatInstant(faultAt), message: fault },
      conflicts: seat === undefined ? [] : this.#conflicts(seat),
    };
  }

  #conflicts(seat: Seat): readonly Conflict[] {
    const { sql, blobs } = this.#parts;
    const held = { sql, blobs, records: seat.records, twin: seat.id };
    const rows = conflictRows(held, { after: null, limit: STATUS_CONFLICTS_MAX });
    return rows.flatMap(row => conflictsOf(held, row));
  }

  /** `of`: one record; undefined for all that are in conflict. */
  async resolve(
    twin: string,
    side: Side,
    of?: { readonly type: string; readonly id: string },
  ): Promise<ResolveResult> {
    const { sql, blobs, seats, lifetime } = this.#parts;
    const seat = seats.get(twin);
    if (seat === undefined || this.get(twin) === null)
      return { ok: false, why: 'no-root', message: `The twin “${twin}” has no root.` };
    const held = { sql, blobs, records: seat.records, twin };
    let resolved = 0;
    for (;;) {
      let rows = 0;
      const which = of === undefined ? { after: null, limit: REFRESH_RECORDS_PER_TURN_MAX } : { of };
      const kept = await this.#pages.write(seat, lifetime, at => {
        const found = conflictRows(held, which);
        rows = found.length;
        resolve(held, found, side, at);
      });
      resolved += rows;
      if (!kept || rows < REFRESH_RECORDS_PER_TURN_MAX) break;
    }
    if (of !== undefined && resolved === 0)
      return {
        ok: false,
        why: 'no-conflict',
        message: `No ${of.type} ${of.id} is in conflict with the root.`,
      };
    return { ok: true, resolved };
  }

  resume(): void {
    this.#refresh.resume();
  }

  /** What was known may have been lost before it lasted. */
  forget(): void {
    this.#roots.forget();
  }

  /** All that the world holds was replaced. */
  restart(): void {
    this.#roots.forget();
    this.#refresh.restart();
  }

  /** Resolves when no pass is under way. For tests and orderly shutdown. */
  settled(): Promise<void> {
    return this.#refresh.settled();
  }

  close(): Promise<void> {
    return this.#refresh.close();
  }
}
