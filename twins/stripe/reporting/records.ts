// What is kept of reports: their runs; what a run wrote is a file.
import type { Stripe } from 'stripe';
import type { RecordRows } from '../api/record-row.ts';
import type { Stored } from '../api/wire.ts';

export type ReportRun = Stored<Stripe.Reporting.ReportRun, never, object>;

export type ReportingRecords = { 'reporting.report_run': ReportRun };

export const REPORTING_RECORDS: RecordRows<ReportingRecords> = {
  'reporting.report_run': { indexes: [], noun: 'reporting/report_run' },
};
