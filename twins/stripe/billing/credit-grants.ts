// Credit grants: money that a customer may use up by metered prices, and the balance of what is left of it.

import type { Stripe } from 'stripe';
import { schedule } from '../../kit/due.ts';
import { type Act, find, need, save, select } from '../api/act.ts';
import { invalid } from '../api/errors.ts';
import { page } from '../api/list.ts';
import { vendor, whole } from '../api/vendor.ts';
import { viewOf } from '../api/view.ts';
import { mergeTags } from '../catalog/coupons.ts';
import type { Due } from '../due.ts';
import { tell, update } from '../events/events.ts';
import { amountOf, GRANTS_MAX, isOpen, moved } from '../invoicing/credits.ts';
import type { CreditGrant } from './records.ts';

const PRIORITY_DEFAULT = 50;

const create = vendor<Stripe.Billing.CreditGrantCreateParams>(
  'billing.creditGrants.create',
  ({ act, params }) => {
    const customer = need(act, 'customer', params.customer ?? '', { param: 'customer' });
    const monetary = params.amount.monetary;
    if (monetary === undefined || monetary.value <= 0) {
      throw invalid('The amount of a credit grant must be greater than zero.', {
        param: 'amount[monetary][value]',
      });
    }
    const amount = {
      monetary: { currency: monetary.currency.toLowerCase(), value: monetary.value },
      type: 'monetary' as const,
    };
    const grant = whole<CreditGrant>('billing.credit_grant', {
      id: act.tx.id('credgr_test_', 24),
      amount,
      applicability_config: params.applicability_config as unknown as CreditGrant['applicability_config'],
      category: (params.category ?? 'paid') as CreditGrant['category'],
      created: act.at,
      customer: customer.id,
      effective_at: params.effective_at ?? act.at,
      expires_at: params.expires_at ?? null,
      metadata: mergeTags(null, params.metadata),
      name: params.name ?? null,
      priority: params.priority ?? PRIORITY_DEFAULT,
      test_clock: customer.test_clock ?? null,
      updated: act.at,
      $left: monetary.value,
    });
    act.tx.kind('billing.credit_grant.created');
    save(act, 'billing.credit_grant', grant);
    tell(act, 'billing.credit_grant.created', 'billing.credit_grant', grant);
    moved(act, grant, {
      credit: { amount, credits_application_invoice_voided: null, type: 'credits_granted' },
      debit: null,
      type: 'credit',
    });
    setWait(act, grant);
    return viewOf(act, 'billing.credit_grant', grant);
  },
);

function needGrant(act: Act, path: { readonly [name: string]: string }): CreditGrant {
  return need(act, 'billing.credit_grant', path['id'] ?? '', { param: 'id', inPath: true });
}

const retrieve = vendor<object>('billing.creditGrants.retrieve', ({ act, path }) =>
  viewOf(act, 'billing.credit_grant', needGrant(act, path)),
);

const change = vendor<Stripe.Billing.CreditGrantUpdateParams>(
  'billing.creditGrants.update',
  ({ act, path, params }) => {
    const held = needGrant(act, path);
    const next: CreditGrant = {
      ...held,
      ...(params.expires_at === undefined ? {} : { expires_at: params.expires_at }),
      metadata: mergeTags(held.metadata, params.metadata),
    };
    const after = update(act, 'billing.credit_grant', held, next, 'billing.credit_grant.updated');
    setWait(act, after);
    return viewOf(act, 'billing.credit_grant', after);
  },
);

/** What is left of a grant is gone when its time is over. */
function setWait(act: Act, grant: CreditGrant): void {
  const key = `grant:${grant.id}`;
  if (grant.expires_at === null || grant.expires_at <= act.at || grant.voided_at !== null) act.tx.cancel(key);
  else schedule<Due>(act.tx, key, grant.expires_at * 1000, { kind: 'credit_grant.expire', grant: grant.id });
}

/** The time of a grant is over. */
export function endGrant(act: Act, id: string): void {
  const held = find(act, 'billing.credit_grant', id);
  if (held !== undefined && held.voided_at === null) emptied(act, held, 'credits_expired');
}

type End = 'credits_expired' | 'credits_voided';

