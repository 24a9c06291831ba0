// Chat completions: answered whole or as a stream of deltas, and kept when the client says `store: true`.
import {
  type Conversation,
  defaultAnswer,
  logSummary,
  type Utterance,
  utteranceOf,
} from '../kit/conversation.ts';
import type { Spoken } from '../kit/generative.ts';
import { field, type JsonObject, numberField, objectField } from '../kit/json.ts';
import type { ModelAsk, ModelOperation, ModelOutcome } from '../kit/model-api.ts';
import { packed } from '../kit/packed.ts';
import { argumentPiecesOf, type Frame, piecesOf, streamOf } from '../kit/stream.ts';
import { audioOf, type ChatAudio } from './chat-audio.ts';
import { checkChat } from './chat-check.ts';
import { chatConversation, customTools } from './chat-request.ts';
import { errorOf, invalid } from './errors.ts';
import { logprobsOf } from './logprobs.ts';

const create = (context: ModelAsk): ModelOutcome => {
  const { body, tx, now } = context;
  checkChat(body);
  const conversation = chatConversation(body);
  if (conversation === null) throw invalid("Invalid type for 'messages'.", 'messages', 'invalid_type');
  const spoken = context.spoken ?? defaultAnswer(conversation);
  const utterance = utteranceOf(conversation, spoken, () => tx.id('call_', 24));
  const head = {
    id: tx.recordId('chatcmpl-', 29),
    created: now,
    model: conversation.model,
    service_tier: 'default',
    system_fingerprint: null,
  };
  const n = numberField(body, 'n') ?? 1;
  const audio = utterance.finish === 'refusal' ? null : audioOf(utterance.text, body, tx);
  const completion = {
    ...head,
    object: 'chat.completion',
    choices: Array.from({ length: n }, (_, index) => ({
      index,
      message: messageOf(utterance, body, audio),
      logprobs: sureOf(utterance.text ?? '', body),
      finish_reason: finishOf(utterance, usesFunctions(body)),
    })),
    usage: usageOf(utterance, n),
  };
  record(context, conversation, utterance, completion);
  if (!conversation.stream) return { json: completion };
  const frames = framesOf({ head, utterance, spoken, n, body, audio });
  return { stream: streamOf(frames, spoken.pace, spoken.ending, failure) };
};

function record(
  { body, tx, batched }: ModelAsk,
  conversation: Conversation,
  utterance: Utterance,
  completion: { readonly id: string; readonly created: number },
): void {
  if (field(body, 'store') === true) {
    tx.put('chat_completion', completion.id, {
      ...completion,
      $told: logSummary(conversation, utterance),
      metadata: objectField(body, 'metadata') ?? {},
      $messages: packed(tx, field(body, 'messages') ?? []),
      tool_choice: field(body, 'tool_choice') ?? null,
      tools: field(body, 'tools') ?? null,
      response_format: field(body, 'response_format') ?? null,
      temperature: numberField(body, 'temperature') ?? 1,
      top_p: numberField(body, 'top_p') ?? 1,
      presence_penalty: numberField(body, 'presence_penalty') ?? 0,
      frequency_penalty: numberField(body, 'frequency_penalty') ?? 0,
      seed: numberField(body, 'seed'),
    });
  } else if (!batched) {
    const { id, created } = completion;
    tx.put('completion', id, { id, object: 'completion', created, ...logSummary(conversation, utterance) });
  }
}

/** The function calls of before there were tools. */
const usesFunctions = (body: JsonObject): boolean => field(body, 'functions') !== undefined;

function messageOf(
  { text, toolCalls, finish }: Utterance,
  body: JsonObject,
  audio: ChatAudio | null,
): object {
  const custom = customTools(body);
  const refused = finish === 'refusal';
  const [first] = toolCalls;
  return {
    role: 'assistant',
    content: refused || audio !== null ? null : text,
    refusal: refused ? text : null,
    annotations: [],
    ...(audio !== null && { audio }),
    ...(first !== undefined &&
      (usesFunctions(body)
        ? { function_call: { name: first.name, arguments: first.arguments } }
        : {
            tool_calls: toolCalls.map(({ id, name, arguments: given }) =>
              custom.has(name)
                ? { id, type: 'custom', custom: { name, input: given } }
                : { id, type: 'function', function: { name, arguments: given } },
            ),
          })),
  };
}

