// Where a record, or the table of a type, is on the page: as of the instant that is looked at.
import { asOf } from './as-of.js';

/** @param {string} twin @param {string} type @param {string} [id] */
export function recordHash(twin, type, id) {
  const at = asOf();
  const names = { twin, type, ...(id === undefined ? {} : { id }), ...(at === null ? {} : { at }) };
  return `records?${new URLSearchParams(names)}`;
}
