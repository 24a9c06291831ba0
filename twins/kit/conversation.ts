// What was asked of a model, free of any vendor's format: the features that handlers match are read off it, and so
// is what a twin says when no handler takes the call. That answer is always the same for the same request.

import {
  EVEN_PACE,
  type Features,
  type ResponseFormat,
  type Spoken,
  type SpokenToolCall,
  type ToolResult,
} from './generative.ts';
import type { Json } from './json.ts';
import { ANSWERED_CHARS_MAX, ECHO_CHARS_MAX, TOLD_CHARS_MAX } from './limits.ts';
import { schemaSaid } from './schema-said.ts';
import { sampleOf } from './schema-sample.ts';
import { beforeStop, messageTokens, textDigest, tokensOf, withinTokens } from './tokens.ts';

export type Saying = {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly text: string;
  /** Tool results that this message carries. */
  readonly results?: readonly ToolResult[];
};

export type OfferedTool = {
  readonly name: string;
  readonly schema: Json;
  /** Takes any text, and no arguments that fit a schema. */
  readonly free?: boolean;
};

export type Conversation = {
  readonly endpoint: string;
  readonly model: string | null;
  readonly sayings: readonly Saying[];
  readonly tools: readonly OfferedTool[];
  readonly toolChoice: 'auto' | 'none' | 'required' | { readonly name: string };
  readonly stream: boolean;
  readonly format: { readonly type: ResponseFormat; readonly schema: Json | null };
  /** The vendor's own id for it; null: told by how it began. */
  readonly id: string | null;
  readonly maxTokens: number | null;
  readonly stops: readonly string[];
};

export function featuresOf(conversation: Conversation): Features {
  const { sayings } = conversation;
  const system = sayings.filter(({ role }) => role === 'system').map(({ text }) => text);
  return {
    endpoint: conversation.endpoint,
    model: conversation.model,
    lastUser: lastUserOf(sayings),
    system: system.length === 0 ? null : system.join('\n'),
    input: textsOf(sayings.filter(({ role }) => role !== 'system')).join('\n'),
    tools: conversation.tools.map(({ name }) => name),
    toolResults: sayings.at(-1)?.results ?? [],
    turn: 1 + assistantTurns(sayings),
    stream: conversation.stream,
    responseFormat: conversation.format.type,
    conversation: conversationKey(conversation),
  };
}

/** Tells one conversation from another: its id, or a digest of how it began. */
function conversationKey({ id, sayings }: Conversation): string {
  if (id !== null) return id;
  const system = sayings.filter(({ role }) => role === 'system').map(({ text }) => text);
  const firstUser = sayings.find(({ role }) => role === 'user')?.text ?? '';
  return textDigest(JSON.stringify([system, firstUser]));
}

function lastUserOf(sayings: readonly Saying[]): string | null {
  return sayings.findLast(({ role, text }) => role === 'user' && text !== '')?.text ?? null;
}

/** A turn may be several messages: reasoning, text, a call. */
function assistantTurns(sayings: readonly Saying[]): number {
  return sayings.filter(({ role }, index) => role === 'assistant' && sayings[index - 1]?.role !== 'assistant')
    .length;
}

export function textsOf(sayings: readonly Saying[]): readonly string[] {
  return sayings.flatMap(({ text, results = [] }) => [
    ...(text === '' ? [] : [text]),
    ...results.map(result => result.text),
  ]);
}

/** What is said when no handler says anything: calls a tool that must be called, fills a schema, or echoes. */
export function defaultAnswer(conversation: Conversation): Spoken {
  const { tools, toolChoice, format, sayings } = conversation;
  const must =
    toolChoice === 'required'
      ? tools[0]
      : typeof toolChoice === 'object'
        ? tools.find(({ name }) => name === toolChoice.name)
        : undefined;
  if (must !== undefined) {
    const given = must.free === true ? (lastUserOf(sayings) ?? '') : JSON.stringify(sampleOf(must.schema));
    return { ...SILENCE, toolCalls: [{ name: must.name, arguments: given, id: null }] };
  }
  const said = echoOf(sayings);
  if (format.type === 'json_schema')
    return { ...SILENCE, text: JSON.stringify(sampleOf(format.schema ?? {})) };
  if (format.type === 'json_object') {
    const schema = schemaSaid(sayings.map(({ text }) => text));
    return { ...SILENCE, text: JSON.stringify(schema === null ? { answer: said } : sampleOf(schema)) };
  }
  const stopped = beforeStop(said, conversation.stops);
  const fitting = withinTokens(stopped.text, conversation.maxTokens);
  const finish = fitting.cut ? 'length' : stopped.stop === null ? null : `stop:${stopped.stop}`;
  return { ...SILENCE, text: fitting.text, finish };
}

