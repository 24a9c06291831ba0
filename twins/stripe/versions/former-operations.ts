// Operations that older versions had: each does what another does today, and takes what it took then.
import { pageOf, pageParams } from '../api/list.ts';
import type { Ask, Operation } from '../api/operation.ts';
import type { Shape } from '../api/params.ts';
import type { View } from '../api/view.ts';
import { createPreview } from '../subscriptions/preview.ts';
import { createUsageRecord, listUsageRecordSummaries } from '../subscriptions/usage-records.ts';

const UPCOMING = '/v1/invoices/upcoming';

/** An upcoming invoice has no id, and its lines are on none: nobody can ask for it by one. */
function upcoming(ask: Ask<Shape>): View & { readonly lines: { readonly data: readonly Line[] } } {
  const { id: _none, lines, ...shown } = createPreview.run(ask);
  const list = lines as { readonly data: readonly Line[] };
  return { ...shown, lines: { ...list, data: list.data.map(line => ({ ...line, invoice: null })) } };
}

type Line = View & { readonly id: string };

export const FORMER_OPERATIONS: readonly Operation[] = [
  {
    ...createPreview,
    name: 'invoices.retrieveUpcoming',
    method: 'GET',
    path: UPCOMING,
    run: upcoming,
  },
  {
    ...createPreview,
    name: 'invoices.listUpcomingLines',
    method: 'GET',
    path: `${UPCOMING}/lines`,
    shape: { ...createPreview.shape, ...pageParams },
    run: ask => pageOf(upcoming(ask).lines.data, ask.params, `${UPCOMING}/lines`),
  },
  createUsageRecord,
  listUsageRecordSummaries,
];
