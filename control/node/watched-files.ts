// Files that may be saved while a world runs. Their folder is watched and not the file, because editors replace files, and
// one may come later.
import { type FSWatcher, watch } from 'node:fs';
import { basename, dirname } from 'node:path';

export type WatchedFiles = {
  /** Absolute. */
  readonly files: readonly string[];
  /** An editor saves in several steps: `changed` is called once they are over. Milliseconds. */
  readonly settleMs: number;
  readonly changed: () => void;
  /** The system cannot watch, or cannot any more. */
  readonly fail: (error: unknown) => void;
};

export function watchFiles({ files, settleMs, changed, fail }: WatchedFiles): Disposable {
  let settle: NodeJS.Timeout | undefined;
  const watchers: FSWatcher[] = [];
  for (const [folder, inside] of Map.groupBy(files, file => dirname(file))) {
    const names = inside.map(file => basename(file));
    try {
      const watcher = watch(folder, { persistent: false }, (_event, name) => {
        if (name !== null && !names.includes(name)) return;
        clearTimeout(settle);
        settle = setTimeout(changed, settleMs);
      });
      watcher.on('error', fail);
      watchers.push(watcher);
    } catch (error) {
      fail(error);
    }
  }
  return {
    [Symbol.dispose]: () => {
      clearTimeout(settle);
      for (const watcher of watchers) watcher.close();
    },
  };
}
