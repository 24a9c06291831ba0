// JSON that may be larger than a record: kept in the record, or as a blob beside it.

import { isJsonObject, type Json, readJson } from './json.ts';
import { INLINE_CHARS_MAX } from './limits.ts';
import type { Reader, Tx } from './tx.ts';

/** Bulky JSON as a record's field; `unpacked` reads it back. */
export function packed(tx: Tx, value: Json): Json {
  const text = JSON.stringify(value);
  if (text.length <= INLINE_CHARS_MAX) return { value };
  return { blob: tx.putBlob(new TextEncoder().encode(text)) };
}

export function unpacked(reader: Reader, field: unknown): Json {
  if (!isJsonObject(field)) return null;
  if (typeof field['blob'] !== 'string') return field['value'] ?? null;
  const bytes = reader.blob(field['blob']);
  return bytes === undefined ? null : (readJson(bytes) ?? null);
}
