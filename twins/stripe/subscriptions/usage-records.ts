// What was used of a subscription's item, as it is told to versions before basil: records under the item, which its next
// invoice bills where the price has no meter.
import { type Act, all, need, remove, save } from '../api/act.ts';
import { invalid } from '../api/errors.ts';
import { pageOf, pageParams } from '../api/list.ts';
import { operation } from '../api/operation.ts';
import { choice, integer, nowOrTime, required } from '../api/params.ts';
import { viewOf } from '../api/view.ts';
import type { SubscriptionItem, UsageRecord } from './records.ts';
import { watchThreshold } from './threshold-watch.ts';

const ITEM = '/v1/subscription_items/{subscription_item}';

/** What was used between two instants (seconds; the second is not in it). */
export function recordedUse(act: Act, item: string, from: number, to: number): number {
  return recordsOf(act, item)
    .filter(({ timestamp }) => timestamp >= from && timestamp < to)
    .reduce((sum, { quantity }) => sum + quantity, 0);
}

const recordsOf = (act: Act, item: string): readonly UsageRecord[] =>
  all(act, 'usage_record', { subscription_item: item });

/** An item that usage was recorded of goes only with its usage. */
export function checkUsage(
  act: Act,
  item: SubscriptionItem,
  clears: boolean | undefined,
  param: string,
): void {
  if (clears === true || recordsOf(act, item.id).length === 0) return;
  throw invalid(
    `Subscription item ${item.id} cannot be deleted because it has usage. Pass clear_usage=true to delete that as well.`,
    { param },
  );
}

export function clearUsage(act: Act, item: SubscriptionItem): void {
  for (const held of recordsOf(act, item.id)) remove(act, 'usage_record', held.id);
}

/** Throws for an item that is billed by a meter, or by its quantity. */
function needMetered(act: Act, id: string): SubscriptionItem {
  const item = need(act, 'subscription_item', id, { param: 'subscription_item', inPath: true });
  const { recurring } = need(act, 'price', item.price, { param: 'price' });
  if (recurring?.usage_type !== 'metered' || recurring.meter !== null) {
    throw invalid(
      recurring?.usage_type === 'metered'
        ? `Cannot create usage records for subscription item ${id}: its price is billed by a meter.`
        : `Cannot create usage records for subscription item ${id}: its plan's usage type is not metered.`,
      { param: 'subscription_item' },
    );
  }
  return item;
}

export const createUsageRecord = operation(
  'subscriptionItems.createUsageRecord',
  `POST ${ITEM}/usage_records`,
  {
    action: choice('increment', 'set'),
    quantity: required(integer(0)),
    timestamp: nowOrTime(),
  },
  ({ act, path, params }) => {
    const item = needMetered(act, path['subscription_item'] ?? '');
    const timestamp = typeof params.timestamp === 'number' ? params.timestamp : act.at;
    if (timestamp < item.current_period_start || timestamp > act.at) {
      throw invalid(
        'Cannot create the usage record with this timestamp because timestamps must be within the subscription’s current ' +
          'period, and not in the future.',
        { param: 'timestamp' },
      );
    }
    act.tx.kind('usage_record.created');
    const at = recordsOf(act, item.id).filter(held => held.timestamp === timestamp);
    if (params.action === 'set') for (const held of at) remove(act, 'usage_record', held.id);
    const made: UsageRecord = {
      id: act.tx.id('mbur_', 24),
      object: 'usage_record',
      livemode: false,
      quantity: params.quantity,
      subscription_item: item.id,
      timestamp,
    };
    save(act, 'usage_record', made);
    watchThreshold(act, item.subscription);
    return viewOf(act, 'usage_record', made);
  },
);

/** The current period first, as what is used in it; then what was used before it. */
export const listUsageRecordSummaries = operation(
  'subscriptionItems.listUsageRecordSummaries',
  `GET ${ITEM}/usage_record_summaries`,
  pageParams,
  ({ act, path, params, call }) => {
    const item = needMetered(act, path['subscription_item'] ?? '');
    const { current_period_start: start, current_period_end: end } = item;
    const earlier = recordsOf(act, item.id).some(({ timestamp }) => timestamp < start);
    const summary = (name: string, period: { start: number | null; end: number | null }) => ({
      id: `sis_${item.id.slice('si_'.length)}${name}`,
      object: 'usage_record_summary',
      invoice: null,
      livemode: false,
      period,
      subscription_item: item.id,
      total_usage: recordedUse(act, item.id, period.start ?? 0, period.end ?? Number.POSITIVE_INFINITY),
    });
    const summaries = [
      summary('now', { start, end }),
      ...(earlier ? [summary('before', { start: null, end: start })] : []),
    ];
    return pageOf(summaries, params, call.path);
  },
);
