// Billing periods: boundaries counted from the anchor, never from the boundary before, so that an anchor on the
// 31st bills on 28 February and on 31 March. UTC, in seconds.

export type Interval = { readonly interval: string; readonly interval_count: number };

const DAY_SECONDS = 86_400;

/** The n-th boundary after the anchor (n may be negative; 0 is the anchor). */
export function boundary(anchor: number, { interval, interval_count }: Interval, n: number): number {
  const count = interval_count * n;
  switch (interval) {
    case 'day':
      return anchor + count * DAY_SECONDS;
    case 'week':
      return anchor + count * 7 * DAY_SECONDS;
    case 'year':
      return addMonths(anchor, count * 12);
    default:
      return addMonths(anchor, count);
  }
}

/** The period that holds an instant: from the last boundary at or before it to the next one after it. */
export function periodAt(anchor: number, interval: Interval, at: number): { start: number; end: number } {
  let n = Math.floor((at - anchor) / secondsOf(interval));
  while (boundary(anchor, interval, n) > at) n -= 1;
  while (boundary(anchor, interval, n + 1) <= at) n += 1;
  return { start: boundary(anchor, interval, n), end: boundary(anchor, interval, n + 1) };
}

/** Roughly; only where the search for a boundary begins. */
function secondsOf({ interval, interval_count }: Interval): number {
  const days = { day: 1, week: 7, month: 30, year: 365 }[interval] ?? 30;
  return days * interval_count * DAY_SECONDS;
}

function addMonths(anchor: number, months: number): number {
  const from = new Date(anchor * 1000);
  const month = from.getUTCMonth() + months;
  const lastDay = new Date(Date.UTC(from.getUTCFullYear(), month + 1, 0)).getUTCDate();
  const midnight = Date.UTC(from.getUTCFullYear(), month, Math.min(from.getUTCDate(), lastDay));
  return midnight / 1000 + (anchor % DAY_SECONDS);
}
