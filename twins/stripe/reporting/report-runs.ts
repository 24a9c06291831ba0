// Runs of reports, which are written at once.
import { schedule } from '../../kit/due.ts';
import { type Act, need, save } from '../api/act.ts';
import { createdParams, page } from '../api/list.ts';
import { operation } from '../api/operation.ts';
import { required, text, tree } from '../api/params.ts';
import { embedded, viewOf } from '../api/view.ts';
import type { Due } from '../due.ts';
import { tell } from '../events/events.ts';
import type { ReportRun } from './records.ts';

const create = operation(
  'reporting.reportRuns.create',
  'POST /v1/reporting/report_runs',
  { parameters: tree('interval_start', 'interval_end'), report_type: required(text()) },
  ({ act, params }) => {
    const made: ReportRun = {
      id: act.tx.id('frr_', 24),
      object: 'reporting.report_run',
      created: act.at,
      error: null,
      livemode: false,
      parameters: params.parameters ?? {},
      report_type: params.report_type,
      result: null,
      status: 'pending',
      succeeded_at: null,
    };
    act.tx.kind('reporting.report_run.created');
    save(act, 'reporting.report_run', made);
    schedule<Due>(act.tx, `report:${made.id}`, act.tx.now, { kind: 'report.finish', run: made.id });
    return viewOf(act, 'reporting.report_run', made);
  },
);

/** The report is written: a file of its heading line, as nothing is counted in a test account. */
export function finishReport(act: Act, held: ReportRun): void {
  const bytes = new TextEncoder().encode('reporting_category,currency,count,gross,fee,net\n');
  const id = act.tx.id('file_', 24);
  const file = {
    id,
    object: 'file',
    created: act.at,
    expires_at: null,
    filename: `${held.id}.csv`,
    purpose: 'finance_report_run',
    size: bytes.length,
    title: `FinanceReportRun ${held.id}`,
    type: 'csv',
    url: `https://files.stripe.com/v1/files/${id}/contents`,
    $sha256: act.tx.putBlob(bytes),
  } as const;
  save(act, 'file', file);
  const next: ReportRun = {
    ...held,
    result: embedded(act, 'file', file),
    status: 'succeeded',
    succeeded_at: act.at,
  };
  save(act, 'reporting.report_run', next);
  tell(act, 'reporting.report_run.succeeded', 'reporting.report_run', next);
}

const needRun = (act: Act, path: { readonly [name: string]: string }): ReportRun =>
  need(act, 'reporting.report_run', path['report_run'] ?? '', { param: 'report_run', inPath: true });

const retrieve = operation(
  'reporting.reportRuns.retrieve',
  'GET /v1/reporting/report_runs/{report_run}',
  {},
  ({ act, path }) => viewOf(act, 'reporting.report_run', needRun(act, path)),
);

const listAll = operation(
  'reporting.reportRuns.list',
  'GET /v1/reporting/report_runs',
  createdParams,
  ({ act, params }) => page(act, 'reporting.report_run', params, '/v1/reporting/report_runs'),
);

export const reportRunOperations = [create, retrieve, listAll];
