// A world's large bytes in a bucket of R2, under a prefix that is the world's own.
import type { Blobs } from '../control/ports/blobs.ts';

/** `prefix`: ends in a slash. */
export const openBlobs = (bucket: R2Bucket, prefix: string): Blobs => ({
  put: async (sha256, bytes) => {
    await bucket.put(prefix + sha256, bytes);
  },
  get: async sha256 => {
    const object = await bucket.get(prefix + sha256);
    return object === null ? undefined : new Uint8Array(await object.arrayBuffer());
  },
  has: async sha256 => (await bucket.head(prefix + sha256)) !== null,
  remove: sha256 => bucket.delete(prefix + sha256),
  list: async () => {
    const names: string[] = [];
    for (let cursor: string | undefined; ; ) {
      const page = await bucket.list({ prefix, ...(cursor === undefined ? {} : { cursor }) });
      names.push(...page.objects.map(({ key }) => key.slice(prefix.length)));
      if (!page.truncated) return names;
      cursor = page.cursor;
    }
  },
});
