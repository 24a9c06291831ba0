// What the OpenAI twin stores. A field that begins with `$` is the twin's own and never shown.
import type { RecordType } from '../kit/twin.ts';

export const RECORDS: { readonly [type: string]: RecordType } = {
  /** One call to a model that the vendor would not keep: in short, for the timeline. */
  completion: { indexes: [['endpoint']] },
  chat_completion: { indexes: [['model']] },
  response: { indexes: [] },
  conversation: { indexes: [] },
  conversation_item: { indexes: [['$conversation']] },
  /** What was said in a realtime session, by whom; the session itself ends with its socket. */
  realtime_item: { indexes: [['$session']] },
  file: { indexes: [['purpose']] },
  /** A picture that is answered by its address, which lasts an hour. */
  image: { indexes: [], keptMs: 60 * 60_000 },
  batch: { indexes: [] },
  upload: { indexes: [] },
  /** Until its upload has ended. */
  'upload.part': { indexes: [['$upload']] },
  vector_store: { indexes: [] },
  vector_store_file: { indexes: [['$store'], ['$file'], ['$batch']] },
  vector_store_file_batch: { indexes: [] },
};
