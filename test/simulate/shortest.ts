// A schedule that fails, made shorter as long as it still does: first by large parts, then step by step.
import type { Schedule, Step } from './schedule.ts';

type Failing = { readonly schedule: Schedule; readonly failure: Error };

export const shortest = async (
  { schedule, failure }: Failing,
  failureOf: (schedule: Schedule) => Promise<Error | null>,
  triesMax: number,
): Promise<Failing> => {
  let best: Failing = { schedule, failure };
  let tries = 0;
  const tried = async (steps: readonly Step[]): Promise<boolean> => {
    if (tries++ >= triesMax) return false;
    const shorter = { ...schedule, steps };
    const found = await failureOf(shorter);
    // Another failure is another's schedule.
    if (found === null || placeOf(found) !== placeOf(failure)) return false;
    best = { schedule: shorter, failure: found };
    return true;
  };
  for (
    let size = Math.ceil(schedule.steps.length / 2);
    size >= 1;
    size = size === 1 ? 0 : Math.ceil(size / 2)
  ) {
    for (let at = 0; at < best.schedule.steps.length; ) {
      const { steps } = best.schedule;
      // The next part has moved to where this one was.
      if (!(await tried(steps.toSpliced(at, size)))) at += size;
    }
  }
  return best;
};

/** Where it was noticed. */
const placeOf = ({ stack }: Error): string | undefined => /^ *at .*$/m.exec(stack ?? '')?.[0];
