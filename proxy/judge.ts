// From a request head to a decision: works out whom the client really asked for, and lets policy judge it.
// Inside a tunnel that is the CONNECT's authority and nothing else: not the Host line, not the SNI.
import type { Ask, Transport } from '../policy/ask.ts';
import {
  formatAuthority,
  headerText,
  parseAuthority,
  schemePort,
  type Unreadable,
  unreadable,
} from '../policy/authority.ts';
import { decide } from '../policy/decide.ts';
import type { Decision } from '../policy/decision.ts';
import type { Run } from '../policy/run.ts';
import type { Snapshot } from '../policy/snapshot.ts';
import { parseAbsoluteTarget } from '../policy/target.ts';
import { judgedMethod } from './core/method-override.ts';
import type { RequestHead } from './http1/request.ts';
import type { Place, TunnelPlace } from './place.ts';

export type Judged = { readonly ask: Ask; readonly decision: Decision };

/** `over`: how the request came; a CONNECT inside is a raw socket however it came. */
export function judge(
  head: RequestHead,
  place: Place,
  run: Run,
  snapshot: Snapshot,
  over: Exclude<Transport, 'raw'>,
): Judged {
  const asked = place.at === 'proxy' ? absoluteTarget(head) : tunnelTarget(head, place);
  const transport = head.method === 'CONNECT' ? 'raw' : over;
  const { otherPaths } = head;
  const ask: Ask = {
    method: judgedMethod(head.method, head.methodOverride, head.target),
    ...asked,
    ...(otherPaths === null ? {} : { otherPaths }),
    transport,
    run,
    guest: place.guest,
  };
  const decision = decide(ask, snapshot);
  if (place.guest && place.at === 'tunnel' && place.scheme === 'https' && decision.to === 'egress')
    return { ask, decision: unreadOr(decision, ask, snapshot) };
  return { ask, decision };
}

/**
 * A guest's own TLS is ended here only so that refusals can be read in it: what would leave has to leave unread
 * (7.2 `guest-inspected`), so it is judged as the raw connection that it is.
 */
function unreadOr(read: Decision, ask: Ask, snapshot: Snapshot): Decision {
  const unread = decide({ ...ask, transport: 'raw' }, snapshot);
  return unread.to === 'refuse' ? unread : read;
}

type Asked = Pick<Ask, 'scheme' | 'authority' | 'path'>;

const SLASH = 47;

function absoluteTarget(head: RequestHead): Asked {
  const asked = parseAbsoluteTarget(head.target);
  if (asked === null)
    return { scheme: 'http', authority: unreadable(head.target, 'the target is no absolute URL'), path: '/' };
  // Host is not read for routing: the request line wins and Host is written anew (RFC 9112 3.2.2).
  if (head.hosts > 1)
    return { ...asked, authority: unreadable(head.host ?? '', 'there are several Host lines') };
  return { ...asked, path: withSlash(asked.path) };
}

function tunnelTarget(head: RequestHead, place: TunnelPlace): Asked {
  const { scheme } = place;
  const stray = strayHost(head, place);
  if (stray !== null) return { scheme, authority: stray, path: head.target };
  const { authority } = place;
  const origin = head.target.charCodeAt(0) === SLASH || head.target === '*' || head.method === 'CONNECT';
  if (origin) return { scheme, authority, path: head.target };
  const asked = parseAbsoluteTarget(head.target);
  if (asked === null || asked.scheme !== scheme)
    return { scheme, authority: unreadable(head.target, 'the target is no path of this tunnel'), path: '/' };
  if (!asked.authority.ok) return asked;
  const same = asked.authority.host === authority.host && asked.authority.port === authority.port;
  const named = same
    ? authority
    : unreadable(asked.authority.host, `the target is of another host than the tunnel`);
  return { scheme, authority: named, path: withSlash(asked.path) };
}

/** An absolute target may leave out its path, before a query too. */
function withSlash(path: string): string {
  return path.startsWith('/') || path.startsWith('\\') ? path : `/${path}`;
}

/** Null when what TLS and Host say of the destination agrees with the tunnel. */
function strayHost(head: RequestHead, place: TunnelPlace): Unreadable | null {
  const { authority } = place;
  if (place.strayName !== null)
    return unreadable(place.strayName, `TLS names ${place.strayName} and the tunnel is to ${authority.host}`);
  if (head.hosts === 0 && head.minor === 0) return null;
  if (head.hosts !== 1)
    return unreadable(
      authority.host,
      head.hosts === 0 ? 'there is no Host line' : 'there are several Host lines',
    );
  const defaultPort = schemePort(place.scheme);
  // The common case costs one comparison.
  if (head.host === authority.host && authority.port === defaultPort) return null;
  const text = headerText(head.host!);
  const named = text === null ? unreadable('', 'Host is no UTF-8') : parseAuthority(text, defaultPort);
  if (!named.ok) return named;
  if (named.host === authority.host && named.port === authority.port) return null;
  return unreadable(
    named.host,
    `Host names ${formatAuthority(named)} and the tunnel is to ${formatAuthority(authority)}`,
  );
}
