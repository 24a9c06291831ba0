// The OpenAI twin, whole.
import type { Call } from '../kit/call.ts';
import { featuresOf } from '../kit/conversation.ts';
import type { Features } from '../kit/generative.ts';
import { isJsonObject } from '../kit/json.ts';
import { compileRoutes } from '../kit/routes.ts';
import type { Twin } from '../kit/twin.ts';
import type { Reader } from '../kit/tx.ts';
import { answer, bodyOf } from './answer.ts';
import { batchDue } from './batches.ts';
import { chatConversation } from './chat-request.ts';
import { embeddingFeatures } from './embeddings.ts';
import { OpenaiRefusal, openaiError } from './errors.ts';
import { OPENAI_MANIFEST } from './manifest.ts';
import { OPERATIONS } from './operations.ts';
import { openRealtime } from './realtime.ts';
import { RECORDS } from './records.ts';
import { readResponseRequest } from './response-request.ts';
import { responseDue } from './responses.ts';

const operations = compileRoutes(OPERATIONS);

export const openaiTwin: Twin = {
  manifest: OPENAI_MANIFEST,
  records: RECORDS,
  respond: (call, tx) => answer(operations, call, tx, null),
  due: (event, tx, handling) => {
    const ask = handling?.ask ?? ((call, within) => answer(operations, call, within, null));
    if (batchDue(event, tx, ask) || responseDue(event, tx)) return;
    // `file:<id>`: its time is over.
    tx.delete('file', String(event.payload['id']));
  },
  generative: { features, reply: (call, tx, spoken) => answer(operations, call, tx, spoken) },
  upgrade: openRealtime,
  models: call => operations(call.method, call.path).ok,
  error: openaiError,
};

function features(call: Call, state: Reader): Features | null {
  if (call.method !== 'POST') return null;
  const body = bodyOf(call);
  if (!isJsonObject(body)) return null;
  switch (call.path) {
    case '/v1/chat/completions': {
      const conversation = chatConversation(body);
      return conversation === null ? null : featuresOf(conversation);
    }
    case '/v1/responses':
      try {
        return featuresOf(readResponseRequest(body, state).conversation);
      } catch (thrown) {
        if (thrown instanceof OpenaiRefusal) return null;
        throw thrown;
      }
    case '/v1/embeddings':
      return embeddingFeatures(body);
    default:
      return null;
  }
}
