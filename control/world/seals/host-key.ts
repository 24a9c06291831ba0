// A wrapping key that the host itself holds: SEALING_KEY, or the one of a local world's folder (4.11-2). What it wraps
// names it by its fingerprint, so that another key is told from damage.
import { toBase64 } from '../../../twins/kit/base64.ts';
import type { SealFailure } from '../../ports/sealer.ts';
import { type Bytes, decrypt, encrypt, fromBase64, ownBytes, type WrappingKey } from './envelope.ts';

export const HOST_KEY_BYTES = 32;
const IV_BYTES = 12;
const FINGERPRINT_BYTES = 6;
const UNREADABLE: SealFailure = { ok: false, why: 'unreadable' };
const ABOUT = ownBytes(new TextEncoder().encode('wrld-data-key/1'));

/** 32 bytes as base64, base64url or hex; null for anything else. */
export const parseHostKey = (text: string): Bytes | null => {
  const trimmed = text.trim();
  const hex = /^[0-9a-fA-F]{64}$/.test(trimmed);
  const bytes = hex
    ? Uint8Array.from(trimmed.match(/../g)!, pair => Number.parseInt(pair, 16))
    : fromBase64(trimmed.replaceAll('-', '+').replaceAll('_', '/'));
  return bytes?.length === HOST_KEY_BYTES ? bytes : null;
};

/** `load`: asked when the key is first needed, and again after it could not be had; null while it cannot. */
export const hostKey = (load: () => Promise<Bytes | null>): WrappingKey => {
  let held: Promise<{ readonly bytes: Bytes; readonly id: string } | null> | null = null;
  const key = () => {
    held ??= load().then(async bytes => (bytes === null ? null : { bytes, id: await fingerprint(bytes) }));
    return held.then(found => {
      if (found === null) held = null;
      return found;
    });
  };
  return {
    by: 'key',
    wrap: async dataKey => {
      const found = await key();
      if (found === null) return { ok: false, why: 'away' };
      const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
      const wrapped = await encrypt(found.bytes, iv, ownBytes(dataKey), ABOUT);
      return { ok: true, wrapped: `key:v1:${found.id}:${toBase64(iv)}${toBase64(wrapped)}` };
    },
    unwrap: async wrapped => {
      const parts = /^key:v1:([0-9a-f]+):([A-Za-z0-9+/]{16})([A-Za-z0-9+/]+={0,2})$/.exec(wrapped);
      const iv = parts === null ? null : fromBase64(parts[2]!);
      const encrypted = parts === null ? null : fromBase64(parts[3]!);
      if (parts === null || iv === null || encrypted === null) return UNREADABLE;
      const found = await key();
      if (found === null) return { ok: false, why: 'away' };
      if (found.id !== parts[1]) return UNREADABLE;
      try {
        return { ok: true, dataKey: await decrypt(found.bytes, iv, encrypted, ABOUT) };
      } catch {
        return UNREADABLE;
      }
    },
    // It has one version, and stays where it is until a vault seals (4.11-3).
    rewrap: async () => ({ ok: false, why: 'host-key' }),
  };
};

const fingerprint = async (key: Bytes): Promise<string> => {
  const named = new Uint8Array([...ABOUT, ...key]);
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', named));
  named.fill(0);
  return Array.from(hash.subarray(0, FINGERPRINT_BYTES), byte => byte.toString(16).padStart(2, '0')).join('');
};
