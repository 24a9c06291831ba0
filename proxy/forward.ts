// From a decision to what is sent on, and where: the one place that writes a request for its next hop, for
// HTTP/1 and HTTP/2 clients alike.
import type { RefusalRecord } from '../policy/refusal.ts';
import type { Snapshot } from '../policy/snapshot.ts';
import { hostField } from './core/host-field.ts';
import { refusalUnread } from './core/late-refusal.ts';
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

/** Tells control that the connection's own address says nothing of who asks (5.3-4). */
const THROUGH = 'x-wrld-through: proxy\r\n';
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
      const host = hostField(judged.ask);
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
        head: write(head, decision.path, hostField(judged.ask), head.credentials + THROUGH),
      };
    case 'app':
    case 'service':
    case 'egress':
      // The world's own credentials stay behind: they are not the destination's to see.
      return {
        ok: true,
        upstream: upstreams.origin(decision.permit),
        head: write(head, decision.path, hostField(judged.ask), ''),
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
