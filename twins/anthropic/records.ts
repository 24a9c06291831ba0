// What the Anthropic twin stores. A field that begins with `$` is the twin's own and never shown.
import type { RecordType } from '../kit/twin.ts';

export const RECORDS: { readonly [type: string]: RecordType } = {
  /** One call to the model, in short, for the timeline: the vendor keeps none. */
  message: { indexes: [] },
  message_batch: { indexes: [] },
  file: { indexes: [] },
  /** One answer of a thread that the vendor holds. */
  thread_turn: { indexes: [] },
};
