// Uploads as `multipart/form-data` (RFC 7578), read at once: a twin answers synchronously, and its host has the
// whole body already.

export type FormPart = {
  readonly name: string;
  /** Null for a field that is no file. */
  readonly filename: string | null;
  readonly type: string | null;
  readonly bytes: Uint8Array;
};

export type MultipartResult =
  | { readonly ok: true; readonly parts: readonly FormPart[] }
  | { readonly ok: false; readonly why: string };

const PARTS_MAX = 1_000;
const PART_HEAD_BYTES_MAX = 16 * 1024;
const BOUNDARY_CHARS_MAX = 70;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export function readMultipart(contentType: string, body: Uint8Array): MultipartResult {
  const found = /^multipart\/form-data\s*;.*?\bboundary=(?:"([^"]+)"|([^\s;]+))/i.exec(contentType);
  const boundary = found?.[1] ?? found?.[2] ?? '';
  if (boundary === '' || boundary.length > BOUNDARY_CHARS_MAX)
    return { ok: false, why: 'it names no boundary' };
  const mark = encoder.encode(`\r\n--${boundary}`);
  const parts: FormPart[] = [];
  // The first delimiter may be the body's very first bytes.
  let at = startsWith(body, mark.subarray(2), 0) ? mark.length - 2 : after(body, mark, 0);
  while (at >= 0) {
    if (body[at] === 0x2d && body[at + 1] === 0x2d) return { ok: true, parts };
    if (parts.length === PARTS_MAX) return { ok: false, why: `it has more than ${PARTS_MAX} parts` };
    const headEnd = find(body, BLANK_LINE, at);
    const next = headEnd < 0 ? -1 : find(body, mark, headEnd + 2);
    if (next < 0 || headEnd - at > PART_HEAD_BYTES_MAX) return { ok: false, why: 'a part does not end' };
    const part = partOf(
      decoder.decode(body.subarray(at, headEnd)),
      body.subarray(headEnd + BLANK_LINE.length, next),
    );
    if (part === null) return { ok: false, why: 'a part has no name' };
    parts.push(part);
    at = next + mark.length;
  }
  return { ok: false, why: 'its closing delimiter is missing' };
}

const BLANK_LINE = encoder.encode('\r\n\r\n');

function partOf(head: string, bytes: Uint8Array): FormPart | null {
  const disposition = /^content-disposition:\s*form-data\s*;(.*)$/im.exec(head)?.[1] ?? '';
  const name = parameter(disposition, 'name');
  if (name === null) return null;
  return {
    name,
    filename: parameter(disposition, 'filename'),
    type: /^content-type:\s*(\S+)/im.exec(head)?.[1] ?? null,
    bytes,
  };
}

/** Browsers and fetch escape a quote as %22, others with a backslash. */
function parameter(disposition: string, name: string): string | null {
  const found = new RegExp(`(?:^|;)\\s*${name}="((?:\\\\"|[^"])*)"`, 'i').exec(disposition)?.[1];
  return found === undefined ? null : found.replaceAll('\\"', '"').replaceAll('%22', '"');
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
