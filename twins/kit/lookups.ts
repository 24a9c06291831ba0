// How it is found out, of a vendor that knows no idempotency keys, whether a request was done whose answer was lost: what
// was to end is gone, what was to be cancelled says so.
import { isJsonObject, objectField, readJson } from './json.ts';
import type { Done, Lookup, VendorAnswer, VendorRequest } from './real-vendor.ts';
import type { RecordBody } from './tx.ts';

/** So long a vendor may go on showing what it has ended. */
const SEEN_MS = 30_000;

/** Of a DELETE of one object that can be read at the same address. */
export const GONE: Lookup = {
  ask: request => reading(request, request.path),
  found: answer => {
    if (answer.status === 404 || answer.status === 410) {
      if (objectField(readJson(answer.body), 'error') !== null) return {};
      throw new TypeError('It is no answer of the vendor’s own.');
    }
    objectIn(answer);
    return null;
  },
  graceMs: SEEN_MS,
};

/** Of a POST to `…/cancel` of one object that can be read at the address before it. */
export const cancelled = (
  is: (object: RecordBody) => boolean,
  done: (object: RecordBody) => Done,
): Lookup => ({
  ask: request => reading(request, request.path.replace(/\/cancel(?=\?|$)/, '')),
  found: answer => {
    const object = objectIn(answer);
    return is(object) ? done(object) : null;
  },
  graceMs: SEEN_MS,
});

/** With the headers of the request, which say in which version and for whom. */
export const reading = ({ headers }: VendorRequest, path: string): VendorRequest => ({
  method: 'GET',
  path,
  headers: headers.filter(([name]) => name.toLowerCase() !== 'content-type'),
  body: null,
});

/** Of an answer of 200 to 299. Throws for any other, and for one that something between here and the vendor made. */
export const objectIn = ({ status, body }: VendorAnswer): RecordBody => {
  const object = status >= 200 && status < 300 ? readJson(body) : undefined;
  if (!isJsonObject(object)) throw new TypeError('The answer is no object of the vendor’s.');
  return object as RecordBody;
};
