// Tar archives for tests, as anybody may write them.
const BLOCK = 512;

export type TarFields = {
  readonly type?: string;
  readonly size?: string;
  readonly mode?: number;
  readonly target?: string;
  /** Seconds since 1970. */
  readonly changed?: number;
};

/** `name`: a letter for each byte, where it is no text. */
export function tarEntry(
  name: string,
  text: string | Buffer,
  { type = '0', size, mode = 0o644, target = '', changed = 0 }: TarFields = {},
): Buffer {
  const bytes = Buffer.from(text);
  const header = Buffer.alloc(BLOCK);
  header.write(name, 0, 100, /[^\0-\xff]/.test(name) ? 'utf8' : 'latin1');
  header.write(mode.toString(8).padStart(7, '0'), 100);
  header.write(size ?? bytes.length.toString(8).padStart(11, '0'), 124);
  header.write(changed.toString(8).padStart(11, '0'), 136);
  header.write(type, 156);
  header.write(target, 157, 100, 'latin1');
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
