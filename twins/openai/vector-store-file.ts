// A file in a vector store: read into pieces, on the world's clock; and a batch of them.
import { schedule } from '../kit/due.ts';
import { field, type JsonObject, numberField, objectField, textField } from '../kit/json.ts';
import type { Reader, RecordBody, Tx } from '../kit/tx.ts';
import { wordsIn } from '../kit/words.ts';
import type { Due } from './due.ts';
import { invalid, notFound } from './errors.ts';
import { counted, type FileCounts, type FileStatus, type VectorStore } from './vector-store.ts';

/** World milliseconds until a file is read. */
const READING_MS = 1_000;
const CHARS_PER_TOKEN = 4;
const CHUNK_TOKENS_MAX = 4_096;
const CHUNK_TOKENS_MIN = 100;
const AUTO_CHUNKS = { max_chunk_size_tokens: 800, chunk_overlap_tokens: 400 };
/** Pieces of one file that are searched. */
const CHUNKS_MAX = 2_000;
/** What OpenAI takes besides, whose text this twin cannot read: their names are found, and nothing of what they say. */
const OPAQUE = ['pdf', 'doc', 'docx', 'pptx'];
const TEXTS = wordsIn(`
  c cpp cs css csv go html java js json jsonl md php py rb sh tex ts txt xml yaml yml
`);

export type StoreFile = RecordBody & {
  /** The file's; the record's is `keyOf`. */
  readonly id: string;
  readonly status: FileStatus;
  readonly usage_bytes: number;
  readonly attributes: JsonObject | null;
  readonly chunking_strategy: JsonObject;
  readonly $store: string;
  readonly $filename: string;
  readonly $blob: string;
  readonly $batch: string | null;
};

export type StoreBatch = RecordBody & {
  readonly id: string;
  readonly status: 'in_progress' | 'completed' | 'cancelled' | 'failed';
  readonly file_counts: FileCounts;
};

/** One file may be in several stores. */
export const keyOf = (store: string, file: string): string => `${store} ${file}`;

export type NewStoreFile = {
  readonly file: string;
  readonly attributes: JsonObject | null;
  readonly chunking: JsonObject;
  readonly batch: string | null;
};

/** Takes a file in; it is read a moment later. */
export function addFile(
  tx: Tx,
  store: VectorStore,
  made: NewStoreFile,
): { readonly store: VectorStore; readonly file: StoreFile } {
  const held = tx.get('file', made.file);
  if (held === undefined) throw notFound(`No such File object: ${made.file}`, 'file_id');
  const key = keyOf(store.id, made.file);
  const before = tx.get<StoreFile>('vector_store_file', key);
  const file: StoreFile = {
    id: made.file,
    object: 'vector_store.file',
    created_at: Math.floor(tx.now / 1000),
    vector_store_id: store.id,
    usage_bytes: 0,
    status: 'in_progress',
    last_error: null,
    chunking_strategy: made.chunking,
    attributes: made.attributes,
    $store: store.id,
    $file: made.file,
    $filename: String(held['filename']),
    $blob: String(held['$blob']),
    $batch: made.batch,
  };
  tx.put('vector_store_file', key, file);
  schedule<Due>(tx, `store_file:${key}`, tx.now + READING_MS, {
    kind: 'storeFile',
    store: store.id,
    file: made.file,
  });
  const less = before === undefined ? store.file_counts : moved(store.file_counts, before.status, null);
  const bytes = store.usage_bytes - (before?.usage_bytes ?? 0);
  return { store: counted(tx, store, moved(less, null, 'in_progress'), bytes), file };
}

/** Its time to be read has come. */
export function readFile(storeId: string, fileId: string, tx: Tx): void {
  const store = tx.get<VectorStore>('vector_store', storeId);
  const file = tx.get<StoreFile>('vector_store_file', keyOf(storeId, fileId));
  if (store === undefined || file?.status !== 'in_progress') return;
  const fault = faultOf(file, tx);
  const bytes = fault === null ? chunksOf(file, tx).reduce((sum, text) => sum + text.length, 0) : 0;
  tx.kind(fault === null ? 'vector_store.file.completed' : 'vector_store.file.failed');
  settle(tx, store, {
    ...file,
    status: fault === null ? 'completed' : 'failed',
    usage_bytes: bytes,
    last_error: fault,
  });
}

/** A file with another status, counted in its store and its batch. */
export function settle(tx: Tx, store: VectorStore, file: StoreFile): void {
  const before = tx.get<StoreFile>('vector_store_file', keyOf(store.id, file.id))!;
  tx.put('vector_store_file', keyOf(store.id, file.id), file);
  const counts = moved(store.file_counts, before.status, file.status);
  counted(tx, store, counts, store.usage_bytes - before.usage_bytes + file.usage_bytes);
  const batch = file.$batch === null ? undefined : tx.get<StoreBatch>('vector_store_file_batch', file.$batch);
  if (batch === undefined) return;
  const file_counts = moved(batch.file_counts, before.status, file.status);
  const done = file_counts.in_progress === 0 && batch.status === 'in_progress';
  const status = done ? (file_counts.failed === file_counts.total ? 'failed' : 'completed') : batch.status;
  tx.put('vector_store_file_batch', batch.id, { ...batch, file_counts, status });
}

