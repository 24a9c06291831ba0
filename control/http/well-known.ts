// GET /<org>/<world>/.well-known/wrld-world: what an attacher needs to put an app into the world (2.4, 4.2).
import type { World } from '../world/world.ts';
import { json } from './answer.ts';
import { withoutUser } from './page.ts';
import type { Route, Visit } from './route.ts';
import { ref } from './shapes.ts';

export const wellKnown: readonly Route[] = [
  {
    method: 'GET',
    path: '/<org>/<world>/.well-known/wrld-world',
    access: 'read',
    tag: 'World',
    summary: 'the world manifest: vendors’ URLs, authority, proxy and the variables to set',
    answers: { 200: { description: 'the manifest', schema: ref('WorldManifest') } },
    run: (_call, world, visit) => json(200, worldManifest(world, visit)),
  },
];

type WorldManifest = {
  readonly name: string;
  /** Vendor id → that twin's URL. */
  readonly vendors: { readonly [vendor: string]: string };
  /** PEM. */
  readonly ca: string;
  /** The proxy's URL; null where the host runs none. */
  readonly proxy: string | null;
  readonly env: { readonly [name: string]: string };
  /** Vendor id of a TCP twin → its stream. */
  readonly streams?: { readonly [vendor: string]: ManifestStream };
};

type ManifestStream = {
  /** Of the WebSocket that carries it (4.2). */
  readonly url: string;
  /** The variables that its clients read: where it is, and its port. */
  readonly env: readonly string[];
  /** Where it listens for programs on the world's own machine. */
  readonly listen?: { readonly host: string; readonly port: number };
};

function worldManifest(world: World, visit: Visit): WorldManifest {
  const { around, presented } = visit;
  const env: { [name: string]: string } = {};
  // What the asker holds already and nothing more: a reader is never handed the world's token (5.1).
  if (presented !== null) env['WRLD_TWINS_KEY'] = presented;
  const vendors: { [vendor: string]: string } = {};
  const streams: { [vendor: string]: ManifestStream } = {};
  for (const vendor of world.vendors) {
    const url = `${around.baseUrl}/${world.name}/${vendor}`;
    vendors[vendor] = url;
    const manifest = world.manifest(vendor);
    if (manifest?.protocol === 'http') env[twinUrlVariable(vendor)] = url;
    if (manifest?.stream !== undefined) {
      const listen = around.streamAt?.(vendor) ?? null;
      streams[vendor] = {
        url: `${around.baseUrl.replace(/^http/, 'ws')}/-/${world.name}/streams/${vendor}`,
        env: manifest.stream.env,
        ...(listen !== null && { listen }),
      };
    }
    // Interception stands in for the variable of a twin that has hosts; only the others need it set.
    if (manifest?.endpointEnv && manifest.hosts.length === 0)
      for (const [name, suffix] of Object.entries(manifest.endpointEnv)) env[name] = `${url}${suffix}`;
  }
  return {
    name: world.name,
    vendors,
    ca: around.ca,
    proxy: proxyUrl(visit),
    env,
    ...(Object.keys(streams).length > 0 && { streams }),
  };
}

/** `STRIPE_TWIN_URL`: where a client finds a twin that nothing stands in for (7.2 `raw-socket-twinned`). */
export function twinUrlVariable(vendor: string): string {
  return `${vendor.toUpperCase().replace(/[^A-Z0-9]/g, '_')}_TWIN_URL`;
}

/** Beyond loopback its user is the world's token (5.1), which goes back to whom already holds it and to nobody else. */
function proxyUrl({ around, asker }: Visit): string | null {
  const url = around.proxyUrl();
  const holder = asker?.by === 'token' && asker.scope === 'write';
  return url === null || holder ? url : withoutUser(url);
}
