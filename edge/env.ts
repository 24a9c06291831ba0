// What a deployment gives the worker: its objects, its bucket, and what edge/wrangler.jsonc and the secrets say.
import type { InventoryObject } from './inventory-object.ts';
import type { WorldObject } from './world-object.ts';

export type Env = {
  readonly WORLDS: DurableObjectNamespace<WorldObject>;
  readonly INVENTORY: DurableObjectNamespace<InventoryObject>;
  readonly BLOBS: R2Bucket;
  /** Secret: the admin token. Without it the host's own endpoints open to nobody. */
  readonly ADMIN_TOKEN?: string;
  /** As its clients name the host: `https://worlds.example.com`; what they asked for, where it is missing. */
  readonly BASE_URL?: string;
  /** `.worlds.example.com` (5.3-2). */
  readonly WORLD_ORIGIN_SUFFIX?: string;
  /** URLs of platforms whose passes are taken (5.3-7), with commas between them. */
  readonly TRUSTED_ISSUERS?: string;
  /** Secret: 32 bytes as base64 (4.11-2). */
  readonly SEALING_KEY?: string;
  readonly VAULT_ADDR?: string;
  /** Secret. */
  readonly VAULT_TOKEN?: string;
  readonly VAULT_TRANSIT_KEY?: string;
  readonly VAULT_TRANSIT_MOUNT?: string;
  readonly VAULT_FINGERPRINT_KEY?: string;
  readonly VAULT_NAMESPACE?: string;
};

/** The one inventory of a deployment. */
export const inventoryOf = ({ INVENTORY }: Env): DurableObjectStub<InventoryObject> =>
  INVENTORY.get(INVENTORY.idFromName('inventory'));

/** The object of a world, be there such a world or not. */
export const worldOf = ({ WORLDS }: Env, name: string): DurableObjectStub<WorldObject> =>
  WORLDS.get(WORLDS.idFromName(name));
