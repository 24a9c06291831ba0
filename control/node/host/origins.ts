// The suffix under which each world of a host has an origin of its own (5.3-2), as `--origin-suffix` says it.
import { type OriginsUnder, originsUnder } from '../../hosting/origins.ts';
import { ControlError } from '../control-error.ts';

/** Throws `ControlError`. */
export function originUnder(suffix: string, baseUrl: string | null): OriginsUnder {
  const origins = originsUnder(suffix, baseUrl);
  if (origins === null)
    throw new ControlError(
      'suffix-unusable',
      `${JSON.stringify(suffix)} is no suffix: a dot and a name in lower case, such as .worlds.example.com`,
    );
  return origins;
}
