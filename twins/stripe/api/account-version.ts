// The version that an account has: callers who name none are answered in it, and its events are told in it. Stripe's
// dashboard sets it, and so does ours (dashboard/developers.ts).
import type { Tx } from '../../kit/tx.ts';
import { API_VERSION, checkVersion } from './version.ts';

export type AccountVersion = { id: string; object: 'account_version'; api_version: string };

/** The platform's; connected accounts have none of their own. */
const OWN = { type: 'account_version', id: 'account' } as const;

export function accountVersion(tx: Pick<Tx, 'get'>): string {
  return tx.get<AccountVersion>(OWN.type, OWN.id)?.api_version ?? API_VERSION;
}

/** Throws Stripe's refusal of a version that it never had. */
export function setAccountVersion(tx: Tx, version: string): void {
  checkVersion(version);
  if (version === accountVersion(tx)) return;
  tx.put(OWN.type, OWN.id, { id: OWN.id, object: OWN.type, api_version: version });
  tx.kind('account.api_version.updated');
}
