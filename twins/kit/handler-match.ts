// Whether a request is what a handler waits for, and if not, which of its matchers said no.
import type { Call } from './call.ts';
import { type ExactRequest, exactMismatches, exactOf } from './exact-request.ts';
import { decodeForm, formJson } from './form.ts';
import type { Features } from './generative.ts';
import type { Json, Match, Text } from './handlers.ts';
import { readJson } from './json.ts';
import { compilePattern, type Pattern } from './pattern.ts';

/** A request as matchers see it; parsed once, whatever the number of handlers. */
export type Subject = {
  readonly method: string;
  readonly path: string;
  readonly query: ReadonlyMap<string, string>;
  readonly headers: Call['headers'];
  /** Undefined when there is none, or none that can be read. */
  readonly body: Json | undefined;
  /** Null for a call that no model answers. */
  readonly features: Features | null;
  /** Which call of its scope this is, counted from 1. */
  readonly call: number;
  /** As a recording knows it. */
  readonly exact: ExactRequest;
};

type SubjectOf = {
  readonly features?: Features | null;
  readonly count?: number;
  /** Of the vendor's, that change what a request means. */
  readonly headers?: readonly string[];
};

export function subjectOf(
  call: Call,
  { features = null, count = 0, headers: meant = [] }: SubjectOf = {},
): Subject {
  const query = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(call.query)) query.set(name, value);
  const { method, path, headers } = call;
  let body: { readonly read: Json | undefined } | null = null;
  let exact: ExactRequest | null = null;
  return {
    method,
    path,
    query,
    headers,
    get body() {
      body ??= { read: bodyOf(call) };
      return body.read;
    },
    features,
    call: count,
    get exact() {
      return (exact ??= exactOf(call, meant));
    },
  };
}

function bodyOf(call: Call): Json | undefined {
  if (call.body.length === 0) return undefined;
  const type = call.headers['content-type'];
  const text = new TextDecoder().decode(call.body);
  if (typeof type === 'string' && type.includes('x-www-form-urlencoded')) {
    const decoded = decodeForm(text);
    return decoded.ok ? formJson(decoded.form) : undefined;
  }
  return readJson(text) ?? text;
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
  if (match.exact !== undefined) {
    const wanted = match.exact;
    parts.push(subject => exactMismatches(wanted, subject.exact));
  }
  addGenerative(match, add);
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

type Add = (label: string, test: (subject: Subject) => boolean) => void;

/** What was said: none of these fits a call that no model answers. */
function addGenerative(match: Match, add: Add): void {
  const said = (label: string, test: (features: Features, subject: Subject) => boolean): void =>
    add(label, subject => subject.features !== null && test(subject.features, subject));
  for (const name of ['endpoint', 'model', 'lastUser', 'system', 'input'] as const) {
    const wanted = match[name];
    if (wanted === undefined) continue;
    const test = compileText(wanted);
    said(name, features => {
      const held = features[name];
      return held !== null && test(held);
    });
  }
  if (match.tool !== undefined) {
    const tests = [match.tool.offered].flat().map(compileText);
    said('tool.offered', ({ tools }) => tests.every(test => tools.some(test)));
  }
  const { toolResult, turn, call, stream, responseFormat } = match;
  if (typeof toolResult === 'boolean') {
    said('toolResult', ({ toolResults }) => toolResults.length > 0 === toolResult);
  } else if (toolResult !== undefined) {
    const parts = typeof toolResult === 'object' && ('name' in toolResult || 'text' in toolResult);
    const { name, text } = parts ? toolResult : { text: toolResult as Text };
    const named = name === undefined ? () => true : compileText(name);
    const tells = text === undefined ? () => true : compileText(text);
    said('toolResult', ({ toolResults }) =>
      toolResults.some(result => (name === undefined || named(result.name ?? '')) && tells(result.text)),
    );
  }
  if (turn !== undefined) said('turn', features => features.turn === turn);
  if (call !== undefined) said('call', (_features, subject) => subject.call === call);
  if (stream !== undefined) said('stream', features => features.stream === stream);
  if (responseFormat !== undefined)
    said('responseFormat', features => features.responseFormat === responseFormat);
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
