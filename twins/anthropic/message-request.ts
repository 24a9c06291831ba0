// A Messages request: checked as Anthropic checks it, and read as a conversation.
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
import { invalid } from './errors.ts';

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

/** Throws what Anthropic would say of a request that it does not take. `counted`: for a token count. */
export function checkMessages(body: JsonObject, counted: boolean): void {
  if (textField(body, 'model') === null) throw invalid('model: Field required');
  const messages = field(body, 'messages');
  if (messages === undefined) throw invalid('messages: Field required');
  if (!Array.isArray(messages)) throw invalid('messages: Input should be a valid array');
  const maxTokens = numberField(body, 'max_tokens');
  if (!counted) {
    if (maxTokens === null) throw invalid('max_tokens: Field required');
    if (!Number.isInteger(maxTokens) || maxTokens < 1) {
      throw invalid('max_tokens: Input should be greater than or equal to 1');
    }
  }
  if (messages.length === 0) throw invalid('messages: at least one message is required');
  for (const [index, message] of messages.entries()) checkMessage(messages, message, index);
  const thinking = objectField(body, 'thinking');
  if (textField(thinking, 'type') === 'enabled') {
    const budget = numberField(thinking, 'budget_tokens');
    if (budget === null) throw invalid('thinking.enabled.budget_tokens: Field required');
    if (budget < 1024)
      throw invalid('thinking.enabled.budget_tokens: Input should be greater than or equal to 1024');
    if (maxTokens !== null && budget >= maxTokens) {
      throw invalid(
        '`max_tokens` must be greater than `thinking.budget_tokens`. Please consult our documentation at https://docs.claude.com/en/docs/build-with-claude/extended-thinking#max-tokens-and-context-window-size',
      );
    }
  }
  const choice = objectField(body, 'tool_choice');
  const names = arrayField(body, 'tools').map(tool => textField(tool, 'name'));
  const type = textField(choice, 'type');
  if ((type === 'any' || type === 'tool') && names.length === 0) {
    throw invalid('tool_choice: tool_choice may only be specified while providing tools.');
  }
  if (type === 'tool' && !names.includes(textField(choice, 'name'))) {
    throw invalid(`Tool '${textField(choice, 'name')}' not found in provided tools`);
  }
}

function checkMessage(messages: readonly Json[], message: Json, index: number): void {
  const role = textField(message, 'role');
  if (!isJsonObject(message) || (role !== 'user' && role !== 'assistant' && role !== 'system')) {
    throw invalid(`messages: Unexpected role "${role ?? ''}". Allowed roles are "user" or "assistant".`);
  }
  const content = field(message, 'content');
  if (content === undefined) throw invalid(`messages.${index}.content: Field required`);
  if ((content === '' || (Array.isArray(content) && content.length === 0)) && index < messages.length - 1) {
    throw invalid(
      `messages.${index}: all messages must have non-empty content except for the optional final assistant message`,
    );
  }
  const before = messages[index - 1];
  const called = isJsonObject(before)
    ? blocksOf(before)
        .filter(block => textField(block, 'type') === 'tool_use')
        .map(block => textField(block, 'id'))
    : [];
  const results = blocksOf(message).map(block =>
    textField(block, 'type') === 'tool_result' ? textField(block, 'tool_use_id') : null,
  );
  for (const [at, id] of results.entries()) {
    if (id !== null && !called.includes(id)) {
      throw invalid(
        `messages.${index}.content.${at}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each ` +
          '`tool_result` block must have a corresponding `tool_use` block in the previous message.',
      );
    }
  }
  const unanswered = called.filter(id => !results.includes(id));
  if (unanswered.length > 0) {
    throw invalid(
      `messages.${index - 1}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ` +
        `${unanswered.join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
    );
  }
}
