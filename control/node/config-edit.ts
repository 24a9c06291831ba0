// An edit of `.wrld/world.json` that a person makes at the world's page: written whole, in the place and with the mode of the
// file that is there, and in force when it resolves.
import { realpath, stat } from 'node:fs/promises';
import type { ConfigFile } from '../http/surroundings.ts';
import { readIfThere, writeWhole } from './files.ts';
import type { LiveConfig } from './live-config.ts';

/** `file`: the config's; a link to it stays one. */
export function configFile(file: string, live: Pick<LiveConfig, 'reload' | 'state'>): ConfigFile {
  return {
    text: async () => (await readIfThere(file)) ?? '',
    put: async ({ was, text }) => {
      // Somebody may have saved it meanwhile: theirs is not written over.
      if ((await readIfThere(file)) !== was) return 'changed-meanwhile';
      const place = await realpath(file);
      await writeWhole(place, text, (await stat(place)).mode);
      await live.reload();
      return live.state.fault === null ? 'in-force' : 'not-in-force';
    },
  };
}
