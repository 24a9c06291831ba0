// Connected accounts: the accounts, what they may do, the people behind them, and the links to onboard them.
import { invalid } from '../errors.ts';
import { tellView, update } from '../events.ts';
import { createdParams, page } from '../list.ts';
import { operation } from '../operation.ts';
import {
  boolean,
  choice,
  type Decoded,
  hash,
  mergeMetadata,
  metadata,
  required,
  text,
  tree,
} from '../params.ts';
import type { Account, Capability } from '../payments/wire.ts';
import { type Act, all, find, need, remove, save } from '../records.ts';
import { type View, viewOf } from '../views.ts';

const writable = {
  account_token: text(),
  business_profile: tree('amount'),
  business_type: choice('company', 'government_entity', 'individual', 'non_profit'),
  capabilities: tree(),
  company: tree(),
  default_currency: text(),
  email: text(),
  individual: tree('day', 'month', 'year'),
  metadata: metadata(),
  settings: tree('delay_days', 'date'),
  tos_acceptance: hash({ date: text(), ip: text(), service_agreement: text(), user_agent: text() }),
} as const;

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

function written(held: Account, given: Decoded<typeof writable>): Account {
  const profile = given.business_profile;
  const { tos_acceptance: terms } = given;
  const next: Account = {
    ...held,
    ...(profile === undefined ? {} : { business_profile: { ...held.business_profile, ...profile } as never }),
    ...(given.business_type === undefined ? {} : { business_type: given.business_type }),
    ...(given.company === undefined ? {} : { company: { ...held.company, ...given.company } as never }),
    ...(given.default_currency === undefined
      ? {}
      : { default_currency: given.default_currency.toLowerCase() }),
    ...(given.email === undefined ? {} : { email: given.email }),
    ...(given.settings === undefined ? {} : { settings: { ...held.settings, ...given.settings } as never }),
    ...(terms === undefined
      ? {}
      : {
          tos_acceptance: {
            ...held.tos_acceptance,
            ...terms,
            date: terms.date === undefined ? (held.tos_acceptance?.date ?? null) : Number(terms.date),
          },
        }),
    metadata: mergeMetadata(held.metadata ?? {}, given.metadata),
  };
  return standing(next);
}

/** An account that has agreed to the terms (or whose dashboard does that for it) may charge. */
function standing(account: Account): Account {
  const agreed = account.type === 'standard' || typeof account.tos_acceptance?.date === 'number';
  return {
    ...account,
    charges_enabled: agreed && account.type !== 'standard',
    details_submitted: agreed && account.type !== 'standard',
    payouts_enabled: agreed && account.type !== 'standard',
    requirements: {
      ...noRequirements,
      currently_due: agreed ? [] : ['tos_acceptance.date', 'tos_acceptance.ip'],
      disabled_reason: agreed ? null : 'requirements.past_due',
      eventually_due: agreed ? [] : ['tos_acceptance.date', 'tos_acceptance.ip'],
    } as never,
  };
}

