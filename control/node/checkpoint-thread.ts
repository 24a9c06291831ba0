// The thread of a checkpointer (checkpointer.ts): a connection of its own to one store, whose write-ahead log it brings
// into the file whenever it is told to.
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { type Asked, type Done, type ThreadData, TURN_OVER, TURN_WANTED } from './checkpointer.ts';
import { WAL_BUSY_MS_MAX, WAL_BYTES_MAX } from './limits.ts';

const { file, turn } = workerData as ThreadData;
const database = new DatabaseSync(file, { timeout: WAL_BUSY_MS_MAX });
const { page_size: pageBytes } = database.prepare('PRAGMA page_size').get() as { page_size: number };

/** Whether it reached the end, and how many pages the log holds. */
const checkpoint = (mode: 'PASSIVE' | 'TRUNCATE'): { readonly whole: boolean; readonly pages: number } => {
  const found = database.prepare(`PRAGMA wal_checkpoint(${mode})`).get();
  const { busy, log, checkpointed } = found as { busy: number; log: number; checkpointed: number };
  return { whole: busy === 0 && log === checkpointed, pages: log };
};

/** The writer waits while the little that came meanwhile is brought over, and begins the log anew. */
const truncate = (): boolean => {
  Atomics.store(turn, 0, TURN_WANTED);
  try {
    return checkpoint('TRUNCATE').whole;
  } finally {
    Atomics.store(turn, 0, TURN_OVER);
    Atomics.notify(turn, 0);
  }
};

parentPort!.on('message', ({ asked }: { readonly asked: Asked }) => {
  if (asked === 'end') {
    database.close();
    parentPort!.close();
    return;
  }
  // Whoever writes goes on writing meanwhile.
  const { pages } = checkpoint('PASSIVE');
  const truncated = asked === 'all' || pages * pageBytes > WAL_BYTES_MAX ? truncate() : false;
  parentPort!.postMessage({ truncated } satisfies Done);
});
