// The thread of a checkpointer (checkpointer.ts): a connection of its own to one store, whose write-ahead log it brings
// into the file whenever it is told to.
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { type Asked, type Said, type ThreadData, TURN_OVER, TURN_WANTED } from './checkpointer.ts';
import { WAL_BUSY_MS_MAX, WAL_BYTES_MAX, WAL_WANTED_MS_MAX } from './limits.ts';

const { file, turn } = workerData as ThreadData;
const database = new DatabaseSync(file, { timeout: WAL_BUSY_MS_MAX });
const { page_size: pageBytes } = database.prepare('PRAGMA page_size').get() as { page_size: number };

const say = (said: Said): void => parentPort!.postMessage(said);

/** Whether it reached the end, and how many pages the log holds. */
const checkpoint = (mode: 'PASSIVE' | 'TRUNCATE'): { readonly whole: boolean; readonly pages: number } => {
  const found = database.prepare(`PRAGMA wal_checkpoint(${mode})`).get();
  const { busy, log, checkpointed } = found as { busy: number; log: number; checkpointed: number };
  return { whole: busy === 0 && log === checkpointed, pages: log };
};

/**
 * Begins the log anew, in the writer's turn. What waits for the disk is done before the lock is taken that writers need: a disk
 * takes seconds at times, and a writer that waits so long for a lock is refused. False when the writer went on meanwhile.
 */
const beginAnew = (): boolean => {
  Atomics.store(turn, 0, TURN_WANTED);
  say('wanted');
  try {
    // One that does not come by writes nothing.
    Atomics.wait(turn, 0, TURN_WANTED, WAL_WANTED_MS_MAX);
    if (!checkpoint('PASSIVE').whole || Atomics.load(turn, 0) === TURN_OVER) return false;
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
  if (asked === 'all' || pages * pageBytes > WAL_BYTES_MAX) beginAnew();
  say('done');
});
