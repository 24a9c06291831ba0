// Where the real vendors are that the worlds of a host know (2.8, 4.7): one origin for each root and each link. Whoever
// asks as one of them is let out there and nowhere else, and no grant has a part in it. A recording has its place here too,
// and is let out there by the world's grants alone.
import type { VendorCaller } from './ask.ts';
import { type Authority, formatAuthority, type Host, parseAuthority, schemePort } from './authority.ts';
import type { Permit } from './decision.ts';
import { isAddress, makePermit } from './permit.ts';
import type { ShapeReader } from './shape.ts';

export type VendorPlace = VendorCaller & {
  /** `https://api.stripe.com` */
  readonly origin: string;
  /** Of a recording: what stands before the vendor's own paths there (`/acme/real/openai`); empty for nothing. */
  readonly base?: string;
};

/** One that cannot be gone to says why; the others are none the worse for it. */
export type VendorTable = ReadonlyMap<string, Place>;

type Place =
  | { readonly ok: true; readonly permit: Permit; readonly authority: Authority; readonly base: string }
  | { readonly ok: false; readonly why: string };

export const vendorKey = ({ by, world, name }: VendorCaller): string => `${by} ${world} ${name}`;

export type VendorOrigin =
  | {
      readonly ok: true;
      readonly scheme: 'http' | 'https';
      readonly host: Host;
      readonly port: number;
      /** As it is written everywhere. */
      readonly origin: string;
      /** A literal loopback address: a vendor that is played on this machine. */
      readonly loopback: boolean;
    }
  | { readonly ok: false; readonly why: string };

/**
 * Reads the origin of a root or a link. A link has a host name and https; a root may have a public address besides, and a
 * loopback one in either scheme, for whose host allows it (`loopback`). A recording may be wherever an app may ask: the
 * grants say whether it does.
 */
export function parseVendorOrigin(by: VendorCaller['by'], text: string): VendorOrigin {
  const parts = /^(https?):\/\/([^/?#\\@]+)$/i.exec(text);
  if (parts === null) return no('an origin is https:// and a host, with nothing behind it');
  const scheme = parts[1]!.toLowerCase() === 'https' ? 'https' : 'http';
  const read = parseAuthority(parts[2]!, schemePort(scheme));
  if (!read.ok) return no(`its host cannot be read: ${read.why}`);
  const { host, port } = read;
  const literal = isAddress(host);
  const loopback = literal && read.class === 'loopback';
  if (host.includes('*')) return no('`*` is no host');
  const origin = `${scheme}://${formatAuthority({ host, port }, scheme)}`;
  const found = { ok: true, scheme, host, port, origin, loopback } as const;
  if (by === 'recording') return found;
  if (by === 'link' && literal) return no('a link has a host name, not an address');
  if (scheme === 'http' && (by === 'link' || !loopback))
    return no('it is not https, and a credential goes nowhere in the clear');
  if (literal && !loopback && read.class !== 'public')
    return no('it is an address of this machine’s own networks');
  if (!literal && read.class === 'loopback') return no('it is this machine; a real vendor is elsewhere');
  return found;
}

function no(why: string): Extract<VendorOrigin, { ok: false }> {
  return { ok: false, why };
}

/** `pins`: of `runtime.extraHosts`, which say where a name leads whatever DNS says. */
export function readVendors(
  value: unknown,
  pins: ReadonlyMap<string, string>,
  reader: ShapeReader,
): VendorTable {
  const table = new Map<string, Place>();
  for (const [index, item] of reader.list(value, 'vendors').entries()) {
    const at = `vendors[${index}]`;
    const fields = reader.object(item, at, ['by', 'world', 'name', 'origin', 'base']);
    const by = reader.string(fields['by'], `${at}.by`);
    if (by !== 'root' && by !== 'link' && by !== 'recording') {
      reader.complain(`${at}.by`, 'expected "root", "link" or "recording"');
      continue;
    }
    const world = reader.string(fields['world'], `${at}.world`);
    const name = reader.string(fields['name'], `${at}.name`);
    const read = parseVendorOrigin(by, reader.string(fields['origin'], `${at}.origin`));
    const base = fields['base'] === undefined ? '' : reader.string(fields['base'], `${at}.base`);
    table.set(vendorKey({ by, world, name }), read.ok ? placeOf(read, base, pins) : read);
  }
  return table;
}

function placeOf(
  read: Extract<VendorOrigin, { ok: true }>,
  base: string,
  pins: ReadonlyMap<string, string>,
): Place {
  const authority = parseAuthority(formatAuthority(read), read.port);
  if (!authority.ok) return no(authority.why);
  return { ok: true, permit: permitOf(read, pins), authority, base };
}

function permitOf(
  { scheme, host, port }: Extract<VendorOrigin, { ok: true }>,
  pins: ReadonlyMap<string, string>,
): Permit {
  const address = pins.get(host) ?? (isAddress(host) ? host : null);
  // Whoever pinned a name, or wrote an address of this machine, meant that one.
  return makePermit({ scheme, host, port, address, loopback: address !== null, outside: true });
}
