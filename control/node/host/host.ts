// A host of many worlds (4.10): one listener, and behind it every bare world under a directory, opened when it is asked for
// and closed when it is not. What takes the place of a process for each group of worlds is `DirectoryWorlds` and the shelf
// that it stands on: both know worlds by name alone.

import { AdminSite, HOST_NAME } from '../../hosting/admin-site.ts';
import type { OriginsUnder } from '../../hosting/origins.ts';
import type { Log } from '../../ports/log.ts';
import type { BudgetLimits } from '../../world/access/budget.ts';
import type { Secret } from '../../world/access/secret.ts';
import { ownOriginOf } from '../addresses.ts';
import { Branches } from '../branches.ts';
import { asControlError } from '../control-error.ts';
import { issuersOfEnvironment } from '../environment.ts';
import { type Front, openFront } from '../front.ts';
import type { BranchLimits } from '../limits.ts';
import { pageFile } from '../page-files.ts';
import { trustedIssuers } from '../trusted-issuers.ts';
import { WakeNotes } from '../wake-notes.ts';
import { type AdminToken, openAdminToken } from './admin-token.ts';
import { type BackupSchedule, ScheduledBackups } from './backup-schedule.ts';
import { DirectoryWatch } from './directory.ts';
import { DirectoryWorlds } from './directory-worlds.ts';
import { type HostHome, openHostHome } from './home.ts';
import { HostMetrics } from './host-metrics.ts';
import { openWorldsMax, WORLD_IDLE_MS } from './limits.ts';
import { openBareWorld, type SharedHost } from './open-world.ts';
import { originUnder } from './origins.ts';

export type HostOptions = {
  readonly directory: string;
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** As its clients name it, where something stands in front: `https://worlds.example.com`. */
  readonly baseUrl?: string;
  /** `.worlds.example.com` (5.3-2): each world's own origin is a name under it. */
  readonly suffix?: string;
  /** Of the environment. */
  readonly adminToken?: string;
  readonly trust?: readonly string[];
  /** Requests that each world answers (8). */
  readonly budget: BudgetLimits | null;
  /** Absent: it makes no backups by itself. */
  readonly backups?: BackupSchedule;
  readonly log: Log;
  readonly limits?: Partial<BranchLimits>;
};

export type RunningHost = AsyncDisposable & {
  /** As its clients name it. */
  readonly baseUrl: string;
  /** `http://127.0.0.1:<port>` */
  readonly listensAt: string;
  readonly directory: string;
  readonly adminToken: Pick<AdminToken, 'minted'> & { readonly secret: Secret; readonly file: string | null };
  /** Those that there are now, sorted. */
  names(): readonly string[];
  /** Lets what is in flight finish, then closes every world. */
  close(): Promise<void>;
};

/** Throws `ControlError`, with nothing left running. */
export function startHost(options: HostOptions): Promise<RunningHost> {
  return start(options).catch(error => {
    throw asControlError(error, options.directory);
  });
}

async function start(options: HostOptions): Promise<RunningHost> {
  const { host, port, log } = options;
  await using opened = new AsyncDisposableStack();
  const home = await openHostHome(options.directory, opened);
  const { directory } = home;
  const admin = await openAdminToken(home.adminToken, options.adminToken);
  const front = await openFront({ name: HOST_NAME, host, port, authority: home.authority, log }, opened);
  const baseUrl = options.baseUrl ?? front.baseUrl;
  const under = options.suffix === undefined ? null : originUnder(options.suffix, options.baseUrl ?? null);
  const metrics = new HostMetrics();
  const { worlds, branches } = await openWorlds({ options, home, front, baseUrl, under, metrics }, opened);
  opened.defer(() => front.close());
  await worlds.archives.clear();
  opened.defer(() => worlds.archives.close());
  opened.defer(() => {
    worlds.drain();
    branches.hush();
  });
  const watch: DirectoryWatch = opened.use(
    new DirectoryWatch(directory, log, async () => watch.follow((await worlds.look()).orgs)),
  );
  watch.follow((await worlds.look()).orgs);
  const isWorldHost = (named: string): boolean => under?.isOfAWorld(named) ?? isLocalForm(named);
  const adminTokenPlace = 'The host keeps it in .wrld-host/admin-token, unless it was given another';
  front.sites.add(
    new AdminSite({ worlds, baseUrl, isAdmin: admin.is, adminTokenPlace, isWorldHost, pageFile, log }),
  );
  branches.lookAfter();
  if (options.backups !== undefined) {
    const backups = opened.use(await ScheduledBackups.open({ ...options.backups, directory, log }));
    metrics.backsUp(() => backups.last);
  }
  log.info({ directory, baseUrl, worlds: worlds.names().length }, 'the host is up');
  const kept = opened.move();
  let closing: Promise<void> | null = null;
  const close = (): Promise<void> => (closing ??= kept.disposeAsync());
  const file = options.adminToken === undefined ? home.adminToken : null;
  return {
    baseUrl,
    listensAt: front.baseUrl,
    directory,
    adminToken: { secret: admin.secret, minted: admin.minted, file },
    names: () => worlds.names(),
    close,
    [Symbol.asyncDispose]: close,
  };
}

type Standing = {
  readonly options: HostOptions;
  readonly home: HostHome;
  readonly front: Front;
  readonly baseUrl: string;
  /** Null where worlds have origins under localhost, if any. */
  readonly under: OriginsUnder | null;
  readonly metrics: HostMetrics;
};

/** None is known before the first look at the directory. */
async function openWorlds(
  { options, home, front, baseUrl, under, metrics }: Standing,
  opened: AsyncDisposableStack,
): Promise<{ readonly worlds: DirectoryWorlds; readonly branches: Branches }> {
  const { host, log, trust = [], budget } = options;
  const { directory, authority } = home;
  // A page at a name under localhost is let in with nothing (5.3-4): not where others come through what stands in front.
  const local = (name: string): string | null =>
    options.baseUrl === undefined ? ownOriginOf(name, host, front.port) : null;
  const ownOrigin = (name: string): string | null => (under === null ? local(name) : under.of(name));
  const notes = opened.use(new WakeNotes(home.wakes));
  const branches = opened.use(
    new Branches({
      sites: front.sites,
      log,
      ownOrigin,
      runs: null,
      isBusy: name => front.streams.isOpenTo(name),
      limits: { openMax: openWorldsMax(), idleMs: WORLD_IDLE_MS, ...options.limits },
      notes,
      attendance: name => worlds.served(name),
      refusal: (name, error) => worlds.refusal(name, error),
    }),
  );
  const shared: SharedHost = {
    directory,
    listens: { host, port: front.port },
    streams: front.streams,
    log,
    baseUrl,
    ownOrigin,
    siteForm: under === null ? 'local' : 'hosted',
    ca: authority.certificatePem,
    refusals: () => [],
    trusted: await trustedIssuers([...issuersOfEnvironment(), ...trust], directory),
    budget,
  };
  const worlds = new DirectoryWorlds({
    directory,
    baseUrl,
    log,
    metrics,
    branches,
    open: name => openBareWorld(name, shared),
    tooLong: name => under?.tooLong(name) ?? null,
  });
  return { worlds, branches };
}

/** `<world>--<org>.localhost:<port>`, or an address of a site of that world's. */
function isLocalForm(host: string): boolean {
  return /^(?:[^.]+\.)?[^.]+--[^.]+\.localhost(?::\d+)?$/i.test(host);
}
