// Backups that a running host makes by itself: as often as it was told, counted from the last run whoever made that, so that
// a host that is started often makes no more of them, and one that was down makes what is due.
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { moduleFile } from '../../../process/module-file.ts';
import type { Log } from '../../ports/log.ts';
import { readIfThere } from '../files.ts';
import { wallClock } from '../wall-clock.ts';
import type { BackupThreadData, BackupThreadSays } from './backup-thread.ts';
import { HOST_FOLDER } from './home.ts';
import { BACKUP_LOOK_MS, UNSAVED_TOLD_MAX } from './limits.ts';
import { type LastRun, lastRunFile } from './world-backups.ts';

export type BackupSchedule = {
  readonly everyMs: number;
  /** Backups of each world that stay; null for all. */
  readonly keep: number | null;
  /** Null for the host's own folder. */
  readonly to: string | null;
};

export type Backed = {
  /** When the last run began that made backups: milliseconds since the epoch; null before the first. */
  readonly at: number | null;
  readonly failed: number;
};

type Parts = BackupSchedule & {
  /** The host's, absolute and real. */
  readonly directory: string;
  readonly log: Log;
};

const THREAD = moduleFile(import.meta.url, './backup-thread');

export class ScheduledBackups implements AsyncDisposable {
  readonly #parts: Parts;
  readonly #timer: NodeJS.Timeout;
  #last: Backed = { at: null, failed: 0 };
  /** Of the last run, even one that made none: what is full stays full for a while. */
  #begunAt = 0;
  #running: Promise<void> | null = null;
  #thread: Worker | null = null;
  #closed = false;

  private constructor(parts: Parts) {
    this.#parts = parts;
    this.#timer = setInterval(() => this.#look(), Math.min(BACKUP_LOOK_MS, parts.everyMs)).unref();
  }

  static async open(parts: Parts): Promise<ScheduledBackups> {
    const backups = new ScheduledBackups(parts);
    backups.#last = await lastOf(parts.to ?? join(parts.directory, HOST_FOLDER, 'backups'));
    backups.#look();
    return backups;
  }

  /** How the last run went, whoever made it. */
  get last(): Backed {
    return this.#last;
  }

  /** What is under way is given up: it leaves whole backups, and nothing under their names that is none. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    clearInterval(this.#timer);
    await this.#thread?.terminate();
    await this.#running;
  }

  #look(): void {
    const due = wallClock.now() - Math.max(this.#last.at ?? 0, this.#begunAt) >= this.#parts.everyMs;
    if (!due || this.#running !== null || this.#closed) return;
    this.#running = this.#run().finally(() => {
      this.#running = null;
    });
  }

  async #run(): Promise<void> {
    const { directory, to, keep, log } = this.#parts;
    const began = wallClock.now();
    this.#begunAt = began;
    const workerData: BackupThreadData = { directory, to, keep };
    const thread = new Worker(THREAD, { workerData });
    this.#thread = thread;
    const says = await new Promise<BackupThreadSays | null>(resolve => {
      thread.once('message', resolve);
      thread.once('error', (error: Error) => resolve({ ok: false, why: error.message }));
      thread.once('exit', () => resolve(null));
    });
    this.#thread = null;
    if (says === null) return;
    if (!says.ok) {
      log.error({ why: says.why }, 'no backups could be made');
      return;
    }
    const { made, unchanged, failed, removed, ms } = says.run;
    this.#last = { at: began, failed: failed.length };
    for (const { world, why } of failed.slice(0, UNSAVED_TOLD_MAX))
      log.error({ world, why }, 'a world could not be backed up; its older backups stay');
    const row = { to: says.run.to, made: made.length, unchanged, failed: failed.length, removed, ms };
    log.info(row, 'the worlds are backed up');
  }
}

async function lastOf(folder: string): Promise<Backed> {
  try {
    const { at, failed } = JSON.parse((await readIfThere(lastRunFile(folder))) ?? '') as LastRun;
    const instant = Date.parse(at);
    if (Number.isFinite(instant)) return { at: instant, failed: failed.length };
  } catch {
    // None, or none of ours: then one is due.
  }
  return { at: null, failed: 0 };
}
