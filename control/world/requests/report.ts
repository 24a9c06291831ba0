// GET …/requests (4.4): what was counted of the requests of a period (counts.ts), twin by twin.
import { REPORT_ROUTES } from '../limits.ts';
import { formatInstant } from '../store/instant.ts';
import { turn } from '../store/turn.ts';
import { beginningOf, type RequestCounts } from './counts.ts';
import { linkOf } from './journal.ts';
import type { Percentiles } from './tally.ts';
import type { TwinCounts } from './twin-counts.ts';

/** twins.md `Row`. */
export type ReportRow = {
  readonly name: string;
  readonly requests: number;
  /** A connection that was cut instead of answered counts with 5xx. */
  readonly status: {
    readonly '2xx': number;
    readonly '3xx': number;
    readonly '4xx': number;
    readonly '5xx': number;
  };
  readonly ms: Percentiles;
  readonly unmatched: number;
  /** The ten with the most requests. `errors`: of status 400 and above, or cut. */
  readonly routes: readonly ({
    readonly route: string;
    readonly requests: number;
    readonly errors: number;
  } & Percentiles)[];
};

/** twins.md `Report`; instants are ISO 8601, wall time. */
export type RequestReport = {
  /** The beginning of a minute, of a longer report of an hour; later where requests are not counted so far back. */
  readonly from: string;
  readonly to: string;
  readonly hours: number;
  readonly twins: readonly ReportRow[];
  readonly links: readonly ReportRow[];
  readonly journalFailures: number;
};

const HOUR_MS = 3_600_000;

export async function reportRequests(
  counts: RequestCounts,
  { to, hours, failures }: { readonly to: number; readonly hours: number; readonly failures: number },
): Promise<RequestReport> {
  while (!counts.catchUp(to)) await turn();
  const from = beginningOf(to - hours * HOUR_MS, to);
  const rows = [...counts.read(from)].map(rowOf).sort((a, b) => (a.name < b.name ? -1 : 1));
  return {
    from: formatInstant(Math.max(from, counts.since)),
    to: formatInstant(to),
    hours,
    twins: rows.filter(({ name }) => linkOf(name) === null),
    // Forwards are journaled under the link's name, whether there is still such a link or not.
    links: rows.flatMap(row => {
      const name = linkOf(row.name);
      return name === null ? [] : [{ ...row, name }];
    }),
    journalFailures: failures,
  };
}

function rowOf([name, { all, routes }]: readonly [string, TwinCounts]): ReportRow {
  const top = [...routes]
    .sort(([a, one], [b, other]) => other.requests - one.requests || (a < b ? -1 : 1))
    .slice(0, REPORT_ROUTES);
  const { requests, unmatched, classes } = all;
  return {
    name,
    requests,
    status: { '2xx': classes[0], '3xx': classes[1], '4xx': classes[2], '5xx': classes[3] },
    ms: all.percentiles(),
    unmatched,
    routes: top.map(([route, tally]) => ({
      route,
      requests: tally.requests,
      errors: tally.errors,
      ...tally.percentiles(),
    })),
  };
}
