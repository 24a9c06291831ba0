// The parts of a world, made in order: the kernel, the real vendors behind it, and those who read what happened.
import { Changesets } from './changesets/changesets.ts';
import { Checks } from './checks/checks.ts';
import { Tree } from './checks/tree.ts';
import { Past } from './past/past.ts';
import { Reports } from './report/reports.ts';
import { RootedTwins } from './roots/rooted-twins.ts';
import { Roots } from './roots/roots.ts';
import { openVendors } from './roots/vendors.ts';
import { kernelOf, type WorldKernel, type WorldOptions } from './world-kernel.ts';

export type WorldParts = Awaited<ReturnType<typeof partsOf>>;

/** The store is at the newest schema. */
export const partsOf = async (options: WorldOptions) => {
  const { name, digest, entropy, sandbox = null } = options;
  const kernel = await kernelOf(options);
  const { vendors, sql, blobs, log, base, history, whole, wall, threshold, clock, catchUp, seats } = kernel;
  const { real, roots } = await vendorsOf(options, kernel);
  const read = { vendors, sql, blobs, log, base, history, whole, wall, threshold };
  const past = new Past({ world: name, ...read, clock, catchUp });
  const changesets = new Changesets({ world: name, ...read, digest, entropy });
  const tree = new Tree({ history, blobs, whole });
  const checks = new Checks({ sql, wall, threshold, changesets, tree, sandbox });
  const reports = new Reports({ world: name, ...read, seats, journal: kernel.requests, changesets, clock });
  const forget = (): void => {
    kernel.forget();
    changesets.forget();
    real.forget();
    roots.forget();
  };
  threshold.onLost(forget);
  return { ...kernel, real, roots, past, changesets, checks, reports, forget };
};

/** The real vendors (2.8): the host lets the world go where they are when it resolves. */
const vendorsOf = async (options: WorldOptions, kernel: WorldKernel) => {
  const { sql, alarm, seats } = kernel;
  const kept = new Roots(sql);
  const real = openVendors({ ...options, ...kernel, world: options.name, roots: kept });
  const roots = new RootedTwins({
    ...kernel,
    roots: kept,
    alarms: alarm.share(),
    asks: options.vendorAsks ?? real.asks,
    loopback: options.reach?.ownMachine ?? false,
    moved: real.places.tell,
  });
  for (const [twin, root] of options.roots ?? []) if (seats.has(twin)) roots.setOnce(twin, root);
  await real.places.tell();
  return { real, roots };
};
