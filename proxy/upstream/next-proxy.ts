// The proxies by which this machine itself reaches the internet, as its environment names them, and which
// destinations go by them. Read once, by proxy/config.ts; what a variable holds of secrets stays in here.
import { BlockList, isIP, isIPv6 } from 'node:net';
import { type Authority, classifyAddress, formatAuthority, parseAuthority } from '../../policy/authority.ts';
import type { Permit } from '../../policy/decision.ts';
import { isMachineName } from '../../policy/machine-name.ts';

export class NextProxy {
  readonly host: string;
  readonly port: number;
  /** It is on this machine. */
  readonly local: boolean;
  /** The way to the proxy itself is TLS. */
  readonly secure: boolean;
  /** As people are told: `proxy.example:3128`; without what it is opened with. */
  readonly name: string;
  readonly #credentials: string;

  constructor(at: Authority, secure: boolean, credentials: string) {
    this.host = at.host;
    this.port = at.port;
    this.local = at.class === 'loopback' || at.class === 'unspecified';
    this.secure = secure;
    this.name = formatAuthority(at);
    this.#credentials = credentials;
  }

  /** The CONNECT for a destination; what opens this proxy is sent to it alone and shown nowhere. */
  connect(destination: string): string {
    const credentials =
      this.#credentials === ''
        ? ''
        : `Proxy-Authorization: Basic ${Buffer.from(this.#credentials, 'utf8').toString('base64')}\r\n`;
    return `CONNECT ${destination} HTTP/1.1\r\nHost: ${destination}\r\n${credentials}\r\n`;
  }
}

/** A variable that names no proxy which could be used: destinations that would go by it get no connection. */
export type UnusableProxy = { readonly why: string };

export type NextProxies = {
  /** Null: it is dialled directly. */
  for(permit: Permit): NextProxy | UnusableProxy | null;
};

/**
 * HTTPS_PROXY, HTTP_PROXY, ALL_PROXY and NO_PROXY; lower case wins over upper, as everywhere. A value may leave
 * out `http://`. Entries of NO_PROXY: `*`, `host` (and all names under it), `.suffix`, an address or a CIDR
 * range, each with `:port` where only that port is meant.
 */
export function readNextProxies(env: { readonly [name: string]: string | undefined }): NextProxies {
  const read = (name: string): NextProxy | UnusableProxy | null => {
    for (const spelt of [name.toLowerCase(), name]) {
      const value = env[spelt]?.trim();
      if (value !== undefined && value !== '') return readProxy(spelt, value);
    }
    return null;
  };
  const all = read('ALL_PROXY');
  const by = { https: read('HTTPS_PROXY') ?? all, http: read('HTTP_PROXY') ?? all };
  const exempt = readExempt(env['no_proxy'] || env['NO_PROXY'] || '');
  return {
    for: permit => (goesOut(permit) && !exempt(permit.host, permit.port) ? by[permit.scheme] : null),
  };
}

/** What is of this machine, or pinned to an address, is not another proxy's to find. */
function goesOut(permit: Permit): boolean {
  if (permit.address === permit.host) return classifyAddress(permit.host) === 'public';
  return !permit.loopback && permit.address === null && !isMachineName(permit.host);
}

function readProxy(variable: string, value: string): NextProxy | UnusableProxy {
  const parts = /^(?:([A-Za-z][A-Za-z0-9+.-]*):\/\/)?(?:([^/]*)@)?([^/@]+)\/?$/.exec(value);
  const scheme = (parts?.[1] ?? 'http').toLowerCase();
  if (parts !== null && scheme !== 'http' && scheme !== 'https')
    return { why: `${variable} names a ${scheme} proxy; an http:// or https:// one can be used` };
  const authority = parseAuthority(parts?.[3] ?? '', scheme === 'https' ? 443 : 80);
  const credentials = percentDecode(parts?.[2] ?? '');
  if (!authority.ok || credentials === null)
    return { why: `${variable} is no proxy's address; accepted: http://proxy.example:3128` };
  return new NextProxy(authority, scheme === 'https', credentials);
}

function percentDecode(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

function readExempt(text: string): (host: string, port: number) => boolean {
  const tests = text
    .split(/[\s,]+/)
    .filter(entry => entry !== '')
    .map(readEntry);
  return (host, port) => tests.some(test => test(host, port));
}

function readEntry(entry: string): (host: string, port: number) => boolean {
  if (entry === '*') return () => true;
  const range = /^\[?([0-9A-Fa-f.:]+)\]?\/(\d{1,3})$/.exec(entry);
  if (range !== null) return inRange(range[1]!, Number(range[2]));
  // `*.example.com` is how some write `.example.com`.
  const suffix = /^\*?(\..+)$/.exec(entry)?.[1];
  const bare = isIPv6(entry) ? `[${entry}]` : (suffix?.slice(1) ?? entry);
  const named = parseAuthority(bare, 0);
  if (!named.ok) return () => false;
  const under = `.${named.host}`;
  const exact = suffix === undefined;
  return (host, port) =>
    (named.port === 0 || named.port === port) &&
    ((exact && host === named.host) || (isIP(named.host) === 0 && host.endsWith(under)));
}

function inRange(address: string, bits: number): (host: string) => boolean {
  const family = isIP(address);
  if (family === 0 || bits > (family === 4 ? 32 : 128)) return () => false;
  const list = new BlockList();
  list.addSubnet(address, bits, family === 4 ? 'ipv4' : 'ipv6');
  return host => isIP(host) === family && list.check(host, family === 4 ? 'ipv4' : 'ipv6');
}
