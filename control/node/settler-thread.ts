// The thread of a settler (settler.ts): a connection to one store at a time, which somebody else in this process has open.
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { parentPort } from 'node:worker_threads';
import type { Settled } from './settler.ts';

parentPort!.on('message', (file: string) => parentPort!.postMessage(settle(file)));

/** Whoever reads or writes there is not waited for, and does not wait but for the cutting of the log. */
function settle(file: string): Settled {
  const url = pathToFileURL(file);
  // A store that is gone is not made anew.
  url.search = 'mode=rw';
  try {
    const database = new DatabaseSync(url, { timeout: 0 });
    try {
      // Cutting the log locks writers out, so nothing may be left then that waits for the disk: what was written during the
      // first is brought over by the second, and whoever wrote so lately is at work.
      const first = checkpoint(database, 'PASSIVE');
      const second = checkpoint(database, 'PASSIVE');
      if (!first.whole || !second.whole || second.pages !== first.pages) return 'busy';
      return checkpoint(database, 'TRUNCATE').whole ? 'whole' : 'busy';
    } finally {
      database.close();
    }
  } catch (error) {
    return { fault: (error as Error).message };
  }
}

type Checkpoint = { readonly whole: boolean; readonly pages: number };

function checkpoint(database: DatabaseSync, mode: 'PASSIVE' | 'TRUNCATE'): Checkpoint {
  const found = database.prepare(`PRAGMA wal_checkpoint(${mode})`).get();
  const { busy, log, checkpointed } = found as { busy: number; log: number; checkpointed: number };
  return { whole: busy === 0 && log === checkpointed, pages: log };
}
