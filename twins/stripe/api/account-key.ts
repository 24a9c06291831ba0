// The keys that connected accounts get through OAuth say whose they are.

/** A key that acts for a connected account. */
export function accountOfKey(key: string): string | null {
  return /^[ps]k_test_(acct_[A-Za-z0-9]{16})_/.exec(key)?.[1] ?? null;
}
