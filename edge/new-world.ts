// What a new world begins with: its tokens, and what the inventory tells of its twins before it was ever opened.
import type { InventoryTwin } from '../control/hosting/host-worlds.ts';
import { mintToken } from '../control/world/access/token.ts';
import { entropy } from './entropy.ts';
import { shippedTwin } from './shipped-twins.ts';
import type { TokenTexts } from './world-record.ts';

/** Those that the callers hold already, and for the others new ones. */
export function newTokens({ token, readToken }: Partial<TokenTexts> = {}): TokenTexts {
  return {
    token: token ?? mintToken(entropy, 'write').reveal(),
    readToken: readToken ?? mintToken(entropy, 'read').reveal(),
  };
}

/** JSON. */
export function inventoryTwins(vendors: readonly string[]): string {
  const twins = [...vendors].sort().map((vendor): InventoryTwin => {
    return { vendor, protocol: shippedTwin(vendor)?.manifest.protocol ?? null, root: null };
  });
  return JSON.stringify(twins);
}
