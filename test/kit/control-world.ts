// Worlds for tests of the Node host: folders with a config in them, and control started there without a word.
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Test } from 'tap';
import { type ControlOptions, type RunningControl, startControl } from '../../control/node/control.ts';
import { openLog } from '../../control/node/log.ts';

/** A world with a Stripe twin. */
export const STRIPE_WORLD = { name: 'acme/shop', services: { stripe: { twin: 'stripe' } } };

export type WorldFolders = {
  /** Gone when the test ends, with all that is in it. */
  readonly root: string;
  /** Answers the world's folder: one of its own under `root` unless it is named. A text is written as it is. */
  readonly world: (config?: object | string, folder?: string) => Promise<string>;
};

export async function openWorldFolders(t: Pick<Test, 'teardown'>): Promise<WorldFolders> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'wrld-')));
  t.teardown(() => rm(root, { recursive: true, force: true }));
  let worlds = 0;
  return {
    root,
    world: async (config = STRIPE_WORLD, folder = join(root, `w${++worlds}`)) => {
      await mkdir(join(folder, '.wrld'), { recursive: true });
      await configure(folder, config);
      return folder;
    },
  };
}

export const configure = (folder: string, config: object | string): Promise<void> =>
  writeFile(
    join(folder, '.wrld', 'world.json'),
    typeof config === 'string' ? config : JSON.stringify(config),
  );

export const startQuietly = (folder: string, more: Partial<ControlOptions> = {}): Promise<RunningControl> =>
  startControl({
    folder,
    host: '127.0.0.1',
    port: 0,
    proxyPort: 0,
    sandbox: false,
    log: openLog('silent'),
    ...more,
  });
