// From a decision to what is sent on, and where: the one place that writes a request for its next hop, for
// HTTP/1 and HTTP/2 clients alike.
import type { Ask } from '../policy/ask.ts';
import { formatAuthority } from '../policy/authority.ts';
import { targetOf } from '../policy/decide.ts';
import { type RefusalRecord, refuse } from '../policy/refusal.ts';
import type { Snapshot } from '../policy/snapshot.ts';
import type { RequestHead } from './http1/request.ts';
import type { Judged } from './judge.ts';
import type { Upstream, Upstreams } from './upstream/upstream.ts';

export type Forwarded = {
  readonly ok: true;
  readonly upstream: Upstream;
  /** The whole head for the upstream. */
  readonly head: string;
};

export type ForwardResult = Forwarded | { readonly ok: false; readonly refusal: RefusalRecord };

const NESTED = 'a CONNECT inside a tunnel';

export function forward(
  head: RequestHead,
  judged: Judged,
  snapshot: Snapshot,
  upstreams: Upstreams,
): ForwardResult {
  const { decision } = judged;
  // What raw bytes may reach, a CONNECT inside a tunnel may not: it is a request, and has no target to forward.
  if (head.method === 'CONNECT' && decision.to !== 'refuse')
    return { ok: false, refusal: refusalUnread(judged.ask, NESTED, snapshot) };
  switch (decision.to) {
    case 'refuse':
      return { ok: false, refusal: decision.refusal };
    case 'twin': {
      const host = hostField(judged);
      const { ask } = judged;
      const internal = `x-wrld-host: ${host}\r\nx-wrld-scheme: ${ask.scheme}\r\nx-wrld-run: ${ask.run.name}\r\n`;
      const target = `/${ask.run.world ?? snapshot.world}/${decision.vendor}${decision.path}`;
      return {
        ok: true,
        upstream: upstreams.control,
        head: write(head, target, host, head.credentials + internal),
      };
    }
    case 'world':
      return {
        ok: true,
        upstream: upstreams.origin(decision.permit),
        head: write(head, decision.path, hostField(judged), head.credentials),
      };
    case 'app':
    case 'service':
    case 'egress':
      // The world's own credentials stay behind: they are not the destination's to see.
      return {
        ok: true,
        upstream: upstreams.origin(decision.permit),
        head: write(head, decision.path, hostField(judged), ''),
      };
    case 'tunnel':
    case 'stream':
      // The one request that asks for this is a CONNECT inside a tunnel, and what is tunnelled unread is the
      // tunnel's own bytes (bad-input, Transport).
      return { ok: false, refusal: refusalUnread(judged.ask, NESTED, snapshot) };
  }
}

/** `extra`: fields with their CRLFs. */
function write(head: RequestHead, target: string, host: string, extra: string): string {
  const chunked = head.framing.kind === 'chunked' ? 'Transfer-Encoding: chunked\r\n' : '';
  const upgrade = head.upgrade === null ? '' : `Connection: Upgrade\r\nUpgrade: ${head.upgrade}\r\n`;
  return `${head.method} ${target} HTTP/1.1\r\nHost: ${host}\r\n${head.forwarded}${extra}${chunked}${upgrade}\r\n`;
}

/** The authority that was judged, as a Host field: the port only where it is not the scheme's own. */
function hostField(judged: Pick<Judged, 'ask'>): string {
  const { authority, scheme } = judged.ask;
  return authority.ok ? formatAuthority(authority, scheme) : '';
}

/** Bytes that policy would let by unread, were they what they must be to be let by. */
export function refusalUnread(ask: Ask, why: string, snapshot: Snapshot): RefusalRecord {
  return refuse('inspected-transport', { target: targetOf(ask), why }, snapshot.docsUrl, ask.run.declaration);
}

/** A granted name that led to an address of this machine or its own network (bad-input.md, DNS). */
export function refusalInside(
  judged: Pick<Judged, 'ask'>,
  address: string,
  snapshot: Snapshot,
): RefusalRecord {
  const about = {
    target: targetOf(judged.ask),
    reason: `${hostField(judged)} is granted, but its name leads to ${address}, an address of this machine or its own network, which no grant of a name covers. Pin the name to that address in runtime.extraHosts if that is meant.`,
    grantField: 'runtime.extraHosts',
  };
  return refuse('not-granted', about, snapshot.docsUrl);
}
