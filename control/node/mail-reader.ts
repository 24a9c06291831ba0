// Reads mails without holding up the world: a mail is a stranger's, and one of a million empty lines costs its parser
// minutes. What is short is read at once; what is long is read on a thread of its own, and given up when that is late.
import { Worker } from 'node:worker_threads';
import { moduleFile } from '../../process/module-file.ts';
import { type ParsedMail, parseMail, unreadMail } from '../../twins/smtp/parse.ts';
import {
  MAIL_READ_AT_ONCE_BYTES_MAX,
  MAIL_READ_MS_MAX,
  MAIL_READER_HEAP_MIB_MAX,
  MAIL_READER_IDLE_MS_MAX,
} from './limits.ts';

const THREAD = moduleFile(import.meta.url, './mail-reader-thread');

export class MailReader {
  readonly #readMs: number;
  #thread: Worker | null = null;
  #idle: NodeJS.Timeout | null = null;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(readMs: number = MAIL_READ_MS_MAX) {
    this.#readMs = readMs;
  }

  /** Never rejects. */
  read(raw: Uint8Array): Promise<ParsedMail> {
    if (raw.length <= MAIL_READ_AT_ONCE_BYTES_MAX) return parseMail(raw);
    const read = this.#turn.then(() => this.#onThread(raw));
    this.#turn = read;
    return read;
  }

  /** One mail at a time. */
  #onThread(raw: Uint8Array): Promise<ParsedMail> {
    if (this.#idle !== null) clearTimeout(this.#idle);
    const thread = (this.#thread ??= startThread());
    return new Promise<ParsedMail>(resolve => {
      const settle = (read: ParsedMail): void => {
        clearTimeout(late);
        thread.off('message', settle).off('error', broken).off('exit', broken);
        resolve(read);
      };
      const broken = (): void => {
        this.#thread = null;
        settle(unreadMail('its reader ran out of memory'));
      };
      const late = setTimeout(() => {
        this.#thread = null;
        settle(unreadMail('it took too long to read'));
        void thread.terminate();
      }, this.#readMs);
      thread.on('message', settle).on('error', broken).on('exit', broken);
      // A copy, which `slice` of a Buffer is not: the mail itself goes on to the store.
      const copy = new Uint8Array(raw);
      thread.postMessage(copy, [copy.buffer]);
    }).finally(() => this.#rest());
  }

  #rest(): void {
    this.#idle = setTimeout(() => {
      void this.#thread?.terminate();
      this.#thread = null;
    }, MAIL_READER_IDLE_MS_MAX).unref();
  }
}

function startThread(): Worker {
  const thread = new Worker(THREAD, {
    resourceLimits: { maxOldGenerationSizeMb: MAIL_READER_HEAP_MIB_MAX },
    // It needs nothing of what this process was started with.
    execArgv: [],
  });
  // It waits for mails, and nobody for it.
  thread.unref();
  // What broke in the middle of a mail is told to whoever waits for that mail.
  thread.on('error', () => {});
  return thread;
}
