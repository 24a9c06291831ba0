/**
 * Wakes the world when nobody asks it anything. One alarm: the world sets it to the earliest of what it waits for,
 * and looks for what is due when it comes. A host may wake it late, early or twice; it may not forget.
 */
export type Alarms = {
  /** Milliseconds since 1970 of the wall clock, past ones at once; replaces what was set. Null: none. */
  set(at: number | null): void;
  /** Who is woken; told once, when the world opens. A host that keeps alarms over restarts wakes that one. */
  onWake(wake: () => void): void;
};
