// Stripe's Reporting: what is called, kept, waited for and told of.
import type { Product } from '../api/product.ts';
import { type ReportingDue, reportingDue } from './due.ts';
import { REPORTING_RECORDS, type ReportingRecords } from './records.ts';
import { reportRunOperations } from './report-runs.ts';

export const reporting: Product<ReportingRecords, ReportingDue> = {
  operations: [...reportRunOperations],
  records: REPORTING_RECORDS,
  due: reportingDue,
  models: [['reporting.report_run', 'frr_', 'reporting.reportRuns']],
  events: ['reporting.report_run.succeeded'],
};
