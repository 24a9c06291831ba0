// A tar archive by its headers: where in the file each regular file is. Nothing is unpacked; what a header says of a link, a
// device, an owner or a mode is not kept.
import { ARCHIVE_ENTRIES_MAX, ARCHIVE_PATH_BYTES_MAX } from '../limits.ts';

export type TarFile = { readonly offset: number; readonly size: number };

export type ReadAt = (offset: number, length: number) => Buffer;

const BLOCK_BYTES = 512;
const [NAME, SIZE, SUM, TYPE, MAGIC, PREFIX] = [
  [0, 100],
  [124, 12],
  [148, 8],
  [156, 1],
  [257, 5],
  [345, 155],
] as const;
const BLANK = 0x20;

/** By their paths, each without `./` at its start; the last of a path counts. @throws where it is no such archive */
export function tarFiles(readAt: ReadAt, length: number): ReadonlyMap<string, TarFile> {
  const files = new Map<string, TarFile>();
  let longName: string | null = null;
  let longSize: number | null = null;
  let entries = 0;
  for (let at = 0; at + BLOCK_BYTES <= length; ) {
    const header = readAt(at, BLOCK_BYTES);
    if (header.every(byte => byte === 0)) return files;
    if (!isHeader(header)) throw new Error('it is no tar archive, or a damaged one');
    entries += 1;
    if (entries > ARCHIVE_ENTRIES_MAX) throw new Error(`it has more than ${ARCHIVE_ENTRIES_MAX} entries`);
    const type = textAt(header, TYPE) || '0';
    // Of the entry that follows; a header that is about others has its own.
    const meta = 'xgLK'.includes(type);
    const size: number = (meta ? null : longSize) ?? sizeOf(header);
    const offset = at + BLOCK_BYTES;
    if (size > length - offset) throw new Error('it ends in the middle of a file');
    at = offset + Math.ceil(size / BLOCK_BYTES) * BLOCK_BYTES;
    if (meta) {
      if (type === 'x' || type === 'L') {
        if (size > 4 * ARCHIVE_PATH_BYTES_MAX) throw new Error('one of its headers is too long');
        const text = readAt(offset, size);
        if (type === 'L') longName = cut(text).toString('utf8');
        else ({ name: longName, size: longSize } = extended(text, longName));
      }
      continue;
    }
    const path = pathOf(longName ?? ustarName(header));
    [longName, longSize] = [null, null];
    if (type === '0' || type === '7') files.set(path, { offset, size });
    else files.delete(path);
  }
  return files;
}

function isHeader(header: Buffer): boolean {
  const said = Number.parseInt(textAt(header, SUM).trim(), 8);
  let sum = 0;
  for (const [nth, byte] of header.entries()) sum += nth >= SUM[0] && nth < SUM[0] + SUM[1] ? BLANK : byte;
  return said === sum;
}

/** Octal, or where its first bit says so in base 256. */
function sizeOf(header: Buffer): number {
  const [from, length] = SIZE;
  if ((header[from]! & 0x80) === 0) {
    const text = textAt(header, SIZE).trim();
    if (!/^[0-7]*$/.test(text)) throw new Error('one of its headers has no size');
    return text === '' ? 0 : Number.parseInt(text, 8);
  }
  const large = header.readBigUInt64BE(from + length - 8);
  const above = header.subarray(from + 1, from + length - 8).some(byte => byte !== 0);
  if (above || header[from] !== 0x80 || large > BigInt(Number.MAX_SAFE_INTEGER))
    throw new Error('one of its headers has no size');
  return Number(large);
}

/** Records `<length> <key>=<value>\n`. */
function extended(bytes: Buffer, before: string | null): { name: string | null; size: number | null } {
  let [name, size]: [string | null, number | null] = [before, null];
  for (let at = 0; at < bytes.length; ) {
    const [all = '', digits] = /^(\d{1,6}) /.exec(bytes.toString('latin1', at, at + 8)) ?? [];
    const length = Number(digits);
    if (!(length > all.length) || at + length > bytes.length)
      throw new Error('one of its headers is damaged');
    const record = bytes.toString('utf8', at + all.length, at + length - 1);
    const [key, value] = [record.slice(0, record.indexOf('=')), record.slice(record.indexOf('=') + 1)];
    if (key === 'path') name = value;
    if (key === 'size') {
      if (!/^\d{1,15}$/.test(value)) throw new Error('one of its headers has no size');
      size = Number(value);
    }
    at += length;
  }
  return { name, size };
}

function ustarName(header: Buffer): string {
  const name = textAt(header, NAME);
  const prefix = textAt(header, MAGIC) === 'ustar' ? textAt(header, PREFIX) : '';
  return prefix === '' ? name : `${prefix}/${name}`;
}

function pathOf(name: string): string {
  if (Buffer.byteLength(name) > ARCHIVE_PATH_BYTES_MAX)
    throw new Error(`one of its paths is longer than ${ARCHIVE_PATH_BYTES_MAX} bytes`);
  if (name.startsWith('/') || name.split('/').includes('..'))
    throw new Error('one of its paths leads out of it');
  return name.replace(/^(\.\/+)+/, '');
}

function textAt(header: Buffer, [from, length]: readonly [number, number]): string {
  return cut(header.subarray(from, from + length)).toString('utf8');
}

function cut(bytes: Buffer): Buffer {
  const end = bytes.indexOf(0);
  return end === -1 ? bytes : bytes.subarray(0, end);
}
