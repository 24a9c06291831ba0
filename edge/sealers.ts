// What seals the credentials of the worlds (4.11-2): the vault that the deployment names, else its SEALING_KEY.
import { readSealing, sealerOf } from '../control/hosting/sealing.ts';
import type { Log } from '../control/ports/log.ts';
import type { Sealer } from '../control/ports/sealer.ts';
import { hostKey } from '../control/world/seals/host-key.ts';
import type { Env } from './env.ts';

/** Null where nothing seals: nothing can be sealed then, and nothing that was opens. */
export function openSealer(world: string, env: Env, log: Log): Sealer | null {
  const read = readSealing(env);
  if (!read.ok) {
    log.error({}, `${read.why}; nothing is sealed and nothing opens`);
    return null;
  }
  const { hostKey: key, vault } = read.sealing;
  if (key === null && vault === null) return null;
  // Without a key the vault stands alone, and what a key sealed before opens no more.
  return sealerOf(
    world,
    { vault, host: hostKey(async () => key) },
    { fetch: (url, init) => fetch(url, init), log },
  );
}
