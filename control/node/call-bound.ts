// Ends what a twin of somebody else's does for too long, an endless loop included: nothing else runs on the thread until
// it returns. Node can stop the code it runs from another thread, and does so for scripts (docs/decisions/0013).
import { Script } from 'node:vm';
import type { CallBound } from '../world/twins/guarded-twin.ts';
import {
  TWIN_CALL_MS_LEAST,
  TWIN_CALL_MS_MAX,
  TWIN_OVERRUN_REMEMBERED_MS,
  TWIN_OVERRUNS_MAX,
} from './limits.ts';

const SLOT = Symbol.for('wrld.call-bound');

type Slot = { work: (() => unknown) | null };

const slot: Slot = { work: null };
(globalThis as unknown as { [SLOT]: Slot })[SLOT] = slot;

const script = new Script(`globalThis[Symbol.for('wrld.call-bound')].work()`, {
  filename: 'wrld:call-bound',
});

export type CallLimits = {
  /** Of a call into a twin that has always returned. */
  readonly ms: number;
  /** Of a call into one that keeps not returning: what shares its thread waits no longer than this for each of them. */
  readonly msLeast: number;
  /** How long a call that was ended shortens those after it. */
  readonly rememberedMs: number;
  /** Milliseconds that only grow. */
  readonly now: () => number;
};

const LIMITS: CallLimits = {
  ms: TWIN_CALL_MS_MAX,
  msLeast: TWIN_CALL_MS_LEAST,
  rememberedMs: TWIN_OVERRUN_REMEMBERED_MS,
  now: () => performance.now(),
};

/**
 * For the calls into one twin. What `work` returns or throws; throws `TwinOverrun` when it does neither in time. Each
 * call that was ended lately halves the time of the next, so that a twin that loops again and again takes from its
 * neighbours little more than twice what its first loop took, while its calls that return are answered as ever.
 */
export const callBound = (limits: Partial<CallLimits> = {}): CallBound => {
  const { ms, msLeast, rememberedMs, now } = { ...LIMITS, ...limits };
  /** When calls were ended, oldest first. */
  let overruns: readonly number[] = [];
  const msNow = (): number => {
    if (overruns.length === 0) return ms;
    const since = now() - rememberedMs;
    overruns = overruns.filter(at => at > since);
    return Math.max(Math.ceil(ms / 2 ** overruns.length), msLeast);
  };
  return work => {
    const allowed = msNow();
    let result: { readonly value: ReturnType<typeof work> } | null = null;
    const outer = slot.work;
    slot.work = () => {
      result = { value: work() };
    };
    try {
      script.runInThisContext({ timeout: allowed });
    } catch (error) {
      if ((error as NodeJS.ErrnoException)?.code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
      overruns = [...overruns, now()].slice(-TWIN_OVERRUNS_MAX);
      throw new TwinOverrun(allowed);
    } finally {
      slot.work = outer;
    }
    return result!.value;
  };
};

export class TwinOverrun extends Error {
  override readonly name = 'TwinOverrun';

  constructor(ms: number) {
    super(`It did not return within ${ms} ms and was ended.`);
  }
}
