// A realtime session as OpenAI shows it, and its conversation as one that handlers match.
import type { Conversation } from '../kit/conversation.ts';
import { arrayField, field, isJsonObject, type JsonObject, numberField, textField } from '../kit/json.ts';
import type { Tx } from '../kit/tx.ts';
import { toolChoiceOf } from './chat-request.ts';
import { sayingsOf } from './response-request.ts';

const SESSION_SECONDS = 60 * 60;

export function newSession(model: string, given: JsonObject, tx: Tx): JsonObject {
  return {
    type: 'realtime',
    object: 'realtime.session',
    id: tx.id('sess_', 21),
    model,
    output_modalities: ['audio'],
    instructions: 'You are a helpful assistant.',
    tools: [],
    tool_choice: 'auto',
    max_output_tokens: 'inf',
    tracing: null,
    truncation: 'auto',
    prompt: null,
    expires_at: Math.floor(tx.now / 1000) + SESSION_SECONDS,
    audio: {
      input: {
        format: { type: 'audio/pcm', rate: 24_000 },
        transcription: null,
        noise_reduction: null,
        turn_detection: {
          type: 'server_vad',
          threshold: 0.5,
          prefix_padding_ms: 300,
          silence_duration_ms: 200,
          idle_timeout_ms: null,
          create_response: true,
          interrupt_response: true,
        },
      },
      output: { format: { type: 'audio/pcm', rate: 24_000 }, voice: 'alloy', speed: 1 },
    },
    include: null,
    ...given,
  };
}

/** What a `response.create` asks: the session's own, with what the event says instead. */
export function realtimeConversation(
  session: JsonObject,
  items: readonly JsonObject[],
  asked: JsonObject,
): Conversation {
  const whole = { ...session, ...asked };
  const instructions = textField(whole, 'instructions');
  const given = field(asked, 'input');
  const read = Array.isArray(given) ? given.filter(isJsonObject) : items;
  return {
    endpoint: 'realtime',
    model: textField(session, 'model'),
    sayings: [
      ...(instructions === null ? [] : [{ role: 'system', text: instructions } as const]),
      ...sayingsOf(read),
    ],
    tools: arrayField(whole, 'tools').flatMap(tool => {
      const name = textField(tool, 'name');
      return name === null ? [] : [{ name, schema: field(tool, 'parameters') ?? {} }];
    }),
    toolChoice: toolChoiceOf(field(whole, 'tool_choice')),
    stream: true,
    format: { type: 'text', schema: null },
    id: textField(session, 'id'),
    maxTokens: numberField(whole, 'max_output_tokens'),
    stops: [],
  };
}
