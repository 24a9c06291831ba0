// The parts of a world, made in order: the kernel, the real vendors behind it, and those who read what happened.
import type { Sealer } from '../ports/sealer.ts';
import { Aliases } from './changesets/aliases.ts';
import { Changesets } from './changesets/changesets.ts';
import { Deploys } from './changesets/deploy.ts';
import { Pushes } from './changesets/push.ts';
import { Checks } from './checks/checks.ts';
import { Tree } from './checks/tree.ts';
import { askOver } from './origin/asking.ts';
import { Origin } from './origin/origin.ts';
import { Past } from './past/past.ts';
import { Recordings } from './recordings/recordings.ts';
import { Reports } from './report/reports.ts';
import { LookedAt } from './requests/looked-at.ts';
import type { KnownTwin } from './requests/request-lines.ts';
import { RootedTwins } from './roots/rooted-twins.ts';
import { Roots } from './roots/roots.ts';
import { openVendors } from './roots/vendors.ts';
import { Seals } from './seals/seals.ts';
import { Conversations } from './story/conversations.ts';
import { Find } from './story/find.ts';
import { Story } from './story/story.ts';
import { VendorAnswers } from './story/vendor-answer.ts';
import { Webhooks } from './work/webhooks.ts';
import { kernelOf, type WorldKernel, type WorldOptions } from './world-kernel.ts';

export type WorldParts = Awaited<ReturnType<typeof partsOf>>;

/** The store is at the newest schema. */
export const partsOf = async (options: WorldOptions) => {
  const { name, digest, entropy, outbound, sandbox = null, sealer = NO_SEALER } = options;
  const kernel = await kernelOf(options);
  const { sql, blobs, history, whole, wall, threshold } = kernel;
  const seals = new Seals({ ...options, ...kernel, world: name, sealer });
  const recordings: Recordings = new Recordings({
    ...kernel,
    world: name,
    outbound,
    tell: () => real.places.tell(),
  });
  const { real, roots, asks, root } = await vendorsOf(options, kernel, seals, recordings);
  const past = new Past({ world: name, ...kernel });
  const own = { ...kernel, lifetime: kernel.ending.signal, digest, entropy };
  const changesets = new Changesets({ ...own, world: name });
  const aliases = new Aliases(sql);
  const { pause } = options.vendors ?? {};
  const deploys = new Deploys({ ...own, changesets, aliases, asks, root, pause });
  const pushes = new Pushes({ ...own, changesets, deploys, root });
  const tree = new Tree({ history, blobs, whole });
  const checks = new Checks({ sql, wall, threshold, changesets, tree, sandbox });
  const { askOrigin: ask = askOver(outbound) } = options;
  const origin = new Origin({ ...own, changesets, seals: sealer === NO_SEALER ? null : seals, ask });
  const reports = new Reports({ ...kernel, world: name, journal: kernel.requests, changesets });
  const story = new Story({ ...kernel, past });
  const forget = (): void => {
    kernel.forget();
    changesets.forget();
    aliases.forget();
    roots.forget();
    real.forget();
  };
  threshold.onLost(() => {
    forget();
    // A clock that was set in vain follows the wall again, and what had happened in vain is due again.
    kernel.catchUp.resume();
  });
  return {
    ...kernel,
    real,
    roots,
    past,
    story,
    vendorAnswers: new VendorAnswers({ ...kernel, story }),
    find: new Find({ ...kernel, past, story }),
    conversations: new Conversations(kernel),
    webhooks: new Webhooks({ ...kernel, story }),
    lookedAt: new LookedAt({ ...kernel, journal: kernel.requests, twin: name => knownOf(kernel, name) }),
    changesets,
    aliases,
    deploys,
    pushes,
    checks,
    origin,
    reports,
    recordings,
    forget,
  };
};

/** A twin, as whoever looks at its requests knows it. */
const knownOf = ({ seats }: WorldKernel, name: string): ReturnType<KnownTwin> => {
  const seat = seats.get(name);
  if (seat === undefined) return null;
  const { manifest, keeps } = seat.twin;
  return { host: manifest.hosts[0]?.host ?? null, ...(keeps && { keeps }) };
};

/** The real vendors (2.8): the host lets the world go where they are when it resolves. */
const vendorsOf = async (
  options: WorldOptions,
  kernel: WorldKernel,
  seals: Seals,
  recordings: Recordings,
) => {
  const { sql, alarm, seats } = kernel;
  const kept = new Roots(sql);
  const real = openVendors({
    ...options,
    ...kernel,
    world: options.name,
    roots: kept,
    seals,
    recorded: () => recordings.places,
    alarms: alarm.share(),
    lifetime: kernel.ending.signal,
  });
  const asks = options.vendors?.asks ?? real.asks;
  const roots = new RootedTwins({
    ...kernel,
    lifetime: kernel.ending.signal,
    roots: kept,
    alarms: alarm.share(),
    asks,
    loopback: options.reach?.ownMachine ?? false,
    moved: real.places.tell,
  });
  for (const [twin, root] of options.roots ?? []) if (seats.has(twin)) roots.setOnce(twin, root);
  await real.places.tell();
  const root = options.vendors?.root ?? ((twin: string) => kept.get(twin));
  return { real, roots, asks, root };
};

const AWAY = { ok: false, why: 'away' } as const;
const NO_SEALER: Sealer = { seal: async () => AWAY, open: async () => AWAY, rewrap: async () => AWAY };
