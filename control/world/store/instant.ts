// Instants as text: ISO 8601 in, ISO 8601 with milliseconds out. Strict, because `Date.parse` reads
// "2026-1-1", "1" and "March 7" too, each by rules of its own, and a clock must not be set by a guess.
import { INSTANT_MS_MAX } from '../limits.ts';

const ISO =
  /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/** Milliseconds since 1970, or null when `text` is not an ISO 8601 instant from 1970 on with its offset. */
export const parseInstant = (text: unknown): number | null => {
  if (typeof text !== 'string') return null;
  const parts = ISO.exec(text);
  if (parts === null) return null;
  const [, year, month, day, hour, minute, second = '0', fraction = '0', zone = 'Z'] = parts;
  const millis = Number(fraction.padEnd(3, '0').slice(0, 3));
  const local = Date.UTC(
    Number(year),
    Number(month) - 1,
    Number(day),
    Number(hour),
    Number(minute),
    Number(second),
    millis,
  );
  // Date.UTC carries over (February 30 is March 2); what it would write back must be what was read.
  const back = new Date(local);
  if (back.getUTCMonth() !== Number(month) - 1 || back.getUTCDate() !== Number(day)) return null;
  if (back.getUTCHours() !== Number(hour) || back.getUTCMinutes() !== Number(minute)) return null;
  if (back.getUTCSeconds() !== Number(second)) return null;
  const at = local - offsetMs(zone);
  return at >= 0 && at <= INSTANT_MS_MAX ? at : null;
};

export const formatInstant = (at: number): string => new Date(at).toISOString();

const offsetMs = (zone: string): number => {
  if (zone === 'Z') return 0;
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(4, 6));
  return (zone.startsWith('-') ? -minutes : minutes) * 60_000;
};
