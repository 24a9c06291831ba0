// Where each real vendor of a world is: the root of a twin, or the link of that name. The host's policy is told of them all
// whenever one changes, and a credential is bound to where its vendor is (4.6).
import type { Alarms } from '../../ports/alarms.ts';
import type { WallClock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { Reach, ReachedVendor } from '../../ports/reach.ts';
import { WAKE_AGAIN_MS } from '../limits.ts';
import { describeFault } from '../store/fault.ts';
import type { Links } from './links.ts';
import type { Root } from './root.ts';

/** Null where the twin has none. */
export type Rooted = { get(twin: string): Root | null };

type Parts = {
  readonly vendors: readonly string[];
  readonly roots: Rooted;
  readonly links: Links;
  readonly reach: Reach;
  /** Where what is recorded goes. */
  readonly recorded: () => readonly ReachedVendor[];
  readonly wall: WallClock;
  readonly alarms: Alarms;
  readonly processLog: Log;
  /** Of the world: aborted when it closes. */
  readonly lifetime: AbortSignal;
};

export type VendorPlaces = ReturnType<typeof openPlaces>;

export const openPlaces = ({
  vendors,
  roots,
  links,
  reach,
  recorded,
  wall,
  alarms,
  processLog,
  lifetime,
}: Parts) => {
  const all = (): readonly ReachedVendor[] => [
    ...vendors.flatMap(name => {
      const root = roots.get(name);
      return root === null ? [] : [{ by: 'root' as const, name, origin: originOfUrl(root.url) }];
    }),
    ...links.list().map(({ name, origin }) => ({ by: 'link' as const, name, origin })),
    ...recorded(),
  ];
  /** Resolves when the host lets the world go there, and nowhere that is no more. */
  const tell = async (): Promise<void> => reach.set(all());
  const tellAnew = (): void => {
    if (lifetime.aborted) return;
    tell().catch((error: unknown) => {
      // Nobody asked for it who could be told.
      processLog.error(
        { fault: describeFault(error) },
        'the world could not see where its real vendors are; it looks again',
      );
      alarms.set(wall.now() + WAKE_AGAIN_MS);
    });
  };
  alarms.onWake(tellAnew);
  return {
    /** Of the root before the link: a twin may have come into the world under a link's name. */
    originOf: (name: string): string | null => {
      const root = vendors.includes(name) ? roots.get(name) : null;
      return root === null ? links.originOf(name) : originOfUrl(root.url);
    },
    tell,
    /** After what was told may have been lost: by a store that may not be readable yet, so that it is looked at again. */
    tellAnew,
  };
};

/** Without the path of the root's URL. */
export const originOfUrl = (url: string): string => /^https?:\/\/[^/]+/.exec(url)?.[0] ?? url;
