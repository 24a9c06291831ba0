// The Anthropic twin, whole.
import type { Call } from '../kit/call.ts';
import { featuresOf } from '../kit/conversation.ts';
import type { Features } from '../kit/generative.ts';
import { isJsonObject } from '../kit/json.ts';
import { compileRoutes } from '../kit/routes.ts';
import type { Twin } from '../kit/twin.ts';
import type { Reader } from '../kit/tx.ts';
import { answer, bodyOf } from './answer.ts';
import { batchDue } from './batches.ts';
import { AnthropicRefusal, anthropicError } from './errors.ts';
import { ANTHROPIC_MANIFEST } from './manifest.ts';
import { messageConversation } from './message-request.ts';
import { OPERATIONS } from './operations.ts';
import { threaded } from './threads.ts';

const operations = compileRoutes(OPERATIONS);

export const anthropicTwin: Twin = {
  manifest: ANTHROPIC_MANIFEST,
  records: {
    /** One call to the model, in short, for the timeline: the vendor keeps none. */
    message: { indexes: [] },
    message_batch: { indexes: [] },
    /** One answer of a thread that the vendor holds. */
    thread_turn: { indexes: [] },
  },
  respond: (call, tx) => answer(operations, call, tx, null),
  due: (event, tx, handling) =>
    batchDue(event, tx, handling?.ask ?? ((call, within) => answer(operations, call, within, null))),
  generative: {
    features,
    reply: (call, tx, spoken) => answer(operations, call, tx, spoken),
  },
  models: call => operations(call.method, call.path).ok,
  error: anthropicError,
};

function features(call: Call, state: Reader): Features | null {
  if (call.method !== 'POST' || call.path !== '/v1/messages') return null;
  const body = bodyOf(call);
  if (!isJsonObject(body)) return null;
  try {
    const conversation = messageConversation(threaded(body, state));
    return conversation === null ? null : featuresOf(conversation);
  } catch (thrown) {
    // The operation says what is wrong with it.
    if (thrown instanceof AnthropicRefusal) return null;
    throw thrown;
  }
}
