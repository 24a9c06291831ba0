// What was done in a world, for those who review it: by record and field, by operation, by webhook, and what a deploy would
// ask of the vendors for it. Read from the log and the journal when somebody asks; nothing is kept for it.
import type { Covered } from '../../../twins/kit/manifest.ts';
import type { WallClock } from '../../ports/clock.ts';
import type { Sql } from '../../ports/sql.ts';
import { Actions } from '../changesets/actions.ts';
import type { Action } from '../changesets/changeset.ts';
import type { Changesets } from '../changesets/changesets.ts';
import { REPORT_ENTRIES_MAX, REPORT_PAGE_ENTRIES, REPORT_ROWS_MAX } from '../limits.ts';
import type { Cursor, Entry } from '../log/entry.ts';
import type { EntryLog } from '../log/entry-log.ts';
import type { Journal } from '../requests/journal.ts';
import type { BlobStore } from '../store/blob-store.ts';
import type { BranchBase } from '../store/branch-base.ts';
import { formatInstant } from '../store/instant.ts';
import type { Threshold } from '../store/threshold.ts';
import { turn } from '../store/turn.ts';
import type { Seat } from '../work/seat.ts';
import { type PlannedAction, plannedAction } from './planned-actions.ts';
import { type RecordChanges, RecordFates } from './record-changes.ts';
import { type Since, startOf, tipsAt } from './since.ts';
import { type CoverageOf, type UsedOperations, usedOperations } from './used-operations.ts';
import { WebhookFates, type Webhooks } from './webhooks.ts';

export type TwinReport = RecordChanges &
  UsedOperations & {
    readonly twin: string;
    /** Of those that were read. */
    readonly entries: number;
    readonly webhooks: Webhooks;
  };

export type RunReport = {
  /** `<org>/<world>`. */
  readonly world: string;
  /** The world that it branched off; null for one that is no branch. */
  readonly branchOf: string | null;
  /** The changeset that it is of; null for what was done since `from`. */
  readonly changeset: string | null;
  /** ISO 8601, wall time; null: from the beginning. */
  readonly from: string | null;
  readonly to: string;
  /** The world's clock. */
  readonly clock: string;
  readonly entries: number;
  /** Newer ones that were not read. */
  readonly entriesLeft: number;
  /** Those that something happened in. */
  readonly twins: readonly TwinReport[];
  /** What a deploy of it would perform, in order. */
  readonly actions: readonly PlannedAction[];
  readonly actionsLeft: number;
};

export type ReportResult =
  | {
      readonly ok: true;
      readonly report: RunReport /** Wall time; 0 for the beginning. */;
      readonly since: number;
    }
  | { readonly ok: false; readonly why: 'no-such-entry' | 'no-such-changeset'; readonly message: string };

type Parts = {
  readonly world: string;
  readonly vendors: readonly string[];
  readonly sql: Sql;
  readonly blobs: BlobStore;
  readonly log: EntryLog;
  readonly base: BranchBase;
  readonly seats: ReadonlyMap<string, Seat>;
  readonly journal: Journal;
  readonly changesets: Changesets;
  readonly threshold: Threshold;
  readonly wall: WallClock;
  readonly clock: { now(): number };
};

type Read = { readonly entries: readonly Entry[]; readonly actions: readonly Action[] };

export class Reports {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** How well an operation is known, by its path or its template; null for none that the twin has heard of. */
  coverage(twin: string, operation: { readonly method: string; readonly path: string }): Covered | null {
    return this.#coverageOf(twin, operation);
  }

