// The little of DER (X.690) that certificates need. Values in, bytes out; nothing is parsed.

export function tlv(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const head =
    length < 0x80
      ? [tag, length]
      : length < 0x100
        ? [tag, 0x81, length]
        : [tag, 0x82, length >> 8, length & 0xff];
  if (length > 0xffff) throw new Error(`a DER value of ${length} bytes is no part of a certificate`);
  return Buffer.concat([Buffer.from(head), content]);
}

export const sequence = (...parts: readonly Uint8Array[]): Buffer => tlv(0x30, ...parts);
export const set = (...parts: readonly Uint8Array[]): Buffer => tlv(0x31, ...parts);
export const octets = (...parts: readonly Uint8Array[]): Buffer => tlv(0x04, ...parts);
export const boolean = (value: boolean): Buffer => tlv(0x01, Buffer.from([value ? 0xff : 0]));
export const utf8 = (text: string): Buffer => tlv(0x0c, Buffer.from(text, 'utf8'));
/** A bit string whose bits fill whole bytes. */
export const bits = (bytes: Uint8Array): Buffer => tlv(0x03, Buffer.from([0]), bytes);
/** A context tag that wraps a value (`explicit`) or replaces its tag (`implicit`). */
export const explicit = (tag: number, ...parts: readonly Uint8Array[]): Buffer => tlv(0xa0 | tag, ...parts);
export const implicit = (tag: number, bytes: Uint8Array): Buffer => tlv(0x80 | tag, bytes);

/** A positive integer from its big-endian bytes. */
export function integer(bytes: Uint8Array): Buffer {
  let start = 0;
  while (start < bytes.length - 1 && bytes[start] === 0) start++;
  const digits = Buffer.from(bytes.subarray(start));
  return digits[0]! >= 0x80 ? tlv(0x02, Buffer.from([0]), digits) : tlv(0x02, digits);
}

/** A dotted object identifier. */
export function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  const bytes = [first * 40 + second];
  for (const arc of rest) {
    const digits = [arc & 0x7f];
    for (let left = arc >>> 7; left > 0; left >>>= 7) digits.unshift((left & 0x7f) | 0x80);
    bytes.push(...digits);
  }
  return tlv(0x06, Buffer.from(bytes));
}

/** UTCTime until 2049, GeneralizedTime from 2050 (RFC 5280 4.1.2.5). Whole seconds. */
export function time(date: Date): Buffer {
  const digits = date.toISOString().replace(/[-:T]|\.\d+/g, '');
  return date.getUTCFullYear() < 2050
    ? tlv(0x17, Buffer.from(digits.slice(2), 'latin1'))
    : tlv(0x18, Buffer.from(digits, 'latin1'));
}
