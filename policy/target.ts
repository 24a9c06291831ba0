// The absolute form of a request target (`GET http://host/path`), which a client sends to a proxy. Split by
// hand: what `new URL` would repair (a backslash, user information, dots) is to be judged, not repaired.
import type { Scheme } from './ask.ts';
import { type Authority, parseAuthority, schemePort, type Unreadable, unreadable } from './authority.ts';

export type AbsoluteTarget = {
  readonly scheme: Scheme;
  readonly authority: Authority | Unreadable;
  /** The rest, raw, for `resolvePath`. */
  readonly path: string;
};

/**
 * Reads `scheme://authority/path`. User information is dropped before the authority is read, as every client
 * does; a scheme that is neither http nor https gives an unreadable authority. Null: not of the absolute form.
 */
export function parseAbsoluteTarget(text: string): AbsoluteTarget | null {
  const match = /^([a-zA-Z][a-zA-Z0-9+.-]*):\/\/([^/?#\\]*)([\s\S]*)$/.exec(text);
  if (match === null) return null;
  const scheme = match[1]!.toLowerCase();
  const userinfoEnd = match[2]!.lastIndexOf('@');
  const authorityText = match[2]!.slice(userinfoEnd + 1);
  const path = match[3]!;
  if (scheme !== 'http' && scheme !== 'https') {
    return {
      scheme: 'http',
      authority: unreadable(authorityText, 'its scheme is neither http nor https'),
      path,
    };
  }
  return { scheme, authority: parseAuthority(authorityText, schemePort(scheme)), path };
}
