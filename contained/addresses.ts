// The addresses inside a contained run. All of 198.18.0.0/15 is set aside for test networks (RFC 2544), so no host that
// a program means has one of them: each name that is looked up gets one of its own, and the last few are the link's.

/** The two ends of the link between the program's namespace and the one where every address is answered. */
export const OUTER = { v4: '198.19.255.1', v6: 'fd00:7772:6c64::1', mac: '02:00:00:00:00:01' };
export const INNER = { v4: '198.19.255.2', v6: 'fd00:7772:6c64::2', mac: '02:00:00:00:00:02' };

const FIRST = (198 << 24) | (18 << 16) | 1;

/** How many names can have an address at once, the link's own being left out. */
export const NAME_ADDRESSES: number = 2 ** 17 - 1024;

export function nameAddress(nth: number): string {
  const number = (FIRST + nth) >>> 0;
  return [24, 16, 8, 0].map(shift => (number >>> shift) & 255).join('.');
}

/** As a socket tells it: an IPv4 address on a socket of both kinds is written as one of IPv6. */
export function plainAddress(address: string): string {
  return address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address;
}

export function hostAndPort(host: string, port: number): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}
