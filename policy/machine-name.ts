// Names that mean the machine that a run is on, and not a place outside it.
import type { Authority } from './authority.ts';

/** Names that container engines and clouds give to the machine and to its metadata service. */
const MACHINE_NAMES: ReadonlySet<string> = new Set([
  'host.docker.internal',
  'gateway.docker.internal',
  'host.containers.internal',
  'metadata.google.internal',
]);

/** A name that means the machine itself or its metadata service wherever it is asked for. */
export function isMachineName(host: string): boolean {
  return MACHINE_NAMES.has(host);
}

/** An address of this machine's networks, or such a name that is not pinned to another. */
export function isMachines(authority: Authority, pins: ReadonlyMap<string, string>): boolean {
  if (authority.class === 'public') return false;
  if (authority.class !== 'name') return true;
  return isMachineName(authority.host) && !pins.has(authority.host);
}
