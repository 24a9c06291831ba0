// A picture of one colour as lossless WebP (RFC 9649): each channel has one value, whose code takes no bits, so that the pixels
// take none either.
import type { Picture } from './png.ts';

export function webpOf({ width, height, colour: [red, green, blue] }: Picture): Uint8Array {
  const bits: number[] = [];
  const put = (value: number, count: number): void => {
    for (let at = 0; at < count; at += 1) bits.push((value >> at) & 1);
  };
  /** A code of one symbol, said in eight bits. */
  const only = (value: number): void => {
    put(0b101, 3);
    put(value, 8);
  };
  put(0x2f, 8);
  put(width - 1, 14);
  put(height - 1, 14);
  // No alpha, version 0; no transform, no cache of colours, one group of codes.
  put(0, 1 + 3 + 3);
  for (const value of [green, red, blue, 255, 0]) only(value);
  const data = Array.from({ length: Math.ceil(bits.length / 8) }, (_, byte) =>
    bits.slice(byte * 8, byte * 8 + 8).reduce((sum, bit, at) => sum | (bit << at), 0),
  );
  const padded = data.length % 2 === 0 ? data : [...data, 0];
  const four = (value: number): readonly number[] => [0, 8, 16, 24].map(by => (value >> by) & 0xff);
  const word = (text: string): Uint8Array => new TextEncoder().encode(text);
  const size = 4 + 8 + padded.length;
  return Uint8Array.from([
    ...word('RIFF'),
    ...four(size),
    ...word('WEBPVP8L'),
    ...four(data.length),
    ...padded,
  ]);
}
