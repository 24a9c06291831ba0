// A request as a recording knows it: all that tells one from another, with its secrets masked, so that it can be kept and
// is the same when it is asked again with another key. What is chance (a boundary, an idempotency key) has no part in it.
import type { Call } from './call.ts';
import { digest } from './fingerprint.ts';
import { decodeForm, formJson } from './form.ts';
import { isJsonObject, type Json, readJson } from './json.ts';
import { readMultipart } from './multipart.ts';
import { credentialsOf, maskField, maskJson, maskPath, maskText } from './secrets.ts';

export type ExactRequest = {
  readonly method: string;
  readonly path: string;
  readonly query?: { readonly [name: string]: string | readonly string[] };
  /** Those of the vendor's headers that change what a request means; lower case. Others are not compared. */
  readonly headers?: { readonly [name: string]: string };
  /** JSON; a form as the tree its brackets write; an upload by its fields; other text. Of bytes, their length and digest. */
  readonly body?: Json;
};

/** `headers`: names, lower case. */
export function exactOf(call: Call, headers: readonly string[]): ExactRequest {
  const own = credentialsOf(call.headers, call.query);
  const query = queryOf(call.query, own);
  const said = headers.flatMap(name => {
    const value = call.headers[name];
    return value === undefined ? [] : [[name, maskText([value].flat().join(', '), own)] as const];
  });
  const body = bodyOf(call, own);
  return {
    method: call.method,
    path: maskPath(call.path, own),
    ...(query !== null && { query }),
    ...(said.length > 0 && { headers: Object.fromEntries(said) }),
    ...(body !== undefined && { body }),
  };
}

function queryOf(text: string, own: readonly string[]): NonNullable<ExactRequest['query']> | null {
  if (text === '') return null;
  const query = new Map<string, string | readonly string[]>();
  for (const [name, value] of new URLSearchParams(text)) {
    const masked = maskField(name, value, own);
    const named = maskText(name, own);
    const there = query.get(named);
    query.set(named, there === undefined ? masked : [there, masked].flat());
  }
  return Object.fromEntries(query);
}

function bodyOf({ headers, body }: Call, own: readonly string[]): Json | undefined {
  if (body.length === 0) return undefined;
  const type = String(headers['content-type'] ?? '');
  if (/^multipart\/form-data/i.test(type)) {
    const read = readMultipart(type, body);
    if (read.ok) return { upload: read.parts.map(part => partOf(part, own)) };
  }
  const text = textOf(body);
  if (text === null) return bytesOf(body);
  if (/^application\/x-www-form-urlencoded/i.test(type)) {
    const decoded = decodeForm(text);
    if (decoded.ok) return maskJson(formJson(decoded.form) as Json, own);
  }
  const json = readJson(text);
  return json === undefined ? maskText(text, own) : maskJson(json, own);
}

/** A file by its digest: what is in it is nobody's to keep. */
function partOf({ name, filename, type, bytes }: Parameters<typeof named>[0], own: readonly string[]): Json {
  return named({ name, filename, type, bytes }, own);
}

function named(
  part: {
    readonly name: string;
    readonly filename: string | null;
    readonly type: string | null;
    readonly bytes: Uint8Array;
  },
  own: readonly string[],
): Json {
  const { filename, type, bytes } = part;
  const text = filename === null ? textOf(bytes) : null;
  const name = maskText(part.name, own);
  if (text !== null) return { name, value: maskField(part.name, text, own) };
  return {
    name,
    ...(filename !== null && { filename: maskText(filename, own) }),
    ...(type !== null && { type: maskText(type, own) }),
    ...bytesOf(bytes),
  };
}

function bytesOf(bytes: Uint8Array): { readonly bytes: number; readonly digest: string } {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return { bytes: bytes.length, digest: digest(text) };
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function textOf(bytes: Uint8Array): string | null {
  try {
    const text = UTF8.decode(bytes);
    return /[\0-\x08\x0e-\x1f]/.test(text) ? null : text;
  } catch {
    return null;
  }
}

/** In which places a request is another than what was recorded; none for the same. */
export function exactMismatches(wanted: ExactRequest, held: ExactRequest): readonly string[] {
  const names = Object.keys(wanted.headers ?? {});
  const headers = Object.fromEntries(names.flatMap(name => entryOf(held.headers, name)));
  return [
    ...(wanted.method === held.method ? [] : ['method']),
    ...(wanted.path === held.path ? [] : ['path']),
    ...differing((wanted.query ?? {}) as Json, (held.query ?? {}) as Json, 'query'),
    ...differing((wanted.headers ?? {}) as Json, headers as Json, 'headers'),
    ...differing(wanted.body, held.body, 'body'),
  ];
}

function entryOf(of: ExactRequest['headers'], name: string): readonly (readonly [string, string])[] {
  const value = of?.[name];
  return value === undefined ? [] : [[name, value]];
}

function differing(wanted: Json | undefined, held: Json | undefined, place: string): readonly string[] {
  if (Array.isArray(wanted) && Array.isArray(held))
    return Array.from({ length: Math.max(wanted.length, held.length) }, (_, at) =>
      differing(wanted[at] as Json | undefined, held[at] as Json | undefined, `${place}.${at}`),
    ).flat();
  if (isJsonObject(wanted) && isJsonObject(held)) {
    const names = new Set([...Object.keys(wanted), ...Object.keys(held)]);
    return [...names].flatMap(name => {
      const [a, b] = [wanted, held].map(of => (Object.hasOwn(of, name) ? of[name] : undefined));
      return differing(a, b, `${place}.${name}`);
    });
  }
  return wanted === held ? [] : [place];
}
