// The thread of a host's backups (backup-schedule.ts): what SQLite and the disk take is not taken from those that the host answers.
import { parentPort, workerData } from 'node:worker_threads';
import { type BackupOptions, type BackupRun, backUpWorlds } from './world-backups.ts';

export type BackupThreadData = Pick<BackupOptions, 'directory' | 'to' | 'keep'>;
export type BackupThreadSays =
  | { readonly ok: true; readonly run: BackupRun }
  | { readonly ok: false; readonly why: string };

const says: BackupThreadSays = await backUpWorlds(workerData as BackupThreadData).then(
  run => ({ ok: true, run }),
  error => ({ ok: false, why: (error as Error).message }),
);
parentPort!.postMessage(says);
