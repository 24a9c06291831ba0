// The wall clock of a simulation and the alarms that go by it: both move when the schedule says so, never by themselves.
import type { Alarms } from '../../control/ports/alarms.ts';
import type { WallClock } from '../../control/ports/clock.ts';
import { type Life, ProcessGone } from './life.ts';

/** Saturday, 2026-01-31T00:00:00Z. */
export const EPOCH = Date.UTC(2026, 0, 31);

/** One world's alarm. */
export class Alarm implements Alarms {
  readonly #life: Life;
  #at: number | null = null;
  #wake: () => void = () => {};

  constructor(life: Life) {
    this.#life = life;
  }

  get at(): number | null {
    return this.#at;
  }

  set(at: number | null): void {
    if (this.#life.alive) this.#at = at;
  }

  onWake(wake: () => void): void {
    this.#wake = wake;
  }

  /** Comes, whether it is time or not. */
  ring(): void {
    this.#at = null;
    this.ringAgain();
  }

  /** Comes a second time, as an alarm may. */
  ringAgain(): void {
    if (!this.#life.alive) return;
    try {
      this.#wake();
    } catch (error) {
      if (!(error instanceof ProcessGone)) throw error;
    }
  }
}

export class Time implements WallClock {
  #now = EPOCH;
  /** How long the process has run, which no setting of the clock changes. */
  #elapsed = 0;

  now(): number {
    return this.#now;
  }

  get elapsed(): number {
    return this.#elapsed;
  }

  /** A negative step is a clock that was set back. */
  move(by: number): void {
    this.#now += by;
    this.#elapsed += Math.max(by, 0);
  }
}
