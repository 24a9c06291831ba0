// Where each real vendor of a world is: the root of a twin, or the link of that name. The host's policy is told of them all
// whenever one changes, and a credential is bound to where its vendor is (4.6).
import type { Reach, ReachedVendor } from '../../ports/reach.ts';
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
};

export type VendorPlaces = ReturnType<typeof openPlaces>;

export const openPlaces = ({ vendors, roots, links, reach, recorded }: Parts) => {
  const all = (): readonly ReachedVendor[] => [
    ...vendors.flatMap(name => {
      const root = roots.get(name);
      return root === null ? [] : [{ by: 'root' as const, name, origin: originOfUrl(root.url) }];
    }),
    ...links.list().map(({ name, origin }) => ({ by: 'link' as const, name, origin })),
    ...recorded(),
  ];
  return {
    /** Of the root before the link: a twin may have come into the world under a link's name. */
    originOf: (name: string): string | null => {
      const root = vendors.includes(name) ? roots.get(name) : null;
      return root === null ? links.originOf(name) : originOfUrl(root.url);
    },
    /** Resolves when the host lets the world go there, and nowhere that is no more. */
    tell: (): Promise<void> => reach.set(all()),
  };
};

/** Without the path of the root's URL. */
export const originOfUrl = (url: string): string => /^https?:\/\/[^/]+/.exec(url)?.[0] ?? url;
