// GET …/requests (4.4): the lines of the journal over a period, twin by twin. Read in pages that give way to other
// requests in between, since a busy world's journal is long and a report is in no hurry.
import type { Sql } from '../../ports/sql.ts';
import { JOURNAL_LINES_MAX, REPORT_PAGE_LINES, REPORT_ROUTES } from '../limits.ts';
import { formatInstant } from '../store/instant.ts';

/** Milliseconds, with three decimals; by nearest rank. */
export type Percentiles = { readonly p50: number; readonly p95: number };

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
  /** Later than `hours` before `to` when the journal does not reach back that far any more. */
  readonly from: string;
  readonly to: string;
  readonly hours: number;
  readonly twins: readonly ReportRow[];
  readonly links: readonly ReportRow[];
  readonly journalFailures: number;
};

type JournalRow = {
  readonly id: number;
  readonly name: string;
  readonly route: string;
  readonly status: number;
  readonly us: number;
  readonly unmatched: number;
};

type Sum = { readonly us: number[]; errors: number };

type TwinSum = Sum & {
  status: { -readonly [name in keyof ReportRow['status']]: number };
  unmatched: number;
  routes: Map<string, Sum>;
};

const HOUR_MS = 3_600_000;

export async function reportRequests(
  sql: Sql,
  { to, hours, failures }: { readonly to: number; readonly hours: number; readonly failures: number },
): Promise<RequestReport> {
  const asked = to - hours * HOUR_MS;
  const from = Math.max(asked, reach(sql));
  const twins = new Map<string, TwinSum>();
  // Lines of later than `to` too: a wall clock that has gone back since then dates them so.
  let after =
    sql.get<{ id: number | null }>('SELECT min(id) AS id FROM journal WHERE at >= ?', from)?.id ?? 0;
  for (after -= 1; ; ) {
    const page = sql.all<JournalRow>(
      `SELECT id, name, route, status, us, unmatched FROM journal
       WHERE id > ? AND at >= ? ORDER BY id LIMIT ?`,
      after,
      from,
      REPORT_PAGE_LINES,
    );
    for (const row of page) count(twins, row);
    if (page.length < REPORT_PAGE_LINES) break;
    after = page.at(-1)!.id;
    await turn();
  }
  return {
    from: formatInstant(from),
    to: formatInstant(to),
    hours,
    twins: [...twins].map(([name, sum]) => rowOf(name, sum)).sort((a, b) => (a.name < b.name ? -1 : 1)),
    // Forwards by a link are journaled under the link's name; a world without links reports none.
    links: [],
    journalFailures: failures,
  };
}

/** From when on the journal is whole: it loses its oldest lines when it holds as many as it may. */
function reach(sql: Sql): number {
  const held = sql.get<{ oldest: number | null; lines: number | null }>(
    'SELECT min(at) AS oldest, (SELECT max(id) - min(id) + 1 FROM journal) AS lines FROM journal',
  );
  return (held?.lines ?? 0) >= JOURNAL_LINES_MAX ? (held?.oldest ?? 0) : 0;
}

function count(twins: Map<string, TwinSum>, { name, route, status, us, unmatched }: JournalRow): void {
  let twin = twins.get(name);
  if (twin === undefined) {
    twin = {
      us: [],
      errors: 0,
      status: { '2xx': 0, '3xx': 0, '4xx': 0, '5xx': 0 },
      unmatched: 0,
      routes: new Map(),
    };
    twins.set(name, twin);
  }
  let of = twin.routes.get(route);
  if (of === undefined) twin.routes.set(route, (of = { us: [], errors: 0 }));
  twin.us.push(us);
  of.us.push(us);
  twin.unmatched += unmatched;
  twin.status[classOf(status)] += 1;
  if (status >= 400 || status === 0) of.errors += 1;
}

function classOf(status: number): keyof ReportRow['status'] {
  if (status >= 200 && status < 300) return '2xx';
  if (status >= 300 && status < 400) return '3xx';
  return status >= 400 && status < 500 ? '4xx' : '5xx';
}

function rowOf(name: string, { us, status, unmatched, routes }: TwinSum): ReportRow {
  const top = [...routes]
    .sort(([a, one], [b, other]) => other.us.length - one.us.length || (a < b ? -1 : 1))
    .slice(0, REPORT_ROUTES);
  return {
    name,
    requests: us.length,
    status,
    ms: percentiles(us),
    unmatched,
    routes: top.map(([route, sum]) => ({
      route,
      requests: sum.us.length,
      errors: sum.errors,
      ...percentiles(sum.us),
    })),
  };
}

function percentiles(us: number[]): Percentiles {
  us.sort((a, b) => a - b);
  const at = (share: number): number => us[Math.ceil(us.length * share) - 1]! / 1000;
  return { p50: at(0.5), p95: at(0.95) };
}

const turn = (): Promise<void> => new Promise(resolve => setTimeout(resolve, 0));
