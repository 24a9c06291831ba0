// Copies a root into its twin (2.8, 4.6): one pass at a time a twin, beside the requests, page by page. Each page is stored
// with the cursor after it, so that a pass goes on where it was after a crash; the schedule is of wall time, in the store, and
// wakes the world by its shared alarm.
import type { AskVendor, ObservedPage, Observes } from '../../../twins/kit/real-vendor.ts';
import { VendorFault } from '../../../twins/kit/vendor-fault.ts';
import type { Alarms } from '../../ports/alarms.ts';
import type { WallClock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import {
  REFRESH_AGAIN_MS_MAX,
  REFRESH_AGAIN_MS_MIN,
  REFRESH_FAULT_CHARS_MAX,
  REFRESH_GUARD_MS,
} from '../limits.ts';
import { parseDuration } from '../store/duration.ts';
import { describeFault } from '../store/fault.ts';
import { formatInstant } from '../store/instant.ts';
import type { Seat } from '../work/seat.ts';
import { askRoot, VendorBusy, VendorUnasked } from './asking.ts';
import { ObservedPages, type PagesParts } from './observed-pages.ts';
import { forgetCopy, type RefreshRow, readRefresh, writeRefresh } from './refresh-row.ts';
import type { Root } from './root.ts';
import type { Roots } from './roots.ts';
import type { VendorAsks } from './vendor-asks.ts';

type Parts = PagesParts & {
  readonly wall: WallClock;
  readonly alarms: Alarms;
  readonly seats: ReadonlyMap<string, Seat>;
  readonly roots: Roots;
  readonly asks: VendorAsks;
  readonly processLog: Log;
  /** Of the world: aborted when it closes. */
  readonly lifetime: AbortSignal;
};

export type RefreshResult =
  | {
      readonly ok: true;
      /** False: one is under way, or the last one is not `atMost` ago. */
      readonly started: boolean;
      /** ISO 8601: from when on it may be asked again; null where nothing holds it back. */
      readonly nextAt: string | null;
    }
  | { readonly ok: false; readonly why: 'no-root' | 'not-observed'; readonly message: string };

type Run = { readonly ended: AbortController; readonly done: Promise<void> };

/** Nobody wants the pass any more: the world closes, or the root is another. */
class Unwanted extends Error {
  override readonly name = 'Unwanted';
}

export class Refresh {
  readonly #parts: Parts;
  readonly #pages: ObservedPages;
  readonly #runs = new Map<string, Run>();
  readonly #waits = new Set<{ readonly at: number; readonly resolve: () => void }>();
  /** While the store could not be read: nothing of it is known, and it is looked at again then. */
  #looksAgainAt: number | null = null;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#pages = new ObservedPages(parts);
    parts.alarms.onWake(() => this.#wake());
    parts.lifetime.addEventListener('abort', () => {
      parts.alarms.set(null);
      for (const { ended } of this.#runs.values()) ended.abort();
    });
  }

  /** When the world opens, and when what it holds was replaced: what was under way goes on, and the schedule is kept. */
  resume(): void {
    const { roots, sql, wall } = this.#parts;
    this.#looksAgainAt = null;
    try {
      for (const twin of roots.twins) {
        if (this.#observes(twin) === null || this.#runs.has(twin)) continue;
        if (readRefresh(sql, twin).underWay) this.#begin(twin);
        else if (this.#timerOf(twin) === null && this.#every(roots.get(twin)!) !== null)
          sql.transaction(() => this.#setTimer(twin, wall.now()));
      }
    } catch (error) {
      this.#lookAgain(error);
    }
    this.#arm();
  }

  /** After `Roots.set`, in the same turn: a pass over what was there before is over. */
  changed(twin: string): void {
    this.#runs.get(twin)?.ended.abort();
    this.#runs.delete(twin);
    this.resume();
  }

  /** All of it was replaced under the world. */
  restart(): void {
    for (const { ended } of this.#runs.values()) ended.abort();
    this.#runs.clear();
    this.resume();
  }

  /** Begins a pass, and does not wait for it. */
  start(twin: string, { force }: { readonly force: boolean }): RefreshResult {
    const { roots, sql, wall } = this.#parts;
    const root = roots.get(twin);
    if (root === null)
      return {
        ok: false,
        why: 'no-root',
        message: `The twin “${twin}” has no root; set one: PUT …/twins/${twin}/root { url }.`,
      };
    if (this.#observes(twin) === null)
      return {
        ok: false,
        why: 'not-observed',
        message: `The twin “${twin}” knows no way to copy its vendor; its root is for deploys.`,
      };
    if (this.#runs.has(twin)) return { ok: true, started: false, nextAt: null };
    const { began } = readRefresh(sql, twin);
    const atMost = parseDuration(root.refresh.atMost) ?? 0;
    if (!force && began !== null && wall.now() < began + atMost)
      return { ok: true, started: false, nextAt: formatInstant(began + atMost) };
    this.#begin(twin);
    this.#arm();
    return { ok: true, started: true, nextAt: null };
  }

  /** When the next pass begins by itself: wall time; null for none, and while one is under way. */
  nextAt(twin: string): number | null {
    return this.#runs.has(twin) ? null : this.#timerOf(twin);
  }

  isRunning(twin: string): boolean {
    return this.#runs.has(twin);
  }

  /** Resolves when no pass is under way. For tests and orderly shutdown. */
  async settled(): Promise<void> {
    while (this.#runs.size > 0) await Promise.all([...this.#runs.values()].map(({ done }) => done));
  }

  /** After the world's lifetime: resolves when nothing of it is under way any more. */
  async close(): Promise<void> {
    await this.settled();
  }

  #observes(twin: string): Observes | null {
    return this.#parts.seats.get(twin)?.twin.real?.observes ?? null;
  }

  #every({ refresh }: Root): number | null {
    return refresh.every === null ? null : parseDuration(refresh.every);
  }

  #begin(twin: string): void {
    const { sql, wall, roots } = this.#parts;
    const { url } = roots.get(twin)!;
    sql.transaction(() => {
      // What a backup brought may be of another root.
      if (readRefresh(sql, twin).url !== url) forgetCopy(sql, twin);
      const row = readRefresh(sql, twin);
      const since = row.underWay ? {} : { began: wall.now(), done: 0 };
      writeRefresh(sql, twin, { ...row, ...since, url, underWay: true });
      // A host may end a world that only works by itself; its alarm takes it up again.
      this.#setTimer(twin, wall.now() + REFRESH_GUARD_MS);
    });
    const ended = new AbortController();
    const done = this.#run(twin, ended.signal).finally(() => {
      if (this.#runs.get(twin)?.ended === ended) this.#runs.delete(twin);
      this.#arm();
    });
    this.#runs.set(twin, { ended, done });
  }

  /** Never rejects. */
  async #run(twin: string, unwanted: AbortSignal): Promise<void> {
    const { sql, wall, roots, seats, processLog } = this.#parts;
    try {
      await this.#pass(twin, seats.get(twin)!, unwanted);
    } catch (error) {
      if (unwanted.aborted) return;
      try {
        this.#failed(twin, error);
      } catch (failed) {
        processLog.error({ twin, fault: describeFault(failed) }, 'that a refresh failed could not be kept');
      }
      return;
    }
    if (unwanted.aborted) return;
    const now = wall.now();
    const every = this.#every(roots.get(twin)!);
    try {
      sql.transaction(() => {
        const row = readRefresh(sql, twin);
        const well = { underWay: false, observed: now, failures: 0, fault: null, faultAt: null };
        writeRefresh(sql, twin, { ...row, ...well });
        this.#setTimer(twin, every === null ? null : now + every);
      });
      roots.noteObserved(twin, now);
    } catch (error) {
      processLog.error({ twin, fault: describeFault(error) }, 'that a refresh ended could not be kept');
    }
  }

  async #pass(twin: string, seat: Seat, unwanted: AbortSignal): Promise<void> {
    const { sql, asks, wall } = this.#parts;
    const whileWanted = <T>(asked: Promise<T>): Promise<T> => wanted(asked, unwanted);
    const wait = (ms: number): Promise<void> => whileWanted(this.#wait(ms));
    const asking = { asks, twin, now: () => wall.now(), wait, whileWanted };
    const ask: AskVendor = request => askRoot(asking, request);
    const { cursor } = readRefresh(sql, twin);
    for await (const page of this.#observes(twin)!.pages(ask, cursor)) {
      if (unwanted.aborted) throw new Unwanted();
      await this.#keep(seat, page, unwanted);
    }
    const { began } = readRefresh(sql, twin);
    if (began !== null && !(await this.#pages.replaceStandIns(seat, began, unwanted))) throw new Unwanted();
  }

  async #keep(seat: Seat, page: ObservedPage, unwanted: AbortSignal): Promise<void> {
    const kept = await this.#pages.keep(seat, page, unwanted);
    if (!kept) throw new Unwanted();
  }

  #failed(twin: string, error: unknown): void {
    const { sql, wall, roots, processLog } = this.#parts;
    const now = wall.now();
    const told = error instanceof VendorFault;
    const message = told
      ? `The root ${error.message}.`
      : 'The twin could not read what the root answered; the process log has the fault.';
    if (!told) processLog.error({ twin, fault: describeFault(error) }, 'a refresh failed');
    const row = readRefresh(sql, twin);
    // Who could not be asked at all is not to be left alone for a while.
    const began = error instanceof VendorUnasked ? null : row.began;
    const failures = row.failures + 1;
    const usual = Math.min(REFRESH_AGAIN_MS_MIN * 2 ** Math.min(failures - 1, 20), REFRESH_AGAIN_MS_MAX);
    const again = error instanceof VendorBusy ? Math.max(usual, error.waitMs) : usual;
    const every = this.#every(roots.get(twin)!);
    const fault = message.slice(0, REFRESH_FAULT_CHARS_MAX);
    sql.transaction(() => {
      writeRefresh(sql, twin, {
        ...row,
        began,
        underWay: false,
        failures,
        fault,
        faultAt: now,
      } satisfies RefreshRow);
      this.#setTimer(twin, every === null ? null : now + again);
    });
  }

  #timerOf(twin: string): number | null {
    const { sql } = this.#parts;
    return (
      sql.get<{ at: number }>("SELECT at FROM timer WHERE kind = 'refresh' AND key = ?", twin)?.at ?? null
    );
  }

  #setTimer(twin: string, at: number | null): void {
    const { sql } = this.#parts;
    if (at === null) sql.run("DELETE FROM timer WHERE kind = 'refresh' AND key = ?", twin);
    else sql.run("INSERT OR REPLACE INTO timer(kind, key, at) VALUES ('refresh', ?, ?)", twin, at);
  }

  #wait(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waits.add({ at: this.#parts.wall.now() + ms, resolve });
    this.#arm();
    return promise;
  }

  /** The world is woken for the first of all that waits. */
  #arm(): void {
    const { sql, alarms, lifetime } = this.#parts;
    if (lifetime.aborted) return;
    let next: number | null = null;
    try {
      next =
        sql.get<{ at: number | null }>("SELECT min(at) AS at FROM timer WHERE kind = 'refresh'")?.at ?? null;
    } catch (error) {
      this.#lookAgain(error);
    }
    next = this.#looksAgainAt ?? next;
    for (const { at } of this.#waits) if (next === null || at < next) next = at;
    alarms.set(next);
  }

  #lookAgain(error: unknown): void {
    const { wall, processLog } = this.#parts;
    this.#looksAgainAt = wall.now() + REFRESH_AGAIN_MS_MIN;
    processLog.error(
      { fault: describeFault(error) },
      'the world could not see what to refresh; it looks again',
    );
  }

  #wake(): void {
    const { wall } = this.#parts;
    const now = wall.now();
    for (const wait of this.#waits)
      if (wait.at <= now) {
        this.#waits.delete(wait);
        wait.resolve();
      }
    if (this.#looksAgainAt !== null) {
      if (this.#looksAgainAt <= now) return this.resume();
    } else {
      try {
        this.#beginDue(now);
      } catch (error) {
        this.#lookAgain(error);
      }
    }
    this.#arm();
  }

  #beginDue(now: number): void {
    const { roots, sql } = this.#parts;
    const due = sql.all<{ key: string }>("SELECT key FROM timer WHERE kind = 'refresh' AND at <= ?", now);
    for (const { key: twin } of due) {
      if (roots.get(twin) === null || this.#observes(twin) === null)
        sql.transaction(() => this.#setTimer(twin, null));
      else if (this.#runs.has(twin)) sql.transaction(() => this.#setTimer(twin, now + REFRESH_GUARD_MS));
      else this.#begin(twin);
    }
  }
}

const wanted = <T>(asked: Promise<T>, unwanted: AbortSignal): Promise<T> => {
  if (unwanted.aborted) return Promise.reject(new Unwanted());
  return new Promise((resolve, reject) => {
    const end = (): void => reject(new Unwanted());
    unwanted.addEventListener('abort', end, { once: true });
    const over = (): void => unwanted.removeEventListener('abort', end);
    asked.then(resolve, reject).finally(over);
  });
};
