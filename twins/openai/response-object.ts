// A response as OpenAI shows it, and its output as items.
import type { Utterance } from '../kit/conversation.ts';
import {
  arrayField,
  field,
  type Json,
  type JsonObject,
  numberField,
  objectField,
  textField,
} from '../kit/json.ts';
import type { Tx } from '../kit/tx.ts';
import { customTools } from './chat-request.ts';
import { citationsOf, type FileSearch } from './file-search.ts';
import { type HostedCall, pageCitations } from './hosted-tools.ts';
import { logprobsOf } from './logprobs.ts';

/** Of what a response and its items have in common. */
const ROOT_BYTES = 23;

/** What the ids of one response begin with: an item is found again by its own id alone. */
export const newRoot = (tx: Tx): string => tx.hex(ROOT_BYTES);
export const responseId = (root: string): string => `resp_${root}00`;
/** What a client would be shown in place of reasoning that is sealed to it. */
const SEALED = 'wrld-sealed-reasoning';

export type Output = {
  readonly utterance: Utterance;
  readonly body: JsonObject;
  readonly root: string;
  /** What was looked up in files before anything was said. */
  readonly found: FileSearch | null;
  /** What of OpenAI’s own tools was called besides. */
  readonly hosted: readonly HostedCall[];
};

/** What was found, reasoning, then the message, then the calls: the order in which they stream. */
export function outputOf({ utterance, body, root, found, hosted }: Output): readonly JsonObject[] {
  const { reasoning, text, toolCalls, finish } = utterance;
  const cut = finish === 'length' || finish === 'max_tokens' || finish === 'content_filter';
  const status = cut ? 'incomplete' : 'completed';
  const custom = customTools(body);
  const output: JsonObject[] = [];
  const idOf = (prefix: string): string =>
    `${prefix}_${root}${(output.length + 1).toString(16).padStart(2, '0')}`;
  if (found !== null) output.push({ id: idOf('fs'), ...found.call });
  if (reasoning !== null) {
    const sealed = arrayField(body, 'include').includes('reasoning.encrypted_content');
    output.push({
      id: idOf('rs'),
      type: 'reasoning',
      summary: reasoning === '' ? [] : [{ type: 'summary_text', text: reasoning }],
      ...(sealed && { encrypted_content: SEALED }),
    });
  }
  for (const { prefix, item } of hosted) output.push({ id: idOf(prefix), ...item });
  // Who has drawn a picture need say nothing to it.
  if (text !== null && (text !== '' || hosted.length === 0)) {
    const annotations = [...citationsOf(found, text), ...pageCitations(hosted, text)];
    const content: JsonObject =
      finish === 'refusal'
        ? { type: 'refusal', refusal: text }
        : { type: 'output_text', text, annotations, logprobs: sureOf(text, body) };
    output.push({
      id: idOf('msg'),
      type: 'message',
      status,
      role: 'assistant',
      content: [content],
    });
  }
  for (const call of toolCalls) {
    const { id: call_id, name, arguments: given } = call;
    output.push(
      custom.has(name)
        ? { id: idOf('ctc'), type: 'custom_tool_call', status: 'completed', call_id, input: given, name }
        : { id: idOf('fc'), type: 'function_call', status: 'completed', arguments: given, call_id, name },
    );
  }
  return output;
}

export type ResponseHead = {
  readonly id: string;
  readonly body: JsonObject;
  readonly model: string | null;
  readonly now: number;
  readonly thread: string | null;
};

/** A response before it has output; fields that the request leaves open have the vendor's usual values. */
export function opened({ id, body, model, now, thread }: ResponseHead): JsonObject {
  const given = (name: string, usual: Json): Json => field(body, name) ?? usual;
  return {
    id,
    object: 'response',
    created_at: now,
    status: 'in_progress',
    background: field(body, 'background') === true,
    completed_at: null,
    error: null,
    incomplete_details: null,
    instructions: given('instructions', null),
    max_output_tokens: given('max_output_tokens', null),
    max_tool_calls: given('max_tool_calls', null),
    model,
    output: [],
    parallel_tool_calls: given('parallel_tool_calls', true),
    previous_response_id: given('previous_response_id', null),
    ...(thread !== null && { conversation: { id: thread } }),
    prompt_cache_key: given('prompt_cache_key', null),
    reasoning: given('reasoning', { effort: null, summary: null }),
    safety_identifier: given('safety_identifier', null),
    service_tier: tierOf(body),
    store: given('store', true),
    temperature: given('temperature', 1),
    text: { verbosity: 'medium', ...objectField(body, 'text'), format: formatOf(body) },
    tool_choice: given('tool_choice', 'auto'),
    tools: given('tools', []),
    top_logprobs: given('top_logprobs', 0),
    top_p: given('top_p', 1),
    truncation: given('truncation', 'disabled'),
    usage: null,
    user: given('user', null),
    metadata: given('metadata', {}),
    access_programs: given('access_programs', null),
  };
}

/** By which it was worked on; what is left to the project is its default. */
function tierOf(body: JsonObject): Json {
  const asked = field(body, 'service_tier') ?? 'auto';
  return asked === 'auto' ? 'default' : asked;
}

function formatOf(body: JsonObject): JsonObject {
  const format = objectField(objectField(body, 'text'), 'format');
  if (textField(format, 'type') === 'json_schema') return { description: null, strict: true, ...format };
  return format ?? { type: 'text' };
}

/** Of the text of a message, where the request asks for them. */
export function sureOf(text: string, body: JsonObject): JsonObject[] {
  if (!arrayField(body, 'include').includes('message.output_text.logprobs')) return [];
  return [...logprobsOf(text, numberField(body, 'top_logprobs') ?? 0)];
}

/** The response with all of its output. */
export function closed(opened: JsonObject, utterance: Utterance, output: readonly JsonObject[]): JsonObject {
  const { usage, finish } = utterance;
  const reason =
    finish === 'length' || finish === 'max_tokens'
      ? 'max_output_tokens'
      : finish === 'content_filter'
        ? 'content_filter'
        : null;
  return {
    ...opened,
    status: reason === null ? 'completed' : 'incomplete',
    completed_at: reason === null ? (numberField(opened, 'created_at') ?? 0) : null,
    incomplete_details: reason === null ? null : { reason },
    output,
    usage: {
      input_tokens: usage.input,
      input_tokens_details: { cached_tokens: usage.cached, cache_write_tokens: 0 },
      output_tokens: usage.output,
      output_tokens_details: { reasoning_tokens: usage.reasoning },
      total_tokens: usage.input + usage.output,
    },
  };
}
