// Unpredictable identifiers from random bytes, in the alphabets that vendors and tokens use.
import type { Entropy } from '../../ports/entropy.ts';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** The largest multiple of 62 that a byte holds: bytes from here on are drawn again, so no character is likelier. */
const BASE62_FAIR = 248;
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

export const base62 = (entropy: Entropy, length: number): string => {
  let text = '';
  while (text.length < length) {
    for (const byte of entropy.bytes(length - text.length + 2)) {
      if (byte < BASE62_FAIR && text.length < length) text += BASE62[byte % 62];
    }
  }
  return text;
};

/** Characters that say where an identifier stands in an order: of 487 million entries, and then from the start again. */
const ORDER_CHARS = 5;
/** Those that are chance: of the identifiers of one entry, too, none is another's. */
const CHANCE_CHARS_MIN = 9;
/** An identifier that begins with as many noughts looks like none. */
const ORDER_FIRST = 29 * 62 ** 4;

/** As `base62`, and those of a later `place` sort after those of an earlier one. */
export const orderedBase62 = (entropy: Entropy, place: number, length: number): string => {
  if (length < ORDER_CHARS + CHANCE_CHARS_MIN)
    throw new TypeError(
      `An identifier of a record has ${ORDER_CHARS + CHANCE_CHARS_MIN} characters or more.`,
    );
  let order = '';
  let left = (ORDER_FIRST + place) % 62 ** ORDER_CHARS;
  for (let n = 0; n < ORDER_CHARS; n++) {
    order = BASE62[left % 62] + order;
    left = Math.floor(left / 62);
  }
  return order + base62(entropy, length - ORDER_CHARS);
};

export const hex = (bytes: Uint8Array): string => {
  let text = '';
  for (const byte of bytes) text += HEX[byte];
  return text;
};

export const base64url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

/** Null for what is no lower-case hex of a SHA-256. */
export const fromHex = (sha256: string): Uint8Array | null => {
  if (!/^[0-9a-f]{64}$/.test(sha256)) return null;
  return Uint8Array.from({ length: 32 }, (_, n) => Number.parseInt(sha256.slice(2 * n, 2 * n + 2), 16));
};
