// The headers of a tar archive, one after another: what each entry is, with what the headers before it say of it. A name is
// bytes, which need not be a text: here each byte is a letter (Latin-1), so that nothing of it is lost.
import { ARCHIVE_PATH_BYTES_MAX } from '../limits.ts';

export type TarEntry = {
  /** Below the archive's own root, without `.`; empty: that root. */
  readonly path: string;
  /** `special`: a device or a pipe. */
  readonly kind: 'file' | 'folder' | 'link' | 'hard-link' | 'special';
  readonly size: number;
  readonly mode: number;
  /** Seconds since 1970. */
  readonly changed: number;
  /** Of a link, as it is written. */
  readonly target: string;
};

export type TarHead =
  | { readonly what: 'end' }
  /** A header about the entry that follows, with as many bytes, which `take` wants where they are `wanted`. */
  | { readonly what: 'about'; readonly size: number; readonly wanted: boolean }
  | { readonly what: 'entry'; readonly entry: TarEntry };

export const TAR_BLOCK_BYTES = 512;

const [NAME, MODE, SIZE, CHANGED, SUM, TYPE, TARGET, MAGIC, PREFIX] = [
  [0, 100],
  [100, 8],
  [124, 12],
  [136, 12],
  [148, 8],
  [156, 1],
  [157, 100],
  [257, 5],
  [345, 155],
] as const;
const BLANK = 0x20;
const KINDS: { readonly [type: string]: TarEntry['kind'] } = {
  ...{ '0': 'file', '7': 'file', '1': 'hard-link', '2': 'link', '5': 'folder' },
  ...{ '3': 'special', '4': 'special', '6': 'special' },
};
/** What such an entry is has no bytes, whatever its size says. */
const WITHOUT_BYTES: readonly TarEntry['kind'][] = ['folder', 'hard-link', 'link', 'special'];

type About = { path?: string; target?: string; size?: number; changed?: number };

/** `rooted`: a path that begins with `/` is one below the archive's root, as layers of images have them. */
export class TarHeads {
  readonly #rooted: boolean;
  /** The type of the header that `take` is about. */
  #type = '';
  #about: About = {};

  constructor(rooted: boolean) {
    this.#rooted = rooted;
  }

  /** @throws where it is no header of such an archive */
  read(block: Buffer): TarHead {
    if (block.every(byte => byte === 0)) return { what: 'end' };
    if (!isHeader(block)) throw new Error('it is no tar archive, or a damaged one');
    const type = textAt(block, TYPE) || '0';
    if ('xgLK'.includes(type)) {
      const size = sizeOf(block);
      const wanted = type !== 'g';
      if (wanted && size > 4 * ARCHIVE_PATH_BYTES_MAX) throw new Error('one of its headers is too long');
      this.#type = type;
      return { what: 'about', size, wanted };
    }
    const about = this.#about;
    this.#about = {};
    const kind = KINDS[type];
    if (kind === undefined)
      throw new Error(`one of its entries is of a kind that is not known (${JSON.stringify(type)})`);
    const name = about.path ?? ustarName(block);
    const folder = kind === 'folder' || (kind === 'file' && name.endsWith('/'));
    return {
      what: 'entry',
      entry: {
        path: this.#pathOf(name),
        kind: folder ? 'folder' : kind,
        size: WITHOUT_BYTES.includes(kind) ? 0 : (about.size ?? sizeOf(block)),
        mode: numberAt(block, MODE) & 0o7777,
        changed: about.changed ?? numberAt(block, CHANGED),
        target: pathBytes(about.target ?? textAt(block, TARGET)),
      },
    };
  }

  /** The bytes of a header that is about the entry that follows. */
  take(bytes: Buffer): void {
    if (this.#type === 'L') this.#about.path = cut(bytes).toString('latin1');
    else if (this.#type === 'K') this.#about.target = cut(bytes).toString('latin1');
    else extend(this.#about, bytes);
  }

  #pathOf(name: string): string {
    pathBytes(name);
    const names = name.split('/');
    if ((name.startsWith('/') && !this.#rooted) || names.includes('..'))
      throw new Error('one of its paths leads out of it');
    return names.filter(each => each !== '' && each !== '.').join('/');
  }
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

/** Octal; 0 where it is none, which nobody is refused for. */
function numberAt(header: Buffer, field: readonly [number, number]): number {
  const text = textAt(header, field).trim();
  return /^[0-7]+$/.test(text) ? Number.parseInt(text, 8) : 0;
}

/** Records `<length> <key>=<value>\n`. */
function extend(about: About, bytes: Buffer): void {
  for (let at = 0; at < bytes.length; ) {
    const [all = '', digits] = /^(\d{1,6}) /.exec(bytes.toString('latin1', at, at + 8)) ?? [];
    const length = Number(digits);
    if (!(length > all.length) || at + length > bytes.length)
      throw new Error('one of its headers is damaged');
    const record = bytes.toString('latin1', at + all.length, at + length - 1);
    const [key, value] = [record.slice(0, record.indexOf('=')), record.slice(record.indexOf('=') + 1)];
    if (key === 'path') about.path = value;
    if (key === 'linkpath') about.target = value;
    if (key === 'mtime' && /^\d{1,12}(?:\.\d{1,12})?$/.test(value)) about.changed = Number(value);
    if (key.startsWith('GNU.sparse.'))
      throw new Error('one of its files is kept with holes (GNU sparse), which is not read');
    if (key === 'size') {
      if (!/^\d{1,15}$/.test(value)) throw new Error('one of its headers has no size');
      about.size = Number(value);
    }
    at += length;
  }
}

function ustarName(header: Buffer): string {
  const name = textAt(header, NAME);
  const prefix = textAt(header, MAGIC) === 'ustar' ? textAt(header, PREFIX) : '';
  return prefix === '' ? name : `${prefix}/${name}`;
}

function pathBytes(text: string): string {
  if (text.length > ARCHIVE_PATH_BYTES_MAX)
    throw new Error(`one of its paths is longer than ${ARCHIVE_PATH_BYTES_MAX} bytes`);
  if (text.includes('\0')) throw new Error('one of its paths is none');
  return text;
}

function textAt(header: Buffer, [from, length]: readonly [number, number]): string {
  return cut(header.subarray(from, from + length)).toString('latin1');
}

function cut(bytes: Buffer): Buffer {
  const end = bytes.indexOf(0);
  return end === -1 ? bytes : bytes.subarray(0, end);
}
