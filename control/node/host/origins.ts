// The origins of a host's worlds (5.3-2): under the suffix that `--origin-suffix` says, or, on a machine of one's own, under
// localhost.
import { type OriginsUnder, originsUnder } from '../../hosting/origins.ts';
import { ownOriginOf } from '../addresses.ts';
import { ControlError } from '../control-error.ts';

export type HostOrigins = {
  /** Null where worlds have origins under localhost, if any. */
  readonly under: OriginsUnder | null;
  /** Null for a world that has none. */
  readonly of: (world: string) => string | null;
  /** Whether a request's Host is of the form of a world's own origin, be there such a world or not. */
  readonly isOfAWorld: (host: string) => boolean;
  /** The `<org>/<world>` whose origin, or site, such a Host names; null for another. In lower case. */
  readonly worldAt: (host: string) => string | null;
};

export type OriginsAsked = {
  readonly suffix: string | null;
  /** As clients name the host where something stands in front of it; null for nothing. */
  readonly baseUrl: string | null;
  readonly host: string;
  readonly port: number;
};

/** `<world>--<org>.localhost:<port>`, or an address of a site of that world's. */
const LOCAL = /^(?:[^.]+\.)?([^.]+--[^.]+)\.localhost(?::\d+)?$/i;

/** Throws `ControlError`. */
export function hostOrigins({ suffix, baseUrl, host, port }: OriginsAsked): HostOrigins {
  const under = suffix === null ? null : originUnder(suffix, baseUrl);
  if (under !== null) return { under, of: under.of, isOfAWorld: under.isOfAWorld, worldAt: under.worldAt };
  // A page at a name under localhost is let in with nothing (5.3-4): not where others come through what stands in front.
  const of = (world: string): string | null => (baseUrl === null ? ownOriginOf(world, host, port) : null);
  return {
    under,
    of,
    isOfAWorld: named => LOCAL.test(named),
    worldAt: named => {
      // No part of a world's name has two hyphens in a row; a site's label has them before those.
      const [org, world] = (LOCAL.exec(named)?.[1] ?? '').split('--').reverse();
      if (org === undefined || world === undefined) return null;
      const name = `${org}/${world}`;
      const origin = of(name);
      return origin !== null && named.endsWith(new URL(origin).host) ? name : null;
    },
  };
}

function originUnder(suffix: string, baseUrl: string | null): OriginsUnder {
  const origins = originsUnder(suffix, baseUrl);
  if (origins === null)
    throw new ControlError(
      'suffix-unusable',
      `${JSON.stringify(suffix)} is no suffix: a dot and a name in lower case, such as .worlds.example.com`,
    );
  return origins;
}
