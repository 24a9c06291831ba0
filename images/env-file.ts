// A file of variables: `.env` beside a compose file, and what a service names as `env_file`.
import { ENV_VALUE_LINES_MAX, VALUE_CHARS_MAX } from './limits.ts';
import type { Note, Place } from './note.ts';
import { expandComposeText, type Lookup } from './words.ts';

export type EnvFile = {
  readonly variables: ReadonlyMap<string, { readonly value: string; readonly place: Place }>;
  readonly notes: readonly Note[];
};

/** `lookup`: what is set besides; a variable of the file itself comes first. `raw`: its values are as they are written. */
export function readEnvFile(
  text: string,
  { file, lookup, raw = false }: { readonly file: string; readonly lookup: Lookup; readonly raw?: boolean },
): EnvFile {
  const variables = new Map<string, { value: string; place: Place }>();
  const notes: Note[] = [];
  const lines = text.replace(/^\ufeff/, '').split(/\r?\n/);
  for (let at = 0; at < lines.length; at += 1) {
    const place = { file, line: at + 1 };
    const line = lines[at]!;
    if (/^\s*(#|$)/.test(line)) continue;
    const read = /^\s*(?:export\s+)?([A-Za-z_][\w.-]*)\s*(?:=(.*))?$/.exec(line);
    if (read === null) {
      notes.push({ ...place, what: 'no variable: NAME=value' });
      continue;
    }
    const [, name = '', written = ''] = read;
    if (raw) {
      variables.set(name, { value: written, place });
      continue;
    }
    let value = written.trim();
    const quote = /^["']/.exec(value)?.[0];
    if (quote !== undefined) {
      // A quoted value may have more lines than one.
      let rest = value;
      let end = endOf(rest, quote);
      if (end === -1) {
        rest = [value, ...lines.slice(at + 1, at + ENV_VALUE_LINES_MAX)].join('\n').slice(0, VALUE_CHARS_MAX);
        end = endOf(rest, quote);
      }
      if (end === -1) {
        notes.push({ ...place, what: `the value of ${name} has a ${quote} that is not closed` });
        break;
      }
      value = rest.slice(0, end + 1);
      at += value.split('\n').length - 1;
    }
    const plain = unquoted(value, quote);
    const own: Lookup = wanted => variables.get(wanted)?.value ?? lookup(wanted);
    const expanded = quote === "'" ? ({ ok: true, text: plain } as const) : expandComposeText(plain, own);
    if (expanded.ok) variables.set(name, { value: expanded.text, place });
    else notes.push({ ...place, what: expanded.why });
  }
  return { variables, notes };
}

function endOf(value: string, quote: string): number {
  for (let at = 1; at < value.length; at += 1) {
    if (value[at] === '\\' && quote === '"') at += 1;
    else if (value[at] === quote) return at;
  }
  return -1;
}

const ESCAPES: { readonly [char: string]: string } = { n: '\n', r: '\r', t: '\t' };

function unquoted(value: string, quote: string | undefined): string {
  // A comment begins after a space.
  if (quote === undefined) return value.replace(/\s+#.*$/, '');
  const inside = value.slice(1, -1);
  return quote === "'" ? inside : inside.replace(/\\([\s\S])/g, (_, char: string) => ESCAPES[char] ?? char);
}
