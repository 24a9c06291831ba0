// A refusal of the world's proxy as an error: its text, the missing side and the link to the fix, and the record (7.1).
import { parseJson } from '../../policy/json-text.ts';
import { type RefusalRecord, refusalText } from '../../policy/refusal.ts';

export type RefusalError = Error & { readonly worldRefusal?: RefusalRecord; readonly code: 'ECONNREFUSED' };

/** `body`: of the 502, a text with the record on its last line, JSON, or a page with the record in it. */
export function refusalError(body: string): RefusalError {
  const json = /\{\s*"kind":\s*"wrld-world-refusal"[\s\S]*\}/.exec(body);
  const read = json === null ? null : parseJson(json[0]);
  // Without it the text says the same.
  const record = read?.ok === true ? (read.value as RefusalRecord) : undefined;
  const message = record === undefined ? body.trim() : refusalText(record);
  return Object.assign(new Error(message), {
    code: 'ECONNREFUSED' as const,
    ...(record && { worldRefusal: record }),
  });
}
