// Files that a message names instead of carrying them: they must be there and of a kind that the block takes; the text of
// one is read in its place.
import {
  arrayField,
  field,
  isJsonObject,
  type Json,
  type JsonObject,
  objectField,
  textField,
} from '../kit/json.ts';
import type { Reader, RecordBody } from '../kit/tx.ts';
import { invalid } from './errors.ts';
import { fileOf } from './files.ts';

const TAKES: { readonly [block: string]: readonly string[] } = {
  document: ['application/pdf', 'text/plain'],
  image: ['image/jpeg', 'image/png', 'image/gif', 'image/webp'],
};

/** The request with the text of each plain document that it names; itself where it names none. */
export function withFiles(body: JsonObject, reader: Reader): JsonObject {
  const messages = arrayField(body, 'messages');
  if (!messages.some(message => arrayField(message, 'content').some(namesFile))) return body;
  return {
    ...body,
    messages: messages.map((message, index): Json => {
      const content = field(message, 'content');
      if (!isJsonObject(message) || !Array.isArray(content)) return message;
      return {
        ...message,
        content: content.map((block, at) => read(block, `messages.${index}.content.${at}`, reader)),
      };
    }),
  };
}

function namesFile(block: Json): boolean {
  return (
    textField(objectField(block, 'source'), 'type') === 'file' ||
    textField(block, 'type') === 'container_upload'
  );
}

function read(block: Json, place: string, reader: Reader): Json {
  if (!isJsonObject(block) || !namesFile(block)) return block;
  const type = textField(block, 'type') ?? '';
  const holder = type === 'container_upload' ? block : objectField(block, 'source');
  const id = textField(holder, 'file_id');
  if (id === null) throw invalid(`${place}.${type}.source.file.file_id: Field required`);
  const file: RecordBody = fileOf(id, reader);
  const mime = String(file['mime_type']);
  if (Object.hasOwn(TAKES, type) && TAKES[type]?.includes(mime) !== true)
    throw invalid(
      `${place}.${type}.source: The file ${id} is of the type ${mime}, which a ${type} block does not take.`,
    );
  if (type !== 'document' || mime !== 'text/plain') return block;
  const bytes = reader.blob(String(file['$blob']));
  return { ...block, source: { type: 'text', media_type: mime, data: new TextDecoder().decode(bytes) } };
}
