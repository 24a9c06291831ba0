// A response's request as a conversation: its own input after what it goes on from.
import type { Conversation, Saying } from '../kit/conversation.ts';
import {
  arrayField,
  field,
  isJsonObject,
  type Json,
  type JsonObject,
  numberField,
  objectField,
  textField,
} from '../kit/json.ts';
import { unpacked } from '../kit/packed.ts';
import type { Reader } from '../kit/tx.ts';
import { contentText, toolChoiceOf } from './chat-request.ts';
import { unsealed } from './compacted-item.ts';
import { findItem, itemsOf } from './conversations.ts';
import { invalid, notFound } from './errors.ts';
import { checkAnswers, checkItems, checkResponse } from './response-check.ts';
import { responseId } from './response-object.ts';

/** How far back a chain of `previous_response_id` is read. */
const CHAIN_MAX = 200;

export type ResponseRequest = {
  readonly conversation: Conversation;
  /** This request's own input, as items. */
  readonly input: readonly JsonObject[];
  /** With all that it goes on from. */
  readonly items: readonly JsonObject[];
  /** The conversation it belongs to. */
  readonly thread: string | null;
};

export function readResponseRequest(body: JsonObject, reader: Reader): ResponseRequest {
  checkResponse(body);
  const input = inputItems(field(body, 'input')).map(item => referred(item, reader));
  const previous = textField(body, 'previous_response_id');
  const thread = threadOf(body);
  if (previous !== null && thread !== null) {
    throw invalid(
      "Mutually exclusive parameters: 'conversation' and 'previous_response_id'.",
      null,
      'mutually_exclusive_parameters',
    );
  }
  if (thread !== null && reader.get('conversation', thread) === undefined) {
    throw notFound(`Conversation with id '${thread}' not found.`, 'conversation');
  }
  const chain = previous === null ? { items: [], root: null } : chainOf(previous, reader);
  const before = thread === null ? chain.items : itemsOf(thread, reader);
  const instructions = textField(body, 'instructions');
  const items = [...before, ...input].flatMap(unsealed);
  checkAnswers(items);
  const sayings = [
    ...(instructions === null ? [] : [{ role: 'system', text: instructions } as const]),
    ...sayingsOf(items),
  ];
  const format = objectField(objectField(body, 'text'), 'format');
  const type = textField(format, 'type');
  return {
    input,
    items,
    thread,
    conversation: {
      endpoint: 'responses',
      model: textField(body, 'model') ?? 'gpt-5',
      sayings,
      tools: arrayField(body, 'tools').flatMap(tool => {
        const name = textField(tool, 'name');
        if (name === null) return [];
        const free = textField(tool, 'type') === 'custom';
        return [{ name, schema: field(tool, 'parameters') ?? {}, ...(free && { free }) }];
      }),
      toolChoice: toolChoiceOf(field(body, 'tool_choice')),
      stream: field(body, 'stream') === true,
      format:
        type === 'json_schema'
          ? { type, schema: field(format, 'schema') ?? {} }
          : { type: type === 'json_object' ? type : 'text', schema: null },
      id: thread ?? chain.root,
      maxTokens: numberField(body, 'max_output_tokens'),
      stops: [],
    },
  };
}

function threadOf(body: JsonObject): string | null {
  return textField(body, 'conversation') ?? textField(objectField(body, 'conversation'), 'id');
}

export function inputItems(input: Json | undefined): readonly JsonObject[] {
  if (input === undefined) return [];
  if (typeof input === 'string') {
    return [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: input }] }];
  }
  if (!Array.isArray(input) || !input.every(isJsonObject)) {
    throw invalid(
      "Invalid type for 'input': expected a string or an array of items.",
      'input',
      'invalid_type',
    );
  }
  checkItems(input);
  return input.map(item => {
    if (!Object.hasOwn(item, 'role')) return item;
    const content = field(item, 'content');
    const kind = textField(item, 'role') === 'assistant' ? 'output_text' : 'input_text';
    return {
      ...item,
      type: 'message',
      content: typeof content === 'string' ? [{ type: kind, text: content }] : (content ?? []),
    };
  });
}

/** The item that a reference names; any other is itself. */
function referred(item: JsonObject, reader: Reader): JsonObject {
  const type = textField(item, 'type');
  const id = textField(item, 'id');
  if (id === null || Object.hasOwn(item, 'role') || (type !== null && type !== 'item_reference')) return item;
  const found = itemById(id, reader);
  if (found !== null) return found;
  throw notFound(
    `Item with id '${id}' not found. Items are not persisted when \`store\` is set to false. Try again with ` +
      '`store` set to true, or remove this item from your input.',
    'input',
  );
}

/** Of a conversation, or what a stored response was made from or said: its id begins as its response's does. */
function itemById(id: string, reader: Reader): JsonObject | null {
  const kept = findItem(id, reader);
  if (kept !== null) return kept;
  const root = /^[a-z]+_([0-9a-f]{46})[0-9a-f]{2}/.exec(id)?.[1];
  const held = root === undefined ? undefined : reader.get('response', responseId(root));
  return held === undefined ? null : (itemsOfResponse(held, reader).find(item => item['id'] === id) ?? null);
}

function itemsOfResponse(held: unknown, reader: Reader): readonly JsonObject[] {
  return [
    ...inputOf(held, reader),
    ...arrayField({ output: unpacked(reader, field(held, '$output')) }, 'output').filter(isJsonObject),
  ];
}

/** The items of a chain of responses, oldest first, and the id of its first. */
function chainOf(
  last: string,
  reader: Reader,
): { readonly items: readonly JsonObject[]; readonly root: string } {
  const links: (readonly JsonObject[])[] = [];
  let root = last;
  for (let id: string | null = last; id !== null && links.length < CHAIN_MAX; ) {
    const held: unknown = reader.get('response', id);
    if (held === undefined) {
      // Deleted since: the chain begins after it.
      if (id !== last) break;
      throw invalid(
        `Previous response with id '${id}' not found.`,
        'previous_response_id',
        'previous_response_not_found',
      );
    }
    links.push(itemsOfResponse(held, reader));
    root = id;
    id = textField(held, 'previous_response_id');
  }
  return { items: links.reverse().flat(), root };
}

/** The input that a stored response was made from. */
export function inputOf(held: unknown, reader: Reader): readonly JsonObject[] {
  return arrayField({ input: unpacked(reader, field(held, '$input')) }, 'input').filter(isJsonObject);
}

/** Items as messages of a conversation; what neither says nor results in anything is left out. */
export function sayingsOf(items: readonly JsonObject[]): readonly Saying[] {
  const callNames = new Map<string, string>();
  return items.flatMap((item): readonly Saying[] => {
    const type = textField(item, 'type') ?? 'message';
    if (type === 'function_call' || type === 'custom_tool_call') {
      callNames.set(textField(item, 'call_id') ?? '', textField(item, 'name') ?? '');
      return [{ role: 'assistant', text: '' }];
    }
    if (type === 'function_call_output' || type === 'custom_tool_call_output') {
      const id = textField(item, 'call_id');
      const text = contentText(field(item, 'output'));
      return [{ role: 'tool', text: '', results: [{ id, name: callNames.get(id ?? '') ?? null, text }] }];
    }
    if (type !== 'message') return [];
    const role = textField(item, 'role');
    const text = contentText(field(item, 'content'));
    if (role === 'system' || role === 'developer') return [{ role: 'system', text }];
    return [{ role: role === 'assistant' ? 'assistant' : 'user', text }];
  });
}
