// Vector stores: files read into pieces that can be searched, by the world's clock.
import { arrayField, field, type JsonObject, numberField, objectField, textField } from '../kit/json.ts';
import type { ModelAsk, ModelOperation } from '../kit/model-api.ts';
import type { RecordBody, Tx } from '../kit/tx.ts';
import { checkAmount } from './amounts.ts';
import { missing, notFound } from './errors.ts';
import { listOf, publicFields } from './list.ts';
import { attributesOf, expiryOf, keepStore, NO_FILES, touch, type VectorStore } from './vector-store.ts';
import { addFile, chunkingOf, keyOf, type StoreFile } from './vector-store-file.ts';
import { searchStores } from './vector-store-search.ts';

const FILES_AT_ONCE_MAX = 500;
const RESULTS_USUAL = 10;
const RESULTS_MAX = 50;

/** The store of the request's path. */
export const storeOf = ({ tx, path }: Pick<ModelAsk, 'tx' | 'path'>): VectorStore => {
  const found = tx.get<VectorStore>('vector_store', path['store'] ?? '');
  if (found === undefined)
    throw notFound(`No vector store found with id '${path['store']}'.`, 'vector_store_id');
  return found;
};

/** Ids of a request, where it names some. */
export function fileIdsOf(body: JsonObject): readonly string[] {
  return arrayField(body, 'file_ids')
    .filter(id => typeof id === 'string')
    .slice(0, FILES_AT_ONCE_MAX);
}

/** With its first files. */
export function newStore(tx: Tx, body: JsonObject): VectorStore {
  const now = Math.floor(tx.now / 1000);
  const expires_after = expiryOf(body);
  const made: VectorStore = {
    id: `vs_${tx.hex(16)}`,
    object: 'vector_store',
    created_at: now,
    name: textField(body, 'name'),
    description: textField(body, 'description'),
    usage_bytes: 0,
    file_counts: NO_FILES,
    status: 'completed',
    expires_after,
    expires_at: null,
    last_active_at: now,
    metadata: attributesOf(field(body, 'metadata'), 'metadata') ?? {},
  };
  tx.put('vector_store', made.id, made);
  let store = expires_after === null ? made : touch(tx, made);
  const chunking = chunkingOf(body);
  for (const file of fileIdsOf(body))
    store = addFile(tx, store, { file, attributes: null, chunking, batch: null }).store;
  return store;
}

const search = ({ tx, path, body }: ModelAsk): { readonly json: object } => {
  const store = storeOf({ tx, path });
  const asked = field(body, 'query');
  const queries =
    typeof asked === 'string' ? [asked] : arrayField(body, 'query').filter(each => typeof each === 'string');
  if (queries.length === 0) throw missing('query');
  checkAmount(body, 'max_num_results', { min: 1, max: RESULTS_MAX, whole: true });
  const hits = searchStores(tx, [store.id], {
    query: queries.join('\n'),
    limit: numberField(body, 'max_num_results') ?? RESULTS_USUAL,
    threshold: numberField(objectField(body, 'ranking_options'), 'score_threshold') ?? 0,
    filter: objectField(body, 'filters'),
  });
  const data = hits.map(({ file, filename, score, attributes, text }) => ({
    file_id: file,
    filename,
    score,
    attributes,
    content: [{ type: 'text', text }],
  }));
  return {
    json: {
      object: 'vector_store.search_results.page',
      search_query: queries,
      data,
      has_more: false,
      next_page: null,
    },
  };
};

const update = (context: ModelAsk): { readonly json: object } => {
  const { tx, body } = context;
  const store = storeOf(context);
  const has = (name: string): boolean => Object.hasOwn(body, name);
  const changed: VectorStore & RecordBody = {
    ...store,
    ...(has('name') && { name: textField(body, 'name') }),
    ...(has('metadata') && { metadata: attributesOf(field(body, 'metadata'), 'metadata') ?? {} }),
    ...(has('expires_after') && { expires_after: expiryOf(body), expires_at: null }),
  };
  if (has('expires_after')) {
    keepStore(store.id, tx);
    return { json: publicFields(touch(tx, changed)) };
  }
  tx.put('vector_store', store.id, changed);
  return { json: publicFields(changed) };
};

const remove = (context: ModelAsk): { readonly json: object } => {
  const { tx } = context;
  const { id } = storeOf(context);
  tx.delete('vector_store', id);
  keepStore(id, tx);
  for (;;) {
    const { items, more } = tx.list<StoreFile>('vector_store_file', { where: { $store: id }, limit: 100 });
    for (const file of items) {
      tx.delete('vector_store_file', keyOf(id, file.id));
      tx.cancel(`store_file:${keyOf(id, file.id)}`);
    }
    if (!more) break;
  }
  return { json: { id, object: 'vector_store.deleted', deleted: true } };
};

const PATH = '/v1/vector_stores/{store}';

export const VECTOR_STORES: readonly ModelOperation[] = [
  {
    method: 'POST',
    path: '/v1/vector_stores',
    name: 'vectorStores.create',
    run: ({ tx, body }) => ({ json: publicFields(newStore(tx, body)) }),
  },
  {
    method: 'GET',
    path: '/v1/vector_stores',
    name: 'vectorStores.list',
    run: context => ({ json: listOf(context, 'vector_store') }),
  },
  {
    method: 'GET',
    path: PATH,
    name: 'vectorStores.retrieve',
    run: context => ({ json: publicFields(storeOf(context)) }),
  },
  { method: 'POST', path: PATH, name: 'vectorStores.update', run: update },
  { method: 'DELETE', path: PATH, name: 'vectorStores.delete', run: remove },
  { method: 'POST', path: `${PATH}/search`, name: 'vectorStores.search', run: search },
];
