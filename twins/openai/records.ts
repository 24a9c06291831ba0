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

export const RECORDS: { readonly [type: string]: RecordType } = {
  /** One call to a model that the vendor would not keep: in short, for the timeline. */
  completion: { indexes: [['endpoint']], ...TURN_WORDING },
  chat_completion: {
    indexes: [['model']],
    title: ({ model }) => `kept chat completion of ${model}`,
  },
  response: {
    indexes: [],
    title: ({ model }) => `response of ${model}`,
    summary: body => textField(body, 'status'),
  },
  conversation: { indexes: [] },
  conversation_item: { indexes: [['$conversation']] },
  assistant: { indexes: [], ...byName('assistant') },
  thread: { indexes: [] },
  thread_message: {
    indexes: [['thread_id']],
    title: ({ role }) => `message of the ${role}`,
  },
  thread_run: {
    indexes: [['thread_id']],
    title: ({ model }) => `run of ${model}`,
    summary: body => textField(body, 'status'),
  },
  thread_run_step: { indexes: [['run_id']] },
  /** What was said in a realtime session, by whom; the session itself ends with its socket. */
  realtime_item: { indexes: [['$session']] },
  file: { indexes: [['purpose']], ...FILE_WORDING },
  /** A picture that is answered by its address, which lasts an hour. */
  image: { indexes: [], keptMs: 60 * 60_000 },
  batch: { indexes: [], ...byName('batch') },
  upload: { indexes: [] },
  /** Until its upload has ended. */
  'upload.part': { indexes: [['$upload']] },
  vector_store: { indexes: [], ...byName('vector store') },
  vector_store_file: { indexes: [['$store'], ['$file'], ['$batch']] },
  vector_store_file_batch: { indexes: [] },
};
