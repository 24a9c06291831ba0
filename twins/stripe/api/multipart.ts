// `multipart/form-data`, as the SDK uploads a file: the plain fields, and the one part that has a file name.
import type { Call } from '../../kit/call.ts';
import type { FormMap } from '../../kit/form.ts';
import { invalid } from './errors.ts';

export type Part = {
  readonly name: string;
  readonly filename: string | null;
  readonly type: string | null;
  readonly bytes: Uint8Array;
};

const PARTS_MAX = 100;

/** The fields without a file; throws `StripeRefusal` for a body that is none. */
export function multipartFields(call: Call): FormMap {
  const decoder = new TextDecoder();
  const fields: FormMap = new Map();
  for (const part of parts(call)) {
    if (part.filename !== null) continue;
    const [name = '', inner] = part.name.split(/[[\]]/);
    const value = decoder.decode(part.bytes);
    if (inner === undefined || inner === '') fields.set(name, value);
    else {
      const held = fields.get(name);
      const hash: FormMap = held instanceof Map ? held : new Map();
      hash.set(inner, value);
      fields.set(name, hash);
    }
  }
  return fields;
}

export function filePart(call: Call): Part | null {
  return parts(call).find(({ filename }) => filename !== null) ?? null;
}

function parts(call: Call): Part[] {
  const type = [call.headers['content-type'] ?? ''].flat()[0] ?? '';
  const boundary = /^multipart\/form-data;.*boundary=(?:"([^"]{1,70})"|([^;\s]{1,70}))/i.exec(type);
  const mark = boundary?.[1] ?? boundary?.[2];
  if (mark === undefined) throw invalid('Invalid request: a file is sent as multipart/form-data.');
  // One letter a byte, so that offsets in the text are offsets in the bytes.
  const text = latin(call.body);
  const made: Part[] = [];
  let at = text.indexOf(`--${mark}`);
  while (at >= 0 && made.length < PARTS_MAX) {
    const head = at + mark.length + 4;
    if (text.startsWith('--', head - 2)) break;
    const next = text.indexOf(`\r\n--${mark}`, head - 2);
    const blank = text.indexOf('\r\n\r\n', head - 2);
    if (next < 0 || blank < 0 || blank > next)
      throw invalid('Invalid request: the multipart body is cut off.');
    made.push(partOf(text.slice(head, blank), call.body.subarray(Math.min(blank + 4, next), next)));
    at = next + 2;
  }
  return made;
}

function partOf(head: string, bytes: Uint8Array): Part {
  const disposition = /^content-disposition:\s*form-data;(.*)$/im.exec(head)?.[1] ?? '';
  const field = (name: string): string | null =>
    new RegExp(`(?:^|[;\\s])${name}="([^"]*)"`, 'i').exec(disposition)?.[1] ?? null;
  const type = /^content-type:\s*(\S+)/im.exec(head)?.[1] ?? null;
  return { name: field('name') ?? '', filename: field('filename'), type, bytes };
}

function latin(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 8_192) {
    text += String.fromCharCode(...bytes.subarray(at, at + 8_192));
  }
  return text;
}
