// The tools of assistants and runs, and the files and vector stores that they are given.
import {
  arrayField,
  field,
  isJsonObject,
  type Json,
  type JsonObject,
  objectField,
  textField,
} from '../kit/json.ts';
import type { Tx } from '../kit/tx.ts';
import { checkWord, wrongType } from './amounts.ts';
import { checkFunction } from './chat-check.ts';
import { invalid, missing, notFound } from './errors.ts';
import type { VectorStore } from './vector-store.ts';
import { addFile, chunkingOf } from './vector-store-file.ts';
import { newStore } from './vector-stores.ts';

const TOOLS_MAX = 128;
const KINDS = ['code_interpreter', 'function', 'file_search'];
/** Of the store that a thread makes for the files of its messages. */
const OWN_STORE = { expires_after: { anchor: 'last_active_at', days: 7 } };

export type Resources = {
  readonly code_interpreter?: { readonly file_ids: readonly string[] };
  readonly file_search?: { readonly vector_store_ids: readonly string[] };
};

/** As the request has them, or null. */
export function toolsOf(body: JsonObject): readonly JsonObject[] | null {
  const given = field(body, 'tools');
  if (given === undefined || given === null) return null;
  if (!Array.isArray(given)) throw wrongType('tools', 'an array of objects', given);
  if (given.length > TOOLS_MAX)
    throw invalid(
      `Invalid 'tools': array too long. Expected an array with maximum length ${TOOLS_MAX}, but got an array with ` +
        `length ${given.length} instead.`,
      'tools',
      'array_above_max_length',
    );
  return given.map((tool: Json, index) => {
    const place = `tools[${index}]`;
    if (!isJsonObject(tool)) throw wrongType(place, 'an object', tool);
    checkWord(field(tool, 'type'), `${place}.type`, KINDS);
    if (textField(tool, 'type') !== 'function') return tool;
    const of = objectField(tool, 'function');
    if (of === null) throw missing(`${place}.function`);
    checkFunction(of, `${place}.function`);
    return tool;
  });
}

/** Null where the request names none; stores that it describes are made. */
export function resourcesOf(tx: Tx, body: JsonObject): Resources | null {
  const given = objectField(body, 'tool_resources');
  if (given === null) return null;
  const code = objectField(given, 'code_interpreter');
  const search = objectField(given, 'file_search');
  return {
    ...(code !== null && { code_interpreter: { file_ids: filesOf(tx, code) } }),
    ...(search !== null && { file_search: { vector_store_ids: storesOf(tx, search) } }),
  };
}

function filesOf(tx: Tx, code: JsonObject): readonly string[] {
  const ids = arrayField(code, 'file_ids').filter(id => typeof id === 'string');
  for (const id of ids)
    if (tx.get('file', id) === undefined) throw notFound(`No such File object: ${id}`, 'id');
  return ids;
}

function storesOf(tx: Tx, search: JsonObject): readonly string[] {
  const ids = arrayField(search, 'vector_store_ids').filter(id => typeof id === 'string');
  const described = arrayField(search, 'vector_stores').filter(isJsonObject);
  const place = 'tool_resources.file_search';
  if (ids.length > 0 && described.length > 0)
    throw invalid(
      "Mutually exclusive parameters: 'vector_store_ids' and 'vector_stores'.",
      place,
      'mutually_exclusive_parameters',
    );
  for (const [name, list] of Object.entries({ vector_store_ids: ids, vector_stores: described }))
    if (list.length > 1)
      throw invalid(
        `Invalid '${place}.${name}': array too long. Expected an array with maximum length 1, but got an array with ` +
          `length ${list.length} instead.`,
        `${place}.${name}`,
        'array_above_max_length',
      );
  for (const id of ids)
    if (tx.get('vector_store', id) === undefined) throw notFound(`Vector store with id ['${id}'] not found.`);
  return described.length === 0 ? ids : described.map(each => newStore(tx, each).id);
}

/** What a thread has once a message with these files is in it. */
export function withAttached(tx: Tx, held: Resources, attachments: readonly Json[]): Resources {
  const idsFor = (kind: string): readonly string[] =>
    attachments.flatMap(each => {
      const id = textField(each, 'file_id');
      const offered = arrayField(each, 'tools').some(tool => textField(tool, 'type') === kind);
      return id === null || !offered ? [] : [id];
    });
  const searched = idsFor('file_search');
  const read = idsFor('code_interpreter');
  const code = [...new Set([...(held.code_interpreter?.file_ids ?? []), ...read])];
  return {
    ...held,
    ...(read.length > 0 && { code_interpreter: { file_ids: code } }),
    ...(searched.length > 0 && { file_search: { vector_store_ids: [searchedIn(tx, held, searched)] } }),
  };
}

function searchedIn(tx: Tx, held: Resources, files: readonly string[]): string {
  const [id] = held.file_search?.vector_store_ids ?? [];
  const found = id === undefined ? undefined : tx.get<VectorStore>('vector_store', id);
  let store = found ?? newStore(tx, OWN_STORE);
  const more = { attributes: null, chunking: chunkingOf({}), batch: null };
  for (const file of files) ({ store } = addFile(tx, store, { file, ...more }));
  return store.id;
}
