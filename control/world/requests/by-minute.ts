// Requests of a world by the minute and what became of them, with the times of those that were answered.
import { formatInstant } from '../store/instant.ts';
import { beginningOf, type RequestCounts } from './counts.ts';
import { linkOf } from './journal.ts';
import type { OutsideSeen } from './outside.ts';
import { type Percentiles, Tally } from './tally.ts';

export type RequestMinute = Percentiles & {
  /** Its beginning, ISO 8601. */
  readonly at: string;
  /** Answered by twins with less than 400 … */
  readonly twin: number;
  /** … and with more, or cut. */
  readonly failed: number;
  readonly granted: number;
  readonly refused: number;
};

export type RequestMinutes = {
  readonly from: string;
  readonly to: string;
  /** From when on what the proxy let out and refused is counted; null: not at all. */
  readonly outsideSince: string | null;
  /** Those in which anything was asked, oldest first. */
  readonly minutes: readonly RequestMinute[];
};

const MINUTE_MS = 60_000;

/** `counts` has caught up. `minutes`: at most a day of them. */
export function requestMinutes(
  counts: RequestCounts,
  { to, minutes, outside }: { readonly to: number; readonly minutes: number; readonly outside: OutsideSeen },
): RequestMinutes {
  const from = beginningOf(to - (minutes - 1) * MINUTE_MS, to);
  const made = new Map<
    number,
    { twin: number; failed: number; granted: number; refused: number; times: Tally }
  >();
  const of = (at: number) => {
    let minute = made.get(at);
    if (minute === undefined)
      made.set(at, (minute = { twin: 0, failed: 0, granted: 0, refused: 0, times: new Tally() }));
    return minute;
  };
  for (const { since, name, all } of counts.minutes(from)) {
    const minute = of(since);
    minute.times.merge(all);
    if (linkOf(name) !== null) minute.granted += all.requests;
    else {
      minute.failed += all.errors;
      minute.twin += all.requests - all.errors;
    }
  }
  for (const [at, { granted, refused, times }] of outside.minutes) {
    if (at < from) continue;
    const minute = of(at);
    minute.granted += granted;
    minute.refused += refused;
    minute.times.merge(times);
  }
  const told = [...made].sort(([a], [b]) => a - b);
  return {
    from: formatInstant(from),
    to: formatInstant(to),
    outsideSince: outside.since === null ? null : formatInstant(Math.max(outside.since, from)),
    minutes: told.map(([at, { times, ...minute }]) => ({
      at: formatInstant(at),
      ...minute,
      ...times.percentiles(),
    })),
  };
}
