// What is in a host's directory: bare worlds at `<org>/<world>/`, and what is none of them, which is named and left alone.
// It is looked through at the start, when a watch tells of a change, and once in a while besides.
import { existsSync, type FSWatcher, watch } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import type { Log } from '../../ports/log.ts';
import { parseWorldName } from '../../world/config/world-name.ts';
import { DIRECTORY_SETTLE_MS, FOLDERS_PER_TURN, RESCAN_MS, WATCHED_ORGS_MAX } from './limits.ts';

export type Foreign = {
  /** Relative to the directory. */
  readonly path: string;
  readonly why: string;
};

export type Listing = {
  /** `<org>/<world>` */
  readonly worlds: readonly string[];
  readonly foreign: readonly Foreign[];
  readonly orgs: readonly string[];
};

/** How far who opens a directory is, for whoever waits for it. */
export type Looking = {
  /** Worlds that are in it, of what was looked through. */
  readonly found: number;
  /** Of these, the ones that are served from here on. */
  readonly known: number;
};

/** Of a folder's name that is no world's: not looked at, and not told of. */
const HIDDEN = '.';

/** `isOurs`: by the path of what is there; what is not is not looked at. `told` hears now and then how many worlds there are. */
export async function readDirectory(
  directory: string,
  isOurs: (path: string) => boolean = () => true,
  told: (found: number) => void = () => {},
): Promise<Listing> {
  const worlds: string[] = [];
  const foreign: Foreign[] = [];
  const orgs: string[] = [];
  let looked = 0;
  for (const org of await readdir(directory, { withFileTypes: true })) {
    if (org.name.startsWith(HIDDEN)) continue;
    if (!org.isDirectory()) {
      if (isOurs(org.name)) foreign.push({ path: org.name, why: `${kindOf(org)}; an org is a folder` });
      continue;
    }
    orgs.push(org.name);
    const inside = await readdir(join(directory, org.name), { withFileTypes: true }).catch(
      (error: NodeJS.ErrnoException) => {
        // Gone since, or somebody else's.
        if (error.code !== 'ENOENT' && isOurs(org.name))
          foreign.push({ path: org.name, why: `cannot be read: ${error.code}` });
        return [];
      },
    );
    for (const world of inside) {
      if (++looked % FOLDERS_PER_TURN === 0) {
        told(worlds.length);
        await turn();
      }
      if (world.name.startsWith(HIDDEN)) continue;
      const path = `${org.name}/${world.name}`;
      if (!isOurs(path)) continue;
      const why = world.isDirectory() ? whyNone(directory, path) : `${kindOf(world)}; a world is a folder`;
      if (why === null) worlds.push(path);
      else foreign.push({ path, why });
    }
  }
  return { worlds: worlds.sort(), foreign, orgs };
}

/** Why a folder is no world; null for one that is. */
function whyNone(directory: string, path: string): string | null {
  if (!existsSync(join(directory, path, '.wrld', 'world.json')))
    return 'no world: it has no .wrld/world.json; wrld world init --bare makes one';
  const name = parseWorldName(path);
  return name.ok ? null : name.why;
}

function kindOf(found: { isSymbolicLink(): boolean }): string {
  return found.isSymbolicLink() ? 'a link' : 'a file';
}

/** Calls `changed` when something may have come or gone; never twice at once, and once more for what came meanwhile. */
export class DirectoryWatch implements AsyncDisposable {
  readonly #directory: string;
  readonly #log: Log;
  readonly #changed: () => Promise<void>;
  readonly #watchers = new Map<string, FSWatcher>();
  readonly #rescan: NodeJS.Timeout;
  #settle: NodeJS.Timeout | null = null;
  #looking: Promise<void> | null = null;
  #again = false;
  #closed = false;

  constructor(directory: string, log: Log, changed: () => Promise<void>) {
    this.#directory = directory;
    this.#log = log;
    this.#changed = changed;
    this.#watch('');
    this.#rescan = setInterval(() => this.#look(), RESCAN_MS).unref();
  }

  /** The orgs that there are now. */
  follow(orgs: readonly string[]): void {
    for (const [org, watcher] of this.#watchers) {
      if (org === '' || orgs.includes(org)) continue;
      watcher.close();
      this.#watchers.delete(org);
    }
    for (const org of orgs.slice(0, WATCHED_ORGS_MAX)) this.#watch(org);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    clearInterval(this.#rescan);
    if (this.#settle !== null) clearTimeout(this.#settle);
    for (const watcher of this.#watchers.values()) watcher.close();
    await this.#looking;
  }

  #watch(org: string): void {
    if (this.#closed || this.#watchers.has(org)) return;
    const fail = (error: unknown): void => {
      this.#watchers.delete(org);
      this.#log.warn(
        { org, err: error },
        'the directory cannot be watched; new worlds are found a little later',
      );
    };
    try {
      const watcher = watch(join(this.#directory, org), { persistent: false }, (_event, name) => {
        if (name?.startsWith(HIDDEN) !== true) this.#soon();
      });
      watcher.on('error', fail);
      this.#watchers.set(org, watcher);
    } catch (error) {
      fail(error);
    }
  }

  #soon(): void {
    if (this.#settle !== null || this.#closed) return;
    this.#settle = setTimeout(() => {
      this.#settle = null;
      this.#look();
    }, DIRECTORY_SETTLE_MS).unref();
  }

  #look(): void {
    if (this.#closed) return;
    if (this.#looking !== null) {
      this.#again = true;
      return;
    }
    this.#looking = this.#changed()
      .catch(error => this.#log.error({ err: error }, 'the directory could not be looked through'))
      .finally(() => {
        this.#looking = null;
        if (!this.#again) return;
        this.#again = false;
        this.#look();
      });
  }
}
