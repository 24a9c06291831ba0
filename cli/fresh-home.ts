// A world of this folder's config that has nothing of the folder's own world: for one `wrld world run`, and gone with it.
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type WorldPaths, worldPaths } from '../control/node/paths.ts';

export type FreshHome = AsyncDisposable & { readonly paths: WorldPaths };

export async function freshHome({ folder }: Pick<WorldPaths, 'folder'>): Promise<FreshHome> {
  const home = await realpath(await mkdtemp(join(tmpdir(), 'wrld-fresh-')));
  return {
    paths: worldPaths(folder, home),
    [Symbol.asyncDispose]: () => rm(home, { recursive: true, force: true }),
  };
}