function capabilityOf(act: Act, account: Account, name: string, requested: boolean): Capability {
  return {
    id: name,
    object: 'capability',
    account: account.id,
    future_requirements: { ...noRequirements } as never,
    requested,
    requested_at: requested ? act.at : null,
    requirements: { ...noRequirements } as never,
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

function request(act: Act, account: Account, given: { readonly [name: string]: unknown } | undefined): void {
  for (const [name, ask] of Object.entries(given ?? {})) {
    if (typeof ask !== 'object' || ask === null || !('requested' in ask)) continue;
    setCapability(act, account, name, ask.requested === true);
  }
}

const create = operation(
  'accounts.create',
  'POST /v1/accounts',
  {
    ...writable,
    controller: tree(),
    country: text(),
    external_account: text(),
    type: choice('custom', 'express', 'standard'),
  },
  ({ act, params }) => {
    const country = params.country ?? 'US';
    const blank: Account = {
      id: act.tx.id('acct_', 16),
      object: 'account',
      business_profile: {
        annual_revenue: null,
        estimated_worker_count: null,
        mcc: null,
        minority_owned_business_designation: null,
        name: null,
        product_description: null,
        support_address: null,
        support_email: null,
        support_phone: null,
        support_url: null,
        url: null,
      } as never,
      business_type: null,
      charges_enabled: false,
      controller: (params.controller ?? {
        fees: {
          payer: params.type === 'standard' || params.type === undefined ? 'account' : 'application_express',
        },
        is_controller: true,
        losses: {
          payments: params.type === 'standard' || params.type === undefined ? 'stripe' : 'application',
        },
        requirement_collection: params.type === 'custom' ? 'application' : 'stripe',
        stripe_dashboard: {
          type: params.type === 'custom' ? 'none' : params.type === 'express' ? 'express' : 'full',
        },
        type: 'application',
      }) as never,
      country,
      created: act.at,
      default_currency:
        params.default_currency?.toLowerCase() ??
        (country === 'US' ? 'usd' : country === 'GB' ? 'gbp' : 'eur'),
      details_submitted: false,
      email: null,
      future_requirements: { ...noRequirements } as never,
      metadata: {},
      payouts_enabled: false,
      requirements: { ...noRequirements } as never,
      settings: {
        bacs_debit_payments: { display_name: null, service_user_number: null },
        branding: { icon: null, logo: null, primary_color: null, secondary_color: null },
        card_issuing: { tos_acceptance: { date: null, ip: null } },
        card_payments: {
          decline_on: { avs_failure: false, cvc_failure: false },
          statement_descriptor_prefix: null,
          statement_descriptor_prefix_kana: null,
          statement_descriptor_prefix_kanji: null,
        },
        dashboard: { display_name: null, timezone: 'Etc/UTC' },
        invoices: { default_account_tax_ids: null, hosted_payment_method_save: 'always' },
        payments: {
          statement_descriptor: null,
          statement_descriptor_kana: null,
          statement_descriptor_kanji: null,
        },
        payouts: {
          debit_negative_balances: true,
          schedule: { delay_days: 2, interval: 'daily' },
          statement_descriptor: null,
        },
        sepa_debit_payments: {},
      } as never,
      tos_acceptance: { date: null, ip: null, user_agent: null } as never,
      type: params.controller === undefined ? (params.type ?? 'standard') : 'none',
    };
    const account = written(blank, params);
    save(act, 'account', account);
    act.tx.kind('account.created');
    request(act, account, params.capabilities);
    return viewOf(act.tx, 'account', account);
  },
  ['documents', 'groups'],
);

export const needAccount = (act: Act, id: string): Account =>
  need(act, 'account', id, { param: 'account', inPath: true });

const retrieve = operation('accounts.retrieve', 'GET /v1/accounts/{account}', {}, ({ act, path }) =>
  viewOf(act.tx, 'account', needAccount(act, path['account'] ?? '')),
);

const own = operation('accounts.retrieveCurrent', 'GET /v1/account', {}, ({ act }) => {
  if (act.account !== null) return viewOf(act.tx, 'account', needAccount(act, act.account));
  return {
    id: 'acct_twin',
    object: 'account',
    business_type: 'company',
    capabilities: { card_payments: 'active', transfers: 'active' },
    charges_enabled: true,
    country: 'US',
    default_currency: 'usd',
    details_submitted: true,
    email: 'owner@example.com',
    payouts_enabled: true,
    settings: { dashboard: { display_name: 'Twin', timezone: 'Etc/UTC' } },
    type: 'standard',
  };
});

const change = operation(
  'accounts.update',
  'POST /v1/accounts/{account}',
  { ...writable, external_account: text() },
  ({ act, path, params }) => {
    const held = needAccount(act, path['account'] ?? '');
    const next = update(act, 'account', held, written(held, params), 'account.updated');
    request(act, next, params.capabilities);
    return viewOf(act.tx, 'account', next);
  },
  ['documents', 'groups'],
);

const del = operation('accounts.del', 'DELETE /v1/accounts/{account}', {}, ({ act, path }) => {
  const held = needAccount(act, path['account'] ?? '');
  const { id } = held;
  remove(act, 'account', id);
  tellView(act, 'account.application.deauthorized', { id: 'ca_twin', object: 'application', name: 'Twin' });
  return { id, object: 'account', deleted: true };
});

const reject = operation(
  'accounts.reject',
  'POST /v1/accounts/{account}/reject',
  { reason: required(text()) },
  ({ act, path, params }) => {
    const held = needAccount(act, path['account'] ?? '');
    const next: Account = {
      ...held,
      charges_enabled: false,
      payouts_enabled: false,
      requirements: { ...held.requirements, disabled_reason: `rejected.${params.reason}` } as never,
    };
    return viewOf(act.tx, 'account', update(act, 'account', held, next, 'account.updated'));
  },
);

const listAll = operation('accounts.list', 'GET /v1/accounts', createdParams, ({ act, params }) =>
  page(act, 'account', params, '/v1/accounts'),
);

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

const LINK_SECONDS = 300;

const link = operation(
  'accountLinks.create',
  'POST /v1/account_links',
  {
    account: required(text()),
    collect: choice('currently_due', 'eventually_due'),
    collection_options: tree(),
    refresh_url: text(),
    return_url: text(),
    type: required(choice('account_onboarding', 'account_update')),
  },
  ({ act, params }) => {
    const account = need(act, 'account', params.account, { param: 'account' });
    if (account.type === 'standard' && params.type === 'account_update') {
      throw invalid('You cannot create `account_update` type Account Links for this account.', {
        param: 'type',
      });
    }
    return {
      object: 'account_link',
      created: act.at,
      expires_at: act.at + LINK_SECONDS,
      url: `https://connect.stripe.com/setup/${account.type === 'express' ? 'e' : 'c'}/${account.id}/${act.tx.id('', 12)}`,
    };
  },
);

const login = operation(
  'accounts.createLoginLink',
  'POST /v1/accounts/{account}/login_links',
  {},
  ({ act, path }) => {
    const account = needAccount(act, path['account'] ?? '');
    if (account.type !== 'express') {
      throw invalid('Login Links can only be created for Express accounts.', { param: 'account' });
    }
    return {
      object: 'login_link',
      created: act.at,
      url: `https://connect.stripe.com/express/${account.id}/${act.tx.id('', 12)}`,
    };
  },
);

const session = operation(
  'accountSessions.create',
  'POST /v1/account_sessions',
  { account: required(text()), components: required(tree()) },
  ({ act, params }) => ({
    object: 'account_session',
    account: need(act, 'account', params.account, { param: 'account' }).id,
    client_secret: `_OXI${act.tx.id('', 60)}`,
    components: params.components,
    expires_at: act.at + LINK_SECONDS,
    livemode: false,
  }),
);

export const accountOperations = [
  create,
  retrieve,
  own,
  change,
  del,
  reject,
  listAll,
  capability,
  changeCapability,
  capabilities,
  link,
  login,
  session,
];
