// What is wrong with the parts of a handlers file that a recording writes, when somebody has edited them or the file is torn:
// each fault by its JSON pointer, as of the rest (handlers-check.ts).
import { fromBase64 } from './base64.ts';
import type { HandlersFault } from './handlers.ts';
import { isJsonObject } from './json.ts';
import { RAW_CHUNK_MS_MAX, RAW_CHUNKS_MAX } from './limits.ts';

type Faults = readonly HandlersFault[];

const EXACT = ['method', 'path', 'query', 'headers', 'body'];
const RAW = ['text', 'base64', 'chunks', 'cut'];
const CHUNK = ['atMs', 'text', 'base64'];

export function exactFaults(value: unknown, pointer: string): Faults {
  if (!isJsonObject(value)) return [{ pointer, message: 'must be an object' }];
  const { method, path, query, headers } = value;
  return [
    ...unknownIn(value, pointer, EXACT),
    ...(typeof method === 'string' ? [] : [{ pointer: `${pointer}/method`, message: 'must be a string' }]),
    ...(typeof path === 'string' && path.startsWith('/')
      ? []
      : [{ pointer: `${pointer}/path`, message: 'must be a path, beginning with /' }]),
    ...textsFaults(query, `${pointer}/query`, true),
    ...textsFaults(headers, `${pointer}/headers`, false),
  ];
}

function textsFaults(value: unknown, pointer: string, lists: boolean): Faults {
  if (value === undefined) return [];
  if (!isJsonObject(value)) return [{ pointer, message: 'must be an object of names and texts' }];
  return Object.entries(value).flatMap(([name, text]) => {
    const good =
      typeof text === 'string' ||
      (lists && Array.isArray(text) && text.every(each => typeof each === 'string'));
    return good ? [] : [{ pointer: `${pointer}/${name}`, message: 'must be a text' }];
  });
}

export function rawFaults(value: unknown, pointer: string): Faults {
  if (!isJsonObject(value)) return [{ pointer, message: 'must be an object' }];
  const { chunks, cut } = value;
  const faults = [...unknownIn(value, pointer, RAW), ...bytesFaults(value, pointer)];
  if (cut !== undefined && cut !== true)
    faults.push({ pointer: `${pointer}/cut`, message: 'must be true, or not be there' });
  if (chunks === undefined) return faults;
  if (value['text'] !== undefined || value['base64'] !== undefined)
    faults.push({ pointer, message: 'chunks are beside text or base64; the bytes are one or the other' });
  if (!Array.isArray(chunks))
    return [...faults, { pointer: `${pointer}/chunks`, message: 'must be an array' }];
  if (chunks.length > RAW_CHUNKS_MAX)
    return [...faults, { pointer: `${pointer}/chunks`, message: `has more than ${RAW_CHUNKS_MAX} items` }];
  return [...faults, ...chunksFaults(chunks, `${pointer}/chunks`)];
}

function chunksFaults(chunks: readonly unknown[], pointer: string): Faults {
  let before = 0;
  return chunks.flatMap((chunk, index): Faults => {
    const at = `${pointer}/${index}`;
    if (!isJsonObject(chunk)) return [{ pointer: at, message: 'must be an object' }];
    const { atMs } = chunk;
    const isTime = typeof atMs === 'number' && atMs >= before && atMs <= RAW_CHUNK_MS_MAX;
    if (isTime) before = atMs;
    const message = `must be a number from ${before} to ${RAW_CHUNK_MS_MAX}, and none before the piece before it`;
    return [
      ...unknownIn(chunk, at, CHUNK),
      ...bytesFaults(chunk, at),
      ...(isTime ? [] : [{ pointer: `${at}/atMs`, message }]),
    ];
  });
}

function bytesFaults(value: { readonly [name: string]: unknown }, pointer: string): HandlersFault[] {
  const { text, base64 } = value;
  const faults: HandlersFault[] = [];
  if (text !== undefined && base64 !== undefined)
    faults.push({ pointer, message: 'text and base64 cannot be together' });
  if (text !== undefined && typeof text !== 'string')
    faults.push({ pointer: `${pointer}/text`, message: 'must be a string' });
  if (base64 !== undefined && (typeof base64 !== 'string' || fromBase64(base64) === null))
    faults.push({ pointer: `${pointer}/base64`, message: 'is no Base64' });
  return faults;
}

function unknownIn(value: object, pointer: string, names: readonly string[]): HandlersFault[] {
  return Object.keys(value)
    .filter(name => !names.includes(name))
    .map(name => ({
      pointer: `${pointer}/${name}`,
      message: `is not known here; known are ${names.join(', ')}`,
    }));
}
