// What seals the credentials of a host's worlds (4.11-2), as its environment says it: a vault where it names one, else
// SEALING_KEY, or what a host has besides. What the host's key sealed opens beside a vault, and is sealed again by it
// (4.11-3).
import type { Log } from '../ports/log.ts';
import type { Sealer } from '../ports/sealer.ts';
import { Secret } from '../world/access/secret.ts';
import { type Bytes, envelopeSealer, type WrappingKey } from '../world/seals/envelope.ts';
import { HOST_KEY_BYTES, parseHostKey } from '../world/seals/host-key.ts';
import { type VaultFetch, type VaultOptions, vaultKey, vaultKeyOf } from '../world/seals/vault-key.ts';

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

type Variable =
  | 'SEALING_KEY'
  | 'VAULT_ADDR'
  | 'VAULT_TOKEN'
  | 'VAULT_TRANSIT_KEY'
  | 'VAULT_TRANSIT_MOUNT'
  | 'VAULT_FINGERPRINT_KEY'
  | 'VAULT_NAMESPACE';

/** With whatever else the environment has. */
export type SealingEnvironment = { readonly [name in Variable]?: string | undefined };

export type SealingResult =
  | { readonly ok: true; readonly sealing: Sealing }
  /** Says which variable cannot be used, without showing it. */
  | { readonly ok: false; readonly why: string };

export function readSealing(env: SealingEnvironment): SealingResult {
  const given = env.SEALING_KEY;
  const hostKey = given === undefined || given === '' ? null : parseHostKey(given);
  if (given !== undefined && given !== '' && hostKey === null)
    return no(
      `SEALING_KEY is no key of ${HOST_KEY_BYTES} bytes; make one: openssl rand -base64 ${HOST_KEY_BYTES}`,
    );
  const transitKey = env.VAULT_TRANSIT_KEY;
  // A program that uses a vault for itself has its address and token too.
  if (transitKey === undefined || transitKey === '') return { ok: true, sealing: { hostKey, vault: null } };
  const address = env.VAULT_ADDR?.replace(/\/+$/, '') ?? '';
  const token = env.VAULT_TOKEN ?? '';
  if (!/^https?:\/\/[^/?#@\s]+(?:\/[^?#\s]*)?$/.test(address))
    return no('VAULT_TRANSIT_KEY is set, and VAULT_ADDR is no http(s) address of a vault');
  if (!/^[\x21-\x7e]+$/.test(token)) return no('VAULT_TRANSIT_KEY is set, and VAULT_TOKEN is not');
  for (const name of [
    'VAULT_TRANSIT_KEY',
    'VAULT_FINGERPRINT_KEY',
    'VAULT_TRANSIT_MOUNT',
    'VAULT_NAMESPACE',
  ] as const)
    if (!VAULT_NAME.test(env[name] ?? '')) return no(`${name} is no name of a vault’s`);
  const vault = {
    address,
    token: new Secret(token),
    transitKey,
    fingerprintKey: env.VAULT_FINGERPRINT_KEY || `${transitKey}-fingerprint`,
    mount: env.VAULT_TRANSIT_MOUNT?.replaceAll(/^\/+|\/+$/g, '') || 'transit',
    namespace: env.VAULT_NAMESPACE || null,
  };
  return { ok: true, sealing: { hostKey, vault } };
}

/** `host`: the key that wraps where no vault does, and that opens what it sealed before there was one. */
export function sealerOf(
  world: string,
  { vault, host }: { readonly vault: Sealing['vault']; readonly host: WrappingKey },
  { fetch, log }: { readonly fetch: VaultFetch; readonly log: Log },
): Sealer {
  if (vault === null) return envelopeSealer(host);
  const { transitKey, ...rest } = vault;
  const org = world.slice(0, world.indexOf('/'));
  return envelopeSealer(vaultKey({ ...rest, key: vaultKeyOf(transitKey, org), fetch, log }), [host]);
}

/** Segments of a path, none of which leads back. */
const VAULT_NAME = /^(?!(?:.*\/)?\.{1,2}(?:\/|$))[\w.-]*(?:\/[\w.-]+)*\/?$/;

function no(why: string): SealingResult {
  return { ok: false, why };
}