/** Nothing is said, at an even pace, to its end. */
export const SILENCE: Spoken = {
  text: null,
  reasoning: null,
  toolCalls: [],
  embedding: null,
  usage: {},
  finish: null,
  pace: EVEN_PACE,
  ending: null,
  handler: null,
};

function echoOf(sayings: readonly Saying[]): string {
  const results = sayings.at(-1)?.results ?? [];
  if (results.length > 0) {
    return results
      .map(
        ({ name, text }) => `${name === null ? 'The tool' : name} answered: ${text.slice(0, ECHO_CHARS_MAX)}`,
      )
      .join('\n');
  }
  const lastUser = lastUserOf(sayings);
  return lastUser === null ? 'Hello.' : `You said: ${lastUser.slice(0, ECHO_CHARS_MAX)}`;
}

/** An answer with everything in it that a wire format wants. */
export type Utterance = {
  readonly text: string | null;
  readonly reasoning: string | null;
  readonly toolCalls: readonly { readonly id: string; readonly name: string; readonly arguments: string }[];
  /** `stop`, `length`, `tool_calls`, `content_filter`, `refusal`, or a word of the vendor's own. */
  readonly finish: string;
  /** The stop sequence that ended it. */
  readonly stop: string | null;
  /** Of the handler that said it; null: the twin itself. */
  readonly handler: string | null;
  readonly usage: {
    readonly input: number;
    readonly output: number;
    readonly cached: number;
    readonly reasoning: number;
  };
};

/** `callId` makes an id of the vendor's form. */
export function utteranceOf(conversation: Conversation, spoken: Spoken, callId: () => string): Utterance {
  const { text, reasoning, usage } = spoken;
  const toolCalls = spoken.toolCalls.map(call => ({ ...call, id: call.id ?? callId() }));
  const stop = spoken.finish?.startsWith('stop:') === true ? spoken.finish.slice('stop:'.length) : null;
  const thought = usage.reasoning ?? (reasoning === null ? 0 : tokensOf(reasoning));
  return {
    text: text === null && toolCalls.length === 0 && reasoning === null ? '' : text,
    reasoning,
    toolCalls,
    finish: stop !== null ? 'stop' : (spoken.finish ?? (toolCalls.length > 0 ? 'tool_calls' : 'stop')),
    stop,
    handler: spoken.handler,
    usage: {
      input: usage.input ?? messageTokens(textsOf(conversation.sayings)),
      output: usage.output ?? thought + tokensOf(text ?? '') + callTokens(spoken.toolCalls),
      cached: usage.cached ?? 0,
      reasoning: thought,
    },
  };
}

function callTokens(calls: readonly SpokenToolCall[]): number {
  return calls.reduce((sum, call) => sum + tokensOf(call.name) + tokensOf(call.arguments), 0);
}

/** What the log holds of a call to a model: who was asked what, in short, and what was said. */
export function logSummary(
  conversation: Conversation,
  utterance: Utterance,
): { readonly [name: string]: Json } {
  const { sayings, tools } = conversation;
  const cut = (text: string | null, most = TOLD_CHARS_MAX): string | null =>
    text === null || text.length <= most ? text : `${text.slice(0, most)}…`;
  return {
    endpoint: conversation.endpoint,
    model: conversation.model,
    stream: conversation.stream,
    request: {
      messages: sayings.length,
      lastUser: cut(lastUserOf(sayings)),
      system: cut(sayings.find(({ role }) => role === 'system')?.text ?? null),
      tools: tools.slice(0, 50).map(({ name }) => name),
      toolResults: (sayings.at(-1)?.results ?? [])
        .slice(0, 10)
        .map(({ name, text }) => ({ name, text: cut(text) })),
    },
    answer: {
      // What was asked is in the request, whole; what was answered is nowhere else.
      text: cut(utterance.text, ANSWERED_CHARS_MAX),
      reasoning: cut(utterance.reasoning, ANSWERED_CHARS_MAX),
      toolCalls: utterance.toolCalls
        .slice(0, 50)
        .map(call => ({ id: call.id, name: call.name, arguments: cut(call.arguments, ANSWERED_CHARS_MAX) })),
      finish: utterance.finish,
    },
    usage: { input: utterance.usage.input, output: utterance.usage.output },
    handler: utterance.handler,
    conversation: conversationKey(conversation),
  };
}
