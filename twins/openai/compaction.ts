// What went before in short: what the user said, and one item in which all else is sealed to the client. Given back as input,
// the item stands for what was said before it.
import { textsOf } from '../kit/conversation.ts';
import { type JsonObject, textField } from '../kit/json.ts';
import type { ModelAsk, ModelOperation } from '../kit/model-api.ts';
import { messageTokens } from '../kit/tokens.ts';
import { sealed } from './compacted-item.ts';
import { missing } from './errors.ts';
import { readResponseRequest } from './response-request.ts';

const compact = ({ body, tx, now }: ModelAsk): { readonly json: object } => {
  const { conversation, items } = readResponseRequest(body, tx);
  if (items.length === 0) throw missing('input');
  const isUsers = (item: JsonObject): boolean => textField(item, 'role') === 'user';
  const root = tx.hex(23);
  const idOf = (prefix: string, at: number): string => `${prefix}_${root}${at.toString(16).padStart(2, '0')}`;
  const users = items
    .filter(isUsers)
    .map((item, at) => ({ status: 'completed', ...item, id: textField(item, 'id') ?? idOf('msg', at + 1) }));
  const encrypted_content = sealed(items.filter(item => !isUsers(item)));
  const output = [...users, { id: idOf('cmp', users.length + 1), type: 'compaction', encrypted_content }];
  const input_tokens = messageTokens(textsOf(conversation.sayings));
  const output_tokens = Math.ceil(input_tokens / 4);
  const id = `resp_${root}00`;
  const request = { messages: items.length };
  const { model } = conversation;
  const kept = { id, object: 'completion', created: now, endpoint: 'responses.compact', model, request };
  tx.kind('response.compacted');
  tx.put('completion', id, kept);
  return {
    json: {
      id,
      object: 'response.compaction',
      created_at: now,
      output,
      usage: {
        input_tokens,
        input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
        output_tokens,
        output_tokens_details: { reasoning_tokens: 0 },
        total_tokens: input_tokens + output_tokens,
      },
    },
  };
};

export const COMPACTION: readonly ModelOperation[] = [
  { method: 'POST', path: '/v1/responses/compact', name: 'responses.compact', run: compact },
];
