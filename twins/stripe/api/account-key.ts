// Whose account it is that asks: the platform's, or one whose key it got through OAuth.

/** The platform's own account, and what it calls itself. */
export const PLATFORM_ACCOUNT = { id: 'acct_twin', country: 'US', name: 'Twin' };

/** A key that acts for a connected account. */
export function accountOfKey(key: string): string | null {
  return /^[ps]k_test_(acct_[A-Za-z0-9]{16})_/.exec(key)?.[1] ?? null;
}
