// The worker of edge/ on real workerd, on a port of this machine's loopback: no network, no account.
import { importingRoutes } from '../../control/hosting/routes.ts';
import { bundleEdge, type EdgeBundle } from '../../scripts/edge-bundle.ts';
import { type EdgeServer, type EdgeServerOptions, serveEdge } from '../../scripts/edge-server.ts';
import { freePort } from './free-port.ts';
import { askHost } from './many-worlds.ts';

export type EdgeHostOptions = {
  /** Of an earlier one, so that it is not made twice. */
  readonly bundle?: EdgeBundle;
  /** In which what is stored outlives the host. */
  readonly folder?: string;
  /** Variables and secrets besides the admin token. */
  readonly bindings?: { readonly [name: string]: string };
  readonly outside?: EdgeServerOptions['outside'];
  readonly bucket?: EdgeServerOptions['bucket'];
};

export type EdgeHost = EdgeServer & {
  readonly routes: typeof importingRoutes;
  readonly admin: string;
  readonly code: string;
};

const ADMIN_TOKEN = 'an-admin-token-of-the-tests';

export async function startEdge({ bundle, bindings, ...options }: EdgeHostOptions = {}): Promise<EdgeHost> {
  const made = bundle ?? (await bundleEdge({ minify: false }));
  const server = await serveEdge({
    ...options,
    bundle: made,
    port: await freePort(),
    bindings: { ADMIN_TOKEN, ...bindings },
  });
  return { ...server, routes: importingRoutes, admin: ADMIN_TOKEN, code: made.code };
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

/**
 * As the platform does with an object that nobody has asked for a while: its memory is gone, its WebSockets stay. Rejects where
 * it does not come to rest.
 */
export function putAway({ miniflare }: EdgeHost, name: string): Promise<void> {
  return miniflare.unsafeEvictDurableObject('', 'WorldObject', { name, webSockets: 'hibernate' });
}
