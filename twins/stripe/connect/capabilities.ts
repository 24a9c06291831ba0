// What connected accounts may do: their capabilities, one record an account and name.

import { type Act, all, find, need, save } from '../api/act.ts';
import { operation } from '../api/operation.ts';
import { boolean } from '../api/params.ts';
import type { View } from '../api/view.ts';
import { tellView } from '../events/events.ts';
import type { Account, Capability } from './records.ts';

export const noRequirements = {
  alternatives: [],
  current_deadline: null,
  currently_due: [],
  disabled_reason: null,
  errors: [],
  eventually_due: [],
  past_due: [],
  pending_verification: [],
};

export const needAccount = (act: Act, id: string): Account =>
  need(act, 'account', id, { param: 'account', inPath: true });

function capabilityOf(act: Act, account: Account, name: string, requested: boolean): Capability {
  return {
    id: name,
    object: 'capability',
    account: account.id,
    future_requirements: { ...noRequirements },
    requested,
    requested_at: requested ? act.at : null,
    requirements: { ...noRequirements },
    status: !requested ? 'unrequested' : account.charges_enabled ? 'active' : 'inactive',
  };
}

/** Capability records are one per account and name. */
const capabilityKey = (account: string, name: string): string => `${account}:${name}`;

function setCapability(act: Act, account: Account, name: string, requested: boolean): Capability {
  const made = capabilityOf(act, account, name, requested);
  const key = capabilityKey(account.id, name);
  const before = find(act, 'capability', key);
  save(act, 'capability', { ...made, id: key });
  if (before?.status !== made.status || before?.requested !== requested) {
    tellView(act, 'capability.updated', viewCapability(made));
  }
  return made;
}

function viewCapability(held: Capability): View {
  return { ...held, id: held.id.includes(':') ? held.id.slice(held.id.indexOf(':') + 1) : held.id };
}

export function request(
  act: Act,
  account: Account,
  given: { readonly [name: string]: unknown } | undefined,
): void {
  for (const [name, ask] of Object.entries(given ?? {})) {
    if (typeof ask !== 'object' || ask === null || !('requested' in ask)) continue;
    setCapability(act, account, name, ask.requested === true);
  }
}

/** Once an account may charge, so may what was asked for. */
export function activate(act: Act, account: Account): void {
  for (const held of all(act, 'capability', { account: account.id })) {
    const name = held.id.slice(held.id.indexOf(':') + 1);
    if (held.requested) setCapability(act, account, name, true);
  }
}

const capability = operation(
  'accounts.retrieveCapability',
  'GET /v1/accounts/{account}/capabilities/{capability}',
  {},
  ({ act, path }) => {
    const account = needAccount(act, path['account'] ?? '');
    const name = path['capability'] ?? '';
    return viewCapability(
      find(act, 'capability', capabilityKey(account.id, name)) ?? capabilityOf(act, account, name, false),
    );
  },
);

const changeCapability = operation(
  'accounts.updateCapability',
  'POST /v1/accounts/{account}/capabilities/{capability}',
  { requested: boolean() },
  ({ act, path, params }) => {
    const account = needAccount(act, path['account'] ?? '');
    return viewCapability(setCapability(act, account, path['capability'] ?? '', params.requested !== false));
  },
);

const capabilities = operation(
  'accounts.listCapabilities',
  'GET /v1/accounts/{account}/capabilities',
  {},
  ({ act, path }) => {
    const account = needAccount(act, path['account'] ?? '');
    const data = all(act, 'capability', { account: account.id }).map(viewCapability);
    return { object: 'list', data, has_more: false, url: `/v1/accounts/${account.id}/capabilities` };
  },
);

export const capabilityOperations = [capability, changeCapability, capabilities];
