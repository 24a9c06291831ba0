// How long certificates last, and how many are held.

export const AUTHORITY_DAYS = 3_650;
/** What Apple and others accept at most is 398; short enough that a leaf outlives no laptop. */
export const LEAF_DAYS = 90;
/** Clocks of containers and phones run behind; a certificate from the future is refused. */
export const BACKDATED_MS = 86_400_000;
/** X.520: a common name has at most 64 characters; a longer host stands in the alternative name alone. */
export const COMMON_NAME_CHARS_MAX = 64;

/** TLS contexts held at once; one takes about 10 KB. */
export const LEAF_CONTEXTS_MAX = 2_000;
/** A context is minted anew long before its leaf expires. */
export const LEAF_CONTEXT_MS_MAX = (LEAF_DAYS / 2) * 86_400_000;
