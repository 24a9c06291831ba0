// The method that a request asks to be treated as, where it is not the one of its request line (bad-input, Method).
// Judged, never applied: what is forwarded says all that the client said.

/** Field names by which a server may be told of another method. */
export const OVERRIDE_FIELDS: readonly string[] = [
  'x-http-method',
  'x-method-override',
  'x-http-method-override',
];

const READS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Of several values a server may take any, so the first that is no read stands for all of them. */
export function overriddenBy(known: string | null, value: string): string {
  return known === null || READS.has(known) ? value.toUpperCase() : known;
}

/** A read that asks to be treated as another method is judged as that method. */
export function judgedMethod(method: string, override: string | null, target: string): string {
  if (!READS.has(method)) return method;
  const asked = queryOverride(target, override);
  return asked === null || READS.has(asked) ? method : asked;
}

/**
 * `?_method=DELETE`: WordPress takes it from the query of a GET. Rails, Laravel, Symfony and Express take theirs from
 * a POST alone, which is judged as a write anyway.
 */
function queryOverride(target: string, known: string | null): string | null {
  const query = target.indexOf('?');
  if (query < 0) return known;
  const text = target.slice(query + 1);
  // The common case costs two searches; an escape may hide any letter of the name.
  if (!text.includes('method') && !text.includes('%')) return known;
  let override = known;
  for (const [name, value] of new URLSearchParams(text.replaceAll(';', '&')))
    if (PARAMETER.test(name)) override = overriddenBy(override, value);
  return override;
}

/** PHP reads `.` and `[` in a parameter's name as `_`, and drops spaces before it. */
const PARAMETER = /^ *[_.[]method$/;
