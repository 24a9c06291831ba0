// A host of many worlds (4.10): one listener, and behind it every bare world under a directory, opened when it is asked for
// and closed when it is not: in this process, or in shards (shards/), each a process that has a part of them.
import { AdminSite, HOST_NAME } from '../../hosting/admin-site.ts';
import type { HostWorlds } from '../../hosting/host-worlds.ts';
import type { Sites } from '../../http/sites.ts';
import type { Log } from '../../ports/log.ts';
import type { BudgetLimits } from '../../world/access/budget.ts';
import type { Secret } from '../../world/access/secret.ts';
import { asControlError, ControlError } from '../control-error.ts';
import type { BranchLimits } from '../limits.ts';
import { pageFile } from '../page-files.ts';
import { type AdminToken, openAdminToken } from './admin-token.ts';
import { type Backed, type BackupSchedule, ScheduledBackups } from './backup-schedule.ts';
import type { Looking } from './directory.ts';
import { dropArrivals, dropOtherWakes, type HostHome, openHostHome } from './home.ts';
import type { HostOrigins } from './origins.ts';
import { type ShardsAsked, serveShardedHost } from './shards/sharded-host.ts';

export type HostOptions = {
  readonly directory: string;
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** A descriptor that listens there already, and goes on when this host has ended; it is accepted from when all is ready. */
  readonly socket?: number;
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
  /** Hears how far it is while it opens the directory, and no more when it is up. */
  readonly looking?: (looking: Looking) => void;
  /** How many processes serve the worlds; absent: this one serves all of them. */
  readonly shards?: ShardsAsked;
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
  /**
   * The processes of its worlds are replaced one after the other by those of the code that lies there now, and no request is
   * refused meanwhile. What comes of it is logged, and told; one at a time.
   */
  renew(): Promise<boolean>;
  /** Lets what is in flight finish, then closes every world. */
  close(): Promise<void>;
};

/** Throws `ControlError`, with nothing left running. */
export function startHost(options: HostOptions): Promise<RunningHost> {
  return start(options).catch(error => {
    throw asControlError(error, options.directory);
  });
}

/** What a host has in hand before it serves anything. */
export type HostParts = {
  /** In the place of a world's, of the host's own site. */
  readonly name: string;
  readonly options: HostOptions;
  readonly home: HostHome;
  /** How the last run of backups went; null where the host makes none. */
  readonly backed: () => Backed | null;
};

export type ServedHost = {
  readonly worlds: Omit<HostWorlds, 'names'> & { names(): readonly string[] };
  readonly sites: Sites;
  readonly origins: HostOrigins;
  /** As its clients name it. */
  readonly baseUrl: string;
  readonly listensAt: string;
  /** Everything is in its place: what closed worlds have to do by themselves is looked for. */
  begin(): void | Promise<void>;
  /** As `RunningHost.renew`; absent where nothing can be renewed. Throws `ControlError`. */
  renew?(): Promise<void>;
};

async function start(options: HostOptions): Promise<RunningHost> {
  const { log, shards } = options;
  await using opened = new AsyncDisposableStack();
  const home = await openHostHome(options.directory, opened);
  const { directory } = home;
  const admin = await openAdminToken(home.adminToken, options.adminToken);
  for (const world of await dropArrivals(home.folder))
    log.warn(
      { world },
      'a world was arriving when the host ended; what had come of it is removed, move it again',
    );
  await dropOtherWakes(home.folder, shards?.count ?? 1);
  let backups: ScheduledBackups | null = null;
  const parts: HostParts = { name: HOST_NAME, options, home, backed: () => backups?.last ?? null };
  // The front of shards is thin: it loads nothing of what a world is made of.
  const served =
    shards === undefined
      ? await (await import('./one-process.ts')).serveHere(parts, opened)
      : await serveShardedHost(parts, shards, opened);
  const { worlds, sites, origins, baseUrl, listensAt } = served;
  sites.add(
    new AdminSite({
      worlds,
      baseUrl,
      isAdmin: admin.is,
      adminTokenPlace: 'The host keeps it in .wrld-host/admin-token, unless it was given another',
      isWorldHost: origins.isOfAWorld,
      pageFile,
      log,
    }),
  );
  await served.begin();
  if (options.backups !== undefined)
    backups = opened.use(await ScheduledBackups.open({ ...options.backups, directory, log }));
  log.info({ directory, baseUrl, worlds: worlds.names().length }, 'the host is up');
  const kept = opened.move();
  let closing: Promise<void> | null = null;
  const close = (): Promise<void> => (closing ??= kept.disposeAsync());
  let renewing: Promise<boolean> = Promise.resolve(true);
  const file = options.adminToken === undefined ? home.adminToken : null;
  return {
    baseUrl,
    listensAt,
    directory,
    adminToken: { secret: admin.secret, minted: admin.minted, file },
    names: () => worlds.names(),
    renew: () => (renewing = renewing.then(() => renewed(served, log))),
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function renewed({ renew }: ServedHost, log: Log): Promise<boolean> {
  if (renew === undefined) {
    log.warn({}, 'the worlds are in this process: for a new release restart the host, or give it --shards');
    return false;
  }
  try {
    await renew();
    log.info({}, 'every shard is of the release that is installed now');
    return true;
  } catch (error) {
    if (!(error instanceof ControlError)) throw error;
    log.error({ why: error.message }, 'the shards could not be renewed');
    return false;
  }
}
