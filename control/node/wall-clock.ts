// The machine's clock, as the world's port for it.
import type { WallClock } from '../ports/clock.ts';

export const wallClock: WallClock = { now: () => Date.now() };
