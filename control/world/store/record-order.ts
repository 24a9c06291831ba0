// The place of a record by creation, as one integer that only grows: the position of the entry that made it,
// and its place among the changes of that entry. It is fixed until the record is deleted, needs no counter of
// its own, and can be read off the log again.
import { ENTRY_CHANGES_MAX } from '../limits.ts';

export const ORDER_FIRST = 0;
export const ORDER_LAST = Number.MAX_SAFE_INTEGER;

export const recordOrder = (position: number, index: number): number => position * ENTRY_CHANGES_MAX + index;

/** The order of whatever an entry at `position` makes first. */
export const orderFrom = (position: number): number => recordOrder(position, 0);

/** Of the entry that made it. */
export const positionOf = (order: number): number => Math.floor(order / ENTRY_CHANGES_MAX);
