// Ends what a twin of somebody else's does for too long, an endless loop included: nothing else runs on the thread until
// it returns. Node can stop the code it runs from another thread, and does so for scripts (docs/decisions/0013).
import { Script } from 'node:vm';
import type { CallBound } from '../world/twins/guarded-twin.ts';
import { TWIN_CALL_MS_MAX } from './limits.ts';

const SLOT = Symbol.for('wrld.call-bound');

type Slot = { work: (() => unknown) | null };

const slot: Slot = { work: null };
(globalThis as unknown as { [SLOT]: Slot })[SLOT] = slot;

const script = new Script(`globalThis[Symbol.for('wrld.call-bound')].work()`, {
  filename: 'wrld:call-bound',
});

/** What `work` returns or throws; throws `TwinOverrun` when it does neither in `ms`. */
export const callBound =
  (ms: number = TWIN_CALL_MS_MAX): CallBound =>
  work => {
    let result: { readonly value: ReturnType<typeof work> } | null = null;
    const outer = slot.work;
    slot.work = () => {
      result = { value: work() };
    };
    try {
      script.runInThisContext({ timeout: ms });
    } catch (error) {
      if ((error as NodeJS.ErrnoException)?.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT')
        throw new TwinOverrun(ms);
      throw error;
    } finally {
      slot.work = outer;
    }
    return result!.value;
  };

export class TwinOverrun extends Error {
  override readonly name = 'TwinOverrun';

  constructor(ms: number) {
    super(`It did not return within ${ms} ms and was ended.`);
  }
}
