// An object as OpenAI answers it, as the records that the twin keeps of it. What has no row is not copied: an item of a
// conversation says not which one it is in, and a model's answer was made here.
import { objectField, textField } from '../../kit/json.ts';
import type { Observed } from '../../kit/real-vendor.ts';
import type { RecordBody } from '../../kit/tx.ts';
import { PART } from '../uploads.ts';
import { keyOf } from '../vector-store-file.ts';

type Kept = Pick<Observed, 'type' | 'id'>;

const under =
  (type: string) =>
  (_object: RecordBody, id: string): Kept => ({ type, id });

/** By what the vendor calls an object. Null for one that says too little to be kept. */
const ADOPTED: { readonly [object: string]: (object: RecordBody, id: string) => Kept | null } = {
  file: under('file'),
  upload: under('upload'),
  'upload.part': under(PART),
  vector_store: under('vector_store'),
  'vector_store.file': (object, file) => {
    const store = textField(object, 'vector_store_id');
    return store === null ? null : { type: 'vector_store_file', id: keyOf(store, file) };
  },
  'vector_store.files_batch': under('vector_store_file_batch'),
  conversation: under('conversation'),
  assistant: under('assistant'),
  thread: under('thread'),
  'thread.message': under('thread_message'),
  batch: under('batch'),
  'chat.completion': under('chat_completion'),
};

export function adopt(object: RecordBody): readonly Observed[] {
  const called = textField(object, 'object') ?? '';
  const row = Object.hasOwn(ADOPTED, called) ? ADOPTED[called] : undefined;
  const id = textField(object, 'id');
  if (row === undefined || id === null || object['deleted'] === true) return [];
  const kept = row(object, id);
  const inside = called === 'upload' ? objectField(object, 'file') : null;
  return [
    ...(kept === null ? [] : [{ ...kept, body: object }]),
    ...(inside === null ? [] : adopt(inside as RecordBody)),
  ];
}
