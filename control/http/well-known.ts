// GET /<org>/<world>/.well-known/wrld-world: what an attacher needs to put an app into the world (2.4, 4.2).
import type { World } from '../world/world.ts';
import { json } from './answer.ts';
import type { Route, Visit } from './route.ts';

export const wellKnown: readonly Route[] = [
  {
    method: 'GET',
    path: '/<org>/<world>/.well-known/wrld-world',
    access: 'read',
    summary: 'the world manifest: vendors’ URLs, authority, proxy and the variables to set',
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
};

function worldManifest(world: World, visit: Visit): WorldManifest {
  const { around, presented } = visit;
  const env: { [name: string]: string } = {};
  // What the asker holds already and nothing more: a reader is never handed the world's token (5.1).
  if (presented !== null) env['WRLD_TWINS_KEY'] = presented;
  const vendors: { [vendor: string]: string } = {};
  for (const vendor of world.vendors) {
    const url = `${around.baseUrl}/${world.name}/${vendor}`;
    vendors[vendor] = url;
    const manifest = world.manifest(vendor);
    // Interception stands in for the variable of a twin that has hosts; only the others need it set.
    if (manifest?.endpointEnv && manifest.hosts.length === 0)
      for (const [name, suffix] of Object.entries(manifest.endpointEnv)) env[name] = `${url}${suffix}`;
  }
  return { name: world.name, vendors, ca: around.ca, proxy: around.proxyUrl(), env };
}
