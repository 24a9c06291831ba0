// The origins of a host's worlds under a suffix of its own (5.3-2): `<world>--<org><suffix>`, one label each, so that one
// wildcard certificate and one wildcard record serve all of them.
import { parseAuthority } from '../../policy/authority.ts';
import { HOST_NAME_CHARS_MAX } from '../world/limits.ts';

export type OriginsUnder = {
  /** `https://shop--acme.worlds.example.com`; by `<org>/<world>`. */
  of(world: string): string;
  /** Whether a request's Host is one of theirs, be there such a world or not. */
  isOfAWorld(host: string): boolean;
  /** Of such a Host the `<org>/<world>`; null for another. */
  worldAt(host: string): string | null;
  /** Why a world of that name cannot have one; null where it can. */
  tooLong(world: string): string | null;
};

const SUFFIX = /^(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+$/;

/** `baseUrl` says scheme and port of what stands in front; https where there is none. Null for what is no suffix. */
export function originsUnder(suffix: string, baseUrl: string | null): OriginsUnder | null {
  if (!SUFFIX.test(suffix) || !parseAuthority(`a${suffix}`, 443).ok) return null;
  const { protocol, port } = new URL(baseUrl ?? 'https://host');
  const end = `${suffix}${port === '' ? '' : `:${port}`}`;
  const isOfAWorld = (host: string): boolean => {
    const named = host.toLowerCase();
    return named.endsWith(end) && named.slice(0, -end.length).includes('--');
  };
  return {
    of: world => `${protocol}//${labelOf(world)}${end}`,
    isOfAWorld,
    worldAt: host => {
      if (!isOfAWorld(host)) return null;
      // A site's address has its browser and its host before them (4.3, rule 1).
      const label = host.toLowerCase().slice(0, -end.length).split('.').at(-1)!;
      const [org, world] = label.split('--').reverse();
      return `${org}/${world}`;
    },
    tooLong: world => {
      const { length } = `${labelOf(world)}${suffix}`;
      return length <= HOST_NAME_CHARS_MAX
        ? null
        : `too long: its address would have ${length} characters of ${HOST_NAME_CHARS_MAX}; take a shorter name, or a shorter suffix`;
    },
  };
}

function labelOf(world: string): string {
  return world.split('/').reverse().join('--');
}
