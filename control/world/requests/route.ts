// What the report of requests groups by (4.4): method and template of the operation. Where a twin names none (a
// handler answered, or nothing did), the template is guessed from the path: segments that look like ids are one.
import { JOURNAL_ROUTE_CHARS_MAX } from '../limits.ts';

/** `template`: `/v1/customers/{customer}`, or undefined. */
export function routeOf(method: string, path: string, template: string | undefined): string {
  return `${method} ${template ?? guess(path)}`.slice(0, JOURNAL_ROUTE_CHARS_MAX);
}

function guess(path: string): string {
  // A path may be as long as a request's head, and no template is.
  return path
    .slice(0, JOURNAL_ROUTE_CHARS_MAX)
    .split('/')
    .map(segment => (looksLikeId(segment) ? '{id}' : segment))
    .join('/');
}

const NUMBER = /^\d+$/;
const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;
/** `cus_P9xQ…`, `evt_1`: a vendor's prefix and its random part. */
const PREFIXED = /^[a-z]{2,12}_(?=[A-Za-z0-9]*\d)[A-Za-z0-9]+$/;
const WORD = /^[a-z][a-z._-]*$/i;
const ID_CHARS_MIN = 12;

/** A long segment that is no word in plain letters is one too: `1BxiMVs0XRA5nFMdKvBdBZjgmUUq`. */
function looksLikeId(segment: string): boolean {
  if (NUMBER.test(segment) || UUID.test(segment) || PREFIXED.test(segment)) return true;
  return segment.length >= ID_CHARS_MIN && /\d/.test(segment) && !WORD.test(segment);
}
