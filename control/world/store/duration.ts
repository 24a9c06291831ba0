// Durations as the clock takes them (section 8): an integer followed by s, m, h or d. `15m` of a root's
// refresh is read by the same rule.
import { INSTANT_MS_MAX } from '../limits.ts';

const UNIT_MS: { readonly [unit: string]: number } = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Milliseconds, or null when `text` is not a duration or is longer than time can be written. */
export const parseDuration = (text: unknown): number | null => {
  if (typeof text !== 'string') return null;
  const parts = /^(\d{1,15})([smhd])$/.exec(text);
  if (parts === null) return null;
  const millis = Number(parts[1]) * UNIT_MS[parts[2]!]!;
  return millis <= INSTANT_MS_MAX ? millis : null;
};
