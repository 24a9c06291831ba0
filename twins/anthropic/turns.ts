// What Anthropic's models were asked, as people read it.
import { arrayField, field, type JsonObject, objectField, textField } from '../kit/json.ts';
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

/** Null for a request that asks no model anything. */
export function turnsOf(path: string, body: JsonObject): Turns | null {
  if (path !== '/v1/messages') return null;
  const names = new Map<string, string>();
  const system = partsOf(field(body, 'system'), part => partOf(part, names));
  const said = objectsOf(arrayField(body, 'messages')).map(message => turnOf(message, names));
  return {
    turns: [...(system.length === 0 ? [] : [{ role: 'system', parts: system } as const]), ...said],
    after: textField(objectField(body, 'thread'), 'previous_message_id'),
  };
}

function turnOf(message: JsonObject, names: Map<string, string>): Turn {
  const parts = partsOf(field(message, 'content'), part => partOf(part, names));
  const role = textField(message, 'role');
  if (role === 'assistant' || role === 'system') return { role, parts };
  // The vendor has what tools answered in the user's name.
  const results = parts.length > 0 && parts.every(({ kind }) => kind === 'result');
  return { role: results ? 'tool' : 'user', parts };
}

function partOf(part: JsonObject, names: Map<string, string>): TurnPart {
  const source = objectField(part, 'source');
  switch (textField(part, 'type')) {
    case 'text':
      return textPart(textField(part, 'text') ?? '');
    case 'thinking':
      return { kind: 'reasoning', text: textField(part, 'thinking') ?? '' };
    case 'image': {
      const data = textField(source, 'data');
      if (data !== null) return { kind: 'image', type: textField(source, 'media_type'), data, at: null };
      return imagePart(textField(source, 'url') ?? textField(source, 'file_id') ?? '');
    }
    case 'document': {
      const text = textField(source, 'type') === 'text' ? textField(source, 'data') : null;
      return text === null ? otherPart(part) : textPart(text);
    }
    case 'tool_use':
    case 'server_tool_use': {
      const [id, name] = [textField(part, 'id'), textField(part, 'name') ?? ''];
      names.set(id ?? '', name);
      return { kind: 'call', id, name, arguments: JSON.stringify(field(part, 'input') ?? {}) };
    }
    case 'tool_result': {
      const id = textField(part, 'tool_use_id');
      const text = joined(partsOf(field(part, 'content'), inner => partOf(inner, names)));
      return { kind: 'result', id, name: names.get(id ?? '') ?? null, text };
    }
    default:
      return otherPart(part);
  }
}
