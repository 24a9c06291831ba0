// The files of a vector store, and batches of them, as operations.
import { arrayField, field, isJsonObject, type JsonObject, textField } from '../kit/json.ts';
import type { ModelAsk, ModelOperation } from '../kit/model-api.ts';
import { cursorsOf, limitOf } from '../kit/paging.ts';
import type { RecordBody } from '../kit/tx.ts';
import { checkWord } from './amounts.ts';
import { invalid, missing, notFound } from './errors.ts';
import { PAGES, pageOf, publicFields } from './list.ts';
import { attributesOf, NO_FILES, touch, type VectorStore } from './vector-store.ts';
import {
  addFile,
  chunkingOf,
  chunksOf,
  keyOf,
  removeFile,
  type StoreBatch,
  type StoreFile,
  settle,
  statusFilter,
} from './vector-store-file.ts';
import { fileIdsOf, storeOf } from './vector-stores.ts';

const STATUSES = ['in_progress', 'completed', 'failed', 'cancelled'];

const storeFileOf = ({ tx, path }: ModelAsk): StoreFile => {
  const found = tx.get<StoreFile>('vector_store_file', keyOf(path['store'] ?? '', path['file'] ?? ''));
  if (found === undefined)
    throw notFound(`No file found with id '${path['file']}' in vector store '${path['store']}'.`);
  return found;
};

const storeBatchOf = ({ tx, path }: ModelAsk): StoreBatch => {
  const found = tx.get<StoreBatch>('vector_store_file_batch', path['batch'] ?? '');
  if (found === undefined || found['vector_store_id'] !== path['store'])
    throw notFound(`No vector store file batch found with id '${path['batch']}'.`);
  return found;
};

/** `where`: the store's, or one batch's. Cursors are ids of files; records are kept by store and file. */
function filesOf(
  { tx, query }: ModelAsk,
  store: string,
  where: { readonly [field: string]: string },
): object {
  const filter = query.get('filter');
  if (filter !== null) checkWord(filter, 'filter', STATUSES);
  const order = query.get('order') ?? 'desc';
  checkWord(order, 'order', ['asc', 'desc']);
  const { after, before } = cursorsOf(query, PAGES);
  const keep = statusFilter(filter);
  const { items, more } = tx.list<StoreFile>('vector_store_file', {
    where,
    order: order === 'asc' ? 'oldest' : 'newest',
    limit: limitOf(query, PAGES),
    ...(after !== null && { after: keyOf(store, after) }),
    ...(before !== null && { before: keyOf(store, before) }),
    ...(keep !== null && { keep }),
  });
  return pageOf({ items: items.map(publicFields), more });
}

const createBatch = (context: ModelAsk): { readonly json: object } => {
  const { tx, body, now } = context;
  const store = touch(tx, storeOf(context));
  const each = arrayField(body, 'files').filter(isJsonObject);
  const ids = fileIdsOf(body);
  if (each.length === 0 && ids.length === 0) throw missing('file_ids');
  if (each.length > 0 && ids.length > 0)
    throw invalid(
      "Mutually exclusive parameters: 'file_ids' and 'files'.",
      null,
      'mutually_exclusive_parameters',
    );
  const asked: readonly JsonObject[] = each.length > 0 ? each : ids.map(file_id => ({ ...body, file_id }));
  const id = `vsfb_${tx.hex(16)}`;
  let held: VectorStore = store;
  for (const of of asked) {
    const file = textField(of, 'file_id');
    if (file === null) throw missing('files[0].file_id');
    const attributes = attributesOf(field(of, 'attributes'), 'attributes');
    held = addFile(tx, held, { file, attributes, chunking: chunkingOf(of), batch: id }).store;
  }
  const batch: StoreBatch = {
    id,
    object: 'vector_store.files_batch',
    created_at: now,
    vector_store_id: store.id,
    status: 'in_progress',
    file_counts: { ...NO_FILES, in_progress: asked.length, total: asked.length },
  };
  tx.put('vector_store_file_batch', id, batch);
  return { json: publicFields(batch) };
};

