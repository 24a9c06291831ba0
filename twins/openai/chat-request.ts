// A chat completion's request read as a conversation.
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

export const ROLES: { readonly [role: string]: Saying['role'] } = {
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
      const of = objectField(call, 'function') ?? objectField(call, 'custom');
      callNames.set(textField(call, 'id') ?? '', textField(of, 'name') ?? '');
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

export function toolsOf(body: JsonObject): Conversation['tools'] {
  const tools = arrayField(body, 'tools').map(tool => objectField(tool, 'function'));
  const functions = [...tools, ...arrayField(body, 'functions')].flatMap(tool => {
    const name = textField(tool, 'name');
    return name === null ? [] : [{ name, schema: field(tool, 'parameters') ?? {} }];
  });
  return [...functions, ...[...customTools(body)].map(name => ({ name, schema: {}, free: true }))];
}

/** Names of the tools that take a text as it is, in a chat's request or a response's. */
export function customTools(body: JsonObject): ReadonlySet<string> {
  const custom = arrayField(body, 'tools').filter(tool => textField(tool, 'type') === 'custom');
  return new Set(custom.map(tool => textField(objectField(tool, 'custom') ?? tool, 'name') ?? ''));
}

export function toolChoiceOf(choice: Json | undefined): Conversation['toolChoice'] {
  if (choice === 'required' || choice === 'none') return choice;
  const of = objectField(choice, 'function') ?? objectField(choice, 'custom') ?? choice;
  const name = textField(of, 'name');
  if (name !== null) return { name };
  const allowed = objectField(choice, 'allowed_tools') ?? choice;
  return textField(allowed, 'mode') === 'required' ? 'required' : 'auto';
}

export function formatOf(format: JsonObject | null): Conversation['format'] {
  const type = textField(format, 'type');
  if (type === 'json_schema')
    return { type, schema: field(objectField(format, 'json_schema'), 'schema') ?? {} };
  return { type: type === 'json_object' ? type : 'text', schema: null };
}

function stopsOf(stop: Json | undefined): readonly string[] {
  if (typeof stop === 'string') return [stop];
  return Array.isArray(stop) ? stop.filter(each => typeof each === 'string') : [];
}
