// Tar archives for tests, as anybody may write them.
const BLOCK = 512;

export function tarEntry(
  name: string,
  text: string,
  { type = '0', size }: { readonly type?: string; readonly size?: string } = {},
): Buffer {
  const bytes = Buffer.from(text);
  const header = Buffer.alloc(BLOCK);
  header.write(name, 0, 100);
  header.write('0000644', 100);
  header.write(size ?? bytes.length.toString(8).padStart(11, '0'), 124);
  header.write(type, 156);
  header.write('ustar\x0000', 257);
  header.fill(' ', 148, 156);
  const sum = header.reduce((all, byte) => all + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  const padding = Buffer.alloc((BLOCK - (bytes.length % BLOCK)) % BLOCK);
  return Buffer.concat([header, bytes, padding]);
}

export function tarOf(...entries: readonly Buffer[]): Buffer {
  return Buffer.concat([...entries, Buffer.alloc(2 * BLOCK)]);
}
