// The records of a twin whose state is still being copied from the parent: what is here is read, and what is not is
// waited for (arrival.ts). A list of the newest needs no more than the newest.
import type { ListQuery, Page, RecordBody } from '../../../twins/kit/tx.ts';
import type { Listing } from '../store/record-lists.ts';
import { ORDER_FIRST } from '../store/record-order.ts';
import { orderOfCursor } from '../store/record-scans.ts';
import { type Head, Records } from '../store/records.ts';
import type { Arrival } from './arrival.ts';

export class ArrivingRecords extends Records {
  readonly #arrival: Arrival;

  constructor(parts: ConstructorParameters<typeof Records>[0], arrival: Arrival) {
    super(parts);
    this.#arrival = arrival;
  }

  override head(type: string, id: string): Head | undefined {
    const head = super.head(type, id);
    if (head === undefined) this.#arrival.missed(type, id);
    return head;
  }

  override list<T extends RecordBody>(type: string, query: ListQuery, as: Listing): Page<T> {
    if (this.#arrival.isHere(type, ORDER_FIRST)) return super.list<T>(type, query, as);
    // Where a page begins or ends at a record, that one has to be here.
    for (const id of [query.after, query.before]) if (id !== undefined) this.head(type, id);
    const page = super.list<T>(type, query, as);
    this.#arrival.need(type, lowest(query, page));
    return page;
  }
}

/**
 * The place down to which a list has looked. A page of the newest that is full has seen its own and one more; any other
 * may have missed whatever is not here.
 */
const lowest = ({ order, before }: ListQuery, { more, cursor }: Page<unknown>): number => {
  if (order === 'oldest' || before !== undefined || !more || cursor === undefined) return ORDER_FIRST;
  return orderOfCursor(cursor) ?? ORDER_FIRST;
};
