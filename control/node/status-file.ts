// `.wrld/run/status.json` and `up.json`: how a running world is, for commands in other processes. Files and not
// an endpoint, because they are about this machine's processes and not about the world.
import { rm } from 'node:fs/promises';
import type { Log } from '../ports/log.ts';
import { readIfThere, writeWhole } from './files.ts';
import type { ConfigState } from './live-config.ts';
import type { WorldPaths } from './paths.ts';
import type { ProxyState } from './supervisor.ts';

export type ControlStatus = {
  readonly pid: number;
  readonly config: ConfigState;
  readonly proxy: {
    readonly pid: number;
    readonly state: ProxyState;
    readonly restarts: number;
    /** The version of the policy in force there; null until it has acknowledged one. */
    readonly policy: number | null;
  };
};

export type Up = {
  readonly baseUrl: string;
  readonly worldUrl: string;
  readonly proxyUrl: string;
  readonly caFile: string;
  readonly pid: number;
  readonly proxyPid: number;
};

/** Of control alone, without a proxy (the plain serve command). */
export type ServedStatus = Omit<ControlStatus, 'proxy'> & { readonly proxy: null };

export type ServedUp = Omit<Up, 'proxyUrl' | 'proxyPid'> & {
  readonly proxyUrl: null;
  readonly proxyPid: null;
};

type Told = { readonly status: ControlStatus | ServedStatus; readonly up: Up | ServedUp };

/** Writes both, one writing after the other, each time with what is true when it is written. */
export class StatusFiles {
  readonly #paths: WorldPaths;
  readonly #log: Log;
  readonly #read: () => Told;
  #writing: Promise<void> = Promise.resolve();
  #removed = false;

  constructor(paths: WorldPaths, log: Log, read: () => Told) {
    this.#paths = paths;
    this.#log = log;
    this.#read = read;
  }

  write(): Promise<void> {
    this.#writing = this.#writing.then(() => this.#write());
    return this.#writing;
  }

  async remove(): Promise<void> {
    this.#removed = true;
    await this.#writing;
    await rm(this.#paths.up, { force: true });
    await rm(this.#paths.status, { force: true });
  }

  async #write(): Promise<void> {
    if (this.#removed) return;
    try {
      const { status, up } = this.#read();
      await writeWhole(this.#paths.status, text(status));
      // A command that started the world may have added what it knows of it; that stays.
      const there = parse(await readIfThere(this.#paths.up));
      await writeWhole(this.#paths.up, text(there?.['pid'] === up.pid ? { ...there, ...up } : up));
    } catch (error) {
      this.#log.warn({ err: error }, 'the status of the world could not be written');
    }
  }
}

function text(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

function parse(read: string | null): { readonly [field: string]: unknown } | null {
  try {
    return read === null ? null : JSON.parse(read);
  } catch {
    return null;
  }
}
