// Which shard of a host has a world: by a hash of its name, so that it needs no list, and is the same after a restart. A branch
// is where the world is that it left, which its shard tells.
import { createHash } from 'node:crypto';

/** From 0 to `of - 1`. */
export function shardOf(name: string, of: number): number {
  return createHash('sha256').update(name).digest().readUInt32BE(0) % of;
}
