// What a world tells of its past (4.4): states, positions and its own changes, and from where a branch can leave it.
import type { Instant } from '../../../twins/kit/tx.ts';
import type { Sql } from '../../ports/sql.ts';
import { type DiffResult, readDiff } from '../log/diff.ts';
import { cutDue } from '../log/due.ts';
import type { EntryLog } from '../log/entry-log.ts';
import type { HistorySource, PastRecord } from '../log/history-source.ts';
import type { BlobStore } from '../store/blob-store.ts';
import {
  type AliasRow,
  aliasesUpTo,
  type BranchBase,
  type Origin,
  type Review,
  reviewOf,
} from '../store/branch-base.ts';
import { formatInstant, parseInstant } from '../store/instant.ts';
import { ORDER_LAST } from '../store/record-order.ts';
import type { WholeText } from '../store/records.ts';
import type { Threshold } from '../store/threshold.ts';
import type { CatchUp } from '../work/catch-up.ts';
import type { WorldClock } from '../work/world-clock.ts';
import { type Checkpoint, takeCheckpoint, viewOf } from './checkpoint.ts';
import type { History } from './history.ts';

/** 2.13 history. `view` is opaque: `checkpoint?at=` takes it. */
export type HistoryResult =
  | {
      readonly ok: true;
      readonly views: { readonly [twin: string]: { readonly view: string; readonly position: number } };
    }
  | {
      readonly ok: false;
      readonly why: 'not-an-instant' | 'not-yet' | 'catching-up';
      readonly message: string;
    };

/** Where every twin was at an instant: what is read as of then is read at these positions. */
export type PastPoint = {
  readonly ok: true;
  readonly at: Instant;
  readonly positions: ReadonlyMap<string, number>;
};

/** What a new branch starts from (`writeBase`). */
export type Cut = {
  readonly ok: true;
  readonly origin: Origin;
  readonly positions: ReadonlyMap<string, number>;
  readonly frozenAt: Instant | null;
  /** Of ids that a vendor replaced until then. */
  readonly aliases: readonly AliasRow[];
  /** As of now, whatever the instant: it has no history. */
  readonly review: Review;
};

export type CutResult =
  | Cut
  | {
      readonly ok: false;
      readonly why: 'not-an-instant' | 'not-yet' | 'catching-up' | 'live-is-now';
      readonly message: string;
    };

/** A record as it stands; `position` is of the entry that last changed it. */
export type HeldRecord = Pick<PastRecord, 'type' | 'id' | 'position'> & { readonly body: unknown };

export type RecordsPage = { readonly records: readonly HeldRecord[]; readonly next: string | null };

type Parts = {
  /** `<org>/<world>`. */
  readonly world: string;
  readonly vendors: readonly string[];
  readonly sql: Sql;
  readonly blobs: BlobStore;
  readonly log: EntryLog;
  readonly base: BranchBase;
  readonly clock: WorldClock;
  readonly history: History;
  readonly catchUp: CatchUp;
  readonly threshold: Threshold;
  readonly whole: WholeText;
};

export class Past {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** For the worlds that branch off this one. */
  get source(): HistorySource {
    return this.#parts.history;
  }

  /** A twin's state at a position, the newest when it is null; null for no twin of this world. */
  async checkpoint(twin: string, at: number | null): Promise<Checkpoint | null> {
    const { vendors, blobs, log, history, threshold, whole } = this.#parts;
    if (!vendors.includes(twin)) return null;
    const tip = log.tip(twin);
    if (at !== null && at > tip)
      return { ok: false, why: 'not-yet', message: `The newest position of ${twin} is ${tip}.` };
    return threshold.pass(takeCheckpoint({ source: history, blobs, twin, position: at ?? tip, whole }));
  }

  /**
   * Those of a type, newest first, as they are now or were at a point; null for no twin of this world. `before`: `next` of
   * the page before.
   */
  async records(
    twin: string,
    type: string,
    { before, limit }: { readonly before: number | null; readonly limit: number },
    point: PastPoint | null = null,
  ): Promise<RecordsPage | null> {
    const { vendors, threshold } = this.#parts;
    if (!vendors.includes(twin)) return null;
    const found = await this.placed(twin, type, { before, limit }, point);
    const records = found.map(({ order, ...record }) => record);
    const last = found.length < limit ? undefined : found.at(-1);
    return threshold.pass({ records, next: last === undefined ? null : String(last.order) });
  }

