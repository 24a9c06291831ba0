// The one alarm of a world, as a timer of this process. A world that is asleep keeps no process alive.

import type { Alarms } from '../ports/alarms.ts';
import type { WallClock } from '../ports/clock.ts';
import { TIMER_MS_MAX } from './limits.ts';

export const openAlarms = (wall: WallClock): Alarms => {
  let timer: NodeJS.Timeout | undefined;
  let whoever = (): void => {};
  return {
    set: at => {
      clearTimeout(timer);
      if (at === null) return;
      const wait = Math.min(Math.max(at - wall.now(), 0), TIMER_MS_MAX);
      timer = setTimeout(() => whoever(), wait).unref();
    },
    onWake: wake => {
      whoever = wake;
    },
  };
};
