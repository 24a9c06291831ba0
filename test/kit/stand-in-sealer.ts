// A sealer with real cryptography and its keys in memory: AES-256-GCM, the origin authenticated, the data key wrapped
// under a key that has versions.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { Sealed, Sealer, SealFailure } from '../../control/ports/sealer.ts';

const IV_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;
const UNREADABLE: SealFailure = { ok: false, why: 'unreadable' };
const AWAY: SealFailure = { ok: false, why: 'away' };

const encrypt = (key: Uint8Array, iv: Uint8Array, plain: Uint8Array, about: string): Uint8Array => {
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(about));
  return Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
};
/** Throws for what was not encrypted so. */
const decrypt = (key: Uint8Array, iv: Uint8Array, encrypted: Uint8Array, about: string): Uint8Array => {
  const end = encrypted.length - TAG_BYTES;
  const cipher = createDecipheriv('aes-256-gcm', key, iv, { authTagLength: TAG_BYTES });
  cipher.setAAD(Buffer.from(about)).setAuthTag(encrypted.subarray(end));
  return Buffer.concat([cipher.update(encrypted.subarray(0, end)), cipher.final()]);
};

export type StandInSealer = { readonly sealer: Sealer; rotate(): void; setAway(away: boolean): void };

export function standInSealer(): StandInSealer {
  const versions = [randomBytes(KEY_BYTES)];
  let away = false;
  const wrap = (dataKey: Uint8Array): string => {
    const version = versions.length;
    const iv = randomBytes(IV_BYTES);
    const wrapped = encrypt(versions[version - 1]!, iv, dataKey, `v${version}`);
    return `v${version}:${Buffer.concat([iv, wrapped]).toString('base64')}`;
  };
  const versionOf = (wrapped: string): number => Number(/^v(\d+):/.exec(wrapped)?.[1] ?? 0);
  const unwrap = (wrapped: string): Uint8Array => {
    const version = versionOf(wrapped);
    const bytes = Buffer.from(wrapped.slice(wrapped.indexOf(':') + 1), 'base64');
    const key = versions[version - 1];
    if (key === undefined) throw new RangeError('There is no such version.');
    return decrypt(key, bytes.subarray(0, IV_BYTES), bytes.subarray(IV_BYTES), `v${version}`);
  };
  const orUnreadable = <T>(work: () => T): T | SealFailure => {
    if (away) return AWAY;
    try {
      return work();
    } catch {
      return UNREADABLE;
    }
  };
  const sealer: Sealer = {
    seal: async (plain, boundTo) => {
      if (away) return AWAY;
      const [dataKey, iv] = [randomBytes(KEY_BYTES), randomBytes(IV_BYTES)];
      const ciphertext = encrypt(dataKey, iv, plain, boundTo);
      const sealed: Sealed = { by: 'key', boundTo, wrapped: wrap(dataKey), iv, ciphertext };
      return { ok: true, sealed };
    },
    open: async ({ wrapped, iv, ciphertext, boundTo }, origin) =>
      orUnreadable(() =>
        boundTo === origin
          ? { ok: true, plain: decrypt(unwrap(wrapped), iv, ciphertext, origin) }
          : UNREADABLE,
      ),
    rewrap: async sealed =>
      orUnreadable(() => {
        const dataKey = unwrap(sealed.wrapped);
        if (versionOf(sealed.wrapped) === versions.length) return { ok: true, sealed, current: true };
        return { ok: true, sealed: { ...sealed, wrapped: wrap(dataKey) }, current: false };
      }),
  };
  return {
    sealer,
    rotate: () => void versions.push(randomBytes(KEY_BYTES)),
    setAway: now => {
      away = now;
    },
  };
}
