/**
 * Keeps credentials of real vendors so that whoever has the store alone cannot read them (2.9, 4.6, 4.11-2). A sealed
 * record opens for the origin and under the reference that it was bound to, and for no other.
 */
export type Sealed = {
  /** Who holds the key that wraps it: a vault's transit key, or the host's own. */
  readonly by: 'vault' | 'key';
  /** The origin that it opens for: `https://api.stripe.com`. */
  readonly boundTo: string;
  /** The data key, wrapped; its own text says with which key and version. */
  readonly wrapped: string;
  readonly iv: Uint8Array;
  readonly ciphertext: Uint8Array;
};

/** What a record is authenticated with besides: one that was moved elsewhere does not open there. */
export type SealedFor = {
  /** Where the plain bytes are about to be sent. */
  readonly origin: string;
  /** Whose it is: `<org>/<world>/<name>`. */
  readonly reference: string;
};

export type SealFailure = {
  readonly ok: false;
  /** `away`: the vault does not answer now. `unreadable`: another key, another origin, or damage; told no further. */
  readonly why: 'away' | 'unreadable';
};

export type RewrapFailure = {
  readonly ok: false;
  /** `host-key`: a vault wraps no key of the host's. `other-key`: of another vault. `no-version`: its text has none. */
  readonly why: SealFailure['why'] | 'host-key' | 'other-key' | 'no-version';
};

export type Sealer = {
  seal(
    plain: Uint8Array,
    to: SealedFor,
  ): Promise<{ readonly ok: true; readonly sealed: Sealed } | SealFailure>;
  /** `stale`: another key wraps it than wraps what is sealed now; whoever keeps it seals it again (4.11-3). */
  open(
    sealed: Sealed,
    to: SealedFor,
  ): Promise<{ readonly ok: true; readonly plain: Uint8Array; readonly stale: boolean } | SealFailure>;
  /** The data key wrapped again under the newest version; `current` when it was already. */
  rewrap(
    sealed: Sealed,
  ): Promise<{ readonly ok: true; readonly sealed: Sealed; readonly current: boolean } | RewrapFailure>;
};
