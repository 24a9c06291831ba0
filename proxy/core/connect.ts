// A CONNECT as it came: it is accepted, and judged by what comes through the tunnel (design.md). It is refused
// itself only where no answer could be given inside, because nobody can read whom it names.
import { parseAuthority } from '../../policy/authority.ts';
import { decide } from '../../policy/decide.ts';
import type { RefusalRecord } from '../../policy/refusal.ts';
import type { Run } from '../../policy/run.ts';
import type { Snapshot } from '../../policy/snapshot.ts';
import type { TunnelAsk } from '../place.ts';

export type ConnectRead =
  | { readonly ok: true; readonly ask: TunnelAsk }
  | { readonly ok: false; readonly refusal: RefusalRecord };

/** `target`: the CONNECT's own, `host:port`. */
export function readConnect(
  target: string,
  from: { readonly run: Run; readonly guest: boolean; readonly contained?: boolean },
  snapshot: Snapshot,
): ConnectRead {
  const { run, guest, contained = false } = from;
  const authority = parseAuthority(target, null);
  if (authority.ok) return { ok: true, ask: { authority, run, guest, contained } };
  const decision = decide(
    { method: 'CONNECT', scheme: 'https', authority, path: '', transport: 'raw', run, guest: false },
    snapshot,
  );
  if (decision.to !== 'refuse') throw new Error('policy permitted an authority that nobody can read');
  return { ok: false, refusal: decision.refusal };
}
