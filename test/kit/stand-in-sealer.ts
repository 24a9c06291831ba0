// A sealer whose wrapping keys are in memory, with versions: the envelope is the one that every host has.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { Sealer, SealFailure } from '../../control/ports/sealer.ts';
import { envelopeSealer, type WrappingKey } from '../../control/world/seals/envelope.ts';

const IV_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;
const UNREADABLE: SealFailure = { ok: false, why: 'unreadable' };
const AWAY: SealFailure = { ok: false, why: 'away' };

const encrypt = (key: Uint8Array, plain: Uint8Array): string => {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, iv);
  return Buffer.concat([iv, cipher.update(plain), cipher.final(), cipher.getAuthTag()]).toString('base64');
};
/** Throws for what was not encrypted so. */
const decrypt = (key: Uint8Array, text: string): Uint8Array => {
  const bytes = Buffer.from(text, 'base64');
  const end = bytes.length - TAG_BYTES;
  const cipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV_BYTES), {
    authTagLength: TAG_BYTES,
  });
  cipher.setAuthTag(bytes.subarray(end));
  return Buffer.concat([cipher.update(bytes.subarray(IV_BYTES, end)), cipher.final()]);
};

export type StandInSealer = { readonly sealer: Sealer; rotate(): void; setAway(away: boolean): void };

/** `older`: keys of hosts that sealed before this one did. */
export function standInSealer(older: readonly WrappingKey[] = []): StandInSealer {
  const versions = [randomBytes(KEY_BYTES)];
  let away = false;
  const versionOf = (wrapped: string): number => Number(/^v(\d+):/.exec(wrapped)?.[1] ?? 0);
  const wrap = (dataKey: Uint8Array): string => `v${versions.length}:${encrypt(versions.at(-1)!, dataKey)}`;
  const unwrapped = <T>(wrapped: string, work: (dataKey: Uint8Array) => T): T | SealFailure => {
    if (away) return AWAY;
    const key = versions[versionOf(wrapped) - 1];
    try {
      return key === undefined ? UNREADABLE : work(decrypt(key, wrapped.slice(wrapped.indexOf(':') + 1)));
    } catch {
      return UNREADABLE;
    }
  };
  const key: WrappingKey = {
    by: 'vault',
    wrap: async dataKey => (away ? AWAY : { ok: true, wrapped: wrap(dataKey) }),
    unwrap: async wrapped => unwrapped(wrapped, dataKey => ({ ok: true as const, dataKey })),
    rewrap: async wrapped =>
      unwrapped(wrapped, dataKey =>
        versionOf(wrapped) === versions.length
          ? { ok: true as const, wrapped, current: true }
          : { ok: true as const, wrapped: wrap(dataKey), current: false },
      ),
  };
  return {
    sealer: envelopeSealer(key, older),
    rotate: () => void versions.push(randomBytes(KEY_BYTES)),
    setAway: now => {
      away = now;
    },
  };
}
