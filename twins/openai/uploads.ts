// Uploads: a large file in parts, which becomes a file when they are complete, or nothing.
import { schedule } from '../kit/due.ts';
import { arrayField, numberField, objectField, textField } from '../kit/json.ts';
import type { ModelAsk, ModelOperation } from '../kit/model-api.ts';
import type { RecordBody, Tx } from '../kit/tx.ts';
import { checkWord } from './amounts.ts';
import type { Due } from './due.ts';
import { invalid, missing, notFound } from './errors.ts';
import { FILE_PURPOSES, keepFile } from './files.ts';
import { readUploadForm } from './form.ts';
import { publicFields } from './list.ts';

const OPEN_SECONDS = 60 * 60;
const PARTS_PAGE = 100;
const PART_BYTES_MAX = 64 * 1024 * 1024;
const UPLOAD_BYTES_MAX = 8 * 1024 * 1024 * 1024;

/** The type of a part's record. */
export const PART = 'upload.part';

type Part = RecordBody & {
  readonly id: string;
  readonly $upload: string;
  readonly $bytes: number;
  readonly $blob: string;
};
type Upload = RecordBody & { readonly id: string; readonly status: string; readonly bytes: number };

const dueKey = (id: string): string => `upload:${id}`;

const uploadOf = ({ tx, path }: ModelAsk): Upload => {
  const found = tx.get<Upload>('upload', path['upload'] ?? '');
  if (found === undefined) throw notFound(`No such Upload object: ${path['upload']}`, 'upload_id');
  return found;
};

const pending = (context: ModelAsk): Upload => {
  const found = uploadOf(context);
  if (found.status !== 'pending')
    throw invalid(`Upload ${found.id} is ${found.status}; it takes no more.`, 'upload_id');
  return found;
};

/** Nobody completed it in its hour. */
export function expireUpload(id: string, tx: Tx): void {
  const upload = tx.get<Upload>('upload', id);
  if (upload?.status === 'pending') end(tx, upload, { status: 'expired' });
}

function end(tx: Tx, upload: Upload, fields: RecordBody & { readonly status: string }): RecordBody {
  const ended = { ...upload, ...fields };
  tx.kind(`upload.${fields.status}`);
  tx.put('upload', upload.id, ended);
  tx.cancel(dueKey(upload.id));
  for (;;) {
    const { items, more } = tx.list<Part>(PART, { where: { $upload: upload.id }, limit: PARTS_PAGE });
    for (const { id } of items) tx.delete(PART, id);
    if (!more) return ended;
  }
}

const create = ({ tx, body, now }: ModelAsk): { readonly json: object } => {
  const bytes = numberField(body, 'bytes');
  const filename = textField(body, 'filename');
  const purpose = textField(body, 'purpose');
  if (bytes === null) throw missing('bytes');
  if (filename === null) throw missing('filename');
  if (textField(body, 'mime_type') === null) throw missing('mime_type');
  if (purpose === null) throw missing('purpose');
  checkWord(purpose, 'purpose', FILE_PURPOSES);
  if (!Number.isInteger(bytes) || bytes < 1 || bytes > UPLOAD_BYTES_MAX)
    throw invalid(
      `Invalid 'bytes': must be an integer from 1 to ${UPLOAD_BYTES_MAX}.`,
      'bytes',
      'invalid_value',
    );
  const id = `upload_${tx.hex(16)}`;
  const lifetime = numberField(objectField(body, 'expires_after'), 'seconds');
  const upload: Upload = {
    id,
    object: 'upload',
    bytes,
    created_at: now,
    filename,
    purpose,
    status: 'pending',
    expires_at: now + OPEN_SECONDS,
    file: null,
    $lifetime: lifetime,
  };
  tx.put('upload', id, upload);
  schedule<Due>(tx, dueKey(id), (now + OPEN_SECONDS) * 1000, { kind: 'upload', upload: id });
  return { json: publicFields(upload) };
};

const addPart = (context: ModelAsk): { readonly json: object } => {
  const { tx, call, now } = context;
  const upload = pending(context);
  const { bytes } = readUploadForm(call).file('data');
  if (bytes.length === 0 || bytes.length > PART_BYTES_MAX)
    throw invalid(`Invalid 'data': from 1 to ${PART_BYTES_MAX} bytes.`, 'data', 'invalid_value');
  const id = `part_${tx.hex(16)}`;
  const part: Part = {
    id,
    object: 'upload.part',
    created_at: now,
    upload_id: upload.id,
    $upload: upload.id,
    $bytes: bytes.length,
    $blob: tx.putBlob(bytes),
  };
  tx.kind('upload.part.created');
  tx.put(PART, id, part);
  return { json: publicFields(part) };
};

const complete = (context: ModelAsk): { readonly json: object } => {
  const { tx, body } = context;
  const upload = pending(context);
  const ids = arrayField(body, 'part_ids');
  if (ids.length === 0) throw missing('part_ids');
  const parts = ids.map(id => {
    const part = typeof id === 'string' ? tx.get<Part>(PART, id) : undefined;
    if (part?.$upload !== upload.id)
      throw invalid(`Upload ${upload.id} has no part ${String(id)}.`, 'part_ids', 'invalid_value');
    return part;
  });
  const sum = parts.reduce((all, part) => all + part.$bytes, 0);
  if (sum !== upload.bytes)
    throw invalid(
      `The parts have ${sum} bytes; the upload was made for ${upload.bytes}.`,
      'part_ids',
      'invalid_value',
    );
  const bytes = new Uint8Array(sum);
  let at = 0;
  for (const { $blob } of parts) {
    const part = tx.blob($blob)!;
    bytes.set(part, at);
    at += part.length;
  }
  const lifetime = numberField(upload, '$lifetime');
  const file = keepFile(tx, {
    filename: String(upload['filename']),
    purpose: String(upload['purpose']),
    bytes,
    expiresAt: lifetime === null ? null : context.now + lifetime,
  });
  return { json: publicFields(end(tx, upload, { status: 'completed', file: publicFields(file) })) };
};

const PATH = '/v1/uploads/{upload}';

export const UPLOADS: readonly ModelOperation[] = [
  { method: 'POST', path: '/v1/uploads', name: 'uploads.create', run: create },
  { method: 'POST', path: `${PATH}/parts`, name: 'uploads.parts.create', form: true, run: addPart },
  { method: 'POST', path: `${PATH}/complete`, name: 'uploads.complete', run: complete },
  {
    method: 'POST',
    path: `${PATH}/cancel`,
    name: 'uploads.cancel',
    run: context => ({ json: publicFields(end(context.tx, pending(context), { status: 'cancelled' })) }),
  },
];
