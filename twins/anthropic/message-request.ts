// A Messages request read as a conversation.
import type { Conversation, Saying } from '../kit/conversation.ts';
import type { ToolResult } from '../kit/generative.ts';
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

/** Null when it is none that can be read; the operation says what is wrong with it. */
export function messageConversation(body: JsonObject): Conversation | null {
  const messages = field(body, 'messages');
  if (!Array.isArray(messages) || !messages.every(isJsonObject)) return null;
  const callNames = new Map<string, string>();
  for (const block of messages.flatMap(blocksOf)) {
    if (textField(block, 'type') === 'tool_use') {
      callNames.set(textField(block, 'id') ?? '', textField(block, 'name') ?? '');
    }
  }
  const system = textOf(field(body, 'system'));
  return {
    endpoint: 'messages',
    model: textField(body, 'model'),
    sayings: [
      ...(system === '' ? [] : [{ role: 'system', text: system } as const]),
      ...messages.map(message => sayingOf(message, callNames)),
    ],
    tools: arrayField(body, 'tools').flatMap(tool => {
      const name = textField(tool, 'name');
      return name === null ? [] : [{ name, schema: field(tool, 'input_schema') ?? {} }];
    }),
    toolChoice: toolChoiceOf(objectField(body, 'tool_choice')),
    stream: field(body, 'stream') === true,
    format: formatOf(body),
    id: null,
    maxTokens: numberField(body, 'max_tokens'),
    stops: arrayField(body, 'stop_sequences').filter(stop => typeof stop === 'string'),
  };
}

export function blocksOf(message: JsonObject): readonly JsonObject[] {
  return arrayField(message, 'content').filter(isJsonObject);
}

/** Text, or the text blocks of a list of blocks; a document of plain text is text too. */
function textOf(content: Json | undefined): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  const texts = content.map(block => {
    const type = textField(block, 'type');
    if (type === 'text') return textField(block, 'text');
    if (type !== 'document') return null;
    const source = objectField(block, 'source');
    return textField(source, 'type') === 'text' ? textField(source, 'data') : null;
  });
  return texts.filter(text => text !== null).join('\n');
}

function sayingOf(message: JsonObject, callNames: ReadonlyMap<string, string>): Saying {
  const results = blocksOf(message)
    .filter(block => textField(block, 'type') === 'tool_result')
    .map((block): ToolResult => {
      const id = textField(block, 'tool_use_id');
      return { id, name: callNames.get(id ?? '') ?? null, text: textOf(field(block, 'content')) };
    });
  const role = textField(message, 'role');
  const text = textOf(field(message, 'content'));
  if (role === 'assistant') return { role, text };
  if (role === 'system') return { role, text };
  return results.length === 0
    ? { role: 'user', text }
    : { role: text === '' ? 'tool' : 'user', text, results };
}

function toolChoiceOf(choice: JsonObject | null): Conversation['toolChoice'] {
  const type = textField(choice, 'type');
  if (type === 'any') return 'required';
  if (type === 'none') return 'none';
  const name = textField(choice, 'name');
  return type === 'tool' && name !== null ? { name } : 'auto';
}

function formatOf(body: JsonObject): Conversation['format'] {
  const format =
    objectField(objectField(body, 'output_config'), 'format') ?? objectField(body, 'output_format');
  if (textField(format, 'type') !== 'json_schema') return { type: 'text', schema: null };
  return { type: 'json_schema', schema: field(format, 'schema') ?? {} };
}
