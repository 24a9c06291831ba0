// The origins of a host's worlds under a suffix of its own (5.3-2): `<world>--<org><suffix>`, one label each, so that one
// wildcard certificate and one wildcard record serve all of them.
import { parseAuthority } from '../../../policy/authority.ts';
import { HOST_NAME_CHARS_MAX } from '../../world/limits.ts';
import { ControlError } from '../control-error.ts';

export type OriginsUnder = {
  /** `https://shop--acme.worlds.example.com`; by `<org>/<world>`. */
  of(world: string): string;
  /** Whether a request's Host is one of theirs, be there such a world or not. */
  isOfAWorld(host: string): boolean;
  /** Why a world of that name cannot have one; null where it can. */
  tooLong(world: string): string | null;
};

const SUFFIX = /^(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+$/;

/** `baseUrl` says scheme and port of what stands in front; https where there is none. Throws `ControlError`. */
export function originUnder(suffix: string, baseUrl: string | null): OriginsUnder {
  if (!SUFFIX.test(suffix) || !parseAuthority(`a${suffix}`, 443).ok)
    throw new ControlError(
      'suffix-unusable',
      `${JSON.stringify(suffix)} is no suffix: a dot and a name in lower case, such as .worlds.example.com`,
    );
  const { protocol, port } = new URL(baseUrl ?? 'https://host');
  const end = `${suffix}${port === '' ? '' : `:${port}`}`;
  return {
    of: world => `${protocol}//${labelOf(world)}${end}`,
    isOfAWorld: host => {
      const named = host.toLowerCase();
      return named.endsWith(end) && named.slice(0, -end.length).includes('--');
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
