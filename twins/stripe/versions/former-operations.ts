// Operations that older versions had: each does what another does today, and takes what it took then.
import { StripeRefusal, unmodelledOperation } from '../api/errors.ts';
import { pageOf, pageParams } from '../api/list.ts';
import { type Ask, type Operation, operation } from '../api/operation.ts';
import { type Shape, text } from '../api/params.ts';
import type { View } from '../api/view.ts';
import { createPreview } from '../subscriptions/preview.ts';

const UPCOMING = '/v1/invoices/upcoming';

/** An upcoming invoice has no id, and its lines are on none: nobody can ask for it by one. */
function upcoming(ask: Ask<Shape>): View & { readonly lines: { readonly data: readonly Line[] } } {
  try {
    const { id: _none, lines, ...shown } = createPreview.run(ask);
    const list = lines as { readonly data: readonly Line[] };
    return { ...shown, lines: { ...list, data: list.data.map(line => ({ ...line, invoice: null })) } };
  } catch (thrown) {
    if (!(thrown instanceof StripeRefusal) || thrown.code !== 'invoice_upcoming_none') throw thrown;
    throw new StripeRefusal(404, thrown.message, thrown.fields);
  }
}

type Line = View & { readonly id: string };

const ITEM = '/v1/subscription_items/{subscription_item}';

/** What of them this twin does not do: it is said so, and not that they never were. */
function unmodelled(name: string, route: `${'GET' | 'POST'} /${string}`): Operation {
  const takes = { action: text(), quantity: text(), timestamp: text(), ...pageParams };
  return operation(name, route, takes, ({ call }) => {
    throw unmodelledOperation(call);
  });
}

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
  unmodelled('subscriptionItems.createUsageRecord', `POST ${ITEM}/usage_records`),
  unmodelled('subscriptionItems.listUsageRecordSummaries', `GET ${ITEM}/usage_record_summaries`),
];
