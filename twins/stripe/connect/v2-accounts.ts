// Accounts of the second version of the API. Each is an account of the first as well, so that money moves to it; what
// only the second version knows of it is kept beside. A block shows when it is asked for with `include`.

import { type Act, need, save, select } from '../api/act.ts';
import { invalid } from '../api/errors.ts';
import { operation } from '../api/operation.ts';
import { mergeMetadata, required, text, tree } from '../api/params.ts';
import { vendor } from '../api/vendor.ts';
import type { View } from '../api/view.ts';
import type { Kept } from '../api/wire.ts';
import { tellThin } from '../events/thin.ts';
import { newAccount } from './accounts.ts';

const LIMIT_DEFAULT = 20;
const LIMIT_MAX = 100;
const LINK_SECONDS = 300;
const CONFIGURATIONS = ['customer', 'merchant', 'recipient'] as const;
const BLOCKS = ['defaults', 'future_requirements', 'identity', 'requirements'] as const;

type Hash = { readonly [field: string]: unknown };
type Asked = {
  readonly configuration?: { readonly [name: string]: Hash };
  readonly contact_email?: string;
  readonly contact_phone?: string;
  readonly dashboard?: string;
  readonly defaults?: Hash;
  readonly display_name?: string;
  readonly identity?: Hash;
  readonly include?: readonly string[];
  readonly metadata?: { readonly [name: string]: string };
};

const iso = (seconds: number): string => new Date(seconds * 1000).toISOString();

