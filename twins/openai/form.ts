// A request as `multipart/form-data`: its fields as texts, its files with their bytes.
import type { Call } from '../kit/call.ts';
import { type FormPart, MULTIPART_FAULTS, readMultipart } from '../kit/multipart.ts';
import { headerOf } from '../kit/operation.ts';
import { invalid, missing } from './errors.ts';

export type UploadForm = {
  /** Null where the form has no such field. */
  text(name: string): string | null;
  /** Of a field that may come more than once: `timestamp_granularities[]`. */
  texts(name: string): readonly string[];
  files(name: string): readonly FormPart[];
  /** Refuses where there is none. */
  file(name: string): FormPart;
};

export function readUploadForm(call: Call): UploadForm {
  const read = readMultipart(headerOf(call, 'content-type') ?? '', call.body);
  if (!read.ok) throw invalid(`The upload could not be read: ${MULTIPART_FAULTS[read.why]}.`);
  const { parts } = read;
  const named = (name: string): readonly FormPart[] =>
    parts.filter(part => part.name === name || part.name === `${name}[]`);
  const texts = (name: string): readonly string[] =>
    named(name).map(({ bytes }) => new TextDecoder().decode(bytes));
  return {
    text: name => texts(name)[0] ?? null,
    texts,
    files: named,
    file: name => {
      const [found] = named(name);
      if (found === undefined) throw missing(name);
      return found;
    },
  };
}
