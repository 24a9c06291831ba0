// The item in which what went before is sealed to the client: by itself it says nothing, and back at the twin it is what it was.
import { fromBase64, toBase64 } from '../kit/base64.ts';
import { arrayField, isJsonObject, type JsonObject, readJson, textField } from '../kit/json.ts';

const SEALED = 'wrld-compacted.';
/** Of what was sealed, the newest: it comes back with each request. */
const SEALED_CHARS_MAX = 64_000;

export function sealed(items: readonly JsonObject[]): string {
  const kept: string[] = [];
  let chars = 0;
  for (const item of items.toReversed()) {
    const text = JSON.stringify(item);
    chars += text.length;
    if (chars > SEALED_CHARS_MAX) break;
    kept.push(text);
  }
  return SEALED + toBase64(new TextEncoder().encode(`[${kept.reverse().join(',')}]`));
}

/** What such an item stands for; any other is itself. */
export function unsealed(item: JsonObject): readonly JsonObject[] {
  const content = textField(item, 'type') === 'compaction' ? textField(item, 'encrypted_content') : null;
  if (content?.startsWith(SEALED) !== true) return [item];
  const bytes = fromBase64(content.slice(SEALED.length));
  const items = bytes === null ? null : readJson(new TextDecoder().decode(bytes));
  return arrayField({ items }, 'items').filter(isJsonObject);
}
