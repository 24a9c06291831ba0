// Uploads as `multipart/form-data` (RFC 7578), read at once: a twin answers synchronously, and its host has the
// whole body already.
import { BOUNDARY_CHARS_MAX, PART_HEAD_BYTES_MAX, PARTS_MAX } from './limits.ts';

export type FormPart = {
  readonly name: string;
  /** Null for a field that is no file. */
  readonly filename: string | null;
  readonly type: string | null;
  readonly bytes: Uint8Array;
};

export type MultipartResult =
  | { readonly ok: true; readonly parts: readonly FormPart[] }
  | { readonly ok: false; readonly why: MultipartFault };

export type MultipartFault =
  | 'no-boundary'
  | 'too-many-parts'
  | 'unended-part'
  | 'unnamed-part'
  | 'unended-body';

/** In words, for vendors that say what is wrong: "The upload could not be read: …". */
export const MULTIPART_FAULTS: { readonly [fault in MultipartFault]: string } = {
  'no-boundary': 'it names no boundary',
  'too-many-parts': 'it has too many parts',
  'unended-part': 'a part does not end',
  'unnamed-part': 'a part has no name',
  'unended-body': 'its closing delimiter is missing',
};

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const CR = 0x0d;
const LF = 0x0a;
const DASH = 0x2d;

/** A body that is cut off, or that two readers might take for different parts, is not read at all. */
export function readMultipart(contentType: string, body: Uint8Array): MultipartResult {
  const found = /^multipart\/form-data\s*;(.*)$/i.exec(contentType)?.[1];
  const boundary = (found === undefined ? null : parametersOf(found))?.get('boundary') ?? '';
  if (boundary === '' || boundary.length > BOUNDARY_CHARS_MAX) return { ok: false, why: 'no-boundary' };
  const mark = encoder.encode(`\r\n--${boundary}`);
  const parts: FormPart[] = [];
  // The first delimiter may be the body's very first bytes.
  let at = startsWith(body, mark.subarray(2), 0) ? mark.length - 2 : after(body, mark, 0);
  while (at >= 0) {
    if (body[at] === DASH && body[at + 1] === DASH) return { ok: true, parts };
    // Whatever begins like the delimiter is one (RFC 2046), and a delimiter has its line for itself.
    if (body[at] !== CR || body[at + 1] !== LF) return { ok: false, why: 'unended-part' };
    if (parts.length === PARTS_MAX) return { ok: false, why: 'too-many-parts' };
    const headEnd = find(body, BLANK_LINE, at);
    const next = headEnd < 0 ? -1 : find(body, mark, headEnd + 2);
    if (next < 0 || headEnd - at > PART_HEAD_BYTES_MAX) return { ok: false, why: 'unended-part' };
    const part = partOf(
      decoder.decode(body.subarray(at, headEnd)),
      body.subarray(headEnd + BLANK_LINE.length, next),
    );
    if (part === null) return { ok: false, why: 'unnamed-part' };
    parts.push(part);
    at = next + mark.length;
  }
  return { ok: false, why: 'unended-body' };
}

const BLANK_LINE = encoder.encode('\r\n\r\n');

function partOf(head: string, bytes: Uint8Array): FormPart | null {
  const disposition = /^content-disposition:[ \t]*form-data[ \t]*;(.*)$/im.exec(head)?.[1] ?? '';
  const parameters = parametersOf(disposition);
  const name = parameters?.get('name');
  if (name === undefined) return null;
  return {
    name,
    filename: parameters?.get('filename') ?? null,
    type: /^content-type:\s*(\S+)/im.exec(head)?.[1] ?? null,
    bytes,
  };
}

/**
 * `name="a"; filename="b"`, each name once, in one look at each character; null for what is written otherwise. Browsers
 * and fetch escape a quote as %22, others with a backslash.
 */
function parametersOf(text: string): ReadonlyMap<string, string> | null {
  const found = new Map<string, string>();
  const parameter = /[ \t]*([\w*-]+)=(?:"((?:\\"|[^"])*)"|([^\s;"]+))[ \t]*(?:;|$)/y;
  const all = text.trimEnd();
  while (parameter.lastIndex < all.length) {
    const [, name = '', quoted, plain = ''] = parameter.exec(all) ?? [];
    const key = name.toLowerCase();
    if (key === '' || found.has(key)) return null;
    found.set(key, quoted === undefined ? plain : quoted.replaceAll('\\"', '"').replaceAll('%22', '"'));
  }
  return found;
}

function after(body: Uint8Array, mark: Uint8Array, from: number): number {
  const at = find(body, mark, from);
  return at < 0 ? -1 : at + mark.length;
}

function find(body: Uint8Array, mark: Uint8Array, from: number): number {
  const first = mark[0]!;
  for (let at = body.indexOf(first, from); at >= 0; at = body.indexOf(first, at + 1)) {
    if (startsWith(body, mark, at)) return at;
  }
  return -1;
}

function startsWith(body: Uint8Array, mark: Uint8Array, at: number): boolean {
  for (let index = 0; index < mark.length; index += 1) if (body[at + index] !== mark[index]) return false;
  return true;
}
