// What OpenAI's models were asked, as people read it: chat messages, items of a response, prompts.
import { arrayField, field, type Json, type JsonObject, objectField, textField } from '../kit/json.ts';
import {
  imagePart,
  joined,
  objectsOf,
  otherPart,
  partsOf,
  type Turn,
  type TurnPart,
  type Turns,
  textPart,
} from '../kit/turns.ts';
import { ROLES } from './chat-request.ts';

/** Null for a request that asks no model anything. */
export function turnsOf(path: string, body: JsonObject): Turns | null {
  switch (path) {
    case '/v1/chat/completions':
      return { turns: chatTurns(objectsOf(arrayField(body, 'messages'))), after: null };
    case '/v1/responses':
      return { turns: responseTurns(body), after: textField(body, 'previous_response_id') };
    case '/v1/completions':
      return { turns: prompted(field(body, 'prompt')), after: null };
    case '/v1/embeddings':
    case '/v1/moderations':
    case '/v1/audio/speech':
      return { turns: prompted(field(body, 'input')), after: null };
    case '/v1/images/generations':
      return { turns: prompted(field(body, 'prompt')), after: null };
    default:
      return null;
  }
}

function prompted(asked: Json | undefined): readonly Turn[] {
  const texts = Array.isArray(asked) && !asked.every(each => typeof each === 'number') ? asked : [asked];
  const parts = texts.flatMap((each: Json | undefined): readonly TurnPart[] => {
    if (each === undefined) return [];
    if (typeof each === 'object' && !Array.isArray(each)) return partsOf([each], partOf);
    return [textPart(Array.isArray(each) ? each.join(' ') : String(each))];
  });
  return parts.length === 0 ? [] : [{ role: 'user', parts }];
}

function chatTurns(messages: readonly JsonObject[]): readonly Turn[] {
  const names = new Map<string, string>();
  return messages.map((message): Turn => {
    const role = ROLES[textField(message, 'role') ?? ''] ?? 'user';
    const said = partsOf(field(message, 'content'), partOf);
    if (role === 'tool') {
      const id = textField(message, 'tool_call_id');
      const name = textField(message, 'name') ?? names.get(id ?? '') ?? null;
      return { role, parts: [{ kind: 'result', id, name, text: joined(said) }] };
    }
    const refusal = textField(message, 'refusal');
    const old = objectField(message, 'function_call');
    const calls = [
      ...objectsOf(arrayField(message, 'tool_calls')),
      ...(old === null ? [] : [{ function: old }]),
    ].map((call): TurnPart => {
      const of = objectField(call, 'function') ?? objectField(call, 'custom');
      const [id, name] = [textField(call, 'id'), textField(of, 'name') ?? ''];
      names.set(id ?? '', name);
      return {
        kind: 'call',
        id,
        name,
        arguments: textField(of, 'arguments') ?? textField(of, 'input') ?? '',
      };
    });
    return { role, parts: [...said, ...(refusal === null ? [] : [textPart(refusal)]), ...calls] };
  });
}

function responseTurns(body: JsonObject): readonly Turn[] {
  const instructions = textField(body, 'instructions');
  const input = field(body, 'input');
  const items: readonly JsonObject[] =
    typeof input === 'string' ? [{ role: 'user', content: input }] : objectsOf(arrayField(body, 'input'));
  const names = new Map<string, string>();
  return [
    ...(instructions === null ? [] : [{ role: 'system', parts: [textPart(instructions)] } as const]),
    ...items.map(item => itemTurn(item, names)),
  ];
}

function itemTurn(item: JsonObject, names: Map<string, string>): Turn {
  const type = textField(item, 'type') ?? 'message';
  const id = textField(item, 'call_id');
  switch (type) {
    case 'message':
      return {
        role: ROLES[textField(item, 'role') ?? ''] ?? 'user',
        parts: partsOf(field(item, 'content'), partOf),
      };
    case 'function_call':
    case 'custom_tool_call': {
      const name = textField(item, 'name') ?? '';
      names.set(id ?? '', name);
      const given = textField(item, 'arguments') ?? textField(item, 'input') ?? '';
      return { role: 'assistant', parts: [{ kind: 'call', id, name, arguments: given }] };
    }
    case 'function_call_output':
    case 'custom_tool_call_output': {
      const text = joined(partsOf(field(item, 'output'), partOf));
      return { role: 'tool', parts: [{ kind: 'result', id, name: names.get(id ?? '') ?? null, text }] };
    }
    case 'reasoning': {
      const text = joined(partsOf(field(item, 'summary'), partOf));
      return { role: 'assistant', parts: [{ kind: 'reasoning', text }] };
    }
    default:
      return { role: 'assistant', parts: [otherPart(item)] };
  }
}

function partOf(part: JsonObject): TurnPart {
  const type = textField(part, 'type') ?? 'text';
  if (type === 'image_url' || type === 'input_image') {
    const url = textField(objectField(part, 'image_url'), 'url') ?? textField(part, 'image_url');
    if (url !== null) return imagePart(url);
  }
  const text = textField(part, 'text') ?? textField(part, 'refusal') ?? textField(part, 'transcript');
  return text === null ? otherPart(part) : textPart(text);
}
