// The worker of edge/ on real workerd, on a port of this machine's loopback: no network, no account.
import { Log, LogLevel, Miniflare } from 'miniflare';
import { importingRoutes } from '../../control/hosting/routes.ts';
import { bundleEdge, type EdgeBundle } from '../../scripts/edge-bundle.ts';
import { freePort } from './free-port.ts';
import { askHost } from './many-worlds.ts';

export type EdgeHostOptions = {
  readonly bundle?: EdgeBundle;
  /** A folder in which what is stored outlives the host. */
  readonly folder?: string;
  readonly port?: number;
  /** Besides the admin token: variables and secrets. */
  readonly bindings?: { readonly [name: string]: string };
};

export type EdgeHost = AsyncDisposable & {
  readonly baseUrl: string;
  readonly routes: typeof importingRoutes;
  readonly admin: string;
  readonly code: string;
  readonly miniflare: Miniflare;
};

export const ADMIN_TOKEN = 'an-admin-token-of-the-tests';

export async function startEdge(options: EdgeHostOptions = {}): Promise<EdgeHost> {
  const bundle = options.bundle ?? (await bundleEdge({ minify: false }));
  const port = options.port ?? (await freePort());
  const baseUrl = `http://127.0.0.1:${port}`;
  const { folder } = options;
  const miniflare = new Miniflare({
    log: new Log(LogLevel.NONE),
    host: '127.0.0.1',
    port,
    cf: false,
    modules: true,
    script: bundle.script,
    compatibilityDate: '2026-07-01',
    compatibilityFlags: ['nodejs_compat'],
    durableObjects: {
      WORLDS: { className: 'WorldObject', useSQLite: true },
      INVENTORY: { className: 'InventoryObject', useSQLite: true },
    },
    r2Buckets: ['BLOBS'],
    bindings: { ADMIN_TOKEN, BASE_URL: baseUrl, ...options.bindings },
    ...(folder !== undefined && { defaultPersistRoot: folder, durableObjectsPersist: true, r2Persist: true }),
  });
  await miniflare.ready;
  return {
    baseUrl,
    routes: importingRoutes,
    admin: ADMIN_TOKEN,
    code: bundle.code,
    miniflare,
    [Symbol.asyncDispose]: () => miniflare.dispose(),
  };
}

/** A world of it; answers its row. */
export async function edgeWorld(
  edge: EdgeHost,
  name: string,
  { vendors = ['stripe'], ...more }: { readonly vendors?: readonly string[] } & Record<string, unknown> = {},
): Promise<{ readonly token: string; readonly readToken: string }> {
  const [org, world] = name.split('/');
  const body = { org, world, vendors, ...more };
  const made = await askHost(edge, 'POST', '/-/worlds', { token: edge.admin, body });
  if (made.status !== 201) throw new Error(`${made.status} ${made.text}`);
  return made.json;
}
