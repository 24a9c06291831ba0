// What seals credentials on this host (4.11-2): a vault where the environment names one, else SEALING_KEY or the key of the
// world's own folder.
import { type Sealing, sealerOf } from '../hosting/sealing.ts';
import type { Log } from '../ports/log.ts';
import type { Sealer } from '../ports/sealer.ts';
import { openHostKey } from './host-key-sealer.ts';

/** By `<org>/<world>`. `file`: the key of the world's folder. */
export function openSealers({ hostKey, vault }: Sealing, file: string, log: Log): (world: string) => Sealer {
  const host = openHostKey(hostKey, file, log);
  return world => sealerOf(world, { vault, host }, { fetch, log });
}
