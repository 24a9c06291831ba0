// Values of the request in a handler's reply: `{{request.body.messages[-1].content}}`. A text that is one such place and
// nothing else takes the value as it is; within other text it is written there. A place that the request does not have is
// no empty text: it is an error that names it.
import type { Subject } from './handler-match.ts';
import { field, isJsonObject, type Json, type JsonObject } from './json.ts';
import { TEMPLATE_CHARS_MAX } from './limits.ts';

/** `.body` is `'body'`; `[-1]` is -1, counted from the end. */
type Step = string | number;
type Part = string | { readonly written: string; readonly steps: readonly Step[] };

/** What `request` has. `said` is there where a model is asked. */
export const TEMPLATE_ROOTS: readonly string[] = ['method', 'path', 'query', 'headers', 'body', 'said'];

export type Filled<T> =
  | { readonly ok: true; readonly value: T }
  /** The place, as it is written; and why nothing can be put there. */
  | { readonly ok: false; readonly place: string; readonly why: string };

/** Null for a text without places; else the fault of the first that cannot be read, or none. */
export function templateFault(text: string): string | null {
  const parsed = partsOf(text);
  return typeof parsed === 'string' ? parsed : null;
}

/** The value with every text in it filled in. The texts were checked before (`templateFault`). */
export function fillIn(value: Json, subject: Subject): Filled<Json> {
  if (typeof value === 'string') return fillText(value, subject);
  if (Array.isArray(value)) {
    const made: Json[] = [];
    for (const each of value) {
      const inner = fillIn(each, subject);
      if (!inner.ok) return inner;
      made.push(inner.value);
    }
    return { ok: true, value: made };
  }
  if (!isJsonObject(value)) return { ok: true, value };
  const made: [string, Json][] = [];
  for (const [name, each] of Object.entries(value)) {
    const inner = fillIn(each, subject);
    if (!inner.ok) return inner;
    made.push([name, inner.value]);
  }
  return { ok: true, value: Object.fromEntries(made) };
}

function fillText(text: string, subject: Subject): Filled<Json> {
  const parts = partsOf(text);
  if (typeof parts === 'string') return { ok: false, place: text, why: parts };
  const [only] = parts;
  let whole = '';
  for (const part of parts) {
    if (typeof part === 'string') {
      whole += part;
      continue;
    }
    const value = valueAt(part.steps, subject);
    if (value === undefined) return { ok: false, place: part.written, why: 'the request does not have it' };
    if (parts.length === 1 && only === part) return { ok: true, value };
    whole += typeof value === 'string' ? value : JSON.stringify(value);
  }
  return { ok: true, value: whole };
}

function valueAt([root, ...steps]: readonly Step[], subject: Subject): Json | undefined {
  let at: Json | undefined = rootOf(root, subject);
  for (const step of steps) {
    if (typeof step === 'number') at = Array.isArray(at) ? at.at(step) : undefined;
    else if (root === 'headers') at = field(at, step.toLowerCase());
    else at = field(at, step);
  }
  return at;
}

function rootOf(root: Step | undefined, subject: Subject): Json | undefined {
  switch (root) {
    case 'method':
      return subject.method;
    case 'path':
      return subject.path;
    case 'query':
      return Object.fromEntries(subject.query);
    case 'headers':
      return Object.fromEntries(
        Object.entries(subject.headers).flatMap(([name, value]) =>
          value === undefined || SECRET_HEADERS.has(name)
            ? []
            : [[name, typeof value === 'string' ? value : value.join(', ')]],
        ),
      );
    case 'body':
      return subject.body;
    case 'said':
      return wordsOf(subject);
    default:
      return undefined;
  }
}

/** What lets somebody in is put into no answer. */
const SECRET_HEADERS: ReadonlySet<string> = new Set([
  'authorization',
  'proxy-authorization',
  'cookie',
  'api-key',
  'x-api-key',
  'x-wrld-token',
  'x-twins-key',
]);

function wordsOf({ features }: Subject): JsonObject | undefined {
  if (features === null) return undefined;
  const { body: _, ...said } = features;
  return said as unknown as JsonObject;
}

/** The texts and places of a text, or what is wrong with one. */
function partsOf(text: string): readonly Part[] | string {
  if (!text.includes('{{')) return [text];
  if (text.length > TEMPLATE_CHARS_MAX) return `is longer than ${TEMPLATE_CHARS_MAX} characters`;
  const parts: Part[] = [];
  let from = 0;
  for (let at = text.indexOf('{{'); at >= 0; at = text.indexOf('{{', from)) {
    const end = text.indexOf('}}', at);
    if (end < 0) return `${text.slice(at, at + 40)} is not closed with }}`;
    const written = text.slice(at + 2, end).trim();
    const steps = stepsOf(written);
    if (typeof steps === 'string') return steps;
    if (at > from) parts.push(text.slice(from, at));
    parts.push({ written, steps });
    from = end + 2;
  }
  if (from < text.length) parts.push(text.slice(from));
  return parts;
}

/** `request.body["a b"][0]` without its `request`. */
function stepsOf(written: string): readonly Step[] | string {
  const step = /\.([A-Za-z_$][\w$-]*)|\[(-?\d{1,9})\]|\["([^"\]]*)"\]/y;
  if (!written.startsWith('request')) return `{{${written}}} does not begin with request`;
  step.lastIndex = 'request'.length;
  const steps: Step[] = [];
  while (step.lastIndex < written.length) {
    const place = step.lastIndex;
    const found = step.exec(written);
    if (found === null) return `{{${written}}} cannot be read from “${written.slice(place, place + 20)}” on`;
    const [, name, index, quoted] = found;
    steps.push(index === undefined ? (name ?? quoted ?? '') : Number(index));
  }
  const [root] = steps;
  if (typeof root !== 'string' || !TEMPLATE_ROOTS.includes(root))
    return `{{${written}}} is not known; request has ${TEMPLATE_ROOTS.join(', ')}`;
  return steps;
}