  /** Of what the world did itself: all of it, or since then, or between then and an instant of wall time. */
  async since(since: Since | null, until: number | null = null): Promise<ReportResult> {
    const { sql, vendors, base, threshold } = this.#parts;
    const own = { sql, twins: vendors, base };
    const start = startOf(own, since);
    if (start === null)
      return {
        ok: false,
        why: 'no-such-entry',
        message: 'The world has no such entry of its own; see GET …/timeline.',
      };
    const { places, left } = this.#places(start.floors, until === null ? null : tipsAt(own, until));
    const report = this.#report(this.#read(places), {
      left,
      until,
      since: start.at,
      from: start.at === 0 ? null : formatInstant(start.at),
      changeset: null,
    });
    return threshold.pass(report.then(told => ({ ok: true, report: told, since: start.at }) as const));
  }

  /** Of a changeset: its records and its actions; who asked for what besides is not of it. */
  async changeset(name: string): Promise<ReportResult> {
    const { changesets, threshold } = this.#parts;
    const found = await changesets.get(name);
    if (found === null)
      return { ok: false, why: 'no-such-changeset', message: `There is no changeset ${name}.` };
    const left = Math.max(0, found.entries - REPORT_ENTRIES_MAX);
    const report = this.#report(upTo(changesets.body(name), REPORT_ENTRIES_MAX), {
      ...{ left, since: null, until: null },
      ...{ from: null, changeset: name },
    });
    return threshold.pass(report.then(told => ({ ok: true, report: told, since: 0 }) as const));
  }

  async #report(
    pages: AsyncIterable<Read>,
    of: {
      readonly left: number;
      readonly since: number | null;
      readonly until: number | null;
    } & Pick<RunReport, 'from' | 'changeset'>,
  ): Promise<RunReport> {
    const { world, base, seats, sql, journal, wall, clock, vendors } = this.#parts;
    const fates = new RecordFates((twin, type) => seats.get(twin)?.twin.records[type]?.quotes !== undefined);
    const webhooks = new WebhookFates();
    const counts = new Map<string, number>();
    const actions: PlannedAction[] = [];
    let done = 0;
    for await (const { entries, actions: made } of pages) {
      for (const entry of entries) {
        fates.add(entry);
        webhooks.add(entry);
        counts.set(entry.twin, (counts.get(entry.twin) ?? 0) + 1);
      }
      for (const action of made) {
        done += 1;
        if (actions.length === REPORT_ROWS_MAX) continue;
        const entry = entries.find(({ id }) => id === action.entries[0]);
        actions.push(plannedAction(action, entry, seats.get(action.service)?.twin.real));
      }
    }
    journal.flush();
    const until = of.until ?? wall.now();
    const used =
      of.since === null ? NONE_USED : await usedOperations(sql, { since: of.since, until }, this.#coverageOf);
    const twins = vendors
      .filter(twin => counts.has(twin) || used.has(twin))
      .map((twin): TwinReport => {
        const operations = used.get(twin) ?? { operations: [], operationsLeft: 0 };
        return {
          twin,
          entries: counts.get(twin) ?? 0,
          ...fates.of(twin),
          ...operations,
          webhooks: webhooks.of(twin),
        };
      });
    return {
      world,
      branchOf: base.origin?.world ?? null,
      changeset: of.changeset,
      from: of.from,
      to: formatInstant(until),
      clock: formatInstant(clock.now()),
      entries: [...counts.values()].reduce((sum, count) => sum + count, 0),
      entriesLeft: of.left,
      twins,
      actions,
      actionsLeft: done - actions.length,
    };
  }

  /** Of the entries after those positions and up to those others, the oldest, in the order of the log. */
  #places(
    floors: ReadonlyMap<string, number>,
    tips: ReadonlyMap<string, number> | null,
  ): { places: readonly Cursor[]; left: number } {
    const { sql, log } = this.#parts;
    const places: Cursor[] = [];
    let all = 0;
    for (const [twin, floor] of floors) {
      const tip = tips === null ? log.tip(twin) : Math.max(floor, tips.get(twin) ?? floor);
      all += tip - floor;
      const found = sql.all<{ at: number; pos: number }>(
        'SELECT at, pos FROM entry WHERE twin = ? AND pos > ? AND pos <= ? ORDER BY pos LIMIT +?',
        twin,
        floor,
        tip,
        REPORT_ENTRIES_MAX,
      );
      for (const { at, pos } of found) places.push({ at, twin, pos });
    }
    places.sort((a, b) => a.at - b.at || (a.twin < b.twin ? -1 : a.twin > b.twin ? 1 : a.pos - b.pos));
    const taken = places.slice(0, REPORT_ENTRIES_MAX);
    return { places: taken, left: all - taken.length };
  }

  async *#read(places: readonly Cursor[]): AsyncGenerator<Read> {
    const { blobs, log } = this.#parts;
    const actions = new Actions();
    for (let from = 0; from < places.length; ) {
      const page = places.slice(from, from + REPORT_PAGE_ENTRIES);
      const { lines } = await blobs.reading(() => log.linesAt(page, page.length));
      // What a reset took meanwhile is in no report.
      if (lines.length === 0) return;
      const entries = lines.map(({ json }) => JSON.parse(json) as Entry);
      yield { entries, actions: entries.map(entry => actions.of(entry)).filter(action => action !== null) };
      from += lines.length;
      await turn();
    }
  }

  readonly #coverageOf: CoverageOf = (twin, operation) =>
    this.#parts.seats.get(twin)?.twin.covers?.(operation) ?? null;
}

const NONE_USED: ReadonlyMap<string, UsedOperations> = new Map();

async function* upTo(pages: AsyncIterable<Read>, max: number): AsyncGenerator<Read> {
  let left = max;
  for await (const page of pages) {
    yield page;
    left -= page.entries.length;
    if (left <= 0) return;
  }
}
