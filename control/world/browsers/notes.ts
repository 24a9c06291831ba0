// What a world remembers of its browsers beside their profiles (4.3, rules 4 and 5): which version of its state each has,
// and where its states left cookies. A browser that is gone is remembered too, for the next one of its name.
import { parseJson } from '../../../policy/json-text.ts';
import { LEFT_COOKIES_MAX } from '../limits.ts';
import { type CookiePlace, keyOf, type Left, placeOf } from './loading.ts';
import type { BrowserProfile } from './profile.ts';

export type BrowserNote = Left & {
  /** Of the state in force; never one that was there before. Null: the next look makes one. */
  readonly version: string | null;
  /** SHA-256 of the profile's text, by which an edit by hand is seen. */
  readonly print: string;
};

export type BrowserNotes = ReadonlyMap<string, BrowserNote>;

export const NOTHING_LEFT: BrowserNote = { version: null, print: '', cookies: [], storage: [] };

/** With what the profile will leave as well; the oldest are forgotten where there are too many. */
export function noteOf(
  before: Left,
  { storageState }: BrowserProfile,
  state: Pick<BrowserNote, 'version' | 'print'>,
): BrowserNote {
  const cookies = new Map<string, CookiePlace>();
  for (const place of [...before.cookies, ...storageState.cookies.map(placeOf)]) {
    const key = `${place.domain} ${keyOf(place)}`;
    cookies.delete(key);
    cookies.set(key, place);
  }
  const stored = storageState.origins.filter(({ localStorage }) => localStorage.length > 0);
  const hosts = stored.map(({ origin }) => new URL(origin).host);
  return {
    ...state,
    cookies: [...cookies.values()].slice(-LEFT_COOKIES_MAX),
    storage: [...new Set([...before.storage, ...hosts])].slice(-LEFT_COOKIES_MAX),
  };
}

export function writeNotes(notes: BrowserNotes): string {
  const browsers = [...notes].map(([name, { cookies, ...note }]) => ({
    name,
    ...note,
    cookies: cookies.map(({ name, domain, path, partitioned }) => [name, domain, path, partitioned]),
  }));
  return `${JSON.stringify({ browsers })}\n`;
}

/** What cannot be read was nothing: then each browser is loaded once more. */
export function readNotes(text: string | null): Map<string, BrowserNote> {
  const notes = new Map<string, BrowserNote>();
  const read = text === null ? null : parseJson(text);
  if (read === null || !read.ok) return notes;
  for (const row of listOf(read.value, 'browsers')) {
    const { name, version, print } = row as { readonly [field: string]: unknown };
    if (typeof name !== 'string') continue;
    notes.set(name, {
      version: typeof version === 'string' ? version : null,
      print: typeof print === 'string' ? print : '',
      cookies: listOf(row, 'cookies').flatMap(placeFrom),
      storage: listOf(row, 'storage').filter(host => typeof host === 'string'),
    });
  }
  return notes;
}

function placeFrom(row: unknown): CookiePlace[] {
  const [name, domain, path, partitioned] = Array.isArray(row) ? (row as readonly unknown[]) : [];
  if (typeof name !== 'string' || typeof domain !== 'string' || typeof path !== 'string') return [];
  return [{ name, domain, path, partitioned: partitioned === true }];
}

function listOf(value: unknown, field: string): readonly unknown[] {
  const held =
    typeof value === 'object' && value !== null ? (value as { [field: string]: unknown })[field] : [];
  return Array.isArray(held) ? held : [];
}
