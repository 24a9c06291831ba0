// What may be logged of an exception that a twin threw: its class and where it was thrown. Never its message,
// which may quote what the caller sent (JSON.parse does), and with it a secret (security 52).
import { FAULT_FRAMES_MAX } from '../limits.ts';
import { StoreError } from './schema.ts';

/** SQLite's primary codes of a store that could not do now what it is able to do: busy to full, damaged, gone. */
const STORE_FAILED = new Set([5, 6, 7, 8, 9, 10, 11, 13, 14, 26]);

/** Whether it was the store that failed, and not who used it: what was being done may succeed another time. */
export const isStoreFailure = (error: unknown): boolean => {
  if (error instanceof StoreError) return true;
  const { errcode } = (error ?? {}) as { readonly errcode?: unknown };
  return (typeof errcode === 'number' && STORE_FAILED.has(errcode & 0xff)) || diskFault(error) !== null;
};

/** What is told of a store that failed: to the process's log, and to who asked. A store's own error quotes no caller, and says what helps. */
export const storeLoss = (
  error: unknown,
): { readonly fault: unknown; readonly damaged: boolean; readonly because: string } => {
  const why = diskFault(error);
  return {
    fault: error instanceof StoreError ? error.message : describeFault(error),
    damaged: error instanceof StoreError && error.code === 'damaged',
    because: why === null ? '' : `: ${why}`,
  };
};

export const describeFault = (error: unknown): { readonly name: string; readonly at: readonly string[] } => {
  if (!(error instanceof Error)) return { name: typeof error, at: [] };
  const lines = (error.stack ?? '').split('\n').map(line => line.trim());
  return {
    name: error.name,
    at: lines.filter(line => /^at .*:\d+:\d+\)?$/.test(line)).slice(0, FAULT_FRAMES_MAX),
  };
};

/** SQLite's primary codes, and the system's of a host that keeps large bytes as files. */
const DISK_WORDS: { readonly [code: number | string]: string } = {
  ENOSPC: 'its disk is full; make room on it',
  EDQUOT: 'its share of the disk is used up; make room on it',
  EFBIG: 'a file may not become that large here (ulimit -f)',
  EROFS: 'its disk is mounted read-only',
  EIO: 'its disk fails to read or write',
  EMFILE: 'this process has no file descriptors left (ulimit -n)',
  ENFILE: 'this machine has no file descriptors left',
  // Node's word for a folder below one in which none can be made.
  'mkdir ENOENT': 'no folder can be made on its disk (look how that is mounted)',
  8: 'it may not be written (look at its owner, its mode, and how its disk is mounted)',
  10: 'its disk is full or read-only, or fails to read or write',
  13: 'its disk is full; make room on it',
  14: 'a file of it cannot be opened (look at its owner, its mode, how its disk is mounted, and ulimit -n)',
};

/** Why the store could not keep something, in words of ours that quote nothing; null where it is not the disk's doing. */
export const diskFault = (error: unknown): string | null => {
  const { errcode, code, syscall } = (error ?? {}) as {
    readonly errcode?: unknown;
    readonly code?: unknown;
    readonly syscall?: unknown;
  };
  if (typeof errcode === 'number') return DISK_WORDS[errcode & 0xff] ?? null;
  const key = code === 'ENOENT' ? `${syscall} ENOENT` : code;
  return typeof key === 'string' && Object.hasOwn(DISK_WORDS, key) ? DISK_WORDS[key]! : null;
};
