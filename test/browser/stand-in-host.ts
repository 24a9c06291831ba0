// The console of a host whose worlds are made up: as many as wanted, told as slowly as wanted. What listens, answers and streams is
// the host's own.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Test } from 'tap';
import { loadAuthority } from '../../certs/authority.ts';
import { AdminSite, HOST_NAME } from '../../control/hosting/admin-site.ts';
import type { HostWorlds, InventoryRow } from '../../control/hosting/host-worlds.ts';
import { rowsText } from '../../control/hosting/inventory-text.ts';
import { openFront } from '../../control/node/front.ts';
import { openLog } from '../../control/node/log.ts';
import { pageFile } from '../../control/node/page-files.ts';

export const STAND_IN_ADMIN = 'tok_a_of-a-stand-in-host-0123456789';

/** `acme-3/world-00042`; some have an owner, few a fault. */
export function madeUpRow(n: number): InventoryRow {
  const org = `acme-${n % 7}`;
  const world = `world-${String(n).padStart(5, '0')}`;
  const name = `${org}/${world}`;
  const vendors = [['stripe'], ['openai', 'stripe'], ['smtp'], []][n % 4]!;
  return {
    org,
    world,
    name,
    base: `https://worlds.example.com/${name}`,
    ...(n % 3 === 0 ? { owner: `Owner “${n % 11}” {of} [many] \\ ä` } : {}),
    token: `tok_w_${n}`,
    readToken: `tok_r_${n}`,
    twins: vendors.map(vendor => ({ vendor, protocol: 'http', root: null })),
    ...(n % 2_000 === 7 ? { fault: 'world.json:3:12: “servces” is no field; did you mean “services”?' } : {}),
  };
}

/** Rows of the names that there would be, sorted as a host sorts them. */
export const madeUpRows = (count: number): readonly InventoryRow[] =>
  Array.from({ length: count }, (_, n) => madeUpRow(n)).sort((a, b) => (a.name < b.name ? -1 : 1));

export type StandIn = { readonly rows: () => AsyncIterable<InventoryRow> } & Partial<HostWorlds>;

/** Answers its URL; it is gone with the test. */
export async function startStandIn(t: Test, { rows, ...worlds }: StandIn): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'wrld-stand-in-'));
  const authority = await loadAuthority(home);
  if (!authority.ok) throw new Error(authority.why);
  const log = openLog('silent');
  const stack = new AsyncDisposableStack();
  const { sites, baseUrl } = await openFront(
    { name: HOST_NAME, host: '127.0.0.1', port: 0, authority: authority.authority, log },
    stack,
  );
  t.teardown(async () => {
    await stack.disposeAsync();
    await rm(home, { recursive: true, force: true });
  });
  const none = (): never => {
    throw new Error('the stand-in does none of this');
  };
  sites.add(
    new AdminSite({
      worlds: {
        names: () => [],
        vendors: () => ['anthropic', 'openai', 'smtp', 'stripe'],
        make: none,
        own: none,
        rotate: none,
        remove: none,
        health: () => ({ status: 'up', worlds: 0, open: 0 }),
        metrics: () => '',
        archives: { give: none, judge: none, begin: none, take: none, abandon: none },
        inventory: () => rowsText(rows()),
        ...worlds,
      },
      baseUrl,
      isAdmin: credential => credential === STAND_IN_ADMIN,
      adminTokenPlace: 'It is the stand-in’s',
      isWorldHost: () => false,
      pageFile,
      log,
    }),
  );
  return baseUrl;
}
