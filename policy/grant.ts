// What `runtime.network` lists (7.2 `not-granted`): origins, exact paths and subtrees, read strictly. A grant
// that could mean two things is an error in the config, never a guess.
import type { Scheme } from './ask.ts';
import { formatAuthority, type Host, type HostClass, parseAuthority, schemePort } from './authority.ts';
import { GRANT_CHARS_MAX } from './limits.ts';
import { resolvePath } from './path.ts';
import { printable } from './printable.ts';

export type Grant = {
  /** `origin`: everything on it; `exact`: this path with any query; `subtree`: every path that begins with it. */
  readonly kind: 'origin' | 'exact' | 'subtree';
  readonly scheme: Scheme;
  readonly host: Host;
  readonly port: number;
  readonly class: HostClass;
  /** As a URL writes it: `https://api.example.com`, the scheme's own port left out. */
  readonly origin: string;
  /** `/` for an origin. */
  readonly path: string;
};

export type GrantResult =
  | { readonly ok: true; readonly grant: Grant }
  | { readonly ok: false; readonly why: string };

export const GRANT_ACCEPTED =
  'accepted: an origin (https://api.example.com), an exact path (https://api.example.com/v1/rates) or a subtree (https://api.example.com/v1/)';

const SHAPE = /^(https?):\/\/([^/?#\\]*)(\/[^?#]*)?$/;

// What a path mostly is: unreserved characters, no dot segment. It resolves to itself and has one spelling.
const PLAIN_PATH = /^(?:\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9._~-]*)+$/;

/** Grants of origins that were read before, by the origin as it is written: many grants name few origins. */
export type KnownOrigins = Map<string, Grant>;

/**
 * Reads one entry of `egress`, `writes` or `passthrough`. `why` says what is wrong and what is accepted. With
 * `known`, kept by the caller for one document, an origin is read once.
 */
export function parseGrant(text: string, known?: KnownOrigins): GrantResult {
  if (known === undefined || text.length > GRANT_CHARS_MAX) return parseWhole(text);
  // The shortest origin is `http://a`: the first slash after it begins the path.
  const slash = text.indexOf('/', 8);
  const origin = slash === -1 ? text : text.slice(0, slash);
  const like = known.get(origin);
  if (like === undefined) {
    const read = parseWhole(text);
    if (read.ok && read.grant.origin === origin) known.set(origin, read.grant);
    return read;
  }
  const path = slash === -1 ? '/' : text.slice(slash);
  if (!PLAIN_PATH.test(path)) return parseWhole(text);
  return { ok: true, grant: grantOf(like, path) };
}

function grantOf(origin: Omit<Grant, 'kind' | 'path'>, path: string): Grant {
  return {
    kind: path === '/' ? 'origin' : path.endsWith('/') ? 'subtree' : 'exact',
    scheme: origin.scheme,
    host: origin.host,
    port: origin.port,
    class: origin.class,
    origin: origin.origin,
    path,
  };
}

function parseWhole(text: string): GrantResult {
  const match = text.length <= GRANT_CHARS_MAX ? SHAPE.exec(text) : null;
  if (match === null) return no(misshapen(text));
  const scheme = match[1] as Scheme;
  const authorityText = match[2]!;
  const path = match[3] ?? '/';
  if (authorityText.includes('@')) return no('a grant carries no user information');
  if (authorityText.includes('*')) return no('a host has no wildcards; list each origin');
  const authority = parseAuthority(authorityText, schemePort(scheme));
  if (!authority.ok) return no(`the host cannot be read: ${authority.why}`);
  const origin = `${scheme}://${formatAuthority(authority, scheme)}`;
  const canonicalPath = match[3] ?? '';
  if (`${scheme}://${authorityText}` !== origin)
    return no(`not in canonical form; write ${origin}${canonicalPath}`);
  if (path.includes('*')) return no('a path has no wildcards; a subtree ends in `/`');
  const resolved = resolvePath(path);
  if (!resolved.ok) return no(`the path cannot be read: ${resolved.why}`);
  const plain = plainEscapes(resolved.target);
  if (plain !== path) return no(`not in canonical form; write ${origin}${plain}`);
  const { host, port, class: reach } = authority;
  return { ok: true, grant: grantOf({ scheme, host, port, class: reach, origin }, path) };
}

function no(why: string): { readonly ok: false; readonly why: string } {
  return { ok: false, why: `${why} (${GRANT_ACCEPTED})` };
}

function misshapen(text: string): string {
  if (text.length > GRANT_CHARS_MAX) return `longer than ${GRANT_CHARS_MAX} characters`;
  if (text === '*' || /^\*:\/\//.test(text)) return 'there are no wildcards; list each origin';
  const scheme = /^([a-zA-Z][a-zA-Z0-9+.-]*):\/\//.exec(text)?.[1];
  if (scheme === undefined)
    return `${JSON.stringify(printable(text, 80))} is not a URL; it begins with https:// or http://`;
  if (!/^https?$/i.test(scheme)) return `the scheme ${printable(scheme, 20)} is neither http nor https`;
  if (scheme !== scheme.toLowerCase()) return 'not in canonical form; write the scheme in lower case';
  if (text.includes('#')) return 'a grant has no fragment';
  if (text.includes('?')) return 'a query is not part of a grant: an exact path is granted with any query';
  return 'a backslash stands in no URL';
}

/** Escapes of characters that need none, undone: `%7E` and `~` are one character, and a grant has one spelling. */
function plainEscapes(path: string): string {
  if (!path.includes('%')) return path;
  return path.replace(/%[0-9a-fA-F]{2}/g, sequence => {
    const char = String.fromCharCode(Number.parseInt(sequence.slice(1), 16));
    return /[A-Za-z0-9._~-]/.test(char) ? char : sequence.toUpperCase();
  });
}
