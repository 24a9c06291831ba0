// An object as Anthropic answers it, as the record that the twin keeps of it: the kinds that stay at the vendor have the same
// names here.
import { textField } from '../../kit/json.ts';
import type { Observed } from '../../kit/real-vendor.ts';
import type { RecordBody } from '../../kit/tx.ts';

const ADOPTED: readonly string[] = ['file', 'message_batch'];

export function adopt(object: RecordBody): readonly Observed[] {
  const type = textField(object, 'type');
  const id = textField(object, 'id');
  return type === null || id === null || !ADOPTED.includes(type) ? [] : [{ type, id, body: object }];
}
