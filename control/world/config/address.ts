// Hosts and file paths as a config writes them, by the same normaliser that judges requests.
import { type Authority, parseAuthority, parseHost, type ReadHost } from '../../../policy/authority.ts';

/** A DNS name: no address, no wildcard, not `localhost`. */
export function readName(text: string): ReadHost | null {
  const read = parseHost(text);
  return read.ok && read.class === 'name' && !read.host.includes('*') ? read : null;
}

/** An IP address as an address is written: not one of the numbers that a client may take for one. */
export function readIpAddress(text: string): ReadHost | null {
  const read = parseHost(text);
  if (!read.ok || read.class === 'name') return null;
  return read.host === text || /^[0-9a-f:.]*:[0-9a-f:.]*$/i.test(text) ? read : null;
}

/** `host:port`; `defaultPort` null: the port is required. */
export function readHostPort(text: string, defaultPort: number | null): Authority | null {
  const read = parseAuthority(text, defaultPort);
  return read.ok && !read.host.includes('*') ? read : null;
}

/** True for a relative path that names something inside the folder it is relative to. */
export function staysInside(path: string): boolean {
  return !isAbsolutePath(path) && !path.split(/[\\/]/).includes('..');
}

export function isAbsolutePath(path: string): boolean {
  return /^(?:[\\/]|[A-Za-z]:)/.test(path);
}
