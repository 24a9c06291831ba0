// The browser profiles of a world (2.5) in its object's storage, a key each. They are kept without the blanks that files for
// people have, as UTF-8: the largest would not fit otherwise.

import type { BrowserStore } from '../control/ports/browsers.ts';
import { parseJson } from '../policy/json-text.ts';

const PREFIX = 'browser/';
/** Beside them, since no profile has such a name. */
const NOTES = 'browser-notes';
const encoder = new TextEncoder();
const decoder = new TextDecoder();

export const openBrowsers = (kv: SyncKvStorage): BrowserStore => ({
  names: async () => [...kv.list({ prefix: PREFIX })].map(([key]) => key.slice(PREFIX.length)),
  read: async name => {
    const bytes = kv.get<Uint8Array>(PREFIX + name);
    return bytes === undefined ? null : decoder.decode(bytes);
  },
  write: async (name, text) => {
    const read = parseJson(text);
    kv.put(PREFIX + name, encoder.encode(read.ok ? JSON.stringify(read.value) : text));
  },
  remove: async name => kv.delete(PREFIX + name),
  notes: async () => kv.get<string>(NOTES) ?? null,
  keepNotes: async text => kv.put(NOTES, text),
});
