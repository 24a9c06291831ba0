// What the proxy tells of itself on its own port: alive, ready, metrics. Only to a request in origin form that
// names no other host, so neither a tunnel nor an absolute URL leads here, nor a web page by a name of its own.
import { isIP } from 'node:net';
import { parseAuthority } from '../policy/authority.ts';
import type { Snapshot } from '../policy/snapshot.ts';
import type { RequestHead } from './http1/request.ts';
import { METRICS_TYPE } from './metrics-text.ts';
import type { Answer } from './refuse.ts';

export type OwnPages = {
  /** Answers no peer but one of this machine, wherever the proxy listens. */
  readonly peer: string | undefined;
  readonly snapshot: Snapshot;
  readonly metrics: () => string;
};

const NO_STORE = ['Cache-Control', 'no-store'] as const;

/** Null where the request is for none of them. */
export function ownPage(head: RequestHead, { peer, snapshot, metrics }: OwnPages): Answer | null {
  if (!head.target.startsWith('/-/') || (head.method !== 'GET' && head.method !== 'HEAD')) return null;
  if (!isLoopbackPeer(peer) || !namesThisMachine(head)) return null;
  switch (head.target) {
    case '/-/health':
      return page(200, 'alive\n');
    case '/-/ready':
      if (snapshot.unread === null) return page(200, 'ready\n');
      return withRetry(page(503, `not ready: ${snapshot.unread}\n`));
    case '/-/metrics':
      return page(200, metrics(), METRICS_TYPE);
    default:
      return null;
  }
}

function page(status: number, body: string, type = 'text/plain; charset=utf-8'): Answer {
  return { status, fields: [['Content-Type', type], NO_STORE], body };
}

function withRetry(answer: Answer): Answer {
  return { ...answer, fields: [...answer.fields, ['Retry-After', '1']] };
}

function isLoopbackPeer(peer: string | undefined): boolean {
  return peer !== undefined && /^(::ffff:)?127\.|^::1$/.test(peer);
}

/** By address or as localhost. A name that leads here by DNS is how a web page would read this (rebinding). */
function namesThisMachine(head: RequestHead): boolean {
  if (head.host === null) return head.hosts === 0;
  const authority = parseAuthority(head.host, 80);
  return head.hosts === 1 && authority.ok && (authority.host === 'localhost' || isIP(authority.host) !== 0);
}
