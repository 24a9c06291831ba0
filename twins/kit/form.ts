// Bracketed form bodies (`items[0][price]=x`), as Stripe's and Slack's clients send them. Untrusted: depth and
// count are limited, and nodes are Maps, so that a name such as `__proto__` is only a name.

import type { Json } from './json.ts';
import { FORM_DEPTH_MAX, FORM_FIELDS_MAX } from './limits.ts';

/** A leaf is text; anything bracketed is a map from segment to node, in the order of arrival. */
export type FormNode = string | FormMap;
export type FormMap = Map<string, FormNode>;

export type FormResult =
  | { readonly ok: true; readonly form: FormMap }
  | { readonly ok: false; readonly why: 'too-many' | 'too-deep' | 'malformed'; readonly name: string };

/** As JSON: a map whose names are 0, 1, 2 … is an array, and every scalar is text. */
export function formJson(node: FormNode): Json {
  if (typeof node === 'string') return node;
  const names = [...node.keys()];
  if (names.length > 0 && names.every((name, index) => name === String(index))) {
    return [...node.values()].map(formJson);
  }
  return Object.fromEntries([...node].map(([name, inner]) => [name, formJson(inner)]));
}

/** Decodes an `application/x-www-form-urlencoded` text or a query string. */
export function decodeForm(text: string): FormResult {
  const form: FormMap = new Map();
  if (text === '') return { ok: true, form };
  let count = 0;
  for (const pair of text.split('&')) {
    if (pair === '') continue;
    count += 1;
    if (count > FORM_FIELDS_MAX) return { ok: false, why: 'too-many', name: '' };
    const at = pair.indexOf('=');
    const name = unescaped(at < 0 ? pair : pair.slice(0, at));
    const value = at < 0 ? '' : unescaped(pair.slice(at + 1));
    if (name === null || value === null) return { ok: false, why: 'malformed', name: name ?? '' };
    const segments = segmentsOf(name);
    if (segments === null) return { ok: false, why: 'malformed', name };
    if (segments.length > FORM_DEPTH_MAX) return { ok: false, why: 'too-deep', name };
    if (!place(form, segments, value)) return { ok: false, why: 'malformed', name };
  }
  return { ok: true, form };
}

function unescaped(text: string): string | null {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return null;
  }
}

/** `a[b][0]` → `['a', 'b', '0']`; null when the brackets do not pair. */
function segmentsOf(name: string): string[] | null {
  const open = name.indexOf('[');
  if (open < 0) return name === '' ? null : [name];
  if (open === 0) return null;
  const segments = [name.slice(0, open)];
  let at = open;
  while (at < name.length) {
    if (name[at] !== '[') return null;
    const close = name.indexOf(']', at);
    if (close < 0) return null;
    const segment = name.slice(at + 1, close);
    if (segment.includes('[')) return null;
    segments.push(segment);
    at = close + 1;
  }
  return segments;
}

function place(form: FormMap, segments: readonly string[], value: string): boolean {
  let node = form;
  for (let depth = 0; depth < segments.length - 1; depth += 1) {
    const key = keyOf(node, segments, depth);
    const next = node.get(key);
    if (next === undefined) {
      const made: FormMap = new Map();
      node.set(key, made);
      node = made;
    } else if (typeof next === 'string') {
      return false;
    } else {
      node = next;
    }
  }
  const last = segments.length - 1;
  const key = segments[last] === '' ? String(node.size) : (segments[last] ?? '');
  if (node.get(key) instanceof Map) return false;
  node.set(key, value); // a name that comes twice: the last one holds
  return true;
}

/** `a[]` appends; `a[][b]` goes on with the newest element until that element has a `b`. */
function keyOf(node: FormMap, segments: readonly string[], depth: number): string {
  const segment = segments[depth] ?? '';
  if (segment !== '' || depth === 0) return segment;
  const newest = node.get(String(node.size - 1));
  if (newest instanceof Map && !newest.has(segments[depth + 1] ?? '')) return String(node.size - 1);
  return String(node.size);
}
