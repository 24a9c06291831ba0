// A JSON Schema that stands in what was said: programs that ask a model for JSON without a schema of the API's write theirs into
// the prompt.
import { isJsonObject, type JsonObject, objectField, readJson } from './json.ts';
import { PROMPT_BRACES_MAX, PROMPT_CHARS_MAX } from './limits.ts';

/** The last one of all that was said, oldest first: what stands before it is often an example. Null where there is none. */
export function schemaSaid(said: readonly string[]): JsonObject | null {
  let left = PROMPT_CHARS_MAX;
  for (const text of said.toReversed()) {
    if (left === 0) return null;
    const looked = text.slice(-left);
    left -= looked.length;
    const found = lastSchema(looked);
    if (found !== null) return found;
  }
  return null;
}

function lastSchema(text: string): JsonObject | null {
  let last: JsonObject | null = null;
  let from = text.indexOf('{');
  for (let tried = 0; from >= 0 && tried < PROMPT_BRACES_MAX; tried += 1) {
    const end = endOf(text, from);
    const read = end === null ? undefined : readJson(text.slice(from, end));
    if (isJsonObject(read) && objectField(read, 'properties') !== null) last = read;
    from = text.indexOf('{', read === undefined ? from + 1 : end!);
  }
  return last;
}

/** Behind the brace that closes the one at `from`; null where none does. */
function endOf(text: string, from: number): number | null {
  let depth = 0;
  let quoted = false;
  for (let at = from; at < text.length; at += 1) {
    const mark = text[at];
    if (mark === '\\' && quoted) at += 1;
    else if (mark === '"') quoted = !quoted;
    else if (quoted) continue;
    else if (mark === '{') depth += 1;
    else if (mark === '}') {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return null;
}
