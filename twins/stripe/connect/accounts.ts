// Connected accounts: the accounts themselves, and whether they may charge.

import { PLATFORM_ACCOUNT } from '../api/account-key.ts';
import { type Act, remove, save } from '../api/act.ts';
import { invalid } from '../api/errors.ts';
import { filledField } from '../api/fill-shape.ts';
import { createdParams, page } from '../api/list.ts';
import { operation } from '../api/operation.ts';
import {
  choice,
  type Decoded,
  hash,
  mergeMetadata,
  metadata,
  required,
  text,
  tree,
  treeOf,
} from '../api/params.ts';
import { type View, viewOf } from '../api/view.ts';
import { tellView, update } from '../events/events.ts';
import { redeem, spend, tokenParam } from '../payments/tokens.ts';
import { needAccount, noRequirements, request } from './capabilities.ts';
import { addExternal } from './external-accounts.ts';
import type { Account } from './records.ts';

const writable = {
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

/** A block with what is given of it over what is held, and everything it always has. */
function whole<Block extends 'business_profile' | 'company' | 'settings'>(
  block: Block,
  held: Account,
  given: object,
): NonNullable<Account[Block]> {
  return filledField('account', block, { ...held[block], ...given });
}

function withFields(held: Account, given: Decoded<typeof writable>): Account {
  const profile = given.business_profile;
  const { tos_acceptance: terms } = given;
  const next: Account = {
    ...held,
    ...(profile === undefined ? {} : { business_profile: whole('business_profile', held, profile) }),
    ...(given.business_type === undefined ? {} : { business_type: given.business_type }),
    ...(given.company === undefined ? {} : { company: whole('company', held, given.company) }),
    ...(given.default_currency === undefined
      ? {}
      : { default_currency: given.default_currency.toLowerCase() }),
    ...(given.email === undefined ? {} : { email: given.email }),
    ...(given.settings === undefined ? {} : { settings: whole('settings', held, given.settings) }),
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
export function standing(account: Account): Account {
  const onboarded = account.$onboarded === true;
  const agreed = onboarded || account.type === 'standard' || typeof account.tos_acceptance?.date === 'number';
  const works = onboarded || (agreed && account.type !== 'standard');
  return {
    ...account,
    charges_enabled: works,
    details_submitted: works,
    payouts_enabled: works,
    requirements: {
      ...noRequirements,
      currently_due: agreed ? [] : ['tos_acceptance.date', 'tos_acceptance.ip'],
      disabled_reason: agreed ? null : 'requirements.past_due',
      eventually_due: agreed ? [] : ['tos_acceptance.date', 'tos_acceptance.ip'],
    },
  };
}

const create = operation(
  'accounts.create',
  'POST /v1/accounts',
  {
    ...writable,
    controller: treeOf<NonNullable<Account['controller']>>(),
    country: text(),
    external_account: tokenParam(),
    type: choice('custom', 'express', 'standard'),
  },
  ({ act, params }) => {
    const { external_account: token, ...given } = params;
    const made = token === undefined ? null : redeem(act, token, 'external_account');
    const account = newAccount(act, given);
    if (made !== null && token !== undefined) {
      spend(act, token);
      addExternal(act, account, made);
    }
    return viewOf(act, 'account', account);
  },
  ['documents', 'groups'],
);

type Fresh = Decoded<typeof writable> & {
  readonly controller?: NonNullable<Account['controller']>;
  readonly country?: string;
  readonly type?: 'custom' | 'express' | 'standard';
};

/** What is known of a business that told nothing of itself. */
const NO_PROFILE: NonNullable<Account['business_profile']> = {
  annual_revenue: null,
  estimated_worker_count: null,
  mcc: null,
  minority_owned_business_designation: null,
  name: null,
  product_description: null,
  specified_commercial_transactions_act_url: null,
  support_address: null,
  support_email: null,
  support_phone: null,
  support_url: null,
  url: null,
};

/** What an account is set to before anybody sets it. */
const SETTINGS = {
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
    statement_descriptor_prefix_kana: null,
    statement_descriptor_prefix_kanji: null,
  },
  payouts: {
    debit_negative_balances: true,
    schedule: { delay_days: 2, interval: 'daily' },
    statement_descriptor: null,
  },
  sepa_debit_payments: {},
} as const satisfies Account['settings'];

/** Saved, with the capabilities it asks for. */
export function newAccount(act: Act, params: Fresh, own: { readonly $onboarded?: boolean } = {}): Account {
  const country = params.country ?? 'US';
  const blank: Account = {
    id: act.tx.id('acct_', 16),
    object: 'account',
    business_profile: NO_PROFILE,
    business_type: null,
    charges_enabled: false,
    controller: params.controller ?? {
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
    },
    country,
    created: act.at,
    default_currency:
      params.default_currency?.toLowerCase() ?? (country === 'US' ? 'usd' : country === 'GB' ? 'gbp' : 'eur'),
    details_submitted: false,
    email: null,
    future_requirements: { ...noRequirements },
    metadata: {},
    payouts_enabled: false,
    requirements: { ...noRequirements },
    settings: SETTINGS,
    tos_acceptance: { date: null, ip: null, user_agent: null },
    type: params.controller === undefined ? (params.type ?? 'standard') : 'none',
  };
  const account = withFields({ ...blank, ...own }, params);
  save(act, 'account', account);
  act.tx.kind('account.created');
  request(act, account, params.capabilities);
  return account;
}

const retrieve = operation('accounts.retrieve', 'GET /v1/accounts/{account}', {}, ({ act, path }) => {
  const id = path['account'] ?? '';
  const asksForItself = id === PLATFORM_ACCOUNT.id && act.account === null;
  return asksForItself ? ownAccount(act) : viewOf(act, 'account', needAccount(act, id));
});

const own = operation('accounts.retrieveCurrent', 'GET /v1/account', {}, ({ act }) => ownAccount(act));

/** Whose account it is that asks. */
export function ownAccount(act: Act): View {
  if (act.account !== null) return viewOf(act, 'account', needAccount(act, act.account));
  return {
    id: PLATFORM_ACCOUNT.id,
    object: 'account',
    business_profile: { ...NO_PROFILE, name: PLATFORM_ACCOUNT.name },
    business_type: 'company',
    capabilities: { card_payments: 'active', transfers: 'active' },
    charges_enabled: true,
    country: PLATFORM_ACCOUNT.country,
    default_currency: 'usd',
    details_submitted: true,
    email: 'owner@example.com',
    payouts_enabled: true,
    settings: { ...SETTINGS, dashboard: { ...SETTINGS.dashboard, display_name: PLATFORM_ACCOUNT.name } },
    type: 'standard',
  };
}

const change = operation(
  'accounts.update',
  'POST /v1/accounts/{account}',
  { ...writable, external_account: tokenParam() },
  ({ act, path, params }) => {
    const held = needAccount(act, path['account'] ?? '');
    const { external_account: token, ...given } = params;
    const bank = token === undefined ? null : redeem(act, token, 'external_account');
    const next = update(act, 'account', held, withFields(held, given), 'account.updated');
    if (bank !== null && token !== undefined) {
      spend(act, token);
      addExternal(act, next, bank);
    }
    request(act, next, params.capabilities);
    return viewOf(act, 'account', next);
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

type Rejection = NonNullable<Account['requirements']>['disabled_reason'];

const reject = operation(
  'accounts.reject',
  'POST /v1/accounts/{account}/reject',
  { payouts_action: choice('none', 'pause'), reason: required(text()) },
  ({ act, path, params }) => {
    const held = needAccount(act, path['account'] ?? '');
    const next: Account = {
      ...held,
      charges_enabled: false,
      payouts_enabled: params.payouts_action === 'none' && held.payouts_enabled === true,
      requirements: {
        ...(held.requirements ?? noRequirements),
        disabled_reason: `rejected.${params.reason}` as Rejection,
      },
    };
    return viewOf(act, 'account', update(act, 'account', held, next, 'account.updated'));
  },
);

const unreject = operation(
  'accounts.unreject',
  'POST /v1/accounts/{account}/unreject',
  {},
  ({ act, path }) => {
    const held = needAccount(act, path['account'] ?? '');
    if (held.requirements?.disabled_reason?.startsWith('rejected.') !== true) {
      throw invalid('This account is not rejected.', { param: 'account' });
    }
    return viewOf(act, 'account', update(act, 'account', held, standing(held), 'account.updated'));
  },
);

const listAll = operation('accounts.list', 'GET /v1/accounts', createdParams, ({ act, params }) =>
  page(act, 'account', params, '/v1/accounts'),
);

export const accountOperations = [create, retrieve, own, change, del, reject, unreject, listAll];