const FINISHES: { readonly [word: string]: string } = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  refusal: 'stop',
  max_tokens: 'length',
  tool_use: 'tool_calls',
};

function finishOf({ finish, toolCalls }: Utterance, functions: boolean): string {
  const word = FINISHES[finish] ?? finish;
  return functions && word === 'tool_calls' && toolCalls.length > 0 ? 'function_call' : word;
}

function usageOf({ usage }: Utterance, n: number): object {
  const output = usage.output * n;
  return {
    prompt_tokens: usage.input,
    completion_tokens: output,
    total_tokens: usage.input + output,
    prompt_tokens_details: { cached_tokens: usage.cached, audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: usage.reasoning,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  };
}

/** Null where nobody asks for them. */
function sureOf(text: string, body: JsonObject): object | null {
  if (field(body, 'logprobs') !== true) return null;
  return { content: logprobsOf(text, numberField(body, 'top_logprobs') ?? 0), refusal: null };
}

type Streamed = {
  readonly head: object;
  readonly utterance: Utterance;
  readonly spoken: Spoken;
  readonly n: number;
  readonly body: JsonObject;
  readonly audio: ChatAudio | null;
};

function framesOf({ head, utterance, spoken, n, body, audio }: Streamed): readonly Frame[] {
  const frames: Frame[] = [];
  const withUsage = field(objectField(body, 'stream_options'), 'include_usage') === true;
  const functions = usesFunctions(body);
  const custom = customTools(body);
  const chunk = (index: number, delta: object, finish: string | null, piece: boolean): void => {
    const said = 'content' in delta && piece ? String(delta.content) : null;
    const logprobs = said === null ? null : sureOf(said, body);
    const choices = [{ index, delta, logprobs, finish_reason: finish }];
    const made = { ...head, object: 'chat.completion.chunk', choices, ...(withUsage && { usage: null }) };
    frames.push({ text: event(made), piece });
  };
  const { text, toolCalls, finish } = utterance;
  for (let index = 0; index < n; index += 1) {
    const refused = finish === 'refusal';
    const opening = toolCalls.length > 0 && text === null ? { content: null } : { content: '' };
    chunk(index, { role: 'assistant', ...opening, refusal: null }, null, false);
    for (const piece of text === null ? [] : piecesOf(text, spoken.pace)) {
      const said = audio === null ? { content: piece } : { audio: { id: audio.id, transcript: piece } };
      chunk(index, refused ? { refusal: piece } : said, null, true);
    }
    if (audio !== null) {
      chunk(index, { audio: { id: audio.id, data: audio.data } }, null, false);
      chunk(index, { audio: { id: audio.id, expires_at: audio.expires_at } }, null, false);
    }
    for (const [at, call] of toolCalls.entries()) {
      const kind = custom.has(call.name) ? 'custom' : 'function';
      const input = kind === 'custom' ? 'input' : 'arguments';
      const delta = (part: object, head: object = {}): object =>
        functions ? { function_call: part } : { tool_calls: [{ index: at, ...head, [kind]: part }] };
      chunk(index, delta({ name: call.name, [input]: '' }, { id: call.id, type: kind }), null, false);
      for (const piece of argumentPiecesOf(call.arguments, spoken.pace))
        chunk(index, delta({ [input]: piece }), null, true);
    }
  }
  for (let index = 0; index < n; index += 1) chunk(index, {}, finishOf(utterance, functions), false);
  if (withUsage) {
    const made = { ...head, object: 'chat.completion.chunk', choices: [], usage: usageOf(utterance, n) };
    frames.push({ text: event(made), piece: false });
  }
  frames.push({ text: 'data: [DONE]\n\n', piece: false });
  return frames;
}

const event = (data: object): string => `data: ${JSON.stringify(data)}\n\n`;

function failure({
  status,
  type,
  code,
  message,
}: {
  status: number;
  type: string;
  code?: string;
  message: string;
}): string {
  return event({ error: errorOf(status, message, { type, code: code ?? null }) });
}

export const CHAT: readonly ModelOperation[] = [
  { method: 'POST', path: '/v1/chat/completions', name: 'chat.completions.create', run: create },
];
