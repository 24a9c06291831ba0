// The request that an entry was made by, as the log keeps it: all that is needed to read it, and to ask the vendor the
// same (2.6). Who asked is the entry's caller; credentials are nobody's to read and are not kept.
import type { Call } from '../../../twins/kit/call.ts';
import type { KeptRequest } from '../../../twins/kit/twin.ts';
import { ASKED_BODY_CHARS_MAX, ENTRY_PATH_CHARS_MAX } from '../limits.ts';
import type { BlobStore } from '../store/blob-store.ts';

/** Of a call. */
export type Asked = Pick<Call, 'method' | 'path' | 'query' | 'headers' | 'body' | 'via'>;

/** `Entry.request` (2.13). */
export type AskedRequest = {
  readonly method: string;
  readonly path: string;
  /** Without the `?`. */
  readonly query?: string;
  /** Those that change what the request means; names in lower case. */
  readonly headers?: { readonly [name: string]: string };
  /** Where it is text and not long. */
  readonly body?: string;
  /** Of any other body: it lies among the world's blobs. */
  readonly blob?: { readonly sha256: string; readonly bytes: number };
};

/** Of every vendor's. */
const HEADERS: readonly string[] = ['content-type', 'idempotency-key'];
/** What stands in the place of a secret. */
const HIDDEN = 'hidden';

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The members of `AskedRequest` after the path, as JSON; null where there are none. Inside the entry's transaction. */
export const askedText = (
  { query, headers, body, via }: Asked,
  blobs: Pick<BlobStore, 'put'>,
  { headers: own, secrets }: KeptRequest = NOTHING_MORE,
): string | null => {
  // What came over a wire of its own is no HTTP request: the records hold what was said.
  if (via === 'stream') return null;
  let members = '';
  if (query !== '') members += `,"query":${JSON.stringify(withoutSecrets(query, secrets))}`;
  let fields = '';
  for (const names of [HEADERS, own])
    for (const name of names) {
      const value = headers[name];
      if (value === undefined) continue;
      fields += `,${JSON.stringify(name)}:${JSON.stringify(typeof value === 'string' ? value : value.join(', '))}`;
    }
  if (fields !== '') members += `,"headers":{${fields.slice(1)}}`;
  if (body.length > 0) members += bodyMember(body, isForm(headers) ? secrets : undefined, blobs);
  return members === '' ? null : members;
};

/** As `askedText`, of a request that another world kept. */
export const askedMembers = ({ query, headers, body, blob }: AskedRequest): string | null => {
  const members = { query, headers, body, blob };
  const text = JSON.stringify(members);
  return text === '{}' ? null : `,${text.slice(1, -1)}`;
};

/** `Entry.request` as JSON. */
export const askedJson = (method: string, path: string, members: string | null): string =>
  `{"method":${JSON.stringify(method)},"path":${JSON.stringify(path)}${members ?? ''}}`;

/** As it stands in its row. */
export const askedPath = (path: string): string => path.slice(0, ENTRY_PATH_CHARS_MAX);

const bodyMember = (body: Uint8Array, secrets: RegExp | undefined, blobs: Pick<BlobStore, 'put'>): string => {
  if (body.length <= ASKED_BODY_CHARS_MAX) {
    try {
      return `,"body":${JSON.stringify(withoutSecrets(decoder.decode(body), secrets))}`;
    } catch {
      // No text.
    }
  }
  return `,"blob":{"sha256":"${blobs.put(body)}","bytes":${body.length}}`;
};

const isForm = (headers: Asked['headers']): boolean => {
  const type = headers['content-type'];
  return typeof type === 'string' && type.startsWith('application/x-www-form-urlencoded');
};

/** Each field of a form whose name, as it is read, is that of a secret loses its value. */
const withoutSecrets = (form: string, secrets: RegExp | undefined): string => {
  if (secrets === undefined) return form;
  let told = '';
  let rest = 0;
  for (let from = 0; from < form.length; ) {
    const next = form.indexOf('&', from);
    const end = next === -1 ? form.length : next;
    const equals = form.indexOf('=', from);
    if (equals !== -1 && equals < end && secrets.test(nameOf(form.slice(from, equals)))) {
      told += `${form.slice(rest, equals + 1)}${HIDDEN}`;
      rest = end;
    }
    from = end + 1;
  }
  return rest === 0 ? form : told + form.slice(rest);
};

/** Whether a form lacks a value that was secret: it cannot be sent again. */
export const lacksSecret = (form: string, secrets: RegExp | undefined): boolean =>
  secrets !== undefined &&
  form.split('&').some(field => {
    const equals = field.indexOf('=');
    return field.slice(equals + 1) === HIDDEN && secrets.test(nameOf(field.slice(0, Math.max(equals, 0))));
  });

const nameOf = (name: string): string => {
  if (!name.includes('%') && !name.includes('+')) return name;
  try {
    return decodeURIComponent(name.replaceAll('+', ' '));
  } catch {
    return name;
  }
};

const NOTHING_MORE: KeptRequest = { headers: [] };
