// A CONNECT as it came: it is accepted, and judged by what comes through the tunnel (design.md). It is refused
// itself only where no answer could be given inside: because nobody can read whom it names, or because the client
// says that what it will send can carry no answer, so that its refusal has a record that it can read (7.1).
import type { Ask } from '../../policy/ask.ts';
import { type Authority, parseAuthority } from '../../policy/authority.ts';
import { decide } from '../../policy/decide.ts';
import type { RefusalRecord } from '../../policy/refusal.ts';
import type { Run } from '../../policy/run.ts';
import type { Snapshot } from '../../policy/snapshot.ts';
import type { RequestHead } from '../http1/request.ts';
import type { TunnelAsk } from '../place.ts';
import { refusalUnread } from './late-refusal.ts';

export type ConnectRead =
  | { readonly ok: true; readonly ask: TunnelAsk }
  | { readonly ok: false; readonly refusal: RefusalRecord };

/**
 * What `X-Wrld-Attached` says of the connection, in words: `raw` (bytes that are no HTTP), `http2`, `datagram`, and
 * `policy-unreadable` (7.2) of whoever asks. Each can only lead to a refusal, so anybody may say it.
 */
type Told = { readonly carries: 'raw' | 'http2' | 'datagram' | null; readonly policyUnreadable: boolean };

const CARRIES = ['raw', 'http2', 'datagram'] as const;

function readTold(attached: string | null): Told {
  const words = attached === null ? [] : attached.split(/[\s,]+/);
  return {
    carries: CARRIES.find(word => words.includes(word)) ?? null,
    policyUnreadable: words.includes('policy-unreadable'),
  };
}

/** `head.target`: the CONNECT's own, `host:port`. */
export function readConnect(
  { target, attached }: Pick<RequestHead, 'target' | 'attached'>,
  from: { readonly run: Run; readonly guest: boolean; readonly contained?: boolean },
  snapshot: Snapshot,
): ConnectRead {
  const told = readTold(attached);
  const run = told.policyUnreadable ? { ...from.run, policyUnreadable: true } : from.run;
  const { guest, contained = false } = from;
  const authority = parseAuthority(target, null);
  const raw: Ask = {
    method: 'CONNECT',
    scheme: authority.ok && authority.port === 80 ? 'http' : 'https',
    authority,
    path: '',
    transport: 'raw',
    run,
    guest,
  };
  if (!authority.ok) {
    const decision = decide({ ...raw, guest: false }, snapshot);
    if (decision.to !== 'refuse') throw new Error('policy permitted an authority that nobody can read');
    return { ok: false, refusal: decision.refusal };
  }
  const refusal = refusalOf(told, raw, authority, snapshot);
  return refusal === null ? { ok: true, ask: { authority, run, guest, contained } } : { ok: false, refusal };
}

/** Null where what comes through the tunnel is still to be seen, or passes as it is. */
function refusalOf(
  { carries }: Told,
  raw: Ask,
  { host }: Authority,
  snapshot: Snapshot,
): RefusalRecord | null {
  if (carries === null) return null;
  if (carries === 'http2') {
    // A twin reads it request by request, and so does the world itself.
    if (snapshot.twins.find(host) !== undefined) return null;
    const request = decide({ ...raw, method: 'GET', path: '/', transport: 'http2' }, snapshot);
    if (request.to !== 'refuse') return null;
  }
  const decision = decide(carries === 'http2' ? { ...raw, transport: 'http2' } : raw, snapshot);
  if (decision.to === 'refuse') return decision.refusal;
  return carries === 'datagram' ? refusalUnread(raw, 'a datagram', snapshot) : null;
}
