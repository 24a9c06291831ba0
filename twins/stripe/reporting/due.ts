// Reports are written as soon as the world's clock moves.
import type { DueHandlers } from '../../kit/due.ts';
import { find } from '../api/act.ts';
import type { Falling } from '../api/product.ts';
import { finishReport } from './report-runs.ts';

export type ReportingDue = { 'report.finish': { readonly run: string } };

export const reportingDue: DueHandlers<ReportingDue, Falling> = {
  'report.finish': ({ run: id }, { act }) => {
    const run = find(act, 'reporting.report_run', id);
    if (run?.status === 'pending') finishReport(act, run);
  },
};