function isHash(value: unknown): value is Hash {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A capability that is asked for is granted: `{ requested: true }` becomes its status. */
function granted(asked: Hash): Hash {
  return Object.fromEntries(
    Object.entries(asked).flatMap(([name, value]) => {
      if (!isHash(value)) return [[name, value]];
      if (!('requested' in value)) return [[name, granted(value)]];
      return value['requested'] === false ? [] : [[name, { status: 'active', status_details: [] }]];
    }),
  );
}

/** What is given over what is held, hash by hash; null removes. */
function merged(held: Hash, given: Hash): Hash {
  const next: { [field: string]: unknown } = { ...held };
  for (const [name, value] of Object.entries(given)) {
    const before = held[name];
    if (value === null) delete next[name];
    else next[name] = isHash(value) && isHash(before) ? merged(before, value) : value;
  }
  return next;
}

function withFields(held: Kept, asked: Asked): Kept {
  const { configuration, defaults, identity, include: _include, metadata, ...scalars } = asked;
  const configured = { ...(held['configuration'] as { [name: string]: Hash }) };
  for (const name of CONFIGURATIONS) {
    const given = configuration?.[name];
    if (given === undefined) continue;
    const { applied, capabilities, ...rest } = given;
    configured[name] = merged(configured[name] ?? {}, {
      ...rest,
      applied: applied !== false,
      ...(isHash(capabilities) ? { capabilities: granted(capabilities) } : {}),
    });
  }
  return {
    ...held,
    ...scalars,
    applied_configurations: CONFIGURATIONS.filter(name => configured[name]?.['applied'] === true),
    configuration: configured,
    defaults: merged(held['defaults'] as Hash, defaults ?? {}),
    identity: merged(held['identity'] as Hash, identity ?? {}),
    metadata: mergeMetadata(held['metadata'] as { [name: string]: string }, metadata),
  };
}

function asAnswer({ $closed: _closed, ...held }: Kept, include: readonly string[] = []): View {
  const configuration = held['configuration'] as { readonly [name: string]: Hash };
  const asked = CONFIGURATIONS.filter(name => include.includes(`configuration.${name}`));
  return {
    ...held,
    ...Object.fromEntries(BLOCKS.map(name => [name, include.includes(name) ? held[name] : null])),
    configuration:
      asked.length === 0
        ? null
        : Object.fromEntries(asked.map(name => [name, configuration[name] ?? { applied: false }])),
  };
}

/** What older callers say of a configuration: its fields are many, and are kept as they are given. */
const APPLIED = { configuration: tree() };
const UNMODELLED = [
  'account_token',
  'identity[attestations][terms_of_service][crypto_money_manager]',
  'identity[attestations][terms_of_service][money_manager]',
];

const create = vendor<Asked>(
  'v2.core.accounts.create',
  ({ act, params }) => {
    const asked = params as Asked;
    const country = String(asked.identity?.['country'] ?? 'us').toUpperCase();
    const first = newAccount(act, { country, type: 'express' }, { $onboarded: true });
    const made: Kept = {
      id: first.id,
      object: 'v2.core.account',
      applied_configurations: [],
      closed: false,
      configuration: {},
      created: iso(act.at),
      defaults: {
        responsibilities: {
          fees_collector: 'stripe',
          losses_collector: 'stripe',
          requirements_collector: 'stripe',
        },
      },
      future_requirements: { entries: [] },
      identity: {},
      livemode: false,
      metadata: {},
      requirements: { entries: [] },
      $closed: 'false',
    };
    const account = withFields(made, asked);
    save(act, 'v2.core.account', account);
    tellOf(act, 'v2.core.account.created', account.id);
    tellChanges(act, made, account);
    return asAnswer(account, asked.include);
  },
  APPLIED,
  UNMODELLED,
);

function tellOf(act: Act, type: string, id: string): void {
  tellThin(act, type, { related: { id, type: 'v2.core.account', url: `/v2/core/accounts/${id}` } });
}

const UPDATED = {
  customer: 'v2.core.account[configuration.customer].updated',
  merchant: 'v2.core.account[configuration.merchant].updated',
  recipient: 'v2.core.account[configuration.recipient].updated',
} as const;
const GRANTED = {
  customer: 'v2.core.account[configuration.customer].capability_status_updated',
  merchant: 'v2.core.account[configuration.merchant].capability_status_updated',
  recipient: 'v2.core.account[configuration.recipient].capability_status_updated',
} as const;

/** Tells of each block that is another than it was. */
function tellChanges(act: Act, before: Kept, after: Kept): void {
  const differs = (a: unknown, b: unknown): boolean =>
    JSON.stringify(a ?? null) !== JSON.stringify(b ?? null);
  const [old, now] = [before, after].map(held => held['configuration'] as { readonly [name: string]: Hash });
  for (const name of CONFIGURATIONS) {
    if (differs(old?.[name], now?.[name])) tellOf(act, UPDATED[name], after.id);
    if (differs(old?.[name]?.['capabilities'], now?.[name]?.['capabilities']))
      tellOf(act, GRANTED[name], after.id);
  }
  if (differs(before['defaults'], after['defaults']))
    tellOf(act, 'v2.core.account[defaults].updated', after.id);
  if (differs(before['identity'], after['identity']))
    tellOf(act, 'v2.core.account[identity].updated', after.id);
}

const needAccount = (act: Act, path: { readonly [name: string]: string }): Kept =>
  need(act, 'v2.core.account', path['id'] ?? '', { param: 'id', inPath: true });

const retrieve = vendor<{ readonly include?: readonly string[] }>(
  'v2.core.accounts.retrieve',
  ({ act, path, params }) => asAnswer(needAccount(act, path), params.include),
);

const change = vendor<Asked>(
  'v2.core.accounts.update',
  ({ act, path, params }) => {
    const held = needAccount(act, path);
    if (held['closed'] === true) throw invalid('This account is closed.', { code: 'account_closed' });
    const next = withFields(held, params as Asked);
    save(act, 'v2.core.account', next);
    tellOf(act, 'v2.core.account.updated', next.id);
    tellChanges(act, held, next);
    return asAnswer(next, params.include);
  },
  APPLIED,
  UNMODELLED,
);

const close = vendor<{ readonly applied_configurations?: readonly string[] }>(
  'v2.core.accounts.close',
  ({ act, path, params }) => {
    const held = needAccount(act, path);
    const applied = held['applied_configurations'] as readonly string[];
    const told = params.applied_configurations ?? [];
    if (applied.length !== told.length || applied.some(name => !told.includes(name))) {
      throw invalid(`Name every applied configuration to close this account: ${applied.join(', ')}.`, {
        param: 'applied_configurations',
      });
    }
    const next = { ...held, applied_configurations: [], closed: true, $closed: 'true' };
    save(act, 'v2.core.account', next);
    tellOf(act, 'v2.core.account.closed', next.id);
    return asAnswer(next);
  },
);

type ListAsk = {
  readonly applied_configurations?: readonly string[];
  readonly closed?: boolean;
  readonly limit?: number;
  readonly page?: string;
};

const listAll = vendor<ListAsk>(
  'v2.core.accounts.list',
  ({ act, params }) => {
    const limit = Math.min(params.limit ?? LIMIT_DEFAULT, LIMIT_MAX);
    const wanted = params.applied_configurations ?? [];
    const found = select(act.tx, 'v2.core.account', {
      where: { $closed: String(params.closed === true) },
      limit,
      ...(params.page === undefined ? {} : { after: params.page }),
      keep: body =>
        wanted.every(name => (body['applied_configurations'] as readonly string[]).includes(name)),
    });
    const last = found.items.at(-1)?.id;
    const more = found.more && last !== undefined;
    return {
      data: found.items.map(held => asAnswer(held)),
      next_page_url: more ? `/v2/core/accounts?page=${last}&limit=${limit}` : null,
      previous_page_url: null,
    };
  },
  { page: text() },
);

const link = operation(
  'v2.core.accountLinks.create',
  'POST /v2/core/account_links',
  { account: required(text()), use_case: required(tree()) },
  ({ act, params }) => {
    const { id } = need(act, 'v2.core.account', params.account, { param: 'account' });
    return {
      object: 'v2.core.account_link',
      account: id,
      created: iso(act.at),
      expires_at: iso(act.at + LINK_SECONDS),
      livemode: false,
      url: `https://connect.stripe.com/setup/v2/${id}/${act.tx.id('', 12)}`,
      use_case: params.use_case,
    };
  },
  [],
  'json',
);

export const v2AccountOperations = [create, retrieve, change, close, listAll, link];
