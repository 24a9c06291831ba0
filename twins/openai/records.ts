// What the OpenAI twin stores. A field that begins with `$` is the twin's own and never shown.
import { textField } from '../kit/json.ts';
import { TURN_WORDING } from '../kit/turn-wording.ts';
import type { RecordType, Wording } from '../kit/twin.ts';

const FILE_WORDING: Wording = {
  title: ({ filename, id }) => `file ${filename ?? id}`,
  summary: ({ purpose, bytes }) => `${bytes} bytes for ${purpose}`,
};
const byName = (noun: string): Wording => ({
  title: ({ name, id }) => `${noun} ${name || id}`,
  summary: ({ status }) => (typeof status === 'string' ? status : null),
});

/** What stands below assistants is answered to clients that know of them. */
const ASSISTANTS = () => ({ 'openai-beta': 'assistants=v2' });

export const RECORDS: { readonly [type: string]: RecordType } = {
  /** One call to a model that the vendor would not keep: in short, for the timeline. */
  completion: { indexes: [['endpoint']], ...TURN_WORDING },
  chat_completion: {
    indexes: [['model']],
    title: ({ model }) => `kept chat completion of ${model}`,
    retrieve: { path: '/v1/chat/completions/{id}' },
  },
  response: {
    indexes: [],
    title: ({ model }) => `response of ${model}`,
    summary: body => textField(body, 'status'),
    retrieve: { path: '/v1/responses/{id}' },
  },
  conversation: { indexes: [], retrieve: { path: '/v1/conversations/{id}' } },
  conversation_item: {
    indexes: [['$conversation']],
    retrieve: { path: '/v1/conversations/{$conversation}/items/{id}' },
  },
  assistant: {
    indexes: [],
    ...byName('assistant'),
    retrieve: { path: '/v1/assistants/{id}', headers: ASSISTANTS },
  },
  thread: { indexes: [], retrieve: { path: '/v1/threads/{id}', headers: ASSISTANTS } },
  thread_message: {
    indexes: [['thread_id']],
    title: ({ role }) => `message of the ${role}`,
    retrieve: { path: '/v1/threads/{thread_id}/messages/{id}', headers: ASSISTANTS },
  },
  thread_run: {
    indexes: [['thread_id']],
    title: ({ model }) => `run of ${model}`,
    summary: body => textField(body, 'status'),
    retrieve: { path: '/v1/threads/{thread_id}/runs/{id}', headers: ASSISTANTS },
  },
  thread_run_step: {
    indexes: [['run_id']],
    retrieve: { path: '/v1/threads/{thread_id}/runs/{run_id}/steps/{id}', headers: ASSISTANTS },
  },
  /** What was said in a realtime session, by whom; the session itself ends with its socket. */
  realtime_item: { indexes: [['$session']] },
  file: { indexes: [['purpose']], ...FILE_WORDING, retrieve: { path: '/v1/files/{id}' } },
  /** A picture that is answered by its address, which lasts an hour. */
  image: { indexes: [], keptMs: 60 * 60_000 },
  batch: { indexes: [], ...byName('batch'), retrieve: { path: '/v1/batches/{id}' } },
  container: { indexes: [], ...byName('container'), retrieve: { path: '/v1/containers/{id}' } },
  container_file: {
    indexes: [['$container']],
    retrieve: { path: '/v1/containers/{$container}/files/{id}' },
  },
  fine_tuning_job: {
    indexes: [],
    title: ({ model }) => `fine-tuning of ${model}`,
    summary: body => textField(body, 'status'),
    retrieve: { path: '/v1/fine_tuning/jobs/{id}' },
  },
  /** What came of fine-tuning; the vendor's own models are no records. */
  model: { indexes: [], retrieve: { path: '/v1/models/{id}' } },
  upload: { indexes: [] },
  /** Until its upload has ended. */
  'upload.part': { indexes: [['$upload']] },
  vector_store: { indexes: [], ...byName('vector store'), retrieve: { path: '/v1/vector_stores/{id}' } },
  vector_store_file: {
    indexes: [['$store'], ['$file'], ['$batch']],
    retrieve: { path: '/v1/vector_stores/{$store}/files/{$file}' },
  },
  vector_store_file_batch: {
    indexes: [],
    retrieve: { path: '/v1/vector_stores/{vector_store_id}/file_batches/{id}' },
  },
};
