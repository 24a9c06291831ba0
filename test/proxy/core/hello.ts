// TLS hellos put together by hand (RFC 8446 4.1.2).

export const u8 = (n: number): Buffer => Buffer.from([n]);
export const u16 = (n: number): Buffer => Buffer.from([n >> 8, n & 255]);
export const vector16 = (...parts: readonly Buffer[]): Buffer => {
  const whole = Buffer.concat(parts);
  return Buffer.concat([u16(whole.length), whole]);
};
export const extension = (type: number, data: Buffer): Buffer => Buffer.concat([u16(type), vector16(data)]);
export const serverName = (name: string, kind = 0): Buffer =>
  extension(0, vector16(u8(kind), vector16(Buffer.from(name, 'latin1'))));

/** A hello with these extensions; null: none at all, not even an empty list. */
export function hello(extensions: readonly Buffer[] | null, after: Buffer = Buffer.alloc(0)): Buffer {
  const body = Buffer.concat([
    u16(0x0303),
    Buffer.alloc(32, 7),
    u8(0),
    vector16(u16(0x1301)),
    Buffer.from([1, 0]),
    ...(extensions === null ? [] : [vector16(...extensions)]),
    after,
  ]);
  return Buffer.concat([u8(1), u8(body.length >> 16), u16(body.length & 0xffff), body]);
}

/** As TLS records of at most `size` bytes. */
export function records(message: Buffer, size = 16_384): Buffer {
  const out: Buffer[] = [];
  for (let at = 0; at < message.length; at += size)
    out.push(Buffer.from([22, 3, 1]), vector16(message.subarray(at, at + size)));
  return Buffer.concat(out);
}
