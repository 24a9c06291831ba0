// The world that a command means: the nearest `.wrld/world.json`, from the current folder upwards.
import { realpath } from 'node:fs/promises';
import { dirname } from 'node:path';
import { loadConfig } from '../control/node/config-file.ts';
import { readIfThere } from '../control/node/files.ts';
import { type WorldPaths, worldPaths } from '../control/node/paths.ts';
import type { WorldConfig } from '../control/world/config/config.ts';

export type FoundFolder =
  | { readonly ok: true; readonly paths: WorldPaths }
  | { readonly ok: false; readonly why: string };

export type FoundWorld =
  | { readonly ok: true; readonly paths: WorldPaths; readonly config: WorldConfig }
  | { readonly ok: false; readonly why: string };

export async function findFolder(from: string): Promise<FoundFolder> {
  for (let folder = await realpath(from); ; folder = dirname(folder)) {
    const paths = worldPaths(folder);
    if ((await readIfThere(paths.config)) !== null) return { ok: true, paths };
    if (dirname(folder) === folder) break;
  }
  const why = 'there is no world here or in a folder above (.wrld/world.json). Make one: wrld world init';
  return { ok: false, why };
}

/** `why` names file, line and what is accepted where the config is bad. */
export async function findWorld(from: string): Promise<FoundWorld> {
  const found = await findFolder(from);
  if (!found.ok) return found;
  const read = await loadConfig(found.paths.config);
  if (!read.ok) return { ok: false, why: read.fault.text };
  return { ok: true, paths: found.paths, config: read.loaded.config };
}
