// The worker (4.11): takes every request of a deployment, and gives it to the object of the world that it names, or answers
// it as the host that all of them are under.
import { AdminSite } from '../control/hosting/admin-site.ts';
import { isAdminToken } from '../control/hosting/admin-token.ts';
import { type OriginsUnder, originsUnder } from '../control/hosting/origins.ts';
import { parseTarget } from '../control/http/target.ts';
import { parseWorldName } from '../control/world/config/world-name.ts';
import { digest } from './digest.ts';
import { type Env, worldOf } from './env.ts';
import { arrivedOf, exchange } from './exchange.ts';
import { openLog } from './log.ts';
import { ObjectWorlds } from './object-worlds.ts';
import { pageFile } from './page-files.ts';
import { NO_WORLD } from './world-object.ts';

export { InventoryObject } from './inventory-object.ts';
export { WorldObject } from './world-object.ts';

const log = openLog();
const NAMED = /^\/(?:-\/)?([^/]+\/[^/]+)(?:\/|$)/;

// biome-ignore lint/style/noDefaultExport: that is what a worker is
export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const origins = originsOf(env);
    const name = worldIn(request, origins);
    if (name !== null) {
      const answer = await worldOf(env, name).fetch(request);
      if (!answer.headers.has(NO_WORLD)) return answer;
    }
    return exchange(adminSite(request, env, origins).admit(arrivedOf(request)), request, {
      log,
      headers: [],
    });
  },
};

function originsOf({ WORLD_ORIGIN_SUFFIX: suffix, BASE_URL }: Env): OriginsUnder | null {
  if (suffix === undefined || suffix === '') return null;
  const origins = originsUnder(suffix, BASE_URL ?? null);
  if (origins === null)
    log.error(
      {},
      `WORLD_ORIGIN_SUFFIX is no suffix: a dot and a name in lower case, such as .worlds.example.com`,
    );
  return origins;
}

/** At a world's own origin that world alone is served, or a page of one could ask another with its cookies. */
function worldIn(request: Request, origins: OriginsUnder | null): string | null {
  const host = request.headers.get('host') ?? '';
  const { target } = arrivedOf(request);
  const path = parseTarget(target)?.path;
  const name = origins?.isOfAWorld(host)
    ? origins.worldAt(host)
    : path === undefined
      ? undefined
      : NAMED.exec(path)?.[1];
  return name != null && parseWorldName(name).ok ? name : null;
}

function adminSite(request: Request, env: Env, origins: OriginsUnder | null): AdminSite {
  const baseUrl = env.BASE_URL ?? new URL(request.url).origin;
  return new AdminSite({
    worlds: new ObjectWorlds({ env, baseUrl, origins, log }),
    baseUrl,
    isAdmin: credential => isAdmin(credential, env.ADMIN_TOKEN),
    adminTokenPlace: 'It is the ADMIN_TOKEN secret of the worker',
    pageFile,
    isWorldHost: host => origins?.isOfAWorld(host) ?? false,
    log,
  });
}

/** Compared by their hashes: how long that takes tells nothing of the token. */
function isAdmin(credential: string, token: string | undefined): boolean {
  if (token === undefined || !isAdminToken(token)) {
    log.error(
      {},
      'ADMIN_TOKEN is missing or no admin token; nobody is let in. Set it: wrangler secret put ADMIN_TOKEN',
    );
    return false;
  }
  return digest.equal(digest.sha256(credential), digest.sha256(token));
}
