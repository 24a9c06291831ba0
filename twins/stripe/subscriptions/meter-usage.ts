// What customers used, added up from the events of a meter.
import { type Act, select } from '../api/act.ts';
import type { Meter } from '../billing/records.ts';

const READINGS_PAGE = 1_000;

/** What a customer used between two instants (seconds; the second is not in it). */
export function usageOf(act: Act, meter: Meter, customer: string, from: number, to: number): number {
  let total = 0;
  let latest = -1;
  let after: string | undefined;
  for (;;) {
    const found = select(act.tx, 'billing.meter_event', {
      where: { $customer: `${meter.id}:${customer}` },
      order: 'oldest',
      limit: READINGS_PAGE,
      ...(after === undefined ? {} : { after }),
    });
    for (const reading of found.items) {
      if (reading.timestamp < from || reading.timestamp >= to) continue;
      if (meter.default_aggregation.formula === 'count') total += 1;
      else if (meter.default_aggregation.formula === 'sum') total += reading.$value;
      else if (reading.timestamp >= latest) {
        latest = reading.timestamp;
        total = reading.$value;
      }
    }
    after = found.items.at(-1)?.id;
    if (!found.more || after === undefined) return total;
  }
}
