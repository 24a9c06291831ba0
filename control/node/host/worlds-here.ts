// The worlds of a host's directory that this process opens: all of them, or those of one shard. What listens is somebody
// else's: these only need to know where.
import type { Authority } from '../../../certs/authority.ts';
import type { Sites } from '../../http/sites.ts';
import type { Log } from '../../ports/log.ts';
import type { BudgetLimits } from '../../world/access/budget.ts';
import { Branches } from '../branches.ts';
import { ControlError } from '../control-error.ts';
import { issuersOfEnvironment } from '../environment.ts';
import type { BranchLimits } from '../limits.ts';
import { Settler } from '../settler.ts';
import type { Streams } from '../streams.ts';
import { trustedIssuers } from '../trusted-issuers.ts';
import { WakeNotes } from '../wake-notes.ts';
import type { Backed } from './backup-schedule.ts';
import { DirectoryWorlds } from './directory-worlds.ts';
import { openWorldsMax, WORLD_IDLE_MS } from './limits.ts';
import { openBareWorld, type SharedHost } from './open-world.ts';
import type { HostOrigins } from './origins.ts';
import type { HostMetrics } from './process-metrics.ts';

export type WorldsHereParts = {
  readonly directory: string;
  /** A file of this process alone. */
  readonly wakes: string;
  readonly authority: Authority;
  readonly sites: Sites;
  readonly streams: Streams;
  /** Where the host listens. */
  readonly listens: { readonly host: string; readonly port: number };
  readonly baseUrl: string;
  readonly origins: HostOrigins;
  readonly trust: readonly string[];
  readonly budget: BudgetLimits | null;
  readonly limits: Partial<BranchLimits>;
  readonly metrics: HostMetrics;
  readonly backed: () => Backed | null;
  readonly log: Log;
  /** Of the paths below the directory those that are this process's; all of them unless given. */
  readonly isOurs?: (path: string) => boolean;
  /** Why a world is not opened, whoever asks; null for one that may be. */
  readonly barred?: (world: string) => string | null;
  /** Hears of each world that is about to be opened, and of each that was. */
  readonly opening?: (world: string, is: boolean) => void;
  /** Hears of a branch before who asked for it does. */
  readonly branchMade?: (world: string) => Promise<void>;
};

export type WorldsHere = { readonly worlds: DirectoryWorlds; readonly branches: Branches };

/** None is known before the first look at the directory. Throws `ControlError`. */
export async function openWorldsHere(
  parts: WorldsHereParts,
  opened: AsyncDisposableStack,
): Promise<WorldsHere> {
  const { directory, authority, sites, streams, baseUrl, origins, metrics, log } = parts;
  const notes = opened.use(new WakeNotes(parts.wakes));
  const settler = opened.use(new Settler());
  const branches = opened.use(
    new Branches({
      sites,
      log,
      ownOrigin: origins.of,
      runs: null,
      isBusy: name => streams.isOpenTo(name),
      limits: { openMax: openWorldsMax(), idleMs: WORLD_IDLE_MS, ...parts.limits },
      notes,
      attendance: name => worlds.served(name),
      refusal: (name, error) => worlds.refusal(name, error),
      ...(parts.branchMade && { made: parts.branchMade }),
    }),
  );
  const shared: SharedHost = {
    directory,
    listens: parts.listens,
    streams,
    log,
    baseUrl,
    ownOrigin: origins.of,
    siteForm: origins.under === null ? 'local' : 'hosted',
    ca: authority.certificatePem,
    refusals: () => [],
    trusted: await trustedIssuers([...issuersOfEnvironment(), ...parts.trust], directory),
    budget: parts.budget,
    settler,
  };
  const worlds = new DirectoryWorlds({
    directory,
    baseUrl,
    log,
    metrics,
    backed: parts.backed,
    branches,
    open: name => openOne(name, shared, parts),
    tooLong: name => origins.under?.tooLong(name) ?? null,
    ...(parts.isOurs && { isOurs: parts.isOurs }),
  });
  return { worlds, branches };
}

async function openOne(
  name: string,
  shared: SharedHost,
  { barred, opening }: WorldsHereParts,
): ReturnType<typeof openBareWorld> {
  const why = barred?.(name) ?? null;
  if (why !== null) throw new ControlError('world-barred', why);
  opening?.(name, true);
  try {
    return await openBareWorld(name, shared);
  } finally {
    opening?.(name, false);
  }
}
