// What OpenAI makes with metadata and lists can be found by a mark in that metadata: vector stores, batches and assistants.
// Conversations and threads have metadata and no list, files and uploads have neither.
import {
  arrayField,
  field,
  isJsonObject,
  type JsonObject,
  numberField,
  objectField,
  readJson,
  textField,
} from '../../kit/json.ts';
import { objectIn, reading } from '../../kit/lookups.ts';
import type { Done, Lookup, VendorRequest } from '../../kit/real-vendor.ts';
import type { RecordBody } from '../../kit/tx.ts';

/** The name of the mark; people see it at the vendor. */
export const MARK = 'wrld_deploy';
/** Of an object's metadata, by the vendor. */
const METADATA_FIELDS_MAX = 16;
/** The newest that a list shows at once. */
const LISTED = 100;
const SEEN_MS = 30_000;
/** By so much two clocks may differ. */
const SKEW_MS = 10 * 60_000;

const LISTS: readonly string[] = ['/v1/vector_stores', '/v1/batches', '/v1/assistants'];

/** Null for what makes nothing that can be marked and listed, or has no room for the mark. */
export const markedCreation = (
  { method, path, body }: VendorRequest,
  done: (object: RecordBody) => Done,
): Lookup | null => {
  if (method !== 'POST' || !LISTS.includes(path) || typeof body !== 'string') return null;
  const asked = readJson(body);
  if (!isJsonObject(asked)) return null;
  const metadata = field(asked, 'metadata') ?? {};
  if (!isJsonObject(metadata) || Object.keys(metadata).length >= METADATA_FIELDS_MAX) return null;
  return {
    mark: (request, reference) => ({ ...request, body: marked(asked, metadata, reference) }),
    ask: request => reading(request, `${path}?limit=${LISTED}`),
    found: (answer, { reference, since }) => {
      const list = objectIn(answer);
      if (!Array.isArray(list['data'])) throw new TypeError('The answer is no list of OpenAI’s.');
      const data = arrayField(list, 'data').filter(isJsonObject);
      const made = data.find(object => textField(objectField(object, 'metadata'), MARK) === reference);
      if (made !== undefined) return done(made as RecordBody);
      // Newest first: where what was there before it was sent is not on the page, it may be on the next.
      const oldest = numberField(data.at(-1), 'created_at');
      const isWhole = list['has_more'] !== true || (oldest !== null && oldest * 1000 < since - SKEW_MS);
      return isWhole ? null : 'unknown';
    },
    graceMs: SEEN_MS,
  };
};

const marked = (asked: JsonObject, metadata: JsonObject, reference: string): string =>
  JSON.stringify({ ...asked, metadata: { ...metadata, [MARK]: reference } });
