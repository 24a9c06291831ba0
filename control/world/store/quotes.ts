// Records that show other records as they stood: an event holds the whole object that it tells of. The store keeps which
// version of which record that was, and what is shown otherwise than it stands there; the object is put together again
// when the record is read, to the same text.
import type { RecordBody } from '../../../twins/kit/tx.ts';

/** One object that is shown, and the version that it is. */
export type Quote = {
  /** Where it is in the body, from the outermost name inwards. */
  readonly at: readonly (string | number)[];
  readonly type: string;
  readonly id: string;
  readonly pos: number;
  /** What is shown otherwise, or besides. */
  readonly but?: RecordBody;
  /** Fields of the version that are not shown. */
  readonly without?: readonly string[];
};

/** In a body as it stands in its row; outer ones come before those inside of them. */
const QUOTES = '$quotes';

/** Whether the text of a body may have any; of most it has none, and nobody needs to read it. */
export const mayQuote = (text: string): boolean => text.includes(`"${QUOTES}"`);

/** A record as this transaction leaves it; undefined for what it has not written. */
export type Standing = (
  type: string,
  id: string,
) => { readonly pos: number; readonly body: RecordBody } | undefined;

/** The body with quotes in place of the records that stand; `at` is where the object is that it shows. */
export const quoted = (body: RecordBody, at: readonly string[], standing: Standing): RecordBody => {
  const quotes: Quote[] = [];
  const short = replaced(body, at, shown => shortened(shown, at, standing, quotes));
  return quotes.length === 0 ? body : { ...short, [QUOTES]: quotes };
};

/** The body as it was put. `version` gives the text of a record at a position. */
export const unquoted = <T extends RecordBody>(
  body: RecordBody,
  version: (type: string, id: string, pos: number) => string,
): T => {
  const { [QUOTES]: held, ...rest } = body;
  if (held === undefined) return body as T;
  let whole: RecordBody = rest;
  for (const { at, type, id, pos, but, without } of held as readonly Quote[]) {
    const shown = new Map<string, unknown>();
    for (const [name, value] of Object.entries(JSON.parse(version(type, id, pos)) as RecordBody))
      if (!name.startsWith('$') && without?.includes(name) !== true) shown.set(name, value);
    for (const [name, value] of Object.entries(but ?? {})) shown.set(name, value);
    whole = replaced(whole, at, () => Object.fromEntries(shown));
  }
  return whole as T;
};

/** What is kept of an object that is shown: null where it is quoted. */
const shortened = (shown: unknown, at: Quote['at'], standing: Standing, quotes: Quote[]): unknown => {
  if (typeof shown !== 'object' || shown === null) return shown;
  if (Array.isArray(shown)) return shown.map((each, n) => shortened(each, [...at, n], standing, quotes));
  const { object: type, id } = shown as { readonly object?: unknown; readonly id?: unknown };
  const found = typeof type === 'string' && typeof id === 'string' ? standing(type, id) : undefined;
  if (found !== undefined) {
    const place = quotes.length;
    const difference = differing(shown as RecordBody, found.body);
    if (difference !== null) {
      const { but, without } = difference;
      // Its own place among them comes before those of what is in it.
      const quote = { at, type: type as string, id: id as string, pos: found.pos };
      quotes.push(quote);
      const kept = [...but].map(([name, value]) => [
        name,
        // No place in a body can be named so.
        name === '__proto__' ? value : shortened(value, [...at, name], standing, quotes),
      ]);
      quotes[place] = {
        ...quote,
        ...(kept.length > 0 ? { but: Object.fromEntries(kept) as RecordBody } : {}),
        ...(without.length > 0 ? { without } : {}),
      };
      return null;
    }
  }
  // Lists are objects too; what a person named anything is not looked into.
  if (type !== 'list') return shown;
  const list = shown as { readonly data?: unknown };
  return { ...shown, data: shortened(list.data, [...at, 'data'], standing, quotes) };
};

type Difference = { readonly but: ReadonlyMap<string, unknown>; readonly without: readonly string[] };

/** Null where the order of the fields is another: the text would not be the same. */
const differing = (shown: RecordBody, stands: RecordBody): Difference | null => {
  const but = new Map<string, unknown>();
  const without: string[] = [];
  const own = (name: string): unknown => (Object.hasOwn(shown, name) ? shown[name] : undefined);
  const names = Object.keys(shown).filter(name => shown[name] !== undefined);
  let next = 0;
  for (const [name, value] of Object.entries(stands)) {
    if (name.startsWith('$') || value === undefined) continue;
    if (own(name) === undefined) without.push(name);
    else if (names[next] !== name) return null;
    else {
      next += 1;
      if (!isSame(shown[name], value)) but.set(name, shown[name]);
    }
  }
  for (const name of names.slice(next)) but.set(name, shown[name]);
  return { but, without };
};

/** Whether both are the same text: the order of names counts, and a name without a value is none. */
const isSame = (a: unknown, b: unknown): boolean => {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  if (Array.isArray(a) && a.length !== (b as readonly unknown[]).length) return false;
  const [ours, theirs] = [a, b] as readonly RecordBody[] as [RecordBody, RecordBody];
  const names = Object.keys(ours).filter(name => ours[name] !== undefined);
  let next = 0;
  for (const name of Object.keys(theirs)) {
    if (theirs[name] === undefined) continue;
    if (names[next] !== name || !isSame(ours[name], theirs[name])) return false;
    next += 1;
  }
  return next === names.length;
};

/** A copy with something else at a place; without the place, the body itself. */
const replaced = (
  body: RecordBody,
  [name, ...rest]: readonly (string | number)[],
  to: (value: unknown) => unknown,
): RecordBody => {
  if (name === undefined || body === null || typeof body !== 'object' || !(name in body)) return body;
  const copy = (Array.isArray(body) ? [...body] : { ...body }) as { [name: string]: unknown };
  copy[name] = rest.length === 0 ? to(body[name]) : replaced(body[name] as RecordBody, rest, to);
  return copy;
};
