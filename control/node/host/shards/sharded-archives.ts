// Worlds that move to a host whose shards have the worlds, and from it: their files are read and written by the front, and the
// shard that one is for hears of it when it is in its place.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { HostArchives } from '../../../hosting/host-archives.ts';
import type { InventoryRow } from '../../../hosting/host-worlds.ts';
import type { Log } from '../../../ports/log.ts';
import { worldPaths } from '../../paths.ts';
import type { DirectoryArchives } from '../directory-archives.ts';

/** What the worlds of the host are to their archives. */
export type AroundArchives = {
  readonly known: (name: string) => boolean;
  readonly isBusy: () => boolean;
  readonly arrived: (names: readonly string[]) => Promise<readonly InventoryRow[]>;
};

export type ShardedArchivesParts = {
  readonly directory: string;
  readonly tooLong: (name: string) => string | null;
  readonly log: Log;
};

export class ShardedArchives implements HostArchives {
  readonly #open: () => Promise<DirectoryArchives>;
  #opened: Promise<DirectoryArchives> | null = null;

  constructor({ directory, tooLong, log }: ShardedArchivesParts, around: AroundArchives) {
    // A front loads nothing of a world before one moves.
    this.#open = async () => {
      const { DirectoryArchives } = await import('../directory-archives.ts');
      return new DirectoryArchives({
        ...{ directory, log, tooLong },
        ...{ isBusy: around.isBusy, arrived: around.arrived },
        // A branch lies in the folder of the world that it left.
        known: name =>
          !around.known(name)
            ? null
            : existsSync(worldPaths(join(directory, name)).config)
              ? 'world'
              : 'branch',
      });
    };
  }

  async give(...asked: Parameters<HostArchives['give']>): ReturnType<HostArchives['give']> {
    return (await this.#archives()).give(...asked);
  }

  async judge(...asked: Parameters<HostArchives['judge']>): ReturnType<HostArchives['judge']> {
    return (await this.#archives()).judge(...asked);
  }

  async begin(...asked: Parameters<HostArchives['begin']>): ReturnType<HostArchives['begin']> {
    return (await this.#archives()).begin(...asked);
  }

  async take(...asked: Parameters<HostArchives['take']>): ReturnType<HostArchives['take']> {
    return (await this.#archives()).take(...asked);
  }

  async abandon(name: string): Promise<boolean> {
    return (await this.#archives()).abandon(name);
  }

  /** What was arriving is given up. */
  async close(): Promise<void> {
    if (this.#opened !== null) await (await this.#opened).close();
  }

  #archives(): Promise<DirectoryArchives> {
    this.#opened ??= this.#open();
    return this.#opened;
  }
}