export function removeFile(tx: Tx, store: VectorStore, file: StoreFile): void {
  tx.delete('vector_store_file', keyOf(store.id, file.id));
  tx.cancel(`store_file:${keyOf(store.id, file.id)}`);
  counted(tx, store, moved(store.file_counts, file.status, null), store.usage_bytes - file.usage_bytes);
}

function moved(counts: FileCounts, from: FileStatus | null, to: FileStatus | null): FileCounts {
  const next: { -readonly [status in keyof FileCounts]: number } = { ...counts };
  if (from !== null) next[from] -= 1;
  if (to !== null) next[to] += 1;
  next.total += (to === null ? 0 : 1) - (from === null ? 0 : 1);
  return next;
}

type Fault = { readonly code: string; readonly message: string };

function faultOf(file: StoreFile, reader: Reader): Fault | null {
  const extension = /\.([a-z0-9]+)$/i.exec(file.$filename)?.[1]?.toLowerCase() ?? '';
  if (OPAQUE.includes(extension)) return null;
  if (!TEXTS.includes(extension))
    return {
      code: 'unsupported_file',
      message: `Files with extensions [.${extension}] are not supported for retrieval.`,
    };
  const bytes = reader.blob(file.$blob);
  if (bytes === undefined || bytes.length === 0)
    return { code: 'invalid_file', message: 'The file is empty.' };
  return null;
}

/** The text of a file in its pieces, each reaching into the next. */
export function chunksOf(file: StoreFile, reader: Reader): readonly string[] {
  const extension = /\.([a-z0-9]+)$/i.exec(file.$filename)?.[1]?.toLowerCase() ?? '';
  if (OPAQUE.includes(extension)) return [file.$filename];
  const text = new TextDecoder().decode(reader.blob(file.$blob) ?? new Uint8Array());
  const sizes = objectField(file.chunking_strategy, 'static') ?? AUTO_CHUNKS;
  const size = (numberField(sizes, 'max_chunk_size_tokens') ?? 0) * CHARS_PER_TOKEN;
  const step = size - (numberField(sizes, 'chunk_overlap_tokens') ?? 0) * CHARS_PER_TOKEN;
  const chunks: string[] = [];
  for (let at = 0; at < text.length && chunks.length < CHUNKS_MAX; at += step) {
    chunks.push(text.slice(at, at + size));
    if (at + size >= text.length) break;
  }
  return chunks;
}

/** As a request has it; `auto` is told as the sizes that it stands for. */
export function chunkingOf(body: unknown): JsonObject {
  const asked = objectField(body, 'chunking_strategy');
  const type = textField(asked, 'type') ?? 'auto';
  if (type === 'auto') return { type: 'static', static: AUTO_CHUNKS };
  const sizes = objectField(asked, 'static');
  const size = numberField(sizes, 'max_chunk_size_tokens');
  const overlap = numberField(sizes, 'chunk_overlap_tokens');
  if (type !== 'static' || size === null || overlap === null)
    throw invalid(
      "Invalid 'chunking_strategy': expected 'auto', or 'static' with its sizes.",
      'chunking_strategy',
      'invalid_value',
    );
  if (size < CHUNK_TOKENS_MIN || size > CHUNK_TOKENS_MAX)
    throw invalid(
      `Invalid 'chunking_strategy.static.max_chunk_size_tokens': expected a value from ${CHUNK_TOKENS_MIN} to ${CHUNK_TOKENS_MAX}.`,
      'chunking_strategy.static.max_chunk_size_tokens',
      'invalid_value',
    );
  if (overlap < 0 || overlap > size / 2)
    throw invalid(
      "Invalid 'chunking_strategy.static.chunk_overlap_tokens': must not exceed half of max_chunk_size_tokens.",
      'chunking_strategy.static.chunk_overlap_tokens',
      'invalid_value',
    );
  return { type: 'static', static: { max_chunk_size_tokens: size, chunk_overlap_tokens: overlap } };
}

/** A file is deleted: no store has it any more. */
export function forgetFile(tx: Tx, file: string): void {
  for (;;) {
    const { items, more } = tx.list<StoreFile>('vector_store_file', { where: { $file: file }, limit: 100 });
    for (const held of items) {
      const store = tx.get<VectorStore>('vector_store', held.$store);
      if (store === undefined) tx.delete('vector_store_file', keyOf(held.$store, file));
      else removeFile(tx, store, held);
    }
    if (!more) return;
  }
}

/** Whether a list that is cut down to one status has it. */
export function statusFilter(filter: string | null): ((file: RecordBody) => boolean) | null {
  return filter === null ? null : file => field(file, 'status') === filter;
}
