/** A platform whose passes the world takes (5.3-7). */
export type TrustedIssuer = {
  /** What `iss` of its passes says, character for character. */
  readonly issuer: string;
  /** Its public keys now: a JWK Set as JSON. Rejects when they cannot be read. */
  readonly keys: () => Promise<unknown>;
};
