// The addresses a world answers at, as texts: what is bound is not always what can be dialled.
import { isIPv6 } from 'node:net';
import { classifyAddress } from '../../policy/authority.ts';

/** Whether only this machine can reach what listens there. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || classifyAddress(host) === 'loopback';
}

/** The host to put into a URL for what is bound to `host`. */
export function dialled(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  const shown = host === '::' ? '::1' : host;
  return isIPv6(shown) ? `[${shown}]` : shown;
}

/** Every `host:port` under which a client on this machine may name what is bound to `host`. */
export function endpointsOf(host: string, port: number): readonly string[] {
  const names = [dialled(host)];
  if (host === '::') names.push('127.0.0.1');
  if (isLoopback(host) || host === '0.0.0.0' || host === '::') names.push('localhost');
  return [...new Set(names)].map(name => `${name}:${port}`);
}
