// A shard from within: its part of the worlds of a host, served at a unix socket to the front, which passes on what their clients
// ask and asks itself what its admin does.
import { chmod, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { AdminSite, HOST_NAME } from '../../../hosting/admin-site.ts';
import { METRICS_WORLDS_MAX } from '../../../hosting/limits.ts';
import { Sites } from '../../../http/sites.ts';
import type { Log } from '../../../ports/log.ts';
import { isLoopback } from '../../addresses.ts';
import { bind, drain, serverFor } from '../../listener.ts';
import { logWith, openLog } from '../../log.ts';
import { pageFile } from '../../page-files.ts';
import { Streams } from '../../streams.ts';
import { serveUpgrades, WebSockets } from '../../web-sockets.ts';
import { DirectoryWatch } from '../directory.ts';
import { HOST_FOLDER, hostAuthority } from '../home.ts';
import { hostOrigins } from '../origins.ts';
import { HostMetrics } from '../process-metrics.ts';
import { openWorldsHere, type WorldsHere } from '../worlds-here.ts';
import type { Ask, AskKind, Asks, Begin, FromShard, ToShard } from './messages.ts';
import { NamesTold } from './names-told.ts';
import { shardOf } from './share.ts';

export type ShardWorlds = {
  take(message: Exclude<ToShard, Begin | { kind: 'close' | 'speak' }>): void;
  /** Lets what is in flight finish, then closes every world. */
  close(): Promise<void>;
};

/** `say` reaches the front, in order. Throws `ControlError`, with nothing left open. */
export async function openShardWorlds(begin: Begin, say: (message: FromShard) => void): Promise<ShardWorlds> {
  const { shard, of, directory } = begin;
  const log = logWith({ shard }, openLog(begin.logLevel));
  await using opened = new AsyncDisposableStack();
  const names = new NamesTold(say);
  const metrics = new HostMetrics(Math.floor(METRICS_WORLDS_MAX / of));
  const here = await openListeningWorlds({ begin, log, metrics, names, say }, opened);
  const { worlds, branches } = here;
  branches.shelf.known.hear((name, is) => names.hear(name, is));
  const watch: DirectoryWatch = opened.use(
    new DirectoryWatch(directory, log, async () => watch.follow((await worlds.look()).orgs)),
  );
  watch.follow((await worlds.look(looking => say({ kind: 'looking', looking }))).orgs);
  branches.lookAfter();
  names.begin();
  const kept = opened.move();
  return {
    take: message => {
      if (message.kind === 'known') return names.acknowledged(message.id);
      if (message.kind === 'hush') return here.hush();
      const { id, ask } = message;
      answer(ask, here, metrics).then(
        told => {
          names.flush();
          say({ kind: 'answer', id, answer: told });
        },
        error => {
          log.error({ err: error, asked: ask.of }, 'what the admin asked for ended in a bug');
          say({ kind: 'fault', id });
        },
      );
    },
    close: () => kept.disposeAsync(),
  };
}

type Listening = {
  readonly begin: Begin;
  readonly log: Log;
  readonly metrics: HostMetrics;
  readonly names: NamesTold;
  readonly say: (message: FromShard) => void;
};

async function openListeningWorlds(
  { begin, log, metrics, names, say }: Listening,
  opened: AsyncDisposableStack,
): Promise<WorldsHere & { readonly hush: () => void }> {
  const { shard, of, directory, baseUrl, socket, listens } = begin;
  const authority = await hostAuthority(join(directory, HOST_FOLDER));
  const origins = hostOrigins({ suffix: begin.suffix, baseUrl: begin.givenBaseUrl, ...listens });
  const sites = new Sites(HOST_NAME);
  const streams = new Streams({ authority, log });
  sites.onGone(gone => streams.cut(gone));
  const barred = barredFor(begin);
  const here = await openWorldsHere(
    {
      directory,
      wakes: begin.wakes,
      authority,
      sites,
      streams,
      listens,
      baseUrl,
      origins,
      trust: begin.trust,
      budget: begin.budget,
      limits: begin.limits,
      metrics,
      backed: () => null,
      log,
      isOurs: path => shardOf(path, of) === shard,
      barred,
      opening: (name, is) => say({ kind: 'opening', name, is }),
      branchMade: () => names.known(),
    },
    opened,
  );
  // Of what names no world that is here. The admin asks the front.
  sites.add(
    new AdminSite({
      worlds: here.worlds,
      baseUrl,
      isAdmin: () => false,
      adminTokenPlace: '',
      isWorldHost: origins.isOfAWorld,
      pageFile,
      log,
    }),
  );
  const way = {
    site: sites,
    from: 'client',
    loopback: isLoopback(listens.host),
    behindFront: true,
    log,
  } as const;
  // The front has its own bound of connections, and each of those here is one of its clients'.
  const server = serverFor({ ...way, connectionsMax: Number.POSITIVE_INFINITY }, WebSockets.asksForOne);
  const sockets = new WebSockets({ ...way, streams });
  serveUpgrades(server, sockets);
  await rm(socket, { force: true });
  await bind(server, { path: socket }, log);
  await chmod(socket, 0o600);
  let closing: Promise<void> | null = null;
  const hush = (): void => {
    here.worlds.drain();
    here.branches.hush();
    closing ??= sockets.close();
  };
  opened.defer(async () => {
    hush();
    await Promise.all([closing, drain(server)]);
  });
  return { ...here, hush };
}

function barredFor({ barred }: Begin): (world: string) => string | null {
  const began = performance.now();
  const byWorld = new Map(barred.map(each => [each.world, each]));
  return world => {
    const found = byWorld.get(world);
    return found === undefined || performance.now() - began > found.forMs ? null : found.why;
  };
}

async function answer(
  ask: Ask,
  { worlds }: WorldsHere,
  metrics: HostMetrics,
): Promise<Asks[AskKind]['answer']> {
  switch (ask.of) {
    case 'pulse': {
      const { worlds: size, open } = await worlds.health();
      return { worlds: size, open };
    }
    case 'counts':
      return metrics.counts;
    case 'inventory': {
      const { after, most, seen } = ask.with;
      const { page, last } = await worlds.page(after, most);
      return { page: page.stamp === seen ? null : page, last };
    }
    case 'arrived':
      return worlds.arrived(ask.with.names);
    case 'make':
      return worlds.make(ask.with);
    case 'own':
      return worlds.own(ask.with.name, ask.with.owner);
    case 'rotate':
      return worlds.rotate(ask.with.name);
    case 'remove':
      return worlds.remove(ask.with.name);
  }
}