const cancelBatch = (context: ModelAsk): { readonly json: object } => {
  const { tx } = context;
  const batch = storeBatchOf(context);
  if (batch.status !== 'in_progress') throw invalid(`Cannot cancel a batch with status '${batch.status}'.`);
  const { items } = tx.list<StoreFile>('vector_store_file', { where: { $batch: batch.id }, limit: 1000 });
  tx.put('vector_store_file_batch', batch.id, { ...batch, status: 'cancelled' });
  for (const file of items.filter(({ status }) => status === 'in_progress'))
    settle(tx, storeOf(context), { ...file, status: 'cancelled' });
  return { json: publicFields(storeBatchOf(context)) };
};

const PATH = '/v1/vector_stores/{store}/files';
const BATCHES = '/v1/vector_stores/{store}/file_batches';

export const VECTOR_STORE_FILES: readonly ModelOperation[] = [
  {
    method: 'POST',
    path: PATH,
    name: 'vectorStores.files.create',
    run: context => {
      const { tx, body } = context;
      const file = textField(body, 'file_id');
      if (file === null) throw missing('file_id');
      const attributes = attributesOf(field(body, 'attributes'), 'attributes');
      const made = { file, attributes, chunking: chunkingOf(body), batch: null };
      return { json: publicFields(addFile(tx, touch(tx, storeOf(context)), made).file) };
    },
  },
  {
    method: 'GET',
    path: PATH,
    name: 'vectorStores.files.list',
    run: context => {
      const { id } = storeOf(context);
      return { json: filesOf(context, id, { $store: id }) };
    },
  },
  {
    method: 'GET',
    path: `${PATH}/{file}`,
    name: 'vectorStores.files.retrieve',
    run: context => ({ json: publicFields(storeFileOf(context)) }),
  },
  {
    method: 'POST',
    path: `${PATH}/{file}`,
    name: 'vectorStores.files.update',
    run: context => {
      const file = storeFileOf(context);
      if (!Object.hasOwn(context.body, 'attributes')) throw missing('attributes');
      const changed: RecordBody = {
        ...file,
        attributes: attributesOf(field(context.body, 'attributes'), 'attributes'),
      };
      context.tx.put('vector_store_file', keyOf(file.$store, file.id), changed);
      return { json: publicFields(changed) };
    },
  },
  {
    method: 'DELETE',
    path: `${PATH}/{file}`,
    name: 'vectorStores.files.delete',
    run: context => {
      const file = storeFileOf(context);
      removeFile(context.tx, storeOf(context), file);
      return { json: { id: file.id, object: 'vector_store.file.deleted', deleted: true } };
    },
  },
  {
    method: 'GET',
    path: `${PATH}/{file}/content`,
    name: 'vectorStores.files.content',
    run: context => {
      const file = storeFileOf(context);
      if (file.status !== 'completed') throw invalid(`The file ${file.id} is ${file.status}.`);
      const data = chunksOf(file, context.tx).map(text => ({ type: 'text', text }));
      return { json: { object: 'vector_store.file_content.page', data, has_more: false, next_page: null } };
    },
  },
  { method: 'POST', path: BATCHES, name: 'vectorStores.fileBatches.create', run: createBatch },
  {
    method: 'GET',
    path: `${BATCHES}/{batch}`,
    name: 'vectorStores.fileBatches.retrieve',
    run: context => ({ json: publicFields(storeBatchOf(context)) }),
  },
  {
    method: 'POST',
    path: `${BATCHES}/{batch}/cancel`,
    name: 'vectorStores.fileBatches.cancel',
    run: cancelBatch,
  },
  {
    method: 'GET',
    path: `${BATCHES}/{batch}/files`,
    name: 'vectorStores.fileBatches.listFiles',
    run: context => {
      const { id } = storeBatchOf(context);
      return { json: filesOf(context, context.path['store'] ?? '', { $batch: id }) };
    },
  },
];
