// `multipart/form-data`, as the SDK uploads a file: the plain fields, and the one part that has a file name.
import type { Call } from '../../kit/call.ts';
import type { FormMap } from '../../kit/form.ts';
import { type FormPart, readMultipart } from '../../kit/multipart.ts';
import { headerOf } from '../../kit/operation.ts';
import { invalid } from './errors.ts';

/** The fields without a file; throws `StripeRefusal` for a body that is none. */
export function multipartFields(call: Call): FormMap {
  const decoder = new TextDecoder();
  const fields: FormMap = new Map();
  for (const part of partsOf(call)) {
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

export function filePart(call: Call): FormPart | null {
  return partsOf(call).find(({ filename }) => filename !== null) ?? null;
}

function partsOf(call: Call): readonly FormPart[] {
  const read = readMultipart(headerOf(call, 'content-type') ?? '', call.body);
  if (read.ok) return read.parts;
  throw invalid(
    read.why === 'no-boundary'
      ? 'Invalid request: a file is sent as multipart/form-data.'
      : 'Invalid request: the multipart body is cut off.',
  );
}
