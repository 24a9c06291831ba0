// What billing thresholds have billed of an item's period already.
import type { SubscriptionItem } from './records.ts';

/** What thresholds billed of an item's period before. */
export function billedOf(item: SubscriptionItem, since: number): number {
  return item.$billed?.since === since ? item.$billed.quantity : 0;
}
