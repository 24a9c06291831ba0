// JSON as RFC 8785 writes it: one text for a value, whatever the order in which its names came.

/**
 * Half a character (a lone surrogate) has no UTF-8, and the RFC has none of it; a record may hold one all the same, as a
 * vendor's client sent it. It stands as the escape that JSON has for it, so that such a record does not keep its changeset
 * from being read.
 */
export const canonical = (value: unknown): string => {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(each => canonical(each ?? null)).join(',')}]`;
  const members: string[] = [];
  // By UTF-16 units, as the RFC asks and `sort` does.
  for (const name of Object.keys(value).sort()) {
    const held = (value as { readonly [name: string]: unknown })[name];
    if (held !== undefined) members.push(`${JSON.stringify(name)}:${canonical(held)}`);
  }
  return `{${members.join(',')}}`;
};
