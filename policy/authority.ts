// One normaliser for every address a client can name. Two spellings of a host are one host here, or the
// request is unreadable; nothing past this file compares raw host text.
import {
  type AddressClass,
  classifyIpv4,
  classifyIpv6,
  embeddedIpv4,
  formatIpv4,
  formatIpv6,
  parseIpv4,
  parseIpv6,
} from './address.ts';
import { AUTHORITY_CHARS_MAX, HOST_CHARS_MAX, HOST_LABEL_CHARS_MAX } from './limits.ts';
import { printable } from './printable.ts';

export { classifyAddress } from './address.ts';

declare const hostBrand: unique symbol;
/** A canonical host: lower-case A-labels without a trailing dot, dotted IPv4, or bracketless RFC 5952 IPv6. */
export type Host = string & { readonly [hostBrand]: true };

/** What a host is for the rules about the machine's own network. `name` is a DNS name. */
export type HostClass = 'name' | AddressClass;

export type Authority = {
  readonly ok: true;
  readonly host: Host;
  /** 1–65535, always present: the scheme's own when the text named none. */
  readonly port: number;
  readonly class: HostClass;
};

/** `text` is safe to show: userinfo removed, control characters escaped, at most 256 characters. */
export type Unreadable = { readonly ok: false; readonly text: string; readonly why: string };

/** A host without its port. */
export type ReadHost = { readonly ok: true; readonly host: Host; readonly class: HostClass };

