// The addresses a world answers at, as texts: what is bound is not always what can be dialled.
import { isIPv6 } from 'node:net';
import { classifyAddress } from '../../policy/authority.ts';
import { HOST_LABEL_CHARS_MAX } from '../world/limits.ts';

/** Whether only this machine can reach what listens there. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || classifyAddress(host) === 'loopback';
}

/** The host to put into a URL for what is bound to `host`. */
export function urlHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  const shown = host === '::' ? '::1' : host;
  return isIPv6(shown) ? `[${shown}]` : shown;
}

/** Every `host:port` under which a client on this machine may name what is bound to `host`. */
export function endpointsOf(host: string, port: number): readonly string[] {
  const names = [urlHost(host)];
  if (host === '::') names.push('127.0.0.1');
  if (isLoopback(host) || host === '0.0.0.0' || host === '::') names.push('localhost');
  return [...new Set(names)].map(name => `${name}:${port}`);
}

/** What `*.localhost` leads to on every system. */
const LOCALHOST = new Set(['localhost', '127.0.0.1', '::1']);

/**
 * The origin of the world's own pages (5.3-2); null where nobody could open it: the label is too long, or what is
 * bound is not what a name under localhost leads to. On a listener that others reach there is none either, since
 * they could name it too (5.3-4).
 */
export function ownOriginOf(world: string, host: string, port: number): string | null {
  const label = world.split('/').reverse().join('--');
  if (!LOCALHOST.has(host) || label.length > HOST_LABEL_CHARS_MAX) return null;
  // As a browser writes it: without the port that http has anyway.
  return `http://${label}.localhost${port === 80 ? '' : `:${port}`}`;
}
