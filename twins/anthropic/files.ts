// The Files API: bytes that messages name by an id. What was uploaded cannot be downloaded, as with the vendor: only what a
// tool of the vendor's made can.
import type { ModelAsk, ModelOperation } from '../kit/model-api.ts';
import { type FormPart, MULTIPART_FAULTS, readMultipart } from '../kit/multipart.ts';
import { headerOf } from '../kit/operation.ts';
import { cursorsOf, limitOf, type PageStyle, pageById } from '../kit/paging.ts';
import { Refusal } from '../kit/refusal.ts';
import type { Reader, RecordBody } from '../kit/tx.ts';
import { invalid, notFound } from './errors.ts';
import { PAGES, pageOf } from './list.ts';

const FILENAME_CHARS_MAX = 255;
const EXPIRY_SECONDS_MIN = 3_600;
const EXPIRY_SECONDS_MAX = 7_776_000;
const IDS_MAX = 100;
/** Of the first version of this API, whose lists have ids at their ends where today's have `next_page`. */
const FIRST_BETA = 'files-api-2025-04-14';
const NEXT_PAGES: PageStyle = { ...PAGES, after: 'page' };

/** By the name where the part says nothing better. */
const TYPES: { readonly [extension: string]: string } = {
  txt: 'text/plain',
  md: 'text/plain',
  pdf: 'application/pdf',
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  csv: 'text/csv',
  json: 'application/json',
};

/** Refuses where there is none, or its time is over. */
export function fileOf(id: string, reader: Reader): RecordBody {
  const found = reader.get('file', id);
  if (found === undefined) throw notFound(`File not found: ${id}`);
  const expires = found['expires_at'];
  if (typeof expires === 'string' && Date.parse(expires) <= reader.now)
    throw new Refusal(404, '', `File has expired: ${id}`, { error_code: 'file_expired' });
  return found;
}

const publicFields = (file: RecordBody): { readonly id?: unknown } =>
  Object.fromEntries(Object.entries(file).filter(([name]) => !name.startsWith('$')));

const create = ({ call, tx }: ModelAsk): { readonly json: object } => {
  const read = readMultipart(headerOf(call, 'content-type') ?? '', call.body);
  if (!read.ok) throw invalid(`The upload could not be read: ${MULTIPART_FAULTS[read.why]}.`);
  const file = read.parts.find(({ name }) => name === 'file');
  if (file === undefined) throw invalid('file: Field required');
  const mime_type = typeOf(file);
  const filename = nameOf(file, mime_type);
  if (file.bytes.length === 0) throw invalid('file: File is empty');
  const expires = read.parts.find(({ name }) => name === 'expires_in_seconds');
  const id = tx.id('file_011C', 20);
  const made = {
    id,
    type: 'file',
    filename,
    mime_type,
    size_bytes: file.bytes.length,
    created_at: new Date(tx.now).toISOString(),
    downloadable: false,
    expires_at: expires === undefined ? null : new Date(tx.now + secondsOf(expires) * 1000).toISOString(),
    $blob: tx.putBlob(file.bytes),
  };
  tx.put('file', id, made);
  return { json: publicFields(made) };
};

function secondsOf({ bytes }: FormPart): number {
  const seconds = Number(new TextDecoder().decode(bytes));
  if (!Number.isInteger(seconds)) throw invalid('expires_in_seconds: Input should be a valid integer');
  if (seconds < EXPIRY_SECONDS_MIN)
    throw invalid(`expires_in_seconds: Input should be greater than or equal to ${EXPIRY_SECONDS_MIN}`);
  if (seconds > EXPIRY_SECONDS_MAX)
    throw invalid(`expires_in_seconds: Input should be less than or equal to ${EXPIRY_SECONDS_MAX}`);
  return seconds;
}

const extensionOf = (name: string): string => /\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase() ?? '';

function typeOf({ type, filename }: FormPart): string {
  const said = type?.split(';')[0]?.trim().toLowerCase() ?? '';
  if (said !== '' && said !== 'application/octet-stream') return said;
  const extension = extensionOf(filename ?? '');
  return (Object.hasOwn(TYPES, extension) ? TYPES[extension] : undefined) ?? 'application/octet-stream';
}

/** Only the last part of a path is kept. */
function nameOf({ filename }: FormPart, type: string): string {
  const last = filename?.split('/').at(-1) ?? '';
  if (last === '') {
    const extension = Object.keys(TYPES).find(each => TYPES[each] === type);
    return extension === undefined ? 'unnamed' : `unnamed.${extension}`;
  }
  if (last.length > FILENAME_CHARS_MAX || /[<>:"|?*\\\u0000-\u001f]/.test(last))
    throw invalid(
      `file: Invalid filename: it must have 1 to ${FILENAME_CHARS_MAX} characters and none of < > : " | ? * \\ / or control characters`,
    );
  return last;
}

const list = (context: ModelAsk): { readonly json: object } => {
  const { query, tx, call } = context;
  const ids = [...new Set([...query.getAll('ids'), ...query.getAll('ids[]')])];
  if (ids.length > IDS_MAX) throw invalid(`ids: List should have at most ${IDS_MAX} items after validation`);
  if (ids.length > 0) {
    if (query.has('page') || query.has('limit')) throw invalid('ids: may not be given with page or limit');
    const found = ids.map(id => tx.get('file', id)).filter(file => file !== undefined);
    return { json: { data: found.map(publicFields), next_page: null } };
  }
  if ((headerOf(call, 'anthropic-beta') ?? '').split(',').some(beta => beta.trim() === FIRST_BETA)) {
    // Today's SDK asks this version for its next page as it asks any other.
    const first = query.has('page') ? NEXT_PAGES : PAGES;
    const { items, more } = pageById(context, 'file', first);
    const next_page = more ? (items.at(-1)?.['id'] ?? null) : null;
    return { json: { ...pageOf({ items: items.map(publicFields), more }), next_page } };
  }
  const { after } = cursorsOf(query, NEXT_PAGES);
  const limit = limitOf(query, NEXT_PAGES);
  const { items, more } = tx.list('file', { limit, ...(after !== null && { after }) });
  return { json: { data: items.map(publicFields), next_page: more ? (items.at(-1)?.['id'] ?? null) : null } };
};

export const FILES: readonly ModelOperation[] = [
  { method: 'POST', path: '/v1/files', name: 'files.upload', form: true, run: create },
  { method: 'GET', path: '/v1/files', name: 'files.list', run: list },
  {
    method: 'GET',
    path: '/v1/files/{file}',
    name: 'files.retrieveMetadata',
    run: ({ tx, path }) => {
      const found = tx.get('file', path['file'] ?? '');
      if (found === undefined) throw notFound(`File not found: ${path['file']}`);
      return { json: publicFields(found) };
    },
  },
  {
    method: 'GET',
    path: '/v1/files/{file}/content',
    name: 'files.download',
    run: ({ tx, path }) => {
      const { id } = fileOf(path['file'] ?? '', tx);
      throw new Refusal(400, '', `File ${id} is not downloadable.`, { error_code: 'file_not_downloadable' });
    },
  },
  {
    method: 'DELETE',
    path: '/v1/files/{file}',
    name: 'files.delete',
    run: ({ tx, path }) => {
      const id = path['file'] ?? '';
      if (tx.get('file', id) === undefined) throw notFound(`File not found: ${id}`);
      tx.delete('file', id);
      return { json: { id, type: 'file_deleted' } };
    },
  },
];