  /** The same, each with its place by creation; fewer than `limit` are the last. */
  async placed(
    twin: string,
    type: string,
    { before, limit }: { readonly before: number | null; readonly limit: number },
    point: PastPoint | null,
  ): Promise<readonly (HeldRecord & Pick<PastRecord, 'order'>)[]> {
    const position = this.#position(twin, point);
    const found = await this.#parts.history.recordsBefore(twin, position, type, before ?? ORDER_LAST, limit);
    const records: (HeldRecord & Pick<PastRecord, 'order'>)[] = [];
    for (const each of found) records.push({ ...(await this.#held(twin, each)), order: each.order });
    return records;
  }

  /** The types of a twin's records, now or at a point; of some there may be none. */
  types(twin: string, point: PastPoint | null): Promise<readonly string[]> {
    return this.#parts.history.types(twin, this.#position(twin, point));
  }

  /** As it is now or was at a point; null where there is none. */
  async record(
    twin: string,
    type: string,
    id: string,
    point: PastPoint | null = null,
  ): Promise<HeldRecord | null> {
    const { history, threshold } = this.#parts;
    const found = await history.record(twin, this.#position(twin, point), type, id);
    return threshold.pass(found === null ? null : await this.#held(twin, found));
  }

  #position(twin: string, point: PastPoint | null): number {
    return point === null ? this.#parts.log.tip(twin) : (point.positions.get(twin) ?? 0);
  }

  /** What was at an instant is the same whenever it is asked: one that the world has not reached is not answered. */
  async pointAt(text: string): Promise<PastPoint | Extract<HistoryResult, { ok: false }>> {
    const at = this.#instant(text);
    if (typeof at === 'object') return at;
    const { history, catchUp } = this.#parts;
    if (!(await catchUp.reaches(at))) return CATCHING_UP;
    return { ok: true, at, positions: await history.positionsAt(at) };
  }

  async #held(twin: string, { type, id, position, body }: PastRecord): Promise<HeldRecord> {
    const { blobs, whole } = this.#parts;
    const text = await blobs.reading(() => whole(twin, type, blobs.text(body)));
    return { type, id, position, body: JSON.parse(text) };
  }

  /** Bytes that an entry names; null where there are none. */
  async file(sha256: string): Promise<Uint8Array | null> {
    const { blobs, threshold } = this.#parts;
    return threshold.pass((await blobs.reading(() => blobs.get(sha256))) ?? null);
  }

  /** Where each twin was at an instant, now when it is null. */
  async at(text: string | null): Promise<HistoryResult> {
    const instant = this.#instant(text);
    if (typeof instant === 'object') return instant;
    const { vendors, history, catchUp, threshold } = this.#parts;
    // Now is what there is now; what was at an instant is to be the same whenever it is asked.
    if (text !== null && !(await catchUp.reaches(instant))) return CATCHING_UP;
    const positions = await history.positionsAt(instant);
    const views = vendors.map(twin => {
      const position = positions.get(twin) ?? 0;
      return [twin, { view: viewOf(twin, position), position }] as const;
    });
    return threshold.pass({ ok: true, views: Object.fromEntries(views) });
  }

  /** The world's own changes since its base, oldest first, in pages. */
  async diff(after?: string): Promise<DiffResult> {
    const { blobs, threshold } = this.#parts;
    return threshold.pass(blobs.reading(() => readDiff(this.#parts, after)));
  }

  /**
   * Where a branch leaves this world: at an instant, now when it is null. Its clock stands there, or, `live`, goes
   * on as this world's does (4.9).
   */
  async cut(text: string | null, live: boolean): Promise<CutResult> {
    const { world, sql, clock, history, catchUp, threshold } = this.#parts;
    if (live && text !== null)
      return { ok: false, why: 'live-is-now', message: 'A live branch is as of now: leave out `at`.' };
    const asked = this.#instant(text);
    if (typeof asked === 'object') return asked;
    // What is due by then has happened, in this world and so in the branch.
    if (!(await catchUp.reaches(asked))) return CATCHING_UP;
    // A world on the wall clock has gone on meanwhile.
    const at = text === null ? clock.now() : asked;
    const frozenAt = live && !clock.frozen ? null : at;
    const cutting = history.positionsAt(at).then((positions): Cut => {
      const aliases = aliasesUpTo(sql, positions);
      const origin = { world, at, cuts: cutDue(sql) };
      return { ok: true, origin, positions, frozenAt, aliases, review: reviewOf(sql) };
    });
    // The branch lies in a store of its own: nothing that this one loses or may still lose is to be in it.
    return threshold.pass(cutting);
  }

  #instant(text: string | null): Instant | Extract<HistoryResult, { ok: false }> {
    const now = this.#parts.clock.now();
    const instant = text === null ? now : parseInstant(text);
    if (instant === null) return { ok: false, why: 'not-an-instant', message: INSTANT };
    if (instant <= now) return instant;
    const message = `It is ${formatInstant(now)} in this world; what comes later is not known yet.`;
    return { ok: false, why: 'not-yet', message };
  }
}

const CATCHING_UP = {
  ok: false,
  why: 'catching-up',
  message:
    'The world is catching up with its clock and has not reached that instant; GET …/clock says how far it is. Earlier instants are answered at once.',
} as const;

const INSTANT = 'An instant is ISO 8601 with its offset: 2026-03-01T00:00:00Z.';
