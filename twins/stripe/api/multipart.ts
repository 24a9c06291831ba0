// `multipart/form-data`, as the SDK uploads a file: the plain fields, and the one part that has a file name.
import type { Call } from '../../kit/call.ts';
import { type FormPart, readMultipart } from '../../kit/multipart.ts';
import { headerOf } from '../../kit/operation.ts';
import { invalid } from './errors.ts';

/** The fields without the file, as a form has them; throws `StripeRefusal` for a body that is none. */
export function multipartFields(call: Call): string {
  const decoder = new TextDecoder();
  return partsOf(call)
    .filter(({ filename }) => filename === null)
    .map(({ name, bytes }) => `${encodeURIComponent(name)}=${encodeURIComponent(decoder.decode(bytes))}`)
    .join('&');
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