// A plain lower-case name and an optional port. Names that begin with a digit may be IPv4 in disguise and
// A-labels (`xn--`) have to be well formed: both go the slow way.
const PLAIN =
  /^((?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)(?::([1-9][0-9]{0,4}))?$/;

/** What no host may contain, whatever `URL` makes of it: delimiters, escapes, controls, white space. */
const FORBIDDEN = /[\x00-\x20\x7f%/\\?#@<>^|]/;
/** A canonical name: labels of letters, digits, `-`, `_`; or `*`, which names nothing but may be asked for. */
const NAME = /^(?:[a-z0-9_-]{1,63}|\*)(?:\.(?:[a-z0-9_-]{1,63}|\*))*$/;
const PORT = /^[1-9][0-9]{0,4}$/;

/**
 * Reads `host`, `host:port`, `[v6]` or `[v6]:port` from the Unicode text of a CONNECT target, a Host header or
 * an `:authority`. `defaultPort` null: the port is required, as in CONNECT. Never throws.
 */
export function parseAuthority(text: string, defaultPort: number | null): Authority | Unreadable {
  const plain = PLAIN.exec(text);
  if (plain !== null && text.length <= HOST_CHARS_MAX && !text.includes('xn--')) {
    const port = plain[2] === undefined ? defaultPort : Number(plain[2]);
    if (port === null) return unreadable(text, 'it names no port');
    if (port > 65535) return unreadable(text, 'its port is above 65535');
    const host = plain[1]! as Host;
    return { ok: true, host, port, class: isLocalhost(host) ? 'loopback' : 'name' };
  }
  return parseUnusual(text, defaultPort);
}

/** A host alone, as in a grant or a route: a name, IPv4, or IPv6 with or without brackets. */
export function parseHost(text: string): ReadHost | Unreadable {
  const bare = parseIpv6(text) === null ? text : `[${text}]`;
  if (/:\d*$/.test(bare) && !bare.endsWith(']')) return unreadable(text, 'a port is not part of a host');
  const read = parseAuthority(bare, 443);
  return read.ok ? { ok: true, host: read.host, class: read.class } : read;
}

/** An authority that cannot be read, with its text made safe to show. `why` completes "…, because". */
export function unreadable(text: string, why: string): Unreadable {
  const userinfo = text.lastIndexOf('@');
  return { ok: false, text: printable(userinfo < 0 ? text : text.slice(userinfo + 1), 256), why };
}

function parseUnusual(text: string, defaultPort: number | null): Authority | Unreadable {
  if (text === '') return unreadable(text, 'it is empty');
  if (text.length > AUTHORITY_CHARS_MAX) return unreadable(text, 'it is too long');
  if (text.includes('@')) return unreadable(text, 'it carries user information');
  if (FORBIDDEN.test(text)) return unreadable(text, 'it holds a character that no host has');

  const split = /^(\[[^\]]*\]|[^:[\]]+)(?::(.*))?$/su.exec(text);
  if (split === null) return unreadable(text, 'it is not a host with an optional port');
  const portText = split[2];
  let port = defaultPort;
  if (portText !== undefined) {
    if (!PORT.test(portText)) return unreadable(text, 'its port is not a plain number from 1 to 65535');
    port = Number(portText);
    if (port > 65535) return unreadable(text, 'its port is above 65535');
  }
  if (port === null) return unreadable(text, 'it names no port');

  const hostText = split[1]!;
  const host = hostText.startsWith('[') ? readBracketed(hostText.slice(1, -1)) : readName(hostText);
  if (typeof host === 'string') return unreadable(text, host);
  return { ok: true, host: host.host, port, class: host.class };
}

type Known = { readonly host: Host; readonly class: HostClass };

/** The canonical host, or why there is none. */
function readBracketed(text: string): Known | string {
  const groups = parseIpv6(text);
  if (groups === null) return 'only an IPv6 address stands in brackets';
  const v4 = embeddedIpv4(groups);
  if (v4 !== null) return fromIpv4(v4);
  return { host: formatIpv6(groups) as Host, class: classifyIpv6(groups) };
}

function readName(text: string): Known | string {
  let mapped: string;
  try {
    // WHATWG mapping (UTS 46, and IPv4 in every spelling): what browsers and Node's own clients would dial.
    mapped = new URL(`http://${text}/`).hostname;
    if (mapped.includes('xn--')) checkLabels(mapped);
  } catch {
    return 'it is not a host name';
  }
  if (mapped.endsWith('.')) mapped = mapped.slice(0, -1);
  const v4 = parseIpv4(mapped);
  if (v4 !== null) return fromIpv4(v4);
  if (mapped.length > HOST_CHARS_MAX) return `its name is over ${HOST_CHARS_MAX} characters`;
  if (mapped.split('.').some(label => label.length > HOST_LABEL_CHARS_MAX)) {
    return `a label of its name is over ${HOST_LABEL_CHARS_MAX} characters`;
  }
  if (!NAME.test(mapped)) return 'it is not a host name';
  return { host: mapped as Host, class: isLocalhost(mapped) ? 'loopback' : 'name' };
}

/**
 * Throws where an A-label is none (UTS 46: no Punycode, or of characters that no name has). `URL` takes a name that is
 * ASCII already as it stands; beside a label that is not, it reads all of them.
 */
function checkLabels(mapped: string): void {
  void new URL(`http://${mapped.replace(/\.$/, '')}.\u00df/`);
}

function fromIpv4(value: number): Known {
  return { host: formatIpv4(value) as Host, class: classifyIpv4(value) };
}

/** RFC 6761: `localhost` and every name under it are this machine. */
function isLocalhost(host: string): boolean {
  return host.endsWith('localhost') && (host.length === 9 || host[host.length - 10] === '.');
}

/** The port that a scheme's URLs leave out. */
export function schemePort(scheme: 'http' | 'https'): 80 | 443 {
  return scheme === 'https' ? 443 : 80;
}

/** `host:port`, IPv6 in brackets; given a scheme, its own port is left out, as in a URL or a Host header. */
export function formatAuthority(
  authority: { readonly host: string; readonly port: number },
  scheme?: 'http' | 'https',
): string {
  const host = authority.host.includes(':') ? `[${authority.host}]` : authority.host;
  return scheme !== undefined && schemePort(scheme) === authority.port ? host : `${host}:${authority.port}`;
}

/**
 * The text of a header value that Node read as Latin-1: its bytes as UTF-8. Null where they are none, so that
 * a host is never guessed from bytes that two readers take for different names.
 */
export function headerText(latin1: string): string | null {
  if (!/[\x80-\xff]/.test(latin1)) return latin1;
  const bytes = Uint8Array.from(latin1, char => char.charCodeAt(0));
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}
