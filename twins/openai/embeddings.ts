// Embeddings: unit vectors made from the words of a text, so that the same text has the same vector and texts that
// share words are near each other.
import type { Conversation } from '../kit/conversation.ts';
import type { Spoken } from '../kit/generative.ts';
import { field, type JsonObject, numberField, textField } from '../kit/json.ts';
import type { ModelAsk, ModelOperation, ModelOutcome } from '../kit/model-api.ts';
import { tokensOf } from '../kit/tokens.ts';
import { base64 } from './base64.ts';
import { invalid, missing } from './errors.ts';

const DIMENSIONS: { readonly [model: string]: number } = {
  'text-embedding-3-large': 3072,
  'text-embedding-3-small': 1536,
  'text-embedding-ada-002': 1536,
};
const DIMENSIONS_USUAL = 1536;
const DIMENSIONS_MAX = 3072;
const INPUTS_MAX = 2048;
/** A larger answer is made vector by vector as it is sent: 2,048 vectors are 69 MB. */
const VALUES_AT_ONCE_MAX = 32_768;

/** Texts, or tokens in their place. Null when it is neither. */
function inputsOf(body: JsonObject): readonly string[] | null {
  const input = field(body, 'input');
  if (typeof input === 'string') return [input];
  if (!Array.isArray(input) || input.length === 0) return null;
  if (input.every(each => typeof each === 'number')) return [input.join(' ')];
  const texts = input.map(each =>
    typeof each === 'string' ? each : Array.isArray(each) ? each.join(' ') : null,
  );
  return texts.every(text => text !== null) ? texts : null;
}

/** Null when its input cannot be read. */
export function embeddingConversation(body: JsonObject): Conversation | null {
  const inputs = inputsOf(body);
  if (inputs === null) return null;
  return {
    endpoint: 'embeddings',
    model: textField(body, 'model'),
    sayings: inputs.map(text => ({ role: 'user', text })),
    tools: [],
    toolChoice: 'none',
    stream: false,
    format: { type: 'text', schema: null },
    id: null,
    maxTokens: null,
    stops: [],
  };
}

const create = ({ body, spoken, batched }: ModelAsk): ModelOutcome => {
  const model = textField(body, 'model');
  if (model === null) throw missing('model');
  if (field(body, 'input') === undefined) throw missing('input');
  const inputs = inputsOf(body);
  if (inputs === null || inputs.some(text => text === '')) {
    throw invalid(
      "Invalid 'input': expected a text that is not empty, or an array of them.",
      'input',
      'invalid_value',
    );
  }
  if (inputs.length > INPUTS_MAX) throw invalid(`Invalid 'input': at most ${INPUTS_MAX} inputs.`, 'input');
  const dimensions = numberField(body, 'dimensions') ?? DIMENSIONS[model] ?? DIMENSIONS_USUAL;
  if (!Number.isInteger(dimensions) || dimensions < 1 || dimensions > DIMENSIONS_MAX) {
    throw invalid(`Invalid 'dimensions': must be an integer from 1 to ${DIMENSIONS_MAX}.`, 'dimensions');
  }
  const own = DIMENSIONS[model];
  if (model === 'text-embedding-ada-002' && field(body, 'dimensions') !== undefined)
    throw invalid('This model does not support specifying dimensions.');
  if (own !== undefined && dimensions > own)
    throw invalid(
      `Invalid value for 'dimensions' = ${dimensions}. Must be less than or equal to ${own}.`,
      'dimensions',
    );
  const base64 = textField(body, 'encoding_format') === 'base64';
  const item = (index: number): object => {
    const vector = handlerVector(spoken, index) ?? vectorOf(inputs[index]!, dimensions);
    return { object: 'embedding', index, embedding: base64 ? base64Of(vector) : vector };
  };
  const tokens = spoken?.usage.input ?? inputs.reduce((sum, text) => sum + tokensOf(text), 0);
  const rest = { model, usage: { prompt_tokens: tokens, total_tokens: tokens } };
  const { length } = inputs;
  // A line of a batch is written into a file, which is made whole.
  if (!batched && length * dimensions > VALUES_AT_ONCE_MAX)
    return { json: { object: 'list', data: [], ...rest }, field: 'data', length, item };
  return { json: { object: 'list', data: inputs.map((_text, index) => item(index)), ...rest } };
};

function handlerVector(spoken: Spoken | null, index: number): readonly number[] | null {
  const given = spoken?.embedding ?? null;
  if (given === null) return null;
  const each = given[Math.min(index, given.length - 1)];
  return typeof each === 'number' ? (given as readonly number[]) : (each ?? null);
}

/** Each word, and each of its trigrams more weakly, is a place in the vector. */
export function vectorOf(text: string, dimensions: number): readonly number[] {
  const vector = new Float64Array(dimensions);
  const add = (feature: string, weight: number): void => {
    const hash = hash32(feature);
    const at = hash % dimensions;
    vector[at] = (vector[at] ?? 0) + (hash & 0x8000_0000 ? -weight : weight);
  };
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [text]) {
    add(word, 1);
    for (let at = 0; at + 3 <= word.length; at += 1) add(`#${word.slice(at, at + 3)}`, 0.3);
  }
  const length = Math.hypot(...vector) || 1;
  return Array.from(vector, value => Math.fround(value / length));
}

/** FNV-1a, mixed once more so that its low bits are even. */
function hash32(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash ^= hash >>> 16;
  hash = Math.imul(hash, 0x85ebca6b);
  return (hash ^ (hash >>> 13)) >>> 0;
}

/** Little-endian 32-bit floats, as the SDK asks for unless told otherwise. */
function base64Of(vector: readonly number[]): string {
  const bytes = new DataView(new ArrayBuffer(vector.length * 4));
  vector.forEach((value, index) => bytes.setFloat32(index * 4, value, true));
  return base64(new Uint8Array(bytes.buffer));
}

export const EMBEDDINGS: readonly ModelOperation[] = [
  { method: 'POST', path: '/v1/embeddings', name: 'embeddings.create', run: create },
];
