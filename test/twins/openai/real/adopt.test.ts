// What of the real OpenAI becomes records of its twin (3).
import t from 'tap';
import { adopt } from '../../../../twins/openai/real/adopt.ts';

t.test('[3] each object is the record that the twin keeps of it', t => {
  const kept = (object: { readonly [name: string]: unknown }) =>
    adopt(object).map(({ type, id }) => `${type} ${id}`);
  const rows: readonly (readonly [object: string, id: string, record: string])[] = [
    ['file', 'file-1', 'file file-1'],
    ['upload.part', 'part_1', 'upload.part part_1'],
    ['vector_store', 'vs_1', 'vector_store vs_1'],
    ['vector_store.files_batch', 'vsfb_1', 'vector_store_file_batch vsfb_1'],
    ['conversation', 'conv_1', 'conversation conv_1'],
    ['assistant', 'asst_1', 'assistant asst_1'],
    ['thread', 'thread_1', 'thread thread_1'],
    ['thread.message', 'msg_1', 'thread_message msg_1'],
    ['batch', 'batch_1', 'batch batch_1'],
    ['chat.completion', 'chatcmpl-1', 'chat_completion chatcmpl-1'],
  ];
  for (const [object, id, record] of rows) {
    t.strictSame(kept({ id, object }), [record]);
    t.strictSame(kept({ id, object, deleted: true }), []);
  }
  t.strictSame(kept({ id: 'file-1', object: 'vector_store.file', vector_store_id: 'vs_1' }), [
    'vector_store_file vs_1 file-1',
  ]);
  t.strictSame(kept({ id: 'file-1', object: 'vector_store.file' }), []);
  t.strictSame(kept({ id: 'upload_1', object: 'upload', file: { id: 'file-1', object: 'file' } }), [
    'upload upload_1',
    'file file-1',
  ]);
  for (const other of [
    { id: 'x', object: 'constructor' },
    { object: 'file' },
    { id: 'x' },
    { object: 'list', data: [] },
  ])
    t.strictSame(kept(other), []);
  t.end();
});
