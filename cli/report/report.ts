// A world's answer to GET …/report, as the command line tells it on.
import type { RunReport } from '../../control/world/report/reports.ts';

export type Refused = {
  readonly rule: string;
  readonly target: string;
  readonly missing: string;
  readonly reason: string;
  readonly see: string;
  readonly count: number;
  readonly agent: string | null;
};

export type ToldReport = RunReport & {
  readonly refusals: readonly Refused[];
  readonly refusalsLeft: number;
};

/** `1 entry`, `2 entries`. */
export function many(count: number, one: string, more = `${one}s`): string {
  return `${count} ${count === 1 ? one : more}`;
}
