// What a leaf costs: for a host never seen (certificate, signature and TLS context) and for one in the cache.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { loadAuthority } from '../../certs/authority.ts';
import { LeafCache } from '../../certs/cache.ts';
import { type Host, parseHost } from '../../policy/authority.ts';
import type { Table } from '../report.ts';
import { nanosecondsEach } from './timing.ts';

/** Hosts a round of minting takes; each round has hosts of its own. */
const HOSTS = 20;

export async function measureMint(folder: string): Promise<Table> {
  const caFolder = join(folder, 'mint-ca');
  mkdirSync(caFolder, { recursive: true });
  const startedAt = performance.now();
  const loaded = await loadAuthority(caFolder);
  const makeMs = performance.now() - startedAt;
  if (!loaded.ok) throw new Error(loaded.why);
  const leaves = new LeafCache(loaded.authority);
  let next = 0;
  const minted = nanosecondsEach(HOSTS, () => {
    for (let nth = 0; nth < HOSTS; nth++) leaves.contextFor(host(`host${next++}.bench.test`));
  });
  const known = host('host-known.bench.test');
  const cached = nanosecondsEach(1_000, () => {
    for (let nth = 0; nth < 1_000; nth++) leaves.contextFor(known);
  });
  return {
    title: 'Certificates',
    head: ['', 'a new authority, ms', 'a leaf and its context, new host, µs', 'from the cache, ns'],
    rows: [['wrld', makeMs.toFixed(1), (minted / 1_000).toFixed(0), cached.toFixed(0)]],
  };
}

function host(text: string): Host {
  const read = parseHost(text);
  if (!read.ok) throw new Error(read.why);
  return read.host;
}
