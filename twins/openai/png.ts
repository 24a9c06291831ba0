// A picture of one colour as PNG (ISO 15948): as large as was asked for, in some hundreds of bytes. Its pixels are all the
// same byte, so the compressed data (RFC 1951) are one byte and its repetitions.

export type Picture = {
  /** Pixels. */
  readonly width: number;
  readonly height: number;
  /** 0 to 255 each. */
  readonly colour: readonly [red: number, green: number, blue: number];
};

export function pngOf({ width, height, colour }: Picture): Uint8Array {
  const header = new Uint8Array(13);
  const view = new DataView(header.buffer);
  view.setUint32(0, width);
  view.setUint32(4, height);
  // One bit a pixel, an index into the palette.
  header.set([1, 3, 0, 0, 0], 8);
  const rowBytes = 1 + Math.ceil(width / 8);
  return joined([
    Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a),
    chunk('IHDR', header),
    chunk('PLTE', Uint8Array.from(colour)),
    chunk('IDAT', zlibOfZeros(rowBytes * height)),
    chunk('IEND', new Uint8Array()),
  ]);
}

function chunk(name: string, data: Uint8Array): Uint8Array {
  const typed = joined([new TextEncoder().encode(name), data]);
  const made = new Uint8Array(typed.length + 8);
  const view = new DataView(made.buffer);
  view.setUint32(0, data.length);
  made.set(typed, 4);
  view.setUint32(typed.length + 4, crc32(typed));
  return made;
}

/** The longest repetition that one code has. */
const REPEATED_MAX = 258;

/** So many bytes that are all zero, as a zlib stream (RFC 1950) with the fixed codes. */
function zlibOfZeros(length: number): Uint8Array {
  const bytes: number[] = [0x78, 0x01];
  let bits = 0;
  let held = 0;
  const put = (value: number, count: number): void => {
    for (let at = 0; at < count; at += 1) {
      held |= ((value >> at) & 1) << bits;
      bits += 1;
      if (bits < 8) continue;
      bytes.push(held);
      bits = 0;
      held = 0;
    }
  };
  // Codes are written from their first bit on.
  const code = (value: number, count: number): void => {
    for (let at = count - 1; at >= 0; at -= 1) put((value >> at) & 1, 1);
  };
  const literal = (): void => code(0x30, 8);
  put(1, 1);
  put(1, 2);
  literal();
  let left = length - 1;
  for (; left >= REPEATED_MAX; left -= REPEATED_MAX) {
    // 258 bytes (code 285), from one byte back (code 0).
    code(0xc0 + (285 - 280), 8);
    code(0, 5);
  }
  for (; left > 0; left -= 1) literal();
  code(0, 7);
  if (bits > 0) bytes.push(held);
  // Adler-32 of zeros: the sum stays 1, and is added up once a byte.
  const sum = length % 65_521;
  bytes.push((sum >> 8) & 0xff, sum & 0xff, 0, 1);
  return Uint8Array.from(bytes);
}

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0xedb8_8320 : crc >>> 1;
  return crc;
});

function crc32(bytes: Uint8Array): number {
  let crc = 0xffff_ffff;
  for (const byte of bytes) crc = CRC_TABLE[(crc ^ byte) & 0xff]! ^ (crc >>> 8);
  return (crc ^ 0xffff_ffff) >>> 0;
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
