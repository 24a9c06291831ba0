// Which operations of each vendor were asked since an instant, how often, and how well the twin knows them: counted from
// the journal line by line, because counts by the minute would take in what came before.
import type { Covered } from '../../../twins/kit/manifest.ts';
import type { Sql } from '../../ports/sql.ts';
import { REPORT_LINES_MAX, REPORT_PAGE_LINES, REPORT_ROWS_MAX } from '../limits.ts';
import { turn } from '../store/turn.ts';

export type UsedOperation = {
  /** `POST /v1/customers/{customer}` */
  readonly route: string;
  /** `unknown`: the twin has not heard of it. */
  readonly tier: Covered['tier'] | 'unknown';
  readonly requests: number;
  /** Answers of status 400 and above, and connections that were cut. */
  readonly errors: number;
  /** Answered by neither a handler nor an operation of the twin. */
  readonly unmatched: number;
};

export type UsedOperations = {
  readonly operations: readonly UsedOperation[];
  readonly operationsLeft: number;
};

type Line = {
  readonly id: number;
  readonly name: string;
  readonly route: string;
  readonly status: number;
  readonly unmatched: number;
};
type Count = { requests: number; errors: number; unmatched: number };
type Tally = Map<string, Map<string, Count>>;

export type CoverageOf = (
  twin: string,
  operation: { readonly method: string; readonly path: string },
) => Covered | null;

/** By twin. `since` and `until`: wall time, both within. */
export const usedOperations = async (
  sql: Pick<Sql, 'all' | 'get'>,
  { since, until }: { readonly since: number; readonly until: number },
  coverage: CoverageOf,
): Promise<ReadonlyMap<string, UsedOperations>> => {
  const twins = await tallied(sql, since, until);
  return new Map(
    [...twins].map(([twin, routes]) => {
      const all = [...routes]
        .map(([route, count]): UsedOperation => ({ route, tier: tierOf(twin, route, coverage), ...count }))
        .sort((a, b) => b.requests - a.requests || (a.route < b.route ? -1 : 1));
      const operations = all.slice(0, REPORT_ROWS_MAX);
      return [twin, { operations, operationsLeft: all.length - operations.length }];
    }),
  );
};

const tallied = async (sql: Pick<Sql, 'all' | 'get'>, since: number, until: number): Promise<Tally> => {
  const twins: Tally = new Map();
  const newest = sql.get<{ id: number | null }>('SELECT max(id) AS id FROM journal')?.id ?? 0;
  for (let after = Math.max(0, newest - REPORT_LINES_MAX); ; ) {
    const lines = sql.all<Line>(
      'SELECT id, name, route, status, unmatched FROM journal WHERE id > ? AND id <= ? AND at >= ? AND at <= ? ORDER BY id LIMIT +?',
      after,
      after + REPORT_PAGE_LINES,
      since,
      until,
      REPORT_PAGE_LINES,
    );
    for (const line of lines) if (!OWN.has(line.route)) count(twins, line);
    after += REPORT_PAGE_LINES;
    if (after >= newest) return twins;
    await turn();
  }
};

/** What every twin answers besides its vendor's API: whoever starts a program in a world asks for it. */
const OWN: ReadonlySet<string> = new Set([
  'GET /twin',
  'HEAD /twin',
  'GET /twin/scenario',
  'HEAD /twin/scenario',
]);

const count = (twins: Tally, { name, route, status, unmatched }: Line): void => {
  const routes = twins.get(name) ?? new Map<string, Count>();
  twins.set(name, routes);
  const held = routes.get(route) ?? { requests: 0, errors: 0, unmatched: 0 };
  routes.set(route, held);
  held.requests += 1;
  held.unmatched += unmatched;
  if (status === 0 || status >= 400) held.errors += 1;
};

const tierOf = (twin: string, route: string, coverage: CoverageOf): UsedOperation['tier'] => {
  const space = route.indexOf(' ');
  return coverage(twin, { method: route.slice(0, space), path: route.slice(space + 1) })?.tier ?? 'unknown';
};
