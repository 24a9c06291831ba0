// A chat completion's request as a conversation.
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
import { invalid, missing } from './errors.ts';

const ROLES: { readonly [role: string]: Saying['role'] } = {
  system: 'system',
  developer: 'system',
  user: 'user',
  assistant: 'assistant',
  tool: 'tool',
  function: 'tool',
};

/** Null when it is none that can be read; the operation says what is wrong with it. */
export function chatConversation(body: JsonObject): Conversation | null {
  const messages = field(body, 'messages');
  if (!Array.isArray(messages) || !messages.every(isJsonObject)) return null;
  const callNames = new Map<string, string>();
  for (const message of messages) {
    for (const call of arrayField(message, 'tool_calls')) {
      callNames.set(textField(call, 'id') ?? '', textField(objectField(call, 'function'), 'name') ?? '');
    }
  }
  return {
    endpoint: 'chat.completions',
    model: textField(body, 'model'),
    sayings: messages.map(message => sayingOf(message, callNames)),
    tools: toolsOf(body),
    toolChoice: toolChoiceOf(field(body, 'tool_choice')),
    stream: field(body, 'stream') === true,
    format: formatOf(objectField(body, 'response_format')),
    id: null,
    maxTokens: numberField(body, 'max_completion_tokens') ?? numberField(body, 'max_tokens'),
    stops: stopsOf(field(body, 'stop')),
  };
}

function sayingOf(message: JsonObject, callNames: ReadonlyMap<string, string>): Saying {
  const role = ROLES[textField(message, 'role') ?? ''] ?? 'user';
  const text = contentText(field(message, 'content'));
  if (role !== 'tool') return { role, text };
  const id = textField(message, 'tool_call_id');
  const name = textField(message, 'name') ?? callNames.get(id ?? '') ?? null;
  return { role, text: '', results: [{ id, name, text }] };
}

/** Text, or the text parts of a list of parts. */
export function contentText(content: Json | undefined): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .map(part => textField(part, 'text') ?? textField(part, 'refusal') ?? textField(part, 'transcript'))
    .filter(text => text !== null)
    .join('\n');
}

function toolsOf(body: JsonObject): Conversation['tools'] {
  const tools = arrayField(body, 'tools').map(
    tool => objectField(tool, 'function') ?? objectField(tool, 'custom'),
  );
  return [...tools, ...arrayField(body, 'functions')].flatMap(tool => {
    const name = textField(tool, 'name');
    return name === null ? [] : [{ name, schema: field(tool, 'parameters') ?? {} }];
  });
}

export function toolChoiceOf(choice: Json | undefined): Conversation['toolChoice'] {
  if (choice === 'required' || choice === 'none') return choice;
  const name = textField(objectField(choice, 'function') ?? choice, 'name');
  if (name !== null) return { name };
  const allowed = objectField(choice, 'allowed_tools') ?? choice;
  return textField(allowed, 'mode') === 'required' ? 'required' : 'auto';
}

function formatOf(format: JsonObject | null): Conversation['format'] {
  const type = textField(format, 'type');
  if (type === 'json_schema')
    return { type, schema: field(objectField(format, 'json_schema'), 'schema') ?? {} };
  return { type: type === 'json_object' ? type : 'text', schema: null };
}

function stopsOf(stop: Json | undefined): readonly string[] {
  if (typeof stop === 'string') return [stop];
  return Array.isArray(stop) ? stop.filter(each => typeof each === 'string') : [];
}

/** Throws what OpenAI would say of a request that it does not take. */
export function checkChat(body: JsonObject): void {
  if (textField(body, 'model') === null) throw missing('model');
  const messages = field(body, 'messages');
  if (messages === undefined) throw missing('messages');
  if (!Array.isArray(messages)) {
    throw invalid("Invalid type for 'messages': expected an array of objects.", 'messages', 'invalid_type');
  }
  if (messages.length === 0) {
    throw invalid(
      "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.",
      'messages',
      'empty_array',
    );
  }
  const called = new Set<string>();
  for (const [index, message] of messages.entries()) {
    const role = textField(message, 'role');
    if (role === null || !Object.hasOwn(ROLES, role)) {
      throw invalid(
        `Invalid value: '${role ?? ''}'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'.`,
        `messages[${index}].role`,
        'invalid_value',
      );
    }
    for (const call of arrayField(message, 'tool_calls')) called.add(textField(call, 'id') ?? '');
    if (role === 'tool' && !called.has(textField(message, 'tool_call_id') ?? '')) {
      throw invalid(
        "Invalid parameter: messages with role 'tool' must be a response to a preceding message with 'tool_calls'.",
        `messages.[${index}].role`,
      );
    }
  }
  const choice = field(body, 'tool_choice');
  const names = toolsOf(body).map(({ name }) => name);
  if (choice !== undefined && choice !== 'none' && choice !== 'auto' && names.length === 0) {
    throw invalid(
      "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.",
      'tool_choice',
    );
  }
  const named = toolChoiceOf(choice);
  if (typeof named === 'object' && !names.includes(named.name)) {
    throw invalid(`Tool choice '${named.name}' not found in 'tools' parameter.`, 'tool_choice');
  }
  const n = numberField(body, 'n');
  if (n !== null && (!Number.isInteger(n) || n < 1 || n > 128)) {
    throw invalid("Invalid 'n': must be an integer from 1 to 128.", 'n', 'invalid_value');
  }
}
