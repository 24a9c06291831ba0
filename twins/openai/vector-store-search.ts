// Looking something up in vector stores: by the same vectors of words that embeddings are, over the pieces of each file, with
// filters over the attributes of files.
import { arrayField, field, isJsonObject, type Json, type JsonObject, textField } from '../kit/json.ts';
import type { Reader, Tx } from '../kit/tx.ts';
import { vectorOf } from './embeddings.ts';
import { invalid, notFound } from './errors.ts';
import { touch, type VectorStore } from './vector-store.ts';
import { chunksOf, type StoreFile } from './vector-store-file.ts';

/** Fewer than embeddings have: words alone are told apart. */
const DIMENSIONS = 256;
/** Files of one store that are looked through, the newest. */
const SEARCHED_FILES_MAX = 1_000;
/** Filters within filters. */
const FILTER_DEPTH_MAX = 8;

export type Hit = {
  readonly store: string;
  readonly file: string;
  readonly filename: string;
  readonly score: number;
  readonly text: string;
  readonly attributes: JsonObject;
};

export type Search = {
  readonly query: string;
  readonly limit: number;
  readonly threshold: number;
  readonly filter: JsonObject | null;
};

/** The best first. Refuses a store that is not there, or whose time is over; the others were used just now. */
export function searchStores(tx: Tx, ids: readonly string[], search: Search): readonly Hit[] {
  const stores = ids.map(id => usable(id, tx));
  for (const store of stores) touch(tx, store);
  const wanted = vectorOf(search.query, DIMENSIONS);
  const hits = stores.flatMap(({ id }) => filesOf(id, tx).flatMap(file => hitsIn(file, wanted, search, tx)));
  return hits
    .filter(({ score }) => score >= search.threshold)
    .sort((a, b) => b.score - a.score)
    .slice(0, search.limit);
}

function usable(id: string, reader: Reader): VectorStore {
  const store = reader.get<VectorStore>('vector_store', id);
  if (store === undefined) throw notFound(`Vector store with id ['${id}'] not found.`);
  if (store.status === 'expired') throw invalid(`Vector store ${id} is expired.`);
  return store;
}

function filesOf(store: string, reader: Reader): readonly StoreFile[] {
  const query = { where: { $store: store }, limit: SEARCHED_FILES_MAX };
  return reader.list<StoreFile>('vector_store_file', query).items;
}

function hitsIn(
  file: StoreFile,
  wanted: readonly number[],
  { filter }: Search,
  reader: Reader,
): readonly Hit[] {
  if (file.status !== 'completed' || (filter !== null && !passes(file.attributes ?? {}, filter, 0)))
    return [];
  return chunksOf(file, reader).map(text => ({
    store: file.$store,
    file: file.id,
    filename: file.$filename,
    score: likeness(vectorOf(text, DIMENSIONS), wanted),
    text,
    attributes: file.attributes ?? {},
  }));
}

function likeness(a: readonly number[], b: readonly number[]): number {
  const dot = a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0);
  return Math.max(0, Math.min(1, Math.round(dot * 10_000) / 10_000));
}

/** `{ type: 'eq', key, value }`, or `and` and `or` of several. */
function passes(attributes: JsonObject, filter: Json, depth: number): boolean {
  const type = textField(filter, 'type');
  if (!isJsonObject(filter) || type === null || depth > FILTER_DEPTH_MAX)
    throw invalid("Invalid 'filters': expected comparisons, or filters joined by and, or.", 'filters');
  const inner = arrayField(filter, 'filters');
  if (type === 'and') return inner.every(each => passes(attributes, each, depth + 1));
  if (type === 'or') return inner.some(each => passes(attributes, each, depth + 1));
  const held = field(attributes, textField(filter, 'key') ?? '') ?? null;
  const value = field(filter, 'value') ?? null;
  return compare(type, held, value);
}

function compare(type: string, held: Json, value: Json): boolean {
  const listed = Array.isArray(value) && value.some(each => each === held);
  switch (type) {
    case 'eq':
      return held === value;
    case 'ne':
      return held !== value;
    case 'in':
      return listed;
    case 'nin':
      return !listed;
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return ordered(type, held, value);
    default:
      throw invalid(
        `Invalid value: '${type}'. Supported values are: 'eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in', 'nin', 'and', and 'or'.`,
        'filters.type',
        'invalid_value',
      );
  }
}

function ordered(type: 'gt' | 'gte' | 'lt' | 'lte', held: Json, value: Json): boolean {
  if (typeof held !== typeof value || (typeof held !== 'number' && typeof held !== 'string')) return false;
  const [a, b] = [held, value as typeof held];
  if (a === b) return type === 'gte' || type === 'lte';
  return a > b === (type === 'gt' || type === 'gte');
}
