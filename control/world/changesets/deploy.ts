// Deploying (3, storage.md): what was done here is asked of the real vendors, action by action in the order in which it was
// done, each at most once. It stops at the first that failed, and goes on where it stopped when it is asked again.

import type { Log } from '../../ports/log.ts';
import { DEPLOY_CLOSE_MS_MAX } from '../limits.ts';
import type { Receipt } from '../log/entry.ts';
import type { EntryLog } from '../log/entry-log.ts';
import type { Root } from '../roots/root.ts';
import type { BlobStore } from '../store/blob-store.ts';
import { describeFault } from '../store/fault.ts';
import { hex } from '../store/identifier.ts';
import type { Threshold } from '../store/threshold.ts';
import type { CatchUp } from '../work/catch-up.ts';
import type { Hydration } from '../work/hydration.ts';
import type { Ledger } from '../work/ledger.ts';
import type { Seat } from '../work/seat.ts';
import type { WorldClock } from '../work/world-clock.ts';
import type { Aliases } from './aliases.ts';
import type { Changesets } from './changesets.ts';
import { DeployRun } from './deploy-run.ts';
import { abandonDeploy, type DeployMode, endLease, openLeases, takeLease } from './lease.ts';
import type { NotReady } from './readiness.ts';
import { receiptsOf } from './receipts.ts';
import { LeaseLost, type SendingParts } from './sending.ts';

/** What a deploy did to one changeset. */
export type Deployed = {
  readonly name: string;
  readonly deployed: readonly Receipt[];
  /** Where it stopped, and why; null when every action has its receipt. */
  readonly stopped: { readonly actionId: string | null; readonly reason: string } | null;
  /** Why it was not begun; empty where it was. */
  readonly reasons: readonly NotReady[];
};

export type DeployResult =
  | { readonly ok: true; readonly changesets: readonly Deployed[] }
  | {
      readonly ok: false;
      readonly why: 'no-such-changeset' | 'not-ready' | 'deploying';
      readonly message: string;
      readonly reasons?: readonly NotReady[];
    };

export type DeployParts = Omit<SendingParts, 'pause' | 'ending'> & {
  readonly seats: ReadonlyMap<string, Seat>;
  readonly blobs: BlobStore;
  readonly log: EntryLog;
  readonly clock: WorldClock;
  readonly catchUp: CatchUp;
  readonly ledger: Ledger;
  readonly hydration: Hydration | null;
  readonly threshold: Threshold;
  readonly processLog: Log;
  readonly changesets: Changesets;
  readonly aliases: Aliases;
  /** Null where the twin has none. */
  readonly root: (twin: string) => Root | null;
  readonly lifetime: AbortSignal;
  /** Unless told: the host's own time. */
  readonly pause?: ((ms: number) => Promise<void>) | undefined;
};

const HOLDER_BYTES = 8;

export class Deploys {
  readonly #parts: DeployParts;
  readonly #holder: string;
  /** By name, of those that wait or are under way: one at a time sends anything. */
  readonly #running = new Set<string>();
  #last: Promise<unknown> = Promise.resolve();

  constructor(parts: DeployParts) {
    this.#parts = parts;
    this.#holder = hex(parts.entropy.bytes(HOLDER_BYTES));
  }

  /** When the world opens: deploys that an earlier run of it did not bring to an end go on. */
  resume(): void {
    const open = openLeases(this.#parts.sql);
    if (open.length > 0) void this.#resume(open);
  }

  async #resume(open: ReturnType<typeof openLeases>): Promise<void> {
    for (const { name, mode } of open) {
      try {
        await this.#one(name, mode);
      } catch (error) {
        this.#parts.processLog.error(
          { fault: describeFault(error), changeset: name },
          'a deploy did not go on',
        );
      }
    }
  }

  async one(name: string, mode: DeployMode = 'all'): Promise<DeployResult> {
    const found = await this.#parts.changesets.get(name);
    if (found === null)
      return { ok: false, why: 'no-such-changeset', message: `There is no changeset ${name}.` };
    if (this.#running.has(name))
      return { ok: false, why: 'deploying', message: `The changeset ${name} is being deployed already.` };
    const { ready, reasons } = found.readiness;
    if (!ready) {
      abandonDeploy(this.#parts.sql, name);
      const message = `The changeset may not be deployed: ${reasons.join(', ')}.`;
      return { ok: false, why: 'not-ready', message, reasons };
    }
    return { ok: true, changesets: [await this.#one(name, mode)] };
  }

  /** Every changeset that waits for it, oldest first, up to the first that stops. */
  async all(): Promise<DeployResult> {
    const { changesets } = this.#parts;
    const told: Deployed[] = [];
    for (const { name } of (await changesets.list()).toReversed()) {
      if (this.#running.has(name) || changesets.isSettled(name)) continue;
      const each = await this.#one(name, 'all');
      told.push(each);
      if (each.stopped !== null) break;
    }
    return { ok: true, changesets: told };
  }

  /** Resolves when none is under way. */
  async settled(): Promise<void> {
    await this.#last;
  }

  /**
   * The world has ended: nothing more is sent. An answer that is on its way is waited for a little; whoever opens the world next
   * finds out about one that comes later.
   */
  async close(): Promise<void> {
    const waited = Promise.withResolvers<void>();
    const timer = setTimeout(waited.resolve, DEPLOY_CLOSE_MS_MAX);
    await Promise.race([this.#last, waited.promise]);
    clearTimeout(timer);
  }

  async #one(name: string, mode: DeployMode): Promise<Deployed> {
    this.#running.add(name);
    const before = this.#last;
    const run = before.then(() => this.#run(name, mode));
    this.#last = run.catch(() => undefined);
    try {
      return await run;
    } finally {
      this.#running.delete(name);
    }
  }

  async #run(name: string, mode: DeployMode): Promise<Deployed> {
    const { sql, changesets, threshold, lifetime } = this.#parts;
    // The rules as they are when it begins.
    const found = await changesets.get(name);
    const reasons = found?.readiness.reasons ?? [];
    if (found === null || reasons.length > 0) {
      abandonDeploy(sql, name);
      return { name, deployed: receiptsOf(sql, name), stopped: null, reasons };
    }
    if (lifetime.aborted) return { name, deployed: [], stopped: ENDED, reasons: [] };
    takeLease(sql, { name, mode }, this.#holder);
    let stopped: Deployed['stopped'];
    try {
      const pause = this.#parts.pause ?? (ms => pauseFor(ms, lifetime));
      const parts = { ...this.#parts, pause, ending: () => lifetime.aborted };
      stopped = await new DeployRun(parts, { name, mode, holder: this.#holder }).run();
    } catch (error) {
      if (!(error instanceof LeaseLost)) throw error;
      return {
        name,
        deployed: receiptsOf(sql, name),
        stopped: { actionId: null, reason: error.message },
        reasons: [],
      };
    }
    // What a world that ends has begun, the next run of it goes on with.
    if (!lifetime.aborted || stopped === null) endLease(sql, name, this.#holder);
    await threshold.waiting();
    return { name, deployed: receiptsOf(sql, name), stopped, reasons: [] };
  }
}

const ENDED = { actionId: null, reason: 'the world ends' };

const pauseFor = (ms: number, lifetime: AbortSignal): Promise<void> =>
  new Promise(resolve => {
    if (lifetime.aborted) return resolve();
    const over = (): void => {
      clearTimeout(timer);
      lifetime.removeEventListener('abort', over);
      resolve();
    };
    const timer = setTimeout(over, ms);
    lifetime.addEventListener('abort', over);
  });
