// Where a record, or the table of a type, is on the page.

/** @param {string} twin @param {string} type @param {string} [id] */
export function recordHash(twin, type, id) {
  return `records?${new URLSearchParams({ twin, type, ...(id === undefined ? {} : { id }) })}`;
}
