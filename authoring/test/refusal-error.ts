// A refusal of the world's proxy as an error: its text, the missing side and the link to the fix, and the record (7.1).
import { type RefusalRecord, refusalText } from '../../policy/refusal.ts';

export type RefusalError = Error & { readonly worldRefusal?: RefusalRecord; readonly code: 'ECONNREFUSED' };

/** `body`: of the 502, a text with the record on its last line, JSON, or a page with the record in it. */
export function refusalError(body: string): RefusalError {
  const json = /\{\s*"kind":\s*"wrld-world-refusal"[\s\S]*\}/.exec(body);
  let record: RefusalRecord | undefined;
  try {
    record = json === null ? undefined : (JSON.parse(json[0]) as RefusalRecord);
  } catch {
    // The text says the same.
  }
  const message =
    record === undefined ? body.trim() : refusalText(record);
  return Object.assign(new Error(message), {
    code: 'ECONNREFUSED' as const,
    ...(record && { worldRefusal: record }),
  });
}
