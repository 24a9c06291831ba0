// What may be logged of an exception that a twin threw: its class and where it was thrown. Never its message,
// which may quote what the caller sent (JSON.parse does), and with it a secret (security 52).
import { StoreError } from './schema.ts';

const FRAMES_MAX = 6;

/** SQLite's primary codes of a store that could not do now what it is able to do: busy to full, damaged, gone. */
const STORE_FAILED = new Set([5, 6, 7, 8, 9, 10, 11, 13, 14, 26]);

/** Whether it was the store that failed, and not who used it: what was being done may succeed another time. */
export const isStoreFailure = (error: unknown): boolean => {
  if (error instanceof StoreError) return true;
  const { errcode } = (error ?? {}) as { readonly errcode?: unknown };
  return typeof errcode === 'number' && STORE_FAILED.has(errcode & 0xff);
};

export const describeFault = (error: unknown): { readonly name: string; readonly at: readonly string[] } => {
  if (!(error instanceof Error)) return { name: typeof error, at: [] };
  const lines = (error.stack ?? '').split('\n').map(line => line.trim());
  return { name: error.name, at: lines.filter(line => /^at .*:\d+:\d+\)?$/.test(line)).slice(0, FRAMES_MAX) };
};
