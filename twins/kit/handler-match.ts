// Whether a request is what a handler waits for, and if not, which of its matchers said no.
import type { Call } from './call.ts';
import { decodeForm, type FormNode } from './form.ts';
import type { Json, Match, Text } from './handlers.ts';
import { compilePattern, type Pattern } from './pattern.ts';

/** A request as matchers see it; parsed once, whatever the number of handlers. */
export type Subject = {
  readonly method: string;
  readonly path: string;
  readonly query: ReadonlyMap<string, string>;
  readonly headers: Call['headers'];
  /** Undefined when there is none, or none that can be read. */
  readonly body: Json | undefined;
};

export function subjectOf(call: Call): Subject {
  const query = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(call.query)) query.set(name, value);
  return { method: call.method, path: call.path, query, headers: call.headers, body: bodyOf(call) };
}

function bodyOf(call: Call): Json | undefined {
  if (call.body.length === 0) return undefined;
  const type = call.headers['content-type'];
  const text = new TextDecoder().decode(call.body);
  if (typeof type === 'string' && type.includes('x-www-form-urlencoded')) {
    const decoded = decodeForm(text);
    return decoded.ok ? jsonOf(decoded.form) : undefined;
  }
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

/** A form's map whose names are 0, 1, 2 … is an array. */
function jsonOf(node: FormNode): Json {
  if (typeof node === 'string') return node;
  const names = [...node.keys()];
  if (names.length > 0 && names.every((name, index) => name === String(index))) {
    return [...node.values()].map(jsonOf);
  }
  return Object.fromEntries([...node].map(([name, inner]) => [name, jsonOf(inner)]));
}

export type Matcher = (subject: Subject) => readonly string[];

/** Compiles a match to a function that names the matchers that failed; none when the request fits. */
export function compileMatch(match: Match): Matcher {
  const parts: Matcher[] = [];
  const add = (label: string, test: (subject: Subject) => boolean): void => {
    parts.push(subject => (test(subject) ? [] : [label]));
  };
  if (match.method !== undefined) {
    const test = compileText(match.method);
    add('method', subject => test(subject.method));
  }
  if (match.path !== undefined) {
    const test = typeof match.path === 'string' ? compilePath(match.path) : compileText(match.path);
    add('path', subject => test(subject.path));
  }
  for (const [name, text] of Object.entries(match.query ?? {})) {
    const test = compileText(text);
    add(`query.${name}`, subject => {
      const value = subject.query.get(name);
      return value !== undefined && test(value);
    });
  }
  for (const [name, text] of Object.entries(match.header ?? {})) {
    const test = compileText(text);
    add(`header.${name}`, subject => [subject.headers[name.toLowerCase()] ?? []].flat().some(test));
  }
  if (match.body !== undefined) {
    const wanted = match.body;
    parts.push(subject => bodyMismatches(wanted, subject.body, 'body'));
  }
  for (const inner of match.all ?? []) parts.push(compileMatch(inner));
  if (match.any !== undefined) {
    const anyOf = match.any.map(compileMatch);
    add('any', subject => anyOf.some(test => test(subject).length === 0));
  }
  if (match.not !== undefined) {
    const inner = compileMatch(match.not);
    add('not', subject => inner(subject).length > 0);
  }
  return subject => parts.flatMap(part => part(subject));
}

function compileText(text: Text): (value: string) => boolean {
  if (typeof text === 'string') return value => value === text;
  if ('equals' in text) return value => value === text.equals;
  if ('contains' in text) return value => value.includes(text.contains);
  if ('containsAll' in text) return value => text.containsAll.every(part => value.includes(part));
  const pattern = patternOf(text.regex, text.flags);
  return value => pattern.test(value);
}

/** The file was checked before, so a pattern that does not compile is a bug. */
function patternOf(source: string, flags: string | undefined): Pattern {
  const compiled = compilePattern(source, flags);
  if (!compiled.ok) throw new Error(`${source}: ${compiled.message}`);
  return compiled.pattern;
}

function compilePath(template: string): (path: string) => boolean {
  const wanted = template.split('/');
  return path => {
    const segments = path.split('/');
    return (
      segments.length === wanted.length &&
      wanted.every((part, index) => part === '*' || /^\{[^}]*\}$/.test(part) || part === segments[index])
    );
  };
}

/** Objects by the names that are wanted, arrays by place, and scalars; a form's scalars are all text. */
function bodyMismatches(wanted: Json, held: Json | undefined, label: string): readonly string[] {
  if (held === undefined) return [label];
  if (Array.isArray(wanted)) {
    if (!Array.isArray(held) || held.length < wanted.length) return [label];
    return wanted.flatMap((inner, index) => bodyMismatches(inner, held[index], `${label}.${index}`));
  }
  if (typeof wanted === 'object' && wanted !== null) {
    if (typeof held !== 'object' || held === null || Array.isArray(held)) return [label];
    const fields = held as { readonly [name: string]: Json };
    return Object.entries(wanted).flatMap(([name, inner]) =>
      bodyMismatches(inner, Object.hasOwn(fields, name) ? fields[name] : undefined, `${label}.${name}`),
    );
  }
  const same = wanted === held || (typeof held === 'string' && wanted !== null && held === String(wanted));
  return same ? [] : [label];
}
