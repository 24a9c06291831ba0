// The one alarm of a world, kept by the platform: it fires with nobody asking, and after the object was put away. What is
// near is a timer besides, so that a busy world does not pay for an alarm with each of its turns; the alarm behind it
// takes up what the timer of an object that ended has left.
import type { Alarms } from '../control/ports/alarms.ts';
import type { WallClock } from '../control/ports/clock.ts';
import { GUARD_ALARM_MS, NEAR_WAKE_MS_MAX } from './limits.ts';

type Storage = Pick<DurableObjectStorage, 'setAlarm'>;

type Parts = {
  readonly storage: Storage;
  readonly wall: WallClock;
  readonly failed: (error: unknown) => void;
};

export class ObjectAlarms implements Alarms {
  readonly #parts: Parts;
  #wake = (): void => {};
  /** What the world waits for. */
  #at: number | null = null;
  #timer: ReturnType<typeof setTimeout> | null = null;
  /** When the platform wakes the object, as far as this one knows. */
  #alarmAt: number | null = null;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  set(at: number | null): void {
    clearTimeout(this.#timer);
    this.#at = at;
    // An alarm that is not needed any more comes to nothing: that costs less than to take it back.
    if (at === null) return;
    const now = this.#parts.wall.now();
    const wait = Math.max(at - now, 0);
    if (wait > NEAR_WAKE_MS_MAX) return this.rouse(at);
    this.rouse(now + wait + GUARD_ALARM_MS);
    this.#timer = setTimeout(() => this.#due(), wait);
  }

  onWake(wake: () => void): void {
    this.#wake = wake;
  }

  /** The platform's alarm. */
  fired(): void {
    this.#alarmAt = null;
    if (this.#at === null) return;
    if (this.#at <= this.#parts.wall.now()) this.#due();
    else this.set(this.#at);
  }

  /** The world is closed. */
  close(): void {
    clearTimeout(this.#timer);
    this.#at = null;
    this.#wake = () => {};
  }

  #due(): void {
    clearTimeout(this.#timer);
    this.#at = null;
    this.#wake();
  }

  /** The platform's alarm is then, or earlier: an earlier one that is set already will do, whoever waits looks again then. */
  rouse(at: number): void {
    if (this.#alarmAt !== null && this.#alarmAt <= at) return;
    this.#alarmAt = at;
    this.#parts.storage.setAlarm(at).catch(this.#parts.failed);
  }
}
