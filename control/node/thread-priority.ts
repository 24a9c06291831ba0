// How far the thread that asks stands behind the other threads of its machine. Linux alone has a priority for each thread,
// and Node has no call for the class below all priorities (SCHED_IDLE): `chrt`, of util-linux or of busybox, has.
import { spawnSync } from 'node:child_process';
import { readlinkSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';
import { basename } from 'node:path';

export class ThreadPriority {
  /** Null where threads have no priorities. */
  readonly #thread: string | null;
  /** Null until it was tried. */
  #mayReturn: boolean | null = null;

  constructor() {
    this.#thread = threadId();
  }

  /** So many steps as `nice` counts them, for good. */
  lower(steps: number): void {
    if (this.#thread === null) return;
    try {
      const thread = Number(this.#thread);
      setPriority(thread, Math.min(getPriority(thread) + steps, constants.priority.PRIORITY_LOW));
    } catch {
      // Without it, all the same.
    }
  }

  /**
   * Behind the last: it runs where nobody else would, and who wakes up finds its processor free. Whether it came there: who
   * has neither CAP_SYS_NICE nor an RLIMIT_NICE of its own priority could never leave again, and stays where it is.
   */
  toLast(): boolean {
    if (this.#thread === null) return false;
    // By a process that shares its rights: there nothing is left behind if they are not enough.
    this.#mayReturn ??= chrt('-i', '0', 'chrt', '-o', '0', 'chrt', '-m');
    return this.#mayReturn && chrt('-i', '-p', '0', this.#thread);
  }

  /** Whether it left. */
  fromLast(): boolean {
    return this.#thread !== null && chrt('-o', '-p', '0', this.#thread);
  }
}

function threadId(): string | null {
  try {
    return basename(readlinkSync('/proc/thread-self'));
  } catch {
    return null;
  }
}

/** Found in the system's own folders: a thread without an environment has no other. */
function chrt(...words: readonly string[]): boolean {
  return spawnSync('chrt', words, { stdio: 'ignore' }).status === 0;
}
