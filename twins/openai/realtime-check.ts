// What a realtime event may hold, and what the vendor says of anything else.
import { arrayField, field, type JsonObject, textField } from '../kit/json.ts';

const ITEM_TYPES = ['message', 'function_call', 'function_call_output', 'mcp_approval_response'];
const ROLES = ['user', 'assistant', 'system'];

export function wrongItem(item: JsonObject): { readonly param: string; readonly message: string } | null {
  const type = textField(item, 'type') ?? '';
  const role = textField(item, 'role') ?? '';
  const not = (param: string, value: string, known: readonly string[]) => {
    const names = known.map(name => `'${name}'`).join(', ');
    return { param, message: `Invalid value: '${value}'. Supported values are: ${names}.` };
  };
  if (!ITEM_TYPES.includes(type)) return not('item.type', type, ITEM_TYPES);
  return type === 'message' && !ROLES.includes(role) ? not('item.role', role, ROLES) : null;
}

export function wrongModalities(given: JsonObject): string | null {
  const asked = field(given, 'output_modalities');
  if (asked === undefined) return null;
  const [only, more] = Array.isArray(asked) ? asked : [];
  return more === undefined && (only === 'text' || only === 'audio')
    ? null
    : `Invalid modalities: ${JSON.stringify(asked)}. Supported combinations are: ['text'] and ['audio'].`;
}

/** Speech is words only where its transcript comes with it. */
export function hasUnheardAudio(item: JsonObject): boolean {
  return arrayField(item, 'content').some(
    part => textField(part, 'type') === 'input_audio' && textField(part, 'transcript') === null,
  );
}
