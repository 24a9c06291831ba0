// What a world asks by itself (webhooks, its roots, links and origin), judged as an app's request is. Every host judges by
// this before anything is sent; what a permitted name leads to is the host's to see.
import type { VendorCaller } from './ask.ts';
import { formatAuthority, parseAuthority, schemePort } from './authority.ts';
import { decide } from './decide.ts';
import type { Decision, Permit } from './decision.ts';
import type { RefusalRecord } from './refusal.ts';
import { DEFAULT_RUN, type Declaration } from './run.ts';
import type { Snapshot } from './snapshot.ts';

export type Outgoing = {
  /** http or https, absolute. */
  readonly url: string;
  /** Upper case. */
  readonly method: string;
  /** The root or link in whose name it is asked, or the recording. */
  readonly as?: VendorCaller;
  /** Where nobody knows which of several programs asks, each must have declared where it goes. */
  readonly declared?: readonly Declaration[];
};

export type OutgoingJudgement =
  | {
      readonly ok: true;
      readonly permit: Permit;
      /** With its query. */
      readonly path: string;
      /** As the `Host` field says it. */
      readonly host: string;
    }
  | {
      readonly ok: false;
      /** Policy refused it, and `why` begins with the rule's name; otherwise it is nothing that could be sent. */
      readonly refused: boolean;
      readonly why: string;
      /** Of what policy refused. */
      readonly record?: RefusalRecord;
    };

export function judgeOutgoing(
  { url, method, as, declared = [] }: Outgoing,
  snapshot: Snapshot,
): OutgoingJudgement {
  if (method === 'CONNECT') return unsent('A request is no tunnel.');
  const parts = /^(https?):\/\/([^/?#]*)(.*)$/is.exec(url);
  const scheme = parts?.[1]?.toLowerCase() === 'https' ? 'https' : 'http';
  const named = parts?.[2] ?? '';
  const rest = parts?.[3] ?? '';
  const authority = parseAuthority(named.slice(named.lastIndexOf('@') + 1), schemePort(scheme));
  if (!parts || !authority.ok) return unsent('The address is no http or https URL.');
  const path = rest.startsWith('/') ? rest : `/${rest}`;
  const ask = {
    method,
    scheme,
    authority,
    path,
    transport: 'http1',
    run: DEFAULT_RUN,
    guest: false,
  } as const;
  const judged = (declaration: Declaration): Decision => {
    const run = { ...DEFAULT_RUN, declaration };
    return decide(as === undefined ? { ...ask, run } : { ...ask, run, as }, snapshot);
  };
  const decisions = [{}, ...declared].map(judged);
  const decision = decisions.find(({ to }) => to === 'refuse') ?? decisions[0]!;
  switch (decision.to) {
    case 'refuse':
      return {
        ok: false,
        refused: true,
        why: `${decision.refusal.rule}: ${decision.refusal.reason}`,
        record: decision.refusal,
      };
    case 'twin':
      return unsent(`The host belongs to the twin ${decision.vendor}, which takes no webhooks.`);
    case 'tunnel':
    case 'stream':
      return unsent('The destination takes no HTTP requests.');
    case 'world':
    case 'app':
    case 'service':
    case 'egress':
      return {
        ok: true,
        permit: decision.permit,
        path: decision.path,
        host: formatAuthority(authority, scheme),
      };
  }
}

function unsent(why: string): OutgoingJudgement {
  return { ok: false, refused: false, why };
}
