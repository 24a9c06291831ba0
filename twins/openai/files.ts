// Files: their bytes are blobs of the world, their objects records.
import { schedule } from '../kit/due.ts';
import type { ModelAsk, ModelOperation } from '../kit/model-api.ts';
import type { RecordBody, Tx } from '../kit/tx.ts';
import type { Due } from './due.ts';
import { invalid, missing, notFound } from './errors.ts';
import { readUploadForm } from './form.ts';
import { listOf, publicFields } from './list.ts';
import { forgetFile } from './vector-store-file.ts';

export const FILE_PURPOSES: readonly string[] = [
  'assistants',
  'batch',
  'fine-tune',
  'vision',
  'user_data',
  'evals',
];
const LIST_LIMIT = 10_000;

export type NewFile = {
  readonly filename: string;
  readonly purpose: string;
  readonly bytes: Uint8Array;
  readonly expiresAt: number | null;
};

export function keepFile(
  tx: Tx,
  { filename, purpose, bytes, expiresAt }: NewFile,
): RecordBody & { readonly id: string } {
  const id = tx.id('file-', 22);
  const file = {
    id,
    object: 'file',
    bytes: bytes.length,
    created_at: Math.floor(tx.now / 1000),
    expires_at: expiresAt,
    filename,
    purpose,
    status: 'processed',
    status_details: null,
    $blob: tx.putBlob(bytes),
  };
  tx.put('file', id, file);
  if (expiresAt !== null) schedule<Due>(tx, dueKey(id), expiresAt * 1000, { kind: 'file', file: id });
  return file;
}

const dueKey = (id: string): string => `file:${id}`;

/** Its time is over. */
export function expireFile(id: string, tx: Tx): void {
  forgetFile(tx, id);
  tx.delete('file', id);
}

/** Undefined when there is no such file (any more). */
export function fileBytes(tx: Tx, id: string): Uint8Array | undefined {
  const held = tx.get('file', id);
  return held === undefined ? undefined : tx.blob(String(held['$blob']));
}

const fileOf = ({ tx, path }: ModelAsk): RecordBody => {
  const found = tx.get('file', path['file'] ?? '');
  if (found === undefined) throw notFound(`No such File object: ${path['file']}`, 'id');
  return found;
};

export const FILES: readonly ModelOperation[] = [
  {
    method: 'POST',
    path: '/v1/files',
    name: 'files.create',
    form: true,
    run: ({ call, tx, now }) => {
      const form = readUploadForm(call);
      const file = form.file('file');
      const purpose = form.text('purpose');
      if (purpose === null) throw missing('purpose');
      if (!FILE_PURPOSES.includes(purpose)) {
        throw invalid(`'${purpose}' is not one of ['${FILE_PURPOSES.join("', '")}'] - 'purpose'`, 'purpose');
      }
      const seconds = Number(form.text('expires_after[seconds]') ?? Number.NaN);
      const expiresAt = Number.isFinite(seconds) ? now + seconds : null;
      const made = keepFile(tx, { filename: file.filename ?? 'file', purpose, bytes: file.bytes, expiresAt });
      return { json: publicFields(made) };
    },
  },
  {
    method: 'GET',
    path: '/v1/files',
    name: 'files.list',
    run: context => {
      const purpose = context.query.get('purpose');
      const json = listOf(context, 'file', {
        max: LIST_LIMIT,
        ...(purpose !== null && { where: { purpose } }),
      });
      return { json };
    },
  },
  {
    method: 'GET',
    path: '/v1/files/{file}',
    name: 'files.retrieve',
    run: context => ({ json: publicFields(fileOf(context)) }),
  },
  {
    method: 'GET',
    path: '/v1/files/{file}/content',
    name: 'files.content',
    run: context => {
      const file = fileOf(context);
      const bytes = context.tx.blob(String(file['$blob']));
      if (bytes === undefined) throw notFound(`The content of ${file['id']} is gone.`, 'id');
      return { bytes, type: 'application/octet-stream' };
    },
  },
  {
    method: 'DELETE',
    path: '/v1/files/{file}',
    name: 'files.delete',
    run: context => {
      const { id } = fileOf(context) as { readonly id: string };
      forgetFile(context.tx, id);
      context.tx.delete('file', id);
      context.tx.cancel(dueKey(id));
      return { json: { id, object: 'file', deleted: true } };
    },
  },
];
