// The instant that the page looks at, which is in its address: what is asked and what links lead to is of then.

/** ISO 8601; null where the page looks at the present. */
export const asOf = () => new URLSearchParams(location.hash.split('?')[1] ?? '').get('at') || null;

/** An endpoint that takes `at`, as of the instant that is looked at. @param {string} path */
export function ofThen(path) {
  const at = asOf();
  return at === null ? path : `${path}${path.includes('?') ? '&' : '?'}at=${encodeURIComponent(at)}`;
}