function emptied(act: Act, held: CreditGrant, how: End): CreditGrant {
  const next: CreditGrant = {
    ...held,
    ...(how === 'credits_voided'
      ? { voided_at: act.at }
      : { expires_at: Math.min(held.expires_at ?? act.at, act.at) }),
    updated: act.at,
    $left: 0,
  };
  act.tx.kind('billing.credit_grant.updated');
  const after = update(act, 'billing.credit_grant', held, next, 'billing.credit_grant.updated');
  setWait(act, after);
  if (held.$left > 0) {
    moved(act, after, {
      credit: null,
      debit: { amount: amountOf(held, held.$left), credits_applied: null, type: how },
      type: 'debit',
    });
  }
  return after;
}

/** Takes away what is left of a grant. */
function ended(act: Act, held: CreditGrant, how: End): ReturnType<typeof viewOf> {
  if (held.voided_at !== null || (held.expires_at !== null && held.expires_at <= act.at)) {
    throw invalid('This credit grant has already expired or been voided.', { param: 'id' });
  }
  return viewOf(act, 'billing.credit_grant', emptied(act, held, how));
}

const expire = vendor<object>('billing.creditGrants.expire', ({ act, path }) =>
  ended(act, needGrant(act, path), 'credits_expired'),
);

const voiding = vendor<object>('billing.creditGrants.voidGrant', ({ act, path }) =>
  ended(act, needGrant(act, path), 'credits_voided'),
);

const listAll = vendor<Stripe.Billing.CreditGrantListParams>(
  'billing.creditGrants.list',
  ({ act, params }) => {
    const { customer } = params;
    return page(
      act,
      'billing.credit_grant',
      params,
      '/v1/billing/credit_grants',
      customer === undefined ? {} : { where: { customer } },
    );
  },
);

const transactions = vendor<Stripe.Billing.CreditBalanceTransactionListParams>(
  'billing.creditBalanceTransactions.list',
  ({ act, params }) => {
    const { credit_grant, customer } = params;
    const where =
      credit_grant !== undefined ? { credit_grant } : customer !== undefined ? { customer } : undefined;
    return page(
      act,
      'billing.credit_balance_transaction',
      params,
      '/v1/billing/credit_balance_transactions',
      {
        ...(where === undefined ? {} : { where }),
        keep: held => customer === undefined || held.customer === customer,
      },
    );
  },
);

const transaction = vendor<object>('billing.creditBalanceTransactions.retrieve', ({ act, path }) =>
  viewOf(
    act,
    'billing.credit_balance_transaction',
    need(act, 'billing.credit_balance_transaction', path['id'] ?? '', { param: 'id', inPath: true }),
  ),
);

const summary = vendor<Stripe.Billing.CreditBalanceSummaryRetrieveParams>(
  'billing.creditBalanceSummaries.retrieve',
  ({ act, params }) => {
    const customer = need(act, 'customer', params.customer ?? '', { param: 'customer' });
    const only = params.filter.credit_grant;
    const prices = (params.filter.applicability_scope?.prices ?? []).map(
      ({ id }: { readonly id: string }) => id,
    );
    const kind = params.filter.applicability_scope?.price_type;
    const grants = select(act.tx, 'billing.credit_grant', {
      where: { customer: customer.id },
      limit: GRANTS_MAX,
    }).items.filter(
      ({ id, applicability_config: { scope } }) =>
        (only === undefined || id === only) &&
        (kind === undefined || scope.price_type === kind) &&
        (prices.length === 0 ||
          (scope.prices ?? []).length === 0 ||
          (scope.prices ?? []).some((price: { id: string | null }) => prices.includes(price.id ?? ''))),
    );
    const sums = new Map<string, { available: number; whole: number }>();
    for (const grant of grants) {
      const currency = grant.amount.monetary?.currency ?? 'usd';
      const held = sums.get(currency) ?? { available: 0, whole: 0 };
      sums.set(currency, {
        available: held.available + (isOpen(grant, act.at) ? grant.$left : 0),
        whole: held.whole + grant.$left,
      });
    }
    const money = (currency: string, value: number) => ({ monetary: { currency, value }, type: 'monetary' });
    return {
      object: 'billing.credit_balance_summary',
      balances: [...sums].map(([currency, { available, whole: ledger }]) => ({
        available_balance: money(currency, available),
        ledger_balance: money(currency, ledger),
      })),
      customer: customer.id,
      customer_account: null,
      livemode: false,
    };
  },
);

export const creditGrantOperations = [
  create,
  retrieve,
  change,
  expire,
  voiding,
  listAll,
  transactions,
  transaction,
  summary,
];
