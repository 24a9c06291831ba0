// How a credential is sealed (2.9, 4.11-2): AES-256-GCM under a data key of its own, which whoever holds the wrapping key
// wraps. Origin and reference are authenticated with it, so that a record moved elsewhere does not open.
import type { RewrapFailure, Sealed, SealedFor, Sealer, SealFailure } from '../../ports/sealer.ts';

/** Who holds a wrapping key: a vault's transit (vault-key.ts), or the host itself. */
export type WrappingKey = {
  readonly by: Sealed['by'];
  wrap(dataKey: Uint8Array): Promise<{ readonly ok: true; readonly wrapped: string } | SealFailure>;
  unwrap(wrapped: string): Promise<{ readonly ok: true; readonly dataKey: Uint8Array } | SealFailure>;
  /** Without seeing the data key. */
  rewrap(
    wrapped: string,
  ): Promise<{ readonly ok: true; readonly wrapped: string; readonly current: boolean } | RewrapFailure>;
};

/** Bytes on a buffer of their own, as every host's WebCrypto types want them. */
export type Bytes = Uint8Array<ArrayBuffer>;

const KEY_BYTES = 32;
const IV_BYTES = 12;
const UNREADABLE: SealFailure = { ok: false, why: 'unreadable' };

/** Seals under `newest`; opens what that or one of `older` wrapped. */
export const envelopeSealer = (newest: WrappingKey, older: readonly WrappingKey[] = []): Sealer => {
  const keys = [newest, ...older];
  return {
    seal: async (plain, to) => {
      const dataKey = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
      try {
        const wrapped = await newest.wrap(dataKey);
        if (!wrapped.ok) return wrapped;
        const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
        const ciphertext = await encrypt(dataKey, iv, ownBytes(plain), associated(to));
        return {
          ok: true,
          sealed: { by: newest.by, boundTo: to.origin, wrapped: wrapped.wrapped, iv, ciphertext },
        };
      } finally {
        dataKey.fill(0);
      }
    },
    open: async (sealed, to) => {
      const key = keys.find(({ by }) => by === sealed.by);
      if (key === undefined || sealed.boundTo !== to.origin) return UNREADABLE;
      const unwrapped = await key.unwrap(sealed.wrapped);
      if (!unwrapped.ok) return unwrapped;
      const dataKey = ownBytes(unwrapped.dataKey);
      try {
        const plain = await decrypt(
          dataKey,
          ownBytes(sealed.iv),
          ownBytes(sealed.ciphertext),
          associated(to),
        );
        return { ok: true, plain, stale: key !== newest };
      } catch {
        return UNREADABLE;
      } finally {
        dataKey.fill(0);
        unwrapped.dataKey.fill(0);
      }
    },
    rewrap: async sealed => {
      if (sealed.by !== newest.by) return { ok: false, why: sealed.by === 'key' ? 'host-key' : 'other-key' };
      const rewrapped = await newest.rewrap(sealed.wrapped);
      if (!rewrapped.ok) return rewrapped;
      const { wrapped, current } = rewrapped;
      return { ok: true, sealed: current ? sealed : { ...sealed, wrapped }, current };
    },
  };
};

const associated = ({ reference, origin }: SealedFor): Bytes =>
  ownBytes(new TextEncoder().encode(JSON.stringify(['wrld-seal/1', reference, origin])));

export const encrypt = async (key: Bytes, iv: Bytes, plain: Bytes, additionalData: Bytes): Promise<Bytes> => {
  const imported = await crypto.subtle.importKey('raw', key, 'AES-GCM', false, ['encrypt']);
  return new Uint8Array(
    await crypto.subtle.encrypt({ name: 'AES-GCM', iv, additionalData }, imported, plain),
  );
};

/** Rejects for what was not encrypted so. */
export const decrypt = async (
  key: Bytes,
  iv: Bytes,
  encrypted: Bytes,
  additionalData: Bytes,
): Promise<Bytes> => {
  const imported = await crypto.subtle.importKey('raw', key, 'AES-GCM', false, ['decrypt']);
  return new Uint8Array(
    await crypto.subtle.decrypt({ name: 'AES-GCM', iv, additionalData }, imported, encrypted),
  );
};

export const ownBytes = (bytes: Uint8Array): Bytes => new Uint8Array(bytes);

/** Null for what is no base64. */
export const fromBase64 = (text: string): Bytes | null => {
  try {
    return Uint8Array.from(atob(text), letter => letter.charCodeAt(0));
  } catch {
    return null;
  }
};
