// `.wrld/run/status.json` and `up.json`: how a running world is, for commands in other processes. Files and not
// an endpoint, because they are about this machine's processes and not about the world.
import { rm } from 'node:fs/promises';
import type { Log } from '../ports/log.ts';
import { writeWhole } from './files.ts';
import type { ConfigState } from './live-config.ts';
import type { WorldPaths } from './paths.ts';
import type { ProxyState } from './supervisor.ts';
import type { Up } from './up.ts';

export type ProxyStatus = {
  readonly pid: number;
  readonly state: ProxyState;
  readonly restarts: number;
  /** The version of the policy in force there; null until it has acknowledged one. */
  readonly policy: number | null;
};

export type ControlStatus = {
  readonly pid: number;
  readonly config: ConfigState;
  /** Null where the world is served without a proxy. */
  readonly proxy: ProxyStatus | null;
};

type Told = { readonly status: ControlStatus; readonly up: Up };

/** The one writer of both files. It writes nothing until the world is up: nobody is sent to what does not answer yet. */
export class StatusFiles {
  readonly #paths: Pick<WorldPaths, 'up' | 'status'>;
  readonly #log: Log;
  /** Null before the world is up, and after its end. */
  #read: (() => Told) | null = null;
  #writing: Promise<void> = Promise.resolve();

  constructor(paths: Pick<WorldPaths, 'up' | 'status'>, log: Log) {
    this.#paths = paths;
    this.#log = log;
  }

  /** The world is up; `read` tells how it is from now on. Resolves when both files are there. */
  begin(read: () => Told): Promise<void> {
    this.#read = read;
    return this.write();
  }

  /** One writing after the other, each with what is true when it is written. */
  write(): Promise<void> {
    this.#writing = this.#writing.then(() => this.#write());
    return this.#writing;
  }

  async remove(): Promise<void> {
    this.#read = null;
    await this.#writing;
    await rm(this.#paths.up, { force: true });
    await rm(this.#paths.status, { force: true });
  }

  async #write(): Promise<void> {
    if (this.#read === null) return;
    try {
      const { status, up } = this.#read();
      await writeWhole(this.#paths.status, textOf(status));
      await writeWhole(this.#paths.up, textOf(up));
    } catch (error) {
      this.#log.warn({ err: error }, 'the status of the world could not be written');
    }
  }
}

function textOf(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
