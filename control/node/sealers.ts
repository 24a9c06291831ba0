// What seals credentials on this host (4.11-2): a vault where the environment names one, else SEALING_KEY or the key of the
// world's own folder. What the host's key sealed opens beside a vault, and is sealed again by it (4.11-3).
import type { Log } from '../ports/log.ts';
import type { Sealer } from '../ports/sealer.ts';
import { type Bytes, envelopeSealer } from '../world/seals/envelope.ts';
import { type VaultOptions, vaultKey, vaultKeyOf } from '../world/seals/vault-key.ts';
import { openHostKey } from './host-key-sealer.ts';

export type Sealing = {
  /** SEALING_KEY. */
  readonly hostKey: Bytes | null;
  readonly vault:
    | (Omit<VaultOptions, 'key' | 'fetch' | 'log'> & {
        /** VAULT_TRANSIT_KEY: each organisation's is named after it. */
        readonly transitKey: string;
      })
    | null;
};

/** By `<org>/<world>`. `file`: the key of the world's folder. */
export function openSealers({ hostKey, vault }: Sealing, file: string, log: Log): (world: string) => Sealer {
  const host = openHostKey(hostKey, file, log);
  if (vault === null) return () => envelopeSealer(host);
  const { transitKey, ...rest } = vault;
  return world => {
    const org = world.slice(0, world.indexOf('/'));
    const key = vaultKey({ ...rest, key: vaultKeyOf(transitKey, org), fetch, log });
    return envelopeSealer(key, [host]);
  };
}
