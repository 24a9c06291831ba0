// IP addresses as numbers: read, written in one canonical form, and judged by what they reach. Used for the
// addresses a client names and, by the upstream dialler, for the addresses a name resolved to.

/** What an IP address reaches. */
export type AddressClass = 'loopback' | 'unspecified' | 'link-local' | 'metadata' | 'private' | 'public';

const IPV4_TEXT = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/;

/** Dotted decimal only, without leading zeros (which other readers take for octal); null for anything else. */
export function parseIpv4(text: string): number | null {
  const match = IPV4_TEXT.exec(text);
  if (match === null) return null;
  let value = 0;
  for (let i = 1; i <= 4; i++) {
    const part = match[i]!;
    if ((part.length > 1 && part[0] === '0') || Number(part) > 255) return null;
    value = value * 256 + Number(part);
  }
  return value;
}

export function formatIpv4(value: number): string {
  return `${value >>> 24}.${(value >>> 16) & 255}.${(value >>> 8) & 255}.${value & 255}`;
}

/** Eight 16-bit groups of an IPv6 address without brackets and without a zone; null where it is none. */
export function parseIpv6(text: string): readonly number[] | null {
  if (text.length > 45 || !/^[0-9a-fA-F:.]+$/.test(text)) return null;
  const halves = text.split('::');
  if (halves.length > 2) return null;
  const head = readGroups(halves[0]!, halves.length === 1);
  const tail = halves.length === 2 ? readGroups(halves[1]!, true) : [];
  if (head === null || tail === null) return null;
  const missing = 8 - head.length - tail.length;
  if (halves.length === 1 ? missing !== 0 : missing < 1) return null;
  return [...head, ...new Array<number>(missing).fill(0), ...tail];
}

function readGroups(text: string, dottedAtEnd: boolean): number[] | null {
  if (text === '') return [];
  const groups: number[] = [];
  const parts = text.split(':');
  for (const [index, part] of parts.entries()) {
    if (part.includes('.')) {
      const v4 = dottedAtEnd && index === parts.length - 1 ? parseIpv4(part) : null;
      if (v4 === null) return null;
      groups.push(v4 >>> 16, v4 & 0xffff);
    } else {
      if (part === '' || part.length > 4) return null;
      groups.push(Number.parseInt(part, 16));
    }
  }
  return groups;
}

/** RFC 5952: lower case, no leading zeros, the first longest run of two or more zero groups as `::`. */
export function formatIpv6(groups: readonly number[]): string {
  let start = -1;
  let length = 1;
  for (let i = 0; i < 8; i++) {
    let end = i;
    while (end < 8 && groups[end] === 0) end++;
    if (end - i > length) {
      start = i;
      length = end - i;
    }
  }
  const hex = groups.map(group => group.toString(16));
  if (start < 0) return hex.join(':');
  return `${hex.slice(0, start).join(':')}::${hex.slice(start + length).join(':')}`;
}

/**
 * The IPv4 address that an IPv6 address stands for, else null: mapped (::ffff:0:0/96), translated
 * (::ffff:0:0:0/96) and the well-known NAT64 prefix (64:ff9b::/96). Such an address is the same host as the IPv4
 * one, so it is judged and dialled as that. Nobody routes a compatible address (::/96, RFC 4291 2.5.5.1) any more:
 * it is an IPv6 address, reserved, but for one that would lead inside if somebody did.
 */
export function embeddedIpv4(groups: readonly number[]): number | null {
  const [a, b, c, d, e, f, g, h] = groups as [number, number, number, number, number, number, number, number];
  const low = g * 0x10000 + h;
  const zeroTo = (last: number): boolean => groups.slice(0, last).every(group => group === 0);
  if (zeroTo(5) && f === 0xffff) return low;
  if (zeroTo(4) && e === 0xffff && f === 0) return low;
  // ::, ::1 and their neighbours are addresses of their own, not 0.0.0.x in disguise.
  if (zeroTo(6) && low > 0xffff && classifyIpv4(low) !== 'public') return low;
  if (a === 0x64 && b === 0xff9b && c === 0 && d === 0 && e === 0 && f === 0) return low;
  return null;
}

/** Cloud metadata services: they hand credentials to whoever can reach them. */
const METADATA_IPV4: ReadonlySet<number> = new Set(
  [
    '169.254.169.254',
    '169.254.170.2',
    '169.254.170.23',
    '100.100.100.200',
    '168.63.129.16',
    '192.0.0.192',
  ].map(text => parseIpv4(text)!),
);
const METADATA_IPV6: ReadonlySet<string> = new Set(['fd00:ec2::254', 'fd00:ec2::23', 'fd20:ce::254']);

/** First address, prefix length, class; the first row that covers an address names it. */
const IPV4_RANGES: readonly (readonly [string, number, AddressClass])[] = [
  ['0.0.0.0', 8, 'unspecified'],
  ['127.0.0.0', 8, 'loopback'],
  ['169.254.0.0', 16, 'link-local'],
  ['10.0.0.0', 8, 'private'],
  ['172.16.0.0', 12, 'private'],
  ['192.168.0.0', 16, 'private'],
  ['100.64.0.0', 10, 'private'],
  ['192.0.0.0', 24, 'private'],
  ['198.18.0.0', 15, 'private'],
  // Multicast, reserved and broadcast never leave the machine's own network.
  ['224.0.0.0', 3, 'private'],
];
const IPV4_TABLE = IPV4_RANGES.map(([first, bits, of]) => ({
  first: parseIpv4(first)!,
  size: 2 ** (32 - bits),
  of,
}));

export function classifyIpv4(value: number): AddressClass {
  if (METADATA_IPV4.has(value)) return 'metadata';
  for (const range of IPV4_TABLE) {
    if (value >= range.first && value < range.first + range.size) return range.of;
  }
  return 'public';
}

export function classifyIpv6(groups: readonly number[]): AddressClass {
  const v4 = embeddedIpv4(groups);
  if (v4 !== null) return classifyIpv4(v4);
  const first = groups[0]!;
  // 6to4 carries an IPv4 address in its second and third group.
  if (first === 0x2002) return classifyIpv4(groups[1]! * 0x10000 + groups[2]!);
  const text = formatIpv6(groups);
  if (text === '::') return 'unspecified';
  if (text === '::1') return 'loopback';
  if (METADATA_IPV6.has(text)) return 'metadata';
  if ((first & 0xffc0) === 0xfe80) return 'link-local';
  if ((first & 0xfe00) === 0xfc00) return 'private';
  if ((first & 0xffc0) === 0xfec0 || (first & 0xff00) === 0xff00) return 'private';
  if (first === 0x64 && groups[1] === 0xff9b) return 'private';
  // ::/64 outside the rows above is reserved.
  if (first === 0 && groups[1] === 0 && groups[2] === 0 && groups[3] === 0) return 'private';
  return 'public';
}

/**
 * The class of an address a resolver answered: IPv4 or IPv6 text, with or without brackets or a zone. Text that
 * is no address is `unspecified`, so that a caller that refuses non-public addresses refuses it.
 */
export function classifyAddress(ip: string): AddressClass {
  const v4 = parseIpv4(ip);
  if (v4 !== null) return classifyIpv4(v4);
  const bare = ip.startsWith('[') && ip.endsWith(']') ? ip.slice(1, -1) : ip;
  const [address = ''] = bare.split('%', 1);
  const groups = parseIpv6(address);
  return groups === null ? 'unspecified' : classifyIpv6(groups);
}
