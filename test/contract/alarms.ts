// What the core relies on in a host's alarm (control/ports/alarms.ts).
import type { Alarms } from '../../control/ports/alarms.ts';
import type { Case } from './suite.ts';

/** `now`: of the wall clock that the alarm goes by. */
export type AlarmHost = { readonly alarms: Alarms; readonly now: () => number };

/** Long enough that an alarm which was not set would have come. */
const QUIET_MS = 60;
const SOON_MS = 10;
const LATER_MS = 3_600_000;

const after = (ms: number): Promise<void> => new Promise(resolve => setTimeout(resolve, ms));

export const ALARMS_CONTRACT: readonly Case<AlarmHost>[] = [
  {
    name: 'an alarm wakes whoever the world named, and then no more until it is set again',
    run: async ({ alarms, now }, is) => {
      let woken = 0;
      let wake = (): void => {};
      alarms.onWake(() => {
        woken += 1;
        wake();
      });
      for (const at of [now() + SOON_MS, now() - LATER_MS, 0]) {
        const { promise, resolve } = Promise.withResolvers<void>();
        wake = resolve;
        const before = woken;
        alarms.set(at);
        is.equal(woken, before, 'never from within set');
        await promise;
      }
      await after(QUIET_MS);
      is.equal(woken, 3);
    },
  },
  {
    name: 'the newest alarm is the only one, and null is none',
    run: async ({ alarms, now }, is) => {
      let woken = 0;
      alarms.onWake(() => {
        woken += 1;
      });
      alarms.set(now() + SOON_MS);
      alarms.set(now() + LATER_MS);
      await after(QUIET_MS);
      is.equal(woken, 0, 'put off');
      alarms.set(now() + SOON_MS);
      alarms.set(null);
      alarms.set(null);
      await after(QUIET_MS);
      is.equal(woken, 0, 'taken back');
      alarms.set(now() + LATER_MS);
      alarms.set(now());
      await after(QUIET_MS);
      is.equal(woken, 1, 'brought forward');
    },
  },
  {
    name: 'an alarm may be set while it wakes, and however far away',
    run: async ({ alarms, now }, is) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      let woken = 0;
      alarms.onWake(() => {
        woken += 1;
        if (woken === 3) resolve();
        else alarms.set(now());
      });
      alarms.set(now());
      await promise;
      is.equal(woken, 3);
      alarms.set(Number.MAX_SAFE_INTEGER);
      await after(QUIET_MS);
      is.equal(woken, 3);
      alarms.set(null);
    },
  },
];
