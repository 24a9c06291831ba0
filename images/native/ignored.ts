// What of a folder in the build context is ignored: the paths that are to be taken out of it, each folder as a whole.
import { readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { IgnoreRules } from '../ignore-file.ts';
import { CONTEXT_ENTRIES_MAX, IGNORED_PATHS_MAX } from '../limits.ts';
import { Unreadable } from '../note.ts';

export type IgnoringContext = { readonly folder: string; readonly ignore: IgnoreRules | null };

/** No RUN makes it. */
const HISTORY = '.git';

/**
 * Relative to `from`, which is real and in the context. `made`: a folder that is ignored by its name is one that RUN makes.
 * @throws Unreadable
 */
export function ignoredIn(
  from: string,
  { folder, ignore }: IgnoringContext,
  made: boolean,
): readonly string[] {
  if (ignore === null) return [];
  const top = relative(folder, from);
  if (made && top !== '' && ignore.ignored(top) !== null) return [];
  const walk = new Walk(ignore, made);
  walk.folder(from, top);
  return walk.paths.map(path => relative(top, path));
}

export function hasExceptions(from: string, { folder, ignore }: IgnoringContext): boolean {
  return ignore !== null && new Walk(ignore, false).folder(from, relative(folder, from));
}

class Walk {
  readonly paths: string[] = [];
  readonly #ignore: IgnoreRules;
  readonly #made: boolean;
  #entries = 0;

  constructor(ignore: IgnoreRules, made: boolean) {
    this.#ignore = ignore;
    this.#made = made;
  }

  /** Whether anything in it is not ignored. */
  folder(real: string, path: string): boolean {
    let has = false;
    for (const entry of readdirSync(real, { withFileTypes: true })) {
      this.#entries += 1;
      if (this.#entries > CONTEXT_ENTRIES_MAX) throw this.#tooMany(CONTEXT_ENTRIES_MAX, 'to look at');
      const at = path === '' ? entry.name : `${path}/${entry.name}`;
      const ignored = this.#ignore.ignored(at);
      if (entry.isDirectory()) {
        if (this.#made && ignored?.named && entry.name !== HISTORY) has = true;
        else has = this.#subfolder(join(real, entry.name), at, ignored !== null) || has;
      } else if (ignored === null) has = true;
      else this.#take(at);
    }
    return has;
  }

  #subfolder(real: string, path: string, ignored: boolean): boolean {
    const before = this.paths.length;
    const has = (!ignored || this.#ignore.exceptions) && this.folder(real, path);
    if (has || !ignored) return true;
    // As a whole, and not one by one.
    this.paths.length = before;
    this.#take(path);
    return false;
  }

  #take(path: string): void {
    this.paths.push(path);
    if (this.paths.length > IGNORED_PATHS_MAX)
      throw this.#tooMany(IGNORED_PATHS_MAX, 'that it ignores one by one');
  }

  #tooMany(count: number, which: string): Unreadable {
    return new Unreadable(
      { file: this.#ignore.file, line: 1 },
      `the build context has more than ${count} files ${which}`,
    );
  }
}
