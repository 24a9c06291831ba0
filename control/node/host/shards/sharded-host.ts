// A host whose worlds are in processes of their own: what listens, and what closes in which order. It knows nobody but the admin.
import { mkdir } from 'node:fs/promises';
import type { IncomingMessage, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { moduleFile } from '../../../../process/module-file.ts';
import { OF_THE_HOST } from '../../../hosting/admin-site.ts';
import { METRICS_WORLDS_MAX } from '../../../hosting/limits.ts';
import { hostOf } from '../../../http/arrived.ts';
import { NAMED, Sites } from '../../../http/sites.ts';
import { parseTarget } from '../../../http/target.ts';
import type { Log } from '../../../ports/log.ts';
import { isLoopback, urlHost } from '../../addresses.ts';
import { ControlError } from '../../control-error.ts';
import { cannotListen } from '../../front.ts';
import { bind, drain, serverFor } from '../../listener.ts';
import type { LogLevel } from '../../log.ts';
import { openSocketFolder } from '../../sockets.ts';
import { WebSockets } from '../../web-sockets.ts';
import { wakesFile } from '../home.ts';
import type { HostParts, ServedHost } from '../host.ts';
import { type HostOrigins, hostOrigins } from '../origins.ts';
import { HostMetrics } from '../process-metrics.ts';
import { SHARD_LIMITS, type ShardLimits } from './limits.ts';
import { Passage } from './passage.ts';
import { ShardedArchives } from './sharded-archives.ts';
import { ShardedWorlds } from './sharded-worlds.ts';
import { Shards } from './shards.ts';

export type ShardsAsked = {
  readonly count: number;
  /** Of their logs, which go to standard error. */
  readonly logLevel: LogLevel;
  readonly limits?: Partial<ShardLimits>;
};

const SCRIPT = moduleFile(import.meta.url, './shard-main');

/** Throws `ControlError`. */
export async function serveShardedHost(
  parts: HostParts,
  asked: ShardsAsked,
  opened: AsyncDisposableStack,
): Promise<ServedHost> {
  const { options, home, backed } = parts;
  const { host, log } = options;
  const limits = { ...SHARD_LIMITS, ...asked.limits };
  const run = join(home.folder, 'run');
  await mkdir(run, { recursive: true, mode: 0o700 });
  const sockets = await openSocketFolder({ run, socketsNote: join(home.folder, 'sockets') }, opened);
  const passage = new Passage();
  const sites = new Sites(parts.name);
  const way = { site: sites, from: 'client', loopback: isLoopback(host), log } as const;
  let route: (request: IncomingMessage) => string | null = () => null;
  const server = serverFor(
    {
      ...way,
      elsewhere: (request, response, expectsContinue) => {
        const world = route(request);
        if (world !== null)
          passage.pass({ shard: shards.shardFor(world), world }, request, response, expectsContinue);
        return world !== null;
      },
    },
    WebSockets.asksForOne,
  );
  server.on('upgrade', (request: IncomingMessage, socket, head) => {
    // One that names no world is told so by any shard.
    const world = route(request) ?? parts.name;
    passage.upgrade({ shard: shards.shardFor(world), world }, request, socket, head);
  });
  const { socket } = options;
  if (socket === undefined)
    await bind(server, { host, port: options.port }, log).catch(cannotListen(host, options.port));
  opened.defer(() => drain(server));
  const { port } = socket === undefined ? (server.address() as AddressInfo) : options;
  const listensAt = `http://${urlHost(host)}:${port}`;
  const baseUrl = options.baseUrl ?? listensAt;
  const asOrigins = { suffix: options.suffix ?? null, baseUrl: options.baseUrl ?? null, host, port };
  const origins = hostOrigins(asOrigins);
  const shards: Shards = new Shards({
    count: asked.count,
    script: SCRIPT,
    socketOf: shard => join(sockets, `s${shard}.sock`),
    begin: shard => ({
      directory: home.directory,
      wakes: wakesFile(home.folder, shard, asked.count),
      listens: { host, port },
      baseUrl,
      givenBaseUrl: asOrigins.baseUrl,
      suffix: asOrigins.suffix,
      trust: options.trust ?? [],
      budget: options.budget,
      limits: options.limits ?? {},
      logLevel: asked.logLevel,
    }),
    limits,
    log,
  });
  opened.defer(async () => {
    passage.end();
    await shards.close();
  });
  await shards.start(options.looking);
  const metrics = new HostMetrics(METRICS_WORLDS_MAX);
  const tooLong = (name: string): string | null => origins.under?.tooLong(name) ?? null;
  const worlds = new ShardedWorlds({
    ...{ shards, baseUrl, limits, metrics, backed },
    openArchives: around => new ShardedArchives({ directory: home.directory, tooLong, log }, around),
  });
  opened.defer(() => worlds.archives.close());
  route = request => worldOf(request, origins, shards);
  opened.defer(async () => {
    worlds.drain();
    shards.hush();
    await Promise.all([drain(server), passage.close()]);
  });
  const begin = async (): Promise<void> => {
    if (socket !== undefined) await takeOver(server, { socket, port }, log);
  };
  return { worlds, sites, origins, baseUrl, listensAt, begin, renew: () => shards.renew() };
}

/** Who connected meanwhile has waited, and is answered now. Throws `ControlError`. */
async function takeOver(
  server: Server,
  { socket, port }: { readonly socket: number; readonly port: number },
  log: Log,
): Promise<void> {
  const place = `the socket that was handed over (descriptor ${socket})`;
  try {
    await bind(server, { fd: socket }, log);
  } catch (error) {
    throw new ControlError('cannot-listen', `${place} is none that listens: ${(error as Error).message}`);
  }
  const at = server.address() as AddressInfo | string | null;
  if (at === null || typeof at === 'string' || at.port !== port)
    throw new ControlError('cannot-listen', `${place} does not listen at port ${port}, which --port names`);
}

/** The world that a request names; null where it is for the host itself, or names none. As `Sites` picks it. */
function worldOf({ rawHeaders, url }: IncomingMessage, origins: HostOrigins, shards: Shards): string | null {
  const named = worldAtHost(rawHeaders, origins);
  if (named !== null && shards.has(named)) return named;
  const path = parseTarget(url ?? '/')?.path;
  if (path === undefined || OF_THE_HOST.test(path)) return null;
  const name = NAMED.exec(path)?.[1];
  // `/-/ping`: a path of the host's own.
  return name === undefined || name.startsWith('-/') ? null : name;
}

function worldAtHost(rawHeaders: readonly string[], origins: HostOrigins): string | null {
  const host = hostOf(rawHeaders);
  return host.includes('--') ? origins.worldAt(host) : null;
}
