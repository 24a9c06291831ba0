// What of a call handlers match: the conversation that it asks to be gone on with.
import type { Call } from '../kit/call.ts';
import { type Conversation, featuresOf } from '../kit/conversation.ts';
import type { Features } from '../kit/generative.ts';
import { isJsonObject, type JsonObject, readJson } from '../kit/json.ts';
import { Refusal } from '../kit/refusal.ts';
import type { Reader } from '../kit/tx.ts';
import { chatConversation } from './chat-request.ts';
import { completionConversation } from './completions.ts';
import { embeddingConversation } from './embeddings.ts';
import { readResponseRequest } from './response-request.ts';
import { runConversation } from './run-request.ts';
import { recordingConversation } from './transcriptions.ts';

/** Null, or a refusal, for what is none that can be read: the operation says what is wrong with it. */
type ReadConversation = (body: JsonObject, state: Reader) => Conversation | null;

const READERS: ReadonlyMap<string, ReadConversation> = new Map<string, ReadConversation>([
  ['/v1/chat/completions', chatConversation],
  ['/v1/responses', (body, state) => readResponseRequest(body, state).conversation],
  ['/v1/embeddings', embeddingConversation],
  ['/v1/completions', completionConversation],
]);

const RECORDINGS: ReadonlyMap<string, 'transcribe' | 'translate'> = new Map([
  ['/v1/audio/transcriptions', 'transcribe'],
  ['/v1/audio/translations', 'translate'],
]);

/** A run is asked for in its thread. */
function readerOf(path: string): ReadConversation | undefined {
  if (!path.startsWith('/v1/threads/')) return READERS.get(path);
  return (body, state) => runConversation(path, body, state);
}

export function features(call: Call, state: Reader): Features | null {
  if (call.method !== 'POST') return null;
  const task = RECORDINGS.get(call.path);
  const read = readerOf(call.path);
  const body = read === undefined ? undefined : readJson(call.body);
  try {
    if (task !== undefined) return featuresOf(recordingConversation(call, task));
    if (read === undefined || !isJsonObject(body)) return null;
    const conversation = read(body, state);
    return conversation === null ? null : { ...featuresOf(conversation), body };
  } catch (thrown) {
    if (thrown instanceof Refusal) return null;
    throw thrown;
  }
}
