// The strict reader of header fields (RFC 9112 5): one pass over the text, offsets instead of strings, so
// that a head is forwarded by slices with its case, order and duplicates as they came.
import { HEAD_FIELDS_MAX } from '../limits.ts';

const CR = 13;
const LF = 10;
const COLON = 58;
const SP = 32;
const HTAB = 9;

/** Byte classes: bit 0 token (RFC 9110 5.6.2), bit 1 field value, bit 2 request target. */
const CLASS = new Uint8Array(256);
for (const c of "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
  CLASS[c.charCodeAt(0)]! |= 1;
for (let c = 0; c < 256; c++) {
  if (c === HTAB || (c >= 0x20 && c !== 0x7f)) CLASS[c]! |= 2;
  if (c > 0x20 && c < 0x7f) CLASS[c]! |= 4;
}
export const isTarget = (code: number): boolean => (CLASS[code]! & 4) !== 0;

/** Four offsets a field: name start and end, value start and end (white space around the value left out). */
export type Fields = { count: number; readonly at: Uint16Array };

/** Offsets are 16 bits wide: a section is never longer than HEAD_BYTES_MAX. */
export function newFields(): Fields {
  return { count: 0, at: new Uint16Array(HEAD_FIELDS_MAX * 4) };
}

/**
 * Reads fields from `from` to the empty line that ends `text`. True when every line is `token:value CRLF`
 * and nothing follows the empty line; otherwise the section is malformed (bare CR or LF, folding, white
 * space before the colon, control characters, too many fields).
 */
export function scanFields(text: string, from: number, fields: Fields): boolean {
  const { at: offsets } = fields;
  const end = text.length;
  let at = from;
  let count = 0;
  for (;;) {
    const nameStart = at;
    let c = text.charCodeAt(at);
    while ((CLASS[c]! & 1) !== 0) c = text.charCodeAt(++at);
    if (at === nameStart) {
      fields.count = count;
      return c === CR && text.charCodeAt(at + 1) === LF && at + 2 === end;
    }
    if (c !== COLON || count === HEAD_FIELDS_MAX) return false;
    const nameEnd = at;
    c = text.charCodeAt(++at);
    while (c === SP || c === HTAB) c = text.charCodeAt(++at);
    const valueStart = at;
    while ((CLASS[c]! & 2) !== 0) c = text.charCodeAt(++at);
    if (c !== CR || text.charCodeAt(at + 1) !== LF) return false;
    let valueEnd = at;
    while (valueEnd > valueStart) {
      c = text.charCodeAt(valueEnd - 1);
      if (c !== SP && c !== HTAB) break;
      valueEnd--;
    }
    const o = count++ * 4;
    offsets[o] = nameStart;
    offsets[o + 1] = nameEnd;
    offsets[o + 2] = valueStart;
    offsets[o + 3] = valueEnd;
    at += 2;
  }
}

/** First value of a field, matched without case; for the rare look-ups outside the hot path. */
export function findField(text: string, fields: Fields, name: string): string | undefined {
  for (let i = 0; i < fields.count; i++) {
    const o = i * 4;
    const start = fields.at[o]!;
    const end = fields.at[o + 1]!;
    if (end - start === name.length && text.slice(start, end).toLowerCase() === name)
      return text.slice(fields.at[o + 2]!, fields.at[o + 3]!);
  }
  return undefined;
}

/** `Content-Length` (RFC 9110 8.6): digits only; null when malformed or past what a number holds exactly. */
export function parseLength(value: string): number | null {
  if (!/^[0-9]{1,16}$/.test(value)) return null;
  const length = Number(value);
  return Number.isSafeInteger(length) ? length : null;
}
