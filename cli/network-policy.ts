// A run's copy of the network policy (7.2 `policy-unreadable`): whose run it is, and what a JavaScript process has to
// know before it asks the proxy. What may leave is not in it: that the proxy alone judges.
import { createHash, randomUUID } from 'node:crypto';
import { access, mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadConfig } from '../control/node/config-file.ts';

export type NetworkPolicyCopy = {
  readonly kind: 'wrld-world-network-policy';
  readonly version: 1;
  /** The world's URL, as WRLD_WORLD has it. */
  readonly world: string;
  /** False: not even listeners on this machine's loopback are reached past the proxy. */
  readonly ownLoopback: boolean;
  /** `host:port` on loopback that are the world's own, and reached past the proxy in any case. */
  readonly reachable: readonly string[];
};

/** Null where there is no config to read, or none that can be read: the world that is up keeps its last good one. */
export async function readOwnLoopback(config: string | undefined): Promise<boolean | null> {
  if (config === undefined) return null;
  const read = await loadConfig(config);
  if (!read.ok) return null;
  return [read.loaded.config.network, ...read.loaded.parents].every(({ ownLoopback }) => ownLoopback);
}

/** Named by its text: two runs that are told the same share a file, and none is changed while somebody reads it. */
export async function writeNetworkPolicy(
  folder: string,
  copy: Omit<NetworkPolicyCopy, 'kind' | 'version'>,
): Promise<string> {
  const whole: NetworkPolicyCopy = { kind: 'wrld-world-network-policy', version: 1, ...copy };
  const text = `${JSON.stringify(whole)}\n`;
  const name = createHash('sha256').update(text).digest('hex').slice(0, 16);
  const file = join(folder, `${name}.json`);
  const there = await access(file).then(
    () => true,
    () => false,
  );
  if (there) return file;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const beside = `${file}.${randomUUID()}`;
  await writeFile(beside, text, { mode: 0o600 });
  await rename(beside, file);
  return file;
}
