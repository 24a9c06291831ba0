// From a world that is up to the environment that puts a program into it.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { WorldPaths } from '../control/node/paths.ts';
import { type Environment, type RunEnvironment, runEnvironment } from './environment.ts';
import { readOwnLoopback, writeNetworkPolicy } from './network-policy.ts';
import { type StreamsOfWorld, streamVariables } from './stream-listener.ts';
import { type WrittenTrust, writeTrust } from './trust.ts';
import { type WorldClient, worldClient } from './world-client.ts';

/** What programs load in a world, by language. */
export const ATTACH_FOLDER: string = fileURLToPath(new URL('../attach', import.meta.url));

/** Where a world that is up can be reached, and with what. */
export type Reach = {
  readonly baseUrl: string;
  readonly worldUrl: string;
  readonly proxyUrl: string;
  readonly caFile: string;
  readonly token: string;
};

export type WorldEnvironment =
  | ({
      readonly ok: true;
      /** The streams that listen nowhere yet: nothing points their clients at the world until somebody does. */
      readonly streams: StreamsOfWorld;
      /** Those that listen on this machine's loopback already. */
      readonly streamPorts: readonly number[];
      readonly trust: WrittenTrust;
    } & RunEnvironment)
  | { readonly ok: false; readonly why: string };

export async function worldEnvironment(
  /** `config`: where the world is of this machine. */
  paths: Pick<WorldPaths, 'run'> & Partial<Pick<WorldPaths, 'config'>>,
  reach: Reach,
  env: { readonly [name: string]: string | undefined },
  /** Where the program finds it. */
  attachFolder: string = ATTACH_FOLDER,
): Promise<WorldEnvironment> {
  const client = worldClient(reach.baseUrl, reach.token);
  const [trust, described, ownLoopback] = await Promise.all([
    writeTrust(join(paths.run, 'trust'), reach.caFile, env),
    describe(client, new URL(reach.worldUrl).pathname),
    readOwnLoopback(paths.config),
  ]);
  if (!described.ok) return described;
  const networkPolicy = await writeNetworkPolicy(join(paths.run, 'policies'), {
    world: reach.worldUrl,
    ownLoopback: ownLoopback ?? true,
    reachable: reachable(reach.worldUrl, described.streams),
  });
  return {
    ok: true,
    streamPorts: Object.values(described.streams).flatMap(({ listen }) =>
      listen === undefined ? [] : [listen.port],
    ),
    trust,
    streams: Object.fromEntries(
      Object.entries(described.streams).filter(([, { listen }]) => listen === undefined),
    ),
    ...runEnvironment(env, {
      proxyUrl: reach.proxyUrl,
      trust,
      attachModule: join(attachFolder, 'register.cjs'),
      pythonFolder: join(attachFolder, 'python'),
      rubyModule: join(attachFolder, 'ruby', 'wrld_attach.rb'),
      worldUrl: reach.worldUrl,
      worldToken: reach.token,
      worldEnv: described.env,
      streamVariables: Object.values(described.streams).flatMap(stream => stream.env),
      networkPolicy,
      twinHosts: described.hosts,
    }),
  };
}

/** Where the world itself listens. */
function reachable(worldUrl: string, streams: StreamsOfWorld): string[] {
  const { hostname, port, protocol } = new URL(worldUrl);
  const own = `${hostname.replace(/^\[|\]$/g, '')}:${port || (protocol === 'https:' ? 443 : 80)}`;
  const listening = Object.values(streams).flatMap(({ listen }) => (listen === undefined ? [] : [listen]));
  return [own, ...listening.map(({ host, port }) => `${host}:${port}`)];
}

type Described =
  | {
      readonly ok: true;
      readonly env: Environment;
      readonly streams: StreamsOfWorld;
      readonly hosts: readonly string[];
    }
  | { readonly ok: false; readonly why: string };

async function describe(client: WorldClient, place: string): Promise<Described> {
  const no = (why: string): Described => ({ ok: false, why: `the world does not answer: ${why}` });
  const manifest = await client.get(`${place}/.well-known/wrld-world`);
  if (!manifest.ok) return no(manifest.why);
  if (manifest.status !== 200) return no(`status ${manifest.status}`);
  const { vendors, env, streams = {} } = manifest.body as Manifest;
  const hosts: string[] = [];
  const twins = Object.keys(vendors).map(vendor => client.get(`${place}/${vendor}/twin`));
  for (const twin of await Promise.all(twins)) {
    if (!twin.ok) return no(twin.why);
    const listed =
      (twin.body as { readonly hosts?: readonly { readonly host: string }[] } | null)?.hosts ?? [];
    hosts.push(...listed.map(({ host }) => host));
  }
  return { ok: true, env: { ...env, ...listening(streams) }, streams, hosts };
}

/** What is used of the world's manifest (2.4). */
type Manifest = {
  readonly vendors: Environment;
  readonly env: Environment;
  readonly streams?: StreamsOfWorld;
};

/** Where the streams of TCP twins listen, in the variables that their clients read. */
function listening(streams: StreamsOfWorld): Environment {
  return Object.assign({}, ...Object.values(streams).map(({ env, listen }) => streamVariables(env, listen)));
}
