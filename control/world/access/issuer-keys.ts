// The public keys of a trusted platform, by their ids: asked for when a pass first needs one, again when they are
// old, and again, though seldom, when a pass names one that is not among them (a platform rotates its keys).
import { type CryptoKey, importJWK, type JWK } from 'jose';
import type { WallClock } from '../../ports/clock.ts';
import type { TrustedIssuer } from '../../ports/trusted-issuer.ts';
import { ISSUER_KEYS_ASKED_MS_MIN, ISSUER_KEYS_KEPT_MS, ISSUER_KEYS_MAX } from '../limits.ts';

/** What passes may be signed with; pinned here, never chosen by a pass (security 32). */
export const PASS_ALGORITHMS = ['EdDSA', 'ES256'] as const;

export type PassAlgorithm = (typeof PASS_ALGORITHMS)[number];

const CURVE: { readonly [algorithm in PassAlgorithm]: { readonly kty: string; readonly crv: string } } = {
  EdDSA: { kty: 'OKP', crv: 'Ed25519' },
  ES256: { kty: 'EC', crv: 'P-256' },
};

export type FoundKey =
  | { readonly at: 'found'; readonly key: CryptoKey }
  | { readonly at: 'unknown' }
  | { readonly at: 'unreadable' };

export class IssuerKeys {
  readonly #issuer: TrustedIssuer;
  readonly #wall: WallClock;
  #keys: ReadonlyMap<string, CryptoKey> | null = null;
  #asked = Number.NEGATIVE_INFINITY;
  #asking: Promise<void> | null = null;

  constructor(issuer: TrustedIssuer, wall: WallClock) {
    this.#issuer = issuer;
    this.#wall = wall;
  }

  /** `unreadable`: the platform's keys cannot be had now. */
  async find(id: string, algorithm: PassAlgorithm): Promise<FoundKey> {
    const name = `${algorithm} ${id}`;
    const age = this.#wall.now() - this.#asked;
    // A key that the platform withdrew is good no longer than this.
    const stale = this.#keys === null || age >= ISSUER_KEYS_KEPT_MS || age < 0;
    if (
      this.#asking !== null ||
      ((stale || !this.#keys?.has(name)) && (age >= ISSUER_KEYS_ASKED_MS_MIN || age < 0))
    )
      await this.#ask();
    if (this.#keys === null) return { at: 'unreadable' };
    const key = this.#keys.get(name);
    return key === undefined ? { at: 'unknown' } : { at: 'found', key };
  }

  /** All who wait get the one answer. */
  #ask(): Promise<void> {
    this.#asking ??= this.#load().finally(() => {
      this.#asking = null;
    });
    return this.#asking;
  }

  async #load(): Promise<void> {
    const before = this.#asked;
    this.#asked = this.#wall.now();
    const keys = await this.#issuer.keys().then(importKeys, () => null);
    if (keys !== null) this.#keys = keys;
    // Those it had stay good through an outage, but for no longer than they would have been kept.
    else if (this.#asked - before >= 2 * ISSUER_KEYS_KEPT_MS) this.#keys = null;
  }
}

async function importKeys(set: unknown): Promise<ReadonlyMap<string, CryptoKey> | null> {
  const listed = (set as { keys?: unknown } | null)?.keys;
  if (!Array.isArray(listed)) return null;
  const keys = new Map<string, CryptoKey>();
  for (const jwk of listed.slice(0, ISSUER_KEYS_MAX) as readonly (JWK | null)[]) {
    if (typeof jwk !== 'object' || jwk === null || typeof jwk.kid !== 'string') continue;
    if (jwk.use !== undefined && jwk.use !== 'sig') continue;
    const algorithm = PASS_ALGORITHMS.find(
      each =>
        CURVE[each].kty === jwk.kty &&
        CURVE[each].crv === jwk.crv &&
        (jwk.alg === undefined || jwk.alg === each),
    );
    if (algorithm === undefined) continue;
    const { kty, crv, x, y } = jwk;
    // Its public half alone, whatever else is in the set; one that is no point of its curve is left out.
    const key = await importJWK({ kty, crv, x, y } as JWK, algorithm).catch(() => null);
    if (key !== null && !(key instanceof Uint8Array)) keys.set(`${algorithm} ${jwk.kid}`, key);
  }
  return keys;
}
