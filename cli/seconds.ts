// Lengths of time, as flags have them.
import { parseDuration } from '../control/world/store/duration.ts';

/** Null for what is no length of time; how long it may be, the world says. */
export function secondsOf(text: string | undefined): number | undefined | null {
  if (text === undefined) return undefined;
  const millis = parseDuration(/^\d+$/.test(text) ? `${text}s` : text);
  return millis === null ? null : millis / 1000;
}
