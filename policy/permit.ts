// Leave to dial, and the only place where it is made. Nothing outside policy/ imports this file (test/tidy): a
// connection that `decide` did not allow cannot be written.
import type { Scheme } from './ask.ts';
import type { Host } from './authority.ts';
import type { Permit } from './decision.ts';

export function makePermit(permit: {
  readonly scheme: Scheme;
  readonly host: Host;
  readonly port: number;
  readonly address: string | null;
  readonly loopback: boolean;
  readonly outside?: true;
}): Permit {
  return permit as Permit;
}

/**
 * Where a host of this machine listens, as far as its name alone tells; null: the dialler looks it up. Names
 * under `localhost` resolve by no resolver of Node's, and 0.0.0.0 is where a server listens, not an address.
 */
export function loopbackAddress(host: Host): string | null {
  if (host === '::') return '::1';
  if (host === '0.0.0.0' || host.endsWith('.localhost')) return '127.0.0.1';
  return isAddress(host) ? host : null;
}

/** True for a canonical host that is an IP address: no name ends in a number, and none holds a colon. */
export function isAddress(host: Host): boolean {
  return host.includes(':') || /^[\d.]+$/.test(host);
}
