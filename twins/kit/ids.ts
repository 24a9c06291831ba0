// Ids as vendors make them, besides `Tx.id` (a prefix and base62) and `Tx.hex`. Whatever counts, counts within the twin's
// own records: a branch goes on where its parent stood, and two worlds count apart.
import type { Tx } from './tx.ts';

const MICROSECONDS_A_MILLISECOND = 1000;

export const BASE32HEX = '0123456789abcdefghijklmnopqrstuv';
export const UPPER_ALPHANUMERIC = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';

/** The record type that `serial` and `stamp` count in; a twin that uses them declares it: `counter: { indexes: [] }`. */
const COUNTER = 'counter';

/** `length` unpredictable characters of `alphabet`, behind `prefix`: `C0A1B2C3D4E`, a calendar's event. */
export function letters(tx: Tx, prefix: string, length: number, alphabet: string): string {
  const digits = tx.hex(length * 2);
  let made = prefix;
  for (let at = 0; at < length; at += 1) {
    made += alphabet[Number.parseInt(digits.slice(at * 4, at * 4 + 4), 16) % alphabet.length];
  }
  return made;
}

/** RFC 9562, version 4. */
export function uuid(tx: Tx): string {
  const hex = tx.hex(16);
  const variant = '89ab'[Number.parseInt(hex[16] ?? '0', 16) & 3];
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
  ];
  return `${parts.join('-')}-${hex.slice(20)}`;
}

/** The next whole number of a series: issues of one repository, rows of one table. `first` is what it begins with. */
export function serial(tx: Tx, series: string, first = 1): number {
  const next = Number(tx.get(COUNTER, series)?.['next'] ?? first);
  tx.put(COUNTER, series, { next: next + 1 });
  return next;
}

/** `1768478400.000100`: seconds and microseconds of the world's clock, each later than the last of its series. */
export function stamp(tx: Tx, series: string): string {
  const last = Number(tx.get(COUNTER, series)?.['micros'] ?? 0);
  const micros = Math.max(tx.now * MICROSECONDS_A_MILLISECOND, last + 1);
  tx.put(COUNTER, series, { micros });
  const text = String(micros);
  return `${text.slice(0, -6)}.${text.slice(-6)}`;
}

/** GitHub's global ids: `R_kgDOAAYVQQ` is `nodeId('R', 0, 398657)`, an array of numbers in MessagePack and base64url. */
export function nodeId(prefix: string, ...numbers: readonly number[]): string {
  const bytes = [0x90 | numbers.length, ...numbers.flatMap(packedNumber)];
  const text = btoa(String.fromCharCode(...bytes));
  return `${prefix}_${text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')}`;
}

/** MessagePack: no more bytes than the number needs. */
function packedNumber(value: number): readonly number[] {
  if (value < 0x80) return [value];
  if (value <= 0xff) return [0xcc, value];
  if (value <= 0xffff) return [0xcd, ...bigEndian(value, 2)];
  if (value <= 0xffff_ffff) return [0xce, ...bigEndian(value, 4)];
  return [0xcf, ...bigEndian(value, 8)];
}

function bigEndian(value: number, size: number): readonly number[] {
  const bytes: number[] = [];
  for (let rest = value, at = 0; at < size; at += 1, rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return bytes;
}
