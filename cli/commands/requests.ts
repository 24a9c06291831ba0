// `wrld world requests`: how much the twins were asked, how fast they answered, and what failed.
import type { Command } from '../command.ts';
import { table } from '../output.ts';
import { askWorld, REACH_FLAGS, REACH_USAGE } from '../reached-world.ts';

type Row = {
  readonly name: string;
  readonly requests: number;
  readonly status: { readonly [group: string]: number };
  readonly ms: { readonly p50: number; readonly p95: number };
  readonly unmatched: number;
  readonly routes: readonly {
    readonly route: string;
    readonly requests: number;
    readonly errors: number;
    readonly p50: number;
    readonly p95: number;
  }[];
};
type Report = {
  readonly hours: number;
  readonly twins: readonly Row[];
  readonly links: readonly Row[];
  readonly journalFailures: number;
};

export const worldRequests: Command = {
  words: ['world', 'requests'],
  summary: 'requests to each twin: how many, how fast, what failed',
  usage: `[--hours <number>] ${REACH_USAGE}`,
  flags: {
    hours: { type: 'value', value: '<number>', does: 'the last so many hours; 24 unless given' },
    ...REACH_FLAGS,
  },
  operandsMax: 0,
  takesCommand: false,
  examples: [['wrld world requests --hours 1', 'after a test run: which routes it used']],
  run: async (given, around) => {
    const { output } = around;
    const hours = given.values.get('hours') ?? '24';
    return askWorld<Report>(
      'world requests',
      given,
      around,
      ({ client, own }) => client.get(own(`requests?hours=${encodeURIComponent(hours)}`)),
      report => {
        const rows = [...report.twins, ...report.links].filter(({ requests }) => requests > 0);
        if (rows.length === 0) output.line(output.ink('dim', `No requests in the last ${report.hours} h.`));
        for (const row of rows) {
          const groups = Object.entries(row.status).filter(([, count]) => count > 0);
          output.line(
            `${output.ink('bold', row.name)}  ${row.requests} requests (${groups.map(([group, count]) => `${count} ${group}`).join(', ')}), p50 ${row.ms.p50} ms, p95 ${row.ms.p95} ms${row.unmatched > 0 ? `, ${row.unmatched} unmatched` : ''}`,
          );
          const routes = row.routes.map(each => [
            each.route,
            String(each.requests),
            String(each.errors),
            `${each.p50} ms`,
            `${each.p95} ms`,
          ]);
          for (const line of table(output, ['route', 'requests', 'errors', 'p50', 'p95'], routes))
            output.line(`  ${line}`);
        }
        if (report.journalFailures > 0)
          output.error(`${report.journalFailures} lines of the journal could not be kept.`);
      },
    );
  },
};
