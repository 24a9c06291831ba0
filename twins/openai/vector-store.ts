// What a vector store is: its files are counted in it, and its time runs from when it was last used.
import { schedule } from '../kit/due.ts';
import { isJsonObject, type JsonObject, numberField, objectField, textField } from '../kit/json.ts';
import type { RecordBody, Tx } from '../kit/tx.ts';
import { checkAmount } from './amounts.ts';
import type { Due } from './due.ts';
import { invalid } from './errors.ts';

const DAY_SECONDS = 24 * 60 * 60;
const EXPIRY_DAYS_MAX = 365;

export type FileCounts = {
  readonly in_progress: number;
  readonly completed: number;
  readonly failed: number;
  readonly cancelled: number;
  readonly total: number;
};
export const NO_FILES: FileCounts = { in_progress: 0, completed: 0, failed: 0, cancelled: 0, total: 0 };
export type FileStatus = Exclude<keyof FileCounts, 'total'>;

export type VectorStore = RecordBody & {
  readonly id: string;
  readonly status: 'in_progress' | 'completed' | 'expired';
  readonly file_counts: FileCounts;
  readonly usage_bytes: number;
  readonly last_active_at: number;
  readonly expires_after: { readonly anchor: string; readonly days: number } | null;
};

const dueKey = (id: string): string => `vector_store:${id}`;

/** A store with other counts; it is complete when nothing of it is in progress. */
export function counted(
  tx: Tx,
  store: VectorStore,
  file_counts: FileCounts,
  usage_bytes: number,
): VectorStore {
  const status =
    store.status === 'expired' ? 'expired' : file_counts.in_progress > 0 ? 'in_progress' : 'completed';
  const changed = { ...store, file_counts, usage_bytes, status } as const;
  tx.put('vector_store', store.id, changed);
  return changed;
}

/** It was used just now: its time begins again. */
export function touch(tx: Tx, store: VectorStore): VectorStore {
  const now = Math.floor(tx.now / 1000);
  if (store.expires_after === null) {
    if (store.last_active_at === now) return store;
    const used = { ...store, last_active_at: now };
    tx.put('vector_store', store.id, used);
    return used;
  }
  const expires_at = now + store.expires_after.days * DAY_SECONDS;
  const used = { ...store, last_active_at: now, expires_at };
  tx.put('vector_store', store.id, used);
  schedule<Due>(tx, dueKey(store.id), expires_at * 1000, { kind: 'vectorStore', store: store.id });
  return used;
}

/** Its time is over. */
export function expireStore(id: string, tx: Tx): void {
  const store = tx.get<VectorStore>('vector_store', id);
  if (store === undefined) return;
  tx.kind('vector_store.expired');
  tx.put('vector_store', id, { ...store, status: 'expired' });
}

/** It is gone, or lasts from now on. */
export function keepStore(id: string, tx: Tx): void {
  tx.cancel(dueKey(id));
}

/** Null for none; refuses what is no such thing. */
export function expiryOf(body: JsonObject): VectorStore['expires_after'] {
  const asked = objectField(body, 'expires_after');
  if (asked === null) return null;
  if (textField(asked, 'anchor') !== 'last_active_at')
    throw invalid(
      "Invalid value for 'expires_after.anchor': expected 'last_active_at'.",
      'expires_after.anchor',
      'invalid_value',
    );
  checkAmount(asked, 'days', { min: 1, max: EXPIRY_DAYS_MAX, whole: true });
  const days = numberField(asked, 'days');
  if (days === null) throw invalid("Missing required parameter: 'expires_after.days'.", 'expires_after.days');
  return { anchor: 'last_active_at', days };
}

/** Of files too: up to sixteen, of texts, numbers and truths. */
export function attributesOf(value: unknown, name: string): JsonObject | null {
  if (value === undefined || value === null) return null;
  const fits =
    isJsonObject(value) && Object.values(value).every(each => each !== null && typeof each !== 'object');
  if (!fits || Object.keys(value).length > 16)
    throw invalid(`Invalid '${name}': up to 16 texts, numbers or booleans.`, name, 'invalid_value');
  return value;
}
