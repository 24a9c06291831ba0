// Credit grants: money that a customer may use up by metered prices, and the balance of what is left of it.
import type { Stripe } from 'stripe';
import { invalid } from '../errors.ts';
import { tell, update } from '../events.ts';
import { page } from '../list.ts';
import { type Act, need, save, select } from '../records.ts';
import { vendor, whole } from '../vendor.ts';
import { viewOf } from '../views.ts';
import { tagged } from './coupons.ts';
import type { CreditGrant, CreditTransaction } from './records.ts';

/** A customer has at most 100 grants that are not used up at Stripe. */
const GRANTS_MAX = 100;
const PRIORITY_DEFAULT = 50;

function moved(
  act: Act,
  grant: CreditGrant,
  value: number,
  side: Pick<CreditTransaction, 'credit' | 'debit' | 'type'>,
): void {
  const made = whole<CreditTransaction>('billing.credit_balance_transaction', {
    id: act.tx.id('cbtxn_', 24),
    created: act.at,
    credit_grant: grant.id,
    customer: grant.customer,
    effective_at: grant.effective_at ?? act.at,
    test_clock: grant.test_clock,
    ...side,
    $amount: value,
  });
  save(act, 'billing.credit_balance_transaction', made);
  tell(act, 'billing.credit_balance_transaction.created', 'billing.credit_balance_transaction', made);
}

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
      metadata: tagged(null, params.metadata),
      name: params.name ?? null,
      priority: params.priority ?? PRIORITY_DEFAULT,
      test_clock: customer.test_clock ?? null,
      updated: act.at,
      $left: monetary.value,
    });
    act.tx.kind('billing.credit_grant.created');
    save(act, 'billing.credit_grant', grant);
    tell(act, 'billing.credit_grant.created', 'billing.credit_grant', grant);
    moved(act, grant, monetary.value, {
      credit: { amount, credits_application_invoice_voided: null, type: 'credits_granted' },
      debit: null,
      type: 'credit',
    });
    return viewOf(act.tx, 'billing.credit_grant', grant);
  },
);

function needGrant(act: Act, path: { readonly [name: string]: string }): CreditGrant {
  return need(act, 'billing.credit_grant', path['id'] ?? '', { param: 'id', inPath: true });
}

const retrieve = vendor<object>('billing.creditGrants.retrieve', ({ act, path }) =>
  viewOf(act.tx, 'billing.credit_grant', needGrant(act, path)),
);

const change = vendor<Stripe.Billing.CreditGrantUpdateParams>(
  'billing.creditGrants.update',
  ({ act, path, params }) => {
    const held = needGrant(act, path);
    const next: CreditGrant = {
      ...held,
      ...(params.expires_at === undefined ? {} : { expires_at: params.expires_at }),
      metadata: tagged(held.metadata, params.metadata),
    };
    const after = update(act, 'billing.credit_grant', held, next, 'billing.credit_grant.updated');
    return viewOf(act.tx, 'billing.credit_grant', after);
  },
);

/** Takes away what is left of a grant. */
function ended(
  act: Act,
  held: CreditGrant,
  how: 'credits_expired' | 'credits_voided',
): ReturnType<typeof viewOf> {
  if (held.voided_at !== null || (held.expires_at !== null && held.expires_at <= act.at)) {
    throw invalid('This credit grant has already expired or been voided.', { param: 'id' });
  }
  const next: CreditGrant = {
    ...held,
    ...(how === 'credits_voided' ? { voided_at: act.at } : { expires_at: act.at }),
    updated: act.at,
    $left: 0,
  };
  act.tx.kind('billing.credit_grant.updated');
  const after = update(act, 'billing.credit_grant', held, next, 'billing.credit_grant.updated');
  const currency = held.amount.monetary?.currency ?? 'usd';
  moved(act, after, -held.$left, {
    credit: null,
    debit: {
      amount: { monetary: { currency, value: held.$left }, type: 'monetary' },
      credits_applied: null,
      type: how,
    },
    type: 'debit',
  });
  return viewOf(act.tx, 'billing.credit_grant', after);
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
    act.tx,
    'billing.credit_balance_transaction',
    need(act, 'billing.credit_balance_transaction', path['id'] ?? '', { param: 'id', inPath: true }),
  ),
);

const summary = vendor<Stripe.Billing.CreditBalanceSummaryRetrieveParams>(
  'billing.creditBalanceSummaries.retrieve',
  ({ act, params }) => {
    const customer = need(act, 'customer', params.customer ?? '', { param: 'customer' });
    const only = params.filter.credit_grant;
    const grants = select(act.tx, 'billing.credit_grant', {
      where: { customer: customer.id },
      limit: GRANTS_MAX,
    }).items.filter(({ id }) => only === undefined || id === only);
    const left = new Map<string, number>();
    for (const grant of grants) {
      const open = grant.voided_at === null && (grant.expires_at === null || grant.expires_at > act.at);
      const currency = grant.amount.monetary?.currency ?? 'usd';
      left.set(currency, (left.get(currency) ?? 0) + (open ? grant.$left : 0));
    }
    return {
      object: 'billing.credit_balance_summary',
      balances: [...left].map(([currency, value]) => {
        const amount = { monetary: { currency, value }, type: 'monetary' };
        return { available_balance: amount, ledger_balance: amount };
      }),
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
