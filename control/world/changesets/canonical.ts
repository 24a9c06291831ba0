// JSON as RFC 8785 writes it: one text for a value, whatever the order in which its names came.

/** Throws `TypeError` for a text with half a character in it (a lone surrogate), which has no UTF-8. */
export const canonical = (value: unknown): string => {
  if (typeof value === 'string') return quoted(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(each => canonical(each ?? null)).join(',')}]`;
  const members: string[] = [];
  // By UTF-16 units, as the RFC asks and `sort` does.
  for (const name of Object.keys(value).sort()) {
    const held = (value as { readonly [name: string]: unknown })[name];
    if (held !== undefined) members.push(`${quoted(name)}:${canonical(held)}`);
  }
  return `{${members.join(',')}}`;
};

const quoted = (text: string): string => {
  if (!text.isWellFormed()) throw new TypeError('A text holds half a character.');
  return JSON.stringify(text);
};
