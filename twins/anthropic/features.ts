// What of a call handlers match: the conversation that it asks to be gone on with.
import type { Call } from '../kit/call.ts';
import { featuresOf } from '../kit/conversation.ts';
import type { Features } from '../kit/generative.ts';
import { isJsonObject, readJson } from '../kit/json.ts';
import { Refusal } from '../kit/refusal.ts';
import type { Reader } from '../kit/tx.ts';
import { withFiles } from './file-source.ts';
import { messageConversation } from './message-request.ts';
import { threaded } from './threads.ts';

export function features(call: Call, state: Reader): Features | null {
  if (call.method !== 'POST' || call.path !== '/v1/messages') return null;
  const body = readJson(call.body);
  if (!isJsonObject(body)) return null;
  try {
    const conversation = messageConversation(withFiles(threaded(body, state), state));
    return conversation === null ? null : { ...featuresOf(conversation), body };
  } catch (thrown) {
    // The operation says what is wrong with it.
    if (thrown instanceof Refusal) return null;
    throw thrown;
  }
}
