// From a request head to a decision: works out whom the client really asked for, and lets policy judge it.
// Inside a tunnel that is the CONNECT's authority and nothing else: not the Host line, not the SNI.
import type { Ask, Scheme, Transport } from '../policy/ask.ts';
import { type Authority, parseAuthority, type Unreadable } from '../policy/authority.ts';
import { decide } from '../policy/decide.ts';
import type { Decision } from '../policy/decision.ts';
import type { Run } from '../policy/run.ts';
import type { Snapshot } from '../policy/snapshot.ts';
import type { RequestHead } from './http1/request.ts';

/** Where a request came in. A tunnel's scheme and authority are fixed by its CONNECT and its first bytes. */
export type Place =
  | { readonly at: 'proxy' }
  | {
      readonly at: 'tunnel';
      readonly scheme: Scheme;
      readonly authority: Authority;
      readonly run: Run;
      /** The name in the client's TLS hello, when it differs from the CONNECT's; such requests are refused. */
      readonly strayName: string | null;
    };

export type Judged = { readonly ask: Ask; readonly decision: Decision };

/** `scheme://authority` and the rest, which may be empty or begin with `/` or `?`. */
const ABSOLUTE = /^([A-Za-z][A-Za-z0-9+.-]*):\/\/([^/?#\\]*)(.*)$/s;

const unreadable = (text: string, why: string): Unreadable => ({ ok: false, text, why });

export function judge(head: RequestHead, place: Place, run: Run, snapshot: Snapshot): Judged {
  const asked = place.at === 'proxy' ? absoluteTarget(head) : tunnelTarget(head, place);
  const transport: Transport =
    head.method === 'CONNECT' ? 'raw' : head.upgrade !== null ? 'upgrade' : 'http1';
  const ask: Ask = { method: judgedMethod(head), ...asked, transport, run, guest: false };
  return { ask, decision: decide(ask, snapshot) };
}

type Asked = Pick<Ask, 'scheme' | 'authority' | 'path'>;

function absoluteTarget(head: RequestHead): Asked {
  const parts = ABSOLUTE.exec(head.target);
  if (parts === null)
    return {
      scheme: 'http',
      authority: unreadable(head.target, 'the target is no absolute URL'),
      path: head.target,
    };
  const scheme = parts[1]!.toLowerCase();
  if (scheme !== 'http' && scheme !== 'https')
    return { scheme: 'http', authority: unreadable(head.target, `the scheme is ${scheme}`), path: '/' };
  // Userinfo names nobody: what stands after the last @ is asked for, and it is all that a record shows.
  const named = parts[2]!.slice(parts[2]!.lastIndexOf('@') + 1);
  const rest = parts[3]!;
  return {
    scheme,
    // Host is not read for routing: the request line wins and Host is written anew (RFC 9112 3.2.2).
    authority:
      head.hosts > 1
        ? unreadable(named, 'there are several Host lines')
        : parseAuthority(named, portOf(scheme)),
    path: rest.startsWith('/') || rest.startsWith('\\') ? rest : `/${rest}`,
  };
}

function tunnelTarget(head: RequestHead, place: Extract<Place, { at: 'tunnel' }>): Asked {
  const { scheme, authority } = place;
  const stray = strayAuthority(head, place);
  if (stray !== null) return { scheme, authority: stray, path: head.target };
  if (head.target.charCodeAt(0) === 47 || head.method === 'CONNECT')
    return { scheme, authority, path: head.target };
  const parts = ABSOLUTE.exec(head.target);
  if (parts === null) return { scheme, authority, path: head.target };
  const rest = parts[3]!;
  return { scheme, authority, path: rest.startsWith('/') ? rest : `/${rest}` };
}

/** Null when all that the request says of its destination agrees with the tunnel it is in. */
function strayAuthority(head: RequestHead, place: Extract<Place, { at: 'tunnel' }>): Unreadable | null {
  const { authority, scheme } = place;
  const own = authority.host;
  if (place.strayName !== null)
    return unreadable(place.strayName, `TLS names ${place.strayName}, the tunnel is to ${own}`);
  if (head.hosts !== 1 && !(head.minor === 0 && head.hosts === 0))
    return unreadable(own, head.hosts === 0 ? 'there is no Host line' : 'there are several Host lines');
  const defaultPort = portOf(scheme);
  // The common case costs one comparison.
  if (head.host !== null && !(head.host === own && authority.port === defaultPort)) {
    const named = parseAuthority(head.host, defaultPort);
    if (!named.ok) return named;
    if (named.host !== own || named.port !== authority.port)
      return unreadable(
        named.host,
        `Host names ${named.host}:${named.port}, the tunnel is to ${own}:${authority.port}`,
      );
  }
  const first = head.target.charCodeAt(0);
  if (first === 47 || head.method === 'CONNECT' || head.target === '*') return null;
  const parts = ABSOLUTE.exec(head.target);
  if (parts === null || parts[1]!.toLowerCase() !== scheme)
    return unreadable(head.target.slice(0, 256), 'the target is no path of this tunnel');
  const named = parseAuthority(parts[2]!, defaultPort);
  if (!named.ok) return named;
  if (named.host === own && named.port === authority.port) return null;
  return unreadable(
    named.host,
    `the target names ${named.host}:${named.port}, the tunnel is to ${own}:${authority.port}`,
  );
}

/** A read that asks to be treated as another method is judged as that method (bad-input.md, Method). */
function judgedMethod(head: RequestHead): string {
  const { method, methodOverride } = head;
  if (methodOverride === null || (method !== 'GET' && method !== 'HEAD' && method !== 'OPTIONS'))
    return method;
  return methodOverride === 'GET' || methodOverride === 'HEAD' || methodOverride === 'OPTIONS'
    ? method
    : methodOverride;
}

export const portOf = (scheme: Scheme): number => (scheme === 'https' ? 443 : 80);
