/**
 * Keeps credentials of real vendors so that whoever has the store alone cannot read them (2.9, 4.6, 4.11-2). A sealed
 * record opens for the origin that it was bound to and for no other.
 */
export type Sealed = {
  /** Who holds the key that wraps it: a vault's transit key, or the host's own. */
  readonly by: 'vault' | 'key';
  /** The origin that it opens for: `https://api.stripe.com`. */
  readonly boundTo: string;
  /** The data key, wrapped; its own text says with which version. */
  readonly wrapped: string;
  readonly iv: Uint8Array;
  readonly ciphertext: Uint8Array;
};

export type SealFailure = {
  readonly ok: false;
  /** `away`: the vault does not answer now. `unreadable`: another key, another origin, or damage; told no further. */
  readonly why: 'away' | 'unreadable';
};

export type Sealer = {
  seal(
    plain: Uint8Array,
    boundTo: string,
  ): Promise<{ readonly ok: true; readonly sealed: Sealed } | SealFailure>;
  /** `origin` is where the plain bytes are about to be sent. */
  open(
    sealed: Sealed,
    origin: string,
  ): Promise<{ readonly ok: true; readonly plain: Uint8Array } | SealFailure>;
  /** The data key wrapped again under the newest version; `current` when it was already. */
  rewrap(
    sealed: Sealed,
  ): Promise<{ readonly ok: true; readonly sealed: Sealed; readonly current: boolean } | SealFailure>;
};
