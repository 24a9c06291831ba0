// The request target as it will be judged and forwarded: one string for both, so that no reader upstream
// can see another path than the one that was judged.
import { TARGET_CHARS_MAX } from './limits.ts';

export type ResolvedPath = {
  readonly ok: true;
  /** Path and query to forward; the same string as the raw one where nothing had to change. */
  readonly target: string;
  /** Where the path ends in `target` and its query (with `?`) begins. */
  readonly end: number;
};

export type UnreadablePath = {
  readonly ok: false;
  /** Completes "its path cannot be read unambiguously:". */
  readonly why: string;
  /**
   * For a receiver that compares bytes (a twin that owns the whole host): the target with its dot segments
   * resolved and its escapes untouched; null where readers disagree on where its segments end.
   */
  readonly literal: string | null;
};

// A target that needs no work: visible ASCII, no escape, backslash or fragment in the path, no dot segment.
// Each segment begins with its `/`, so the expression has one way to match and takes linear time.
const PLAIN = /^(?:\/(?!\.{1,2}(?:[/?;]|$))[!"$&'()*+,\-.0-9:;<=>@A-Z[\]^_`a-z{|}~]*)+(?:\?[!"$-~]*)?$/;

/** Resolves the origin form of a target (`/path?query`). An empty path is `/`. Never throws. */
export function resolvePath(raw: string): ResolvedPath | UnreadablePath {
  if (raw.length <= TARGET_CHARS_MAX && PLAIN.test(raw)) {
    const query = raw.indexOf('?');
    return { ok: true, target: raw, end: query < 0 ? raw.length : query };
  }
  return resolveUnusual(raw);
}

function resolveUnusual(raw: string): ResolvedPath | UnreadablePath {
  if (raw.length > TARGET_CHARS_MAX) return no('it is too long', null);
  const fragment = raw.indexOf('#');
  const whole = fragment < 0 ? raw : raw.slice(0, fragment);
  if (/[^\x21-\x7e]/.test(whole)) return no('it holds a control character, a space or an 8-bit byte', null);
  const query = whole.indexOf('?');
  const path = (query < 0 ? whole : whole.slice(0, query)) || '/';
  const rest = query < 0 ? '' : whole.slice(query);
  if (path[0] !== '/') return no(path === '*' ? '`*` names no resource' : 'it does not begin with `/`', null);
  // Tested on the raw bytes: URL parsers turn `\` into `/` (bad-input, Path).
  if (path.includes('\\')) return no('a backslash', null);

  const resolved = resolveDots(path);
  const ambiguous = ambiguity(path);
  if (ambiguous !== null) return no(ambiguous, resolved + rest);
  return { ok: true, target: resolved + rest, end: resolved.length };
}

function no(why: string, literal: string | null): UnreadablePath {
  return { ok: false, why, literal };
}

function ambiguity(path: string): string | null {
  if (/%2f/i.test(path)) return 'an encoded `/`';
  if (/%5c/i.test(path)) return 'an encoded backslash';
  if (path.includes('%00')) return 'an encoded NUL';
  if (/%(?![0-9a-fA-F]{2})/.test(path)) return 'a malformed escape';
  // `/..;/` is a dot segment to readers that cut path parameters first, and a plain name to the others.
  if (/\/(?:\.|%2e){1,2}(?:;|%3b)/i.test(path)) return 'a dot segment with a parameter';
  try {
    decodeURIComponent(path);
  } catch {
    return 'an escape that is not UTF-8';
  }
  return null;
}

const ONE_DOT = /^(?:\.|%2e)$/i;
const TWO_DOTS = /^(?:\.|%2e){2}$/i;

/** RFC 3986 5.2.4, with `%2e` read as a dot as browsers do. Doubled slashes stay: they are names. */
function resolveDots(path: string): string {
  if (!/\/(?:\.|%2e)/i.test(path)) return path;
  const segments = path.split('/');
  const kept: string[] = [];
  for (let i = 1; i < segments.length; i++) {
    const segment = segments[i]!;
    const dots = TWO_DOTS.test(segment);
    if (dots) kept.pop();
    if (!dots && !ONE_DOT.test(segment)) kept.push(segment);
    // A dot segment at the end names the folder it stands for.
    else if (i === segments.length - 1) kept.push('');
  }
  return `/${kept.join('/')}`;
}
