// Messages: answered whole or as a stream, with text, tool use and thinking.
import { type Conversation, logSummary, textsOf, type Utterance, utteranceOf } from '../kit/conversation.ts';
import { EVEN_PACE, type Spoken } from '../kit/generative.ts';
import {
  arrayField,
  isJsonObject,
  type Json,
  type JsonObject,
  objectField,
  readJson,
  textField,
} from '../kit/json.ts';
import type { ModelAsk, ModelOperation, ModelOutcome } from '../kit/model-api.ts';
import { messageTokens, textDigest, tokensOf } from '../kit/tokens.ts';
import { bestPassage, citing, passagesOf, questionOf } from './citations.ts';
import { invalid } from './errors.ts';
import { withFiles } from './file-source.ts';
import { checkMessages } from './message-check.ts';
import { blocksOf, messageConversation } from './message-request.ts';
import { messageStream } from './message-stream.ts';
import { type Cached, cachedOf } from './prompt-cache.ts';
import { pageCitations, type Served, servedOf } from './server-tools.ts';
import { holdTurn, threaded } from './threads.ts';

/** What a picture or a document counts, whatever its size. */
const MEDIA_TOKENS = 1_500;

const create = (context: ModelAsk): ModelOutcome => {
  const { tx, requestId, batched } = context;
  const asked = threaded(context.body, tx);
  checkMessages(asked, false);
  const body = withFiles(asked, tx);
  const conversation = messageConversation(body);
  if (conversation === null) throw invalid('messages: Input should be a valid array');
  const passages = passagesOf(body);
  const served = servedOf({ body, conversation, spoken: context.spoken, tx });
  const spoken =
    conversation.maxTokens === 0
      ? NOTHING
      : context.spoken === null
        ? ownAnswer(served.spoken, { conversation, body, passages })
        : served.spoken;
  const utterance = utteranceOf(conversation, spoken, () => tx.id('toolu_01', 22));
  const id = tx.recordId('msg_01', 22);
  const input = spoken.usage.input ?? inputTokens(conversation, body);
  const message: JsonObject = {
    id,
    type: 'message',
    role: 'assistant',
    model: conversation.model,
    content: contentOf(utterance, passages, served),
    stop_reason: stopReasonOf(utterance),
    stop_sequence: utterance.stop,
    stop_details: null,
    container: null,
    diagnostics: null,
    usage: {
      ...usageOf(utterance, cachedOf(body, { input, said: spoken.usage.cached ?? null, tx })),
      server_tool_use: served.requests,
    },
  };
  holdTurn(tx, context.body, { id, content: message['content'] ?? [] });
  if (!batched) {
    const created_at = new Date(tx.now).toISOString();
    tx.put('message', id, { id, type: 'message', created_at, ...logSummary(conversation, utterance) });
  }
  if (!conversation.stream) return { json: message };
  const { pace, ending } = spoken;
  return { stream: messageStream({ message, utterance, pace, ending, requestId }) };
};

/** `max_tokens: 0` fills the prompt cache and says nothing. */
const NOTHING: Spoken = {
  text: null,
  reasoning: null,
  toolCalls: [],
  embedding: null,
  usage: { output: 0 },
  finish: 'max_tokens',
  pace: EVEN_PACE,
  ending: null,
  handler: null,
};

type Passages = ReturnType<typeof passagesOf>;

/** Where the client wants to see thinking, there is some. */
function ownAnswer(
  usual: Spoken,
  { conversation, body, passages }: { conversation: Conversation; body: JsonObject; passages: Passages },
): Spoken {
  const cited =
    conversation.format.type === 'text' && usual.toolCalls.length === 0
      ? bestPassage(passages, questionOf(body))
      : null;
  const spoken = cited === null ? usual : { ...usual, text: cited, finish: null };
  if (textField(objectField(body, 'thinking'), 'type') !== 'enabled') return spoken;
  return { ...spoken, reasoning: 'I answer what was said.' };
}

function contentOf(
  { reasoning, text, toolCalls }: Utterance,
  passages: Passages,
  { blocks, cited }: Served,
): readonly JsonObject[] {
  return [
    ...(reasoning === null
      ? []
      : [{ type: 'thinking', thinking: reasoning, signature: btoa(textDigest(reasoning)) }]),
    ...blocks,
    ...(text === null || text === '' ? [] : cited.length > 0 ? onPages(text, cited) : citing(text, passages)),
    ...toolCalls.map(call => ({
      type: 'tool_use',
      id: call.id,
      name: call.name,
      input: inputOf(call.arguments),
      caller: { type: 'direct' },
    })),
  ];
}

const onPages = (text: string, cited: Served['cited']): readonly JsonObject[] => [
  { type: 'text', text, citations: [...pageCitations(cited, text)] },
];

/** What is no JSON object, a handler's joke or a cut one, cannot be said in one piece. */
function inputOf(text: string): Json {
  const read = readJson(text);
  return isJsonObject(read) ? read : {};
}

const STOP_REASONS: { readonly [word: string]: string } = {
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  content_filter: 'refusal',
};

function stopReasonOf({ finish, stop }: Utterance): string {
  if (stop !== null) return 'stop_sequence';
  return STOP_REASONS[finish] ?? finish;
}

function usageOf({ usage }: Utterance, cached: Cached): JsonObject {
  return {
    input_tokens: cached.input,
    cache_creation_input_tokens: cached.written5m + cached.written1h,
    cache_read_input_tokens: cached.read,
    cache_creation: {
      ephemeral_5m_input_tokens: cached.written5m,
      ephemeral_1h_input_tokens: cached.written1h,
    },
    output_tokens: usage.output,
    output_tokens_details: usage.reasoning === 0 ? null : { thinking_tokens: usage.reasoning },
    service_tier: 'standard',
    inference_geo: 'not_available',
    speed: null,
  };
}

function inputTokens(conversation: Conversation, body: JsonObject): number {
  const tools = arrayField(body, 'tools');
  const media = arrayField(body, 'messages')
    .flatMap(message => (isJsonObject(message) ? blocksOf(message) : []))
    .filter(block => ['image', 'document'].includes(textField(block, 'type') ?? '')).length;
  return (
    messageTokens(textsOf(conversation.sayings)) +
    (tools.length === 0 ? 0 : tokensOf(JSON.stringify(tools))) +
    media * MEDIA_TOKENS
  );
}

export const MESSAGES: readonly ModelOperation[] = [
  { method: 'POST', path: '/v1/messages', name: 'messages.create', run: create },
  {
    method: 'POST',
    path: '/v1/messages/count_tokens',
    name: 'messages.countTokens',
    run: ({ body: asked, tx }) => {
      checkMessages(asked, true);
      const body = withFiles(asked, tx);
      const conversation = messageConversation(body);
      if (conversation === null) throw invalid('messages: Input should be a valid array');
      return { json: { input_tokens: inputTokens(conversation, body) } };
    },
  },
];
