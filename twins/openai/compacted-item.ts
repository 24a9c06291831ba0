// The item in which what went before is sealed to the client: by itself it says nothing, and back at the twin it is what it was.
import { fromBase64, toBase64 } from '../kit/base64.ts';
import { arrayField, isJsonObject, type JsonObject, readJson, textField } from '../kit/json.ts';

const SEALED = 'wrld-compacted.';
/** Of what was sealed, the newest: it comes back with each request. */
const SEALED_CHARS_MAX = 64_000;

export function sealed(items: readonly JsonObject[]): string {
  let kept = items;
  let text = JSON.stringify(kept);
  while (text.length > SEALED_CHARS_MAX && kept.length > 0) {
    kept = kept.slice(1);
    text = JSON.stringify(kept);
  }
  return SEALED + toBase64(new TextEncoder().encode(text));
}

/** What such an item stands for; any other is itself. */
export function unsealed(item: JsonObject): readonly JsonObject[] {
  const content = textField(item, 'type') === 'compaction' ? textField(item, 'encrypted_content') : null;
  if (content?.startsWith(SEALED) !== true) return [item];
  const bytes = fromBase64(content.slice(SEALED.length));
  const items = bytes === null ? null : readJson(new TextDecoder().decode(bytes));
  return arrayField({ items }, 'items').filter(isJsonObject);
}
