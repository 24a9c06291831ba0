// Hosts whose worlds are in shards, for tests: worlds whose shard is known, and twins that end or hold up the process they are in.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeBareWorld } from '../../control/node/host/bare-world.ts';
import type { HostOptions, RunningHost } from '../../control/node/host/host.ts';
import type { ShardLimits } from '../../control/node/host/shards/limits.ts';
import { shardOf } from '../../control/node/host/shards/share.ts';
import { startHostQuietly } from './many-worlds.ts';

export const SHARDS = 2;

export function startSharded(
  directory: string,
  limits: Partial<ShardLimits> = {},
  more: Partial<HostOptions> = {},
): Promise<RunningHost> {
  return startHostQuietly(directory, { shards: { count: SHARDS, logLevel: 'silent', limits }, ...more });
}

/** `acme/<stem>-<n>`, the first such name of that shard. */
export function nameIn(shard: number, stem: string): string {
  for (let n = 0; ; n++) if (shardOf(`acme/${stem}-${n}`, SHARDS) === shard) return `acme/${stem}-${n}`;
}

/** Asked for `/v1/loop` it never comes to its end, for `/v1/exit` its process ends; anything else is answered. */
const HOSTILE = `
import { HANDLER_MATCHERS, jsonReply } from 'wrld/twin';
export const twin = {
  manifest: {
    kind: 'wrld-twin', vendor: 'hostile', version: '1.0.0', protocol: 'http', api: { sdks: [] }, models: [],
    coverage: { modelled: 1, generic: 0, catalog: 1 }, hosts: [{ host: 'api.hostile.test', paths: ['/v1/'] }],
    generative: false, matchers: HANDLER_MATCHERS, root: false, screens: [],
  },
  records: { thing: { indexes: [] } },
  respond: call => {
    // Not in the call itself, which would be ended.
    if (call.path === '/v1/loop') queueMicrotask(() => { for (;;); });
    if (call.path === '/v1/exit') process.exit(3);
    return jsonReply(200, {});
  },
  error: (status, code, message) => jsonReply(status, { hostile: { code, message } }),
};
`;

/** A bare world with that twin; answers its token. */
export async function hostileWorld(directory: string, name: string): Promise<{ readonly token: string }> {
  const made = await makeBareWorld({ directory, name, vendors: [] });
  if (!made.ok) throw new Error(`${name} is there already`);
  const folder = join(directory, name);
  writeFileSync(join(folder, 'hostile.mjs'), HOSTILE);
  const config = { name, services: { hostile: { twin: './hostile.mjs' } } };
  writeFileSync(join(folder, '.wrld', 'world.json'), JSON.stringify(config));
  return { token: made.tokens.write.reveal() };
}
