// What the Anthropic twin stores. A field that begins with `$` is the twin's own and never shown.
import { textField } from '../kit/json.ts';
import { TURN_WORDING } from '../kit/turn-wording.ts';
import type { RecordType } from '../kit/twin.ts';

const VERSION = () => ({ 'anthropic-version': '2023-06-01', 'anthropic-beta': 'files-api-2025-04-14' });

export const RECORDS: { readonly [type: string]: RecordType } = {
  /** One call to the model, in short, for the timeline: the vendor keeps none. */
  message: { indexes: [], ...TURN_WORDING },
  message_batch: {
    indexes: [],
    title: ({ id }) => `batch ${id}`,
    summary: body => textField(body, 'processing_status'),
    retrieve: { path: '/v1/messages/batches/{id}', headers: VERSION },
  },
  file: {
    indexes: [],
    title: ({ filename, id }) => `file ${filename ?? id}`,
    retrieve: { path: '/v1/files/{id}', headers: VERSION },
  },
  /** One answer of a thread that the vendor holds. */
  thread_turn: { indexes: [] },
};
