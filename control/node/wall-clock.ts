// The machine's clock, as the world's port for it. A clock that jumps is believed when it has stood there for a while:
// some jump for a moment (a virtual machine that wakes, a time server that errs), and what a world wrote meanwhile would
// hold it there (docs/decisions/0012).
import type { WallClock } from '../ports/clock.ts';
import { CLOCK_BELIEVED_AFTER_MS, CLOCK_STEP_MS } from './limits.ts';

type Clocks = {
  /** Milliseconds since 1970, as the machine says. */
  readonly system: () => number;
  /** Milliseconds since some instant; never jumps. */
  readonly elapsed: () => number;
};

export function steadyClock({ system, elapsed }: Clocks): WallClock {
  /** What the machine says beyond what has elapsed, while nothing jumps. */
  let offset = system() - elapsed();
  let doubted: { readonly offset: number; readonly since: number } | null = null;
  return {
    now: () => {
      const said = system();
      const passed = elapsed();
      const found = said - passed;
      if (Math.abs(found - offset) > CLOCK_STEP_MS) {
        if (doubted === null || Math.abs(found - doubted.offset) > CLOCK_STEP_MS)
          doubted = { offset: found, since: passed };
        if (passed - doubted.since < CLOCK_BELIEVED_AFTER_MS) return Math.floor(passed + offset);
      }
      offset = found;
      doubted = null;
      return said;
    },
  };
}

export const wallClock: WallClock = steadyClock({
  system: () => Date.now(),
  elapsed: () => performance.now(),
});
