// Whether a changeset may be deployed under the world's rules (2.6), and every reason why not: a pure function of what was
// signed and what the body is now.
import type { Approval, Verification } from './changeset.ts';

/** `…/rules` (2.13): `approvals` different persons must have signed; `summary`: messages are made by rule. */
export type ChangesetRules = { readonly approvals?: number; readonly summary?: boolean };

export type Readiness = {
  readonly ready: boolean;
  /** The persons whose approvals bind to the hash, in the order in which they signed. */
  readonly approvers: readonly string[];
  /** How many there must be. */
  readonly required: number;
  readonly reasons: readonly NotReady[];
};

/** The body changed outside the world; no check was run on it, one failed, or it was another body; persons are missing. */
export type NotReady =
  | 'hash-changed'
  | 'not-verified'
  | 'verify-failed'
  | 'verify-other-hash'
  | `approvals ${number}/${number}`;

export type Standing = {
  /** As it was stored. */
  readonly contentHash: string;
  /** Of the body as it stands. */
  readonly currentHash: string;
  readonly verification: Verification | null;
  /** Oldest first. */
  readonly approvals: readonly Approval[];
  /** The person whose changeset it is: nobody approves their own. */
  readonly owner: string | null;
};

export const readinessOf = (standing: Standing, { approvals: required = 0 }: ChangesetRules): Readiness => {
  const { contentHash, currentHash, verification, approvals, owner } = standing;
  const bound = approvals.filter(({ hash, person }) => hash === currentHash && person !== owner);
  const approvers = [...new Set(bound.map(({ person }) => person))];
  const reasons: NotReady[] = [];
  if (contentHash !== currentHash) reasons.push('hash-changed');
  if (verification === null) reasons.push('not-verified');
  else if (verification.hash !== currentHash) reasons.push('verify-other-hash');
  else if (!verification.ok) reasons.push('verify-failed');
  if (approvers.length < required) reasons.push(`approvals ${approvers.length}/${required}`);
  return { ready: reasons.length === 0, approvers, required, reasons };
};
