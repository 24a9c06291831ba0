// Reviews of payments, warnings of fraud, and runs of reports.
import { invalid } from '../api/errors.ts';
import { createdParams, page } from '../api/list.ts';
import { operation } from '../api/operation.ts';
import { required, text, tree } from '../api/params.ts';
import { viewOf } from '../api/views.ts';
import { tell, update } from '../events/events.ts';
import { type Act, need, save } from '../records.ts';
import type { ReportRun, Review } from './wire.ts';

const needReview = (act: Act, path: { readonly [name: string]: string }): Review =>
  need(act, 'review', path['review'] ?? '', { param: 'review', inPath: true });

const approve = operation('reviews.approve', 'POST /v1/reviews/{review}/approve', {}, ({ act, path }) => {
  const held = needReview(act, path);
  if (!held.open) throw invalid('This review is already closed.', {});
  const next: Review = { ...held, closed_reason: 'approved', open: false, reason: 'approved' };
  return viewOf(act.tx, 'review', update(act, 'review', held, next, 'review.closed'));
});

const retrieve = operation('reviews.retrieve', 'GET /v1/reviews/{review}', {}, ({ act, path }) =>
  viewOf(act.tx, 'review', needReview(act, path)),
);

const listAll = operation('reviews.list', 'GET /v1/reviews', createdParams, ({ act, params }) =>
  page(act, 'review', params, '/v1/reviews', { where: { open: 'true' } }),
);

const warning = operation(
  'radar.earlyFraudWarnings.retrieve',
  'GET /v1/radar/early_fraud_warnings/{warning}',
  {},
  ({ act, path }) =>
    viewOf(
      act.tx,
      'radar.early_fraud_warning',
      need(act, 'radar.early_fraud_warning', path['warning'] ?? '', { param: 'warning', inPath: true }),
    ),
);

const warnings = operation(
  'radar.earlyFraudWarnings.list',
  'GET /v1/radar/early_fraud_warnings',
  { ...createdParams, charge: text(), payment_intent: text() },
  ({ act, params }) => {
    const { charge, payment_intent } = params;
    return page(act, 'radar.early_fraud_warning', params, '/v1/radar/early_fraud_warnings', {
      ...(charge !== undefined
        ? { where: { charge } }
        : payment_intent !== undefined
          ? { where: { payment_intent } }
          : {}),
    });
  },
);

const run = operation(
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
      parameters: (params.parameters ?? {}) as never,
      report_type: params.report_type,
      result: null,
      status: 'pending',
      succeeded_at: null,
    };
    act.tx.kind('reporting.report_run.created');
    save(act, 'reporting.report_run', made);
    act.tx.schedule(`report:${made.id}`, act.tx.now, { do: 'report', run: made.id });
    return viewOf(act.tx, 'reporting.report_run', made);
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
    result: viewOf(act.tx, 'file', file) as never,
    status: 'succeeded',
    succeeded_at: act.at,
  };
  save(act, 'reporting.report_run', next);
  tell(act, 'reporting.report_run.succeeded', 'reporting.report_run', next);
}

const needRun = (act: Act, path: { readonly [name: string]: string }): ReportRun =>
  need(act, 'reporting.report_run', path['report_run'] ?? '', { param: 'report_run', inPath: true });

const retrieveRun = operation(
  'reporting.reportRuns.retrieve',
  'GET /v1/reporting/report_runs/{report_run}',
  {},
  ({ act, path }) => viewOf(act.tx, 'reporting.report_run', needRun(act, path)),
);

const runs = operation(
  'reporting.reportRuns.list',
  'GET /v1/reporting/report_runs',
  createdParams,
  ({ act, params }) => page(act, 'reporting.report_run', params, '/v1/reporting/report_runs'),
);

export const reviewOperations = [approve, retrieve, listAll, warning, warnings, run, retrieveRun, runs];
