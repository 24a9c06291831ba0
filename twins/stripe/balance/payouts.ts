// Payouts: from the balance to a bank account. Each arrives, or fails, by the world's clock.
import { schedule } from '../../kit/due.ts';
import { type Act, find, need, save, select } from '../api/act.ts';
import { invalid, StripeRefusal } from '../api/errors.ts';
import { createdParams, inRange, page, type Range } from '../api/list.ts';
import { payoutFault } from '../api/money.ts';
import { operation } from '../api/operation.ts';
import { choice, integer, mergeMetadata, metadata, range, required, text } from '../api/params.ts';
import { viewOf } from '../api/view.ts';
import type { Due } from '../due.ts';
import { tell, update } from '../events/events.ts';
import { balanceOf, book, PLATFORM } from './book.ts';
import type { Payout } from './records.ts';

const DAY_SECONDS = 86_400;
const STANDARD_DAYS = 1;
/** Stripe's test bank accounts whose payouts fail, and how (its testing page). */
const FAILING: { readonly [account: string]: readonly [code: string, message: string] } = {
  '000111111113': ['account_closed', 'The bank account has been closed.'],
  '000111111116': [
    'no_account',
    'The bank account details on file are probably incorrect. No bank account could be located with those details.',
  ],
  '000111111119': ['could_not_process', 'The bank could not process this payout.'],
  '000222222227': ['account_frozen', 'The bank account has been frozen.'],
  '000333333335': ['debit_not_authorized', 'Debit transactions are not approved on your bank account.'],
};

export function insufficient(available: number): StripeRefusal {
  return new StripeRefusal(
    400,
    `You have insufficient funds in your Stripe account. One likely reason you have insufficient funds is that your ` +
      `funds are automatically being paid out; try enabling manual payouts by going to https://dashboard.stripe.com/` +
      `account/payouts. Available: ${available}.`,
    { code: 'balance_insufficient' },
  );
}

const create = operation(
  'payouts.create',
  'POST /v1/payouts',
  {
    amount: required(integer(1)),
    currency: required(text()),
    description: text(),
    destination: text(),
    metadata: metadata(),
    method: choice('instant', 'standard'),
    payout_method: text(),
    source_type: choice('bank_account', 'card', 'fpx'),
    statement_descriptor: text(22),
  },
  ({ act, params }) => {
    const $account = act.account ?? PLATFORM;
    const currency = params.currency.toLowerCase();
    const fault = payoutFault(params.amount, currency);
    if (fault !== null)
      throw invalid(fault, { code: 'invalid_charge_amount_no_decimal_compatible', param: 'amount' });
    const destination = params.destination ?? externalAccount(act, currency);
    if (params.destination !== undefined && bankOrCard(act, params.destination) === undefined) {
      throw invalid(`No such external account: '${params.destination}'`, {
        code: 'resource_missing',
        param: 'destination',
      });
    }
    const held = balanceOf(act, $account, currency);
    if (held.available < params.amount) throw insufficient(held.available);
    const instant = params.method === 'instant';
    const id = act.tx.recordId('po_', 24);
    const day = Math.floor(act.at / DAY_SECONDS) * DAY_SECONDS;
    const taken = book(act, {
      amount: -params.amount,
      currency,
      type: 'payout',
      category: 'payout',
      source: id,
      description: params.description ?? 'STRIPE PAYOUT',
      account: $account,
      ...(instant ? { fee: Math.max(50, Math.floor((params.amount + 50) / 100)) } : {}),
    });
    const payout: Payout = {
      id,
      object: 'payout',
      amount: params.amount,
      application_fee: null,
      application_fee_amount: null,
      arrival_date: instant ? act.at : day + STANDARD_DAYS * DAY_SECONDS,
      automatic: false,
      balance_transaction: taken.id,
      created: act.at,
      currency,
      description: params.description ?? null,
      destination,
      failure_balance_transaction: null,
      failure_code: null,
      failure_message: null,
      livemode: false,
      metadata: mergeMetadata({}, params.metadata),
      method: params.method ?? 'standard',
      original_payout: null,
      payout_method: params.payout_method ?? null,
      reconciliation_status: 'not_applicable',
      reversed_by: null,
      source_type: params.source_type ?? 'card',
      statement_descriptor: params.statement_descriptor ?? null,
      status: instant ? 'in_transit' : 'pending',
      trace_id: { status: 'pending', value: null },
      type: destination.startsWith('card_') ? 'card' : 'bank_account',
      $account,
    };
    save(act, 'payout', payout);
    tell(act, 'payout.created', 'payout', payout);
    schedule<Due>(act.tx, `payout:${id}`, payout.arrival_date * 1000, { kind: 'payout.arrive', payout: id });
    return viewOf(act, 'payout', payout);
  },
);

/** The account's own bank account; the platform always has one. */
function externalAccount(act: Act, currency: string): string {
  if (act.account === null) return 'ba_twinPlatform';
  const banks = select(act.tx, 'bank_account', { where: { account: act.account }, limit: 20 }).items;
  const bank = banks.find(held => held.currency === currency) ?? banks[0];
  if (bank !== undefined) return bank.id;
  throw invalid(`Sorry, you don't have any external accounts in that currency (${currency}).`, {
    code: 'invalid_request_error',
  });
}

function bankOrCard(act: Act, id: string): object | undefined {
  return id === 'ba_twinPlatform' ? {} : (find(act, 'bank_account', id) ?? find(act, 'card', id));
}

/** The bank has it, or sends it back. */
export function arrive(act: Act, payout: Payout): void {
  if (payout.status !== 'pending' && payout.status !== 'in_transit') return;
  const bank = find(act, 'bank_account', String(payout.destination));
  const failure = bank === undefined ? undefined : FAILING[bank.$number];
  if (failure === undefined) {
    const paid: Payout = { ...payout, status: 'paid', trace_id: { status: 'supported', value: payout.id } };
    update(act, 'payout', payout, paid, 'payout.updated');
    tell(act, 'payout.paid', 'payout', paid);
    return;
  }
  const back = returned(act, payout, 'payout_failure');
  const failed: Payout = {
    ...payout,
    failure_balance_transaction: back,
    failure_code: failure[0],
    failure_message: failure[1],
    status: 'failed',
  };
  update(act, 'payout', payout, failed, 'payout.updated');
  tell(act, 'payout.failed', 'payout', failed);
}

function returned(act: Act, payout: Payout, type: 'payout_cancel' | 'payout_failure'): string {
  return book(act, {
    amount: payout.amount,
    currency: payout.currency,
    type,
    category: 'payout_reversal',
    source: payout.id,
    account: payout.$account,
  }).id;
}

const needPayout = (act: Act, path: { readonly [name: string]: string }): Payout =>
  need(act, 'payout', path['payout'] ?? '', { param: 'payout', inPath: true });

const retrieve = operation('payouts.retrieve', 'GET /v1/payouts/{payout}', {}, ({ act, path }) =>
  viewOf(act, 'payout', needPayout(act, path)),
);

const change = operation(
  'payouts.update',
  'POST /v1/payouts/{payout}',
  { metadata: metadata() },
  ({ act, path, params }) => {
    const held = needPayout(act, path);
    const next = { ...held, metadata: mergeMetadata(held.metadata ?? {}, params.metadata) };
    return viewOf(act, 'payout', update(act, 'payout', held, next, 'payout.updated'));
  },
);

const cancel = operation('payouts.cancel', 'POST /v1/payouts/{payout}/cancel', {}, ({ act, path }) => {
  const held = needPayout(act, path);
  if (held.status !== 'pending') {
    throw invalid(`Payouts can only be canceled while they are pending; this one is ${held.status}.`, {
      code: 'payout_not_cancelable',
    });
  }
  const next: Payout = {
    ...held,
    failure_balance_transaction: returned(act, held, 'payout_cancel'),
    status: 'canceled',
  };
  act.tx.cancel(`payout:${held.id}`);
  save(act, 'payout', next);
  tell(act, 'payout.canceled', 'payout', next);
  return viewOf(act, 'payout', next);
});

const reverse = operation(
  'payouts.reverse',
  'POST /v1/payouts/{payout}/reverse',
  { metadata: metadata() },
  ({ act, path, params }) => {
    const held = needPayout(act, path);
    if (held.status !== 'paid' || held.reversed_by !== null) {
      throw invalid('Only a paid payout to a bank account that was not reversed before can be reversed.', {
        code: 'payout_reversal_not_allowed',
      });
    }
    const id = act.tx.recordId('po_', 24);
    const back = book(act, {
      amount: held.amount,
      currency: held.currency,
      type: 'payout',
      category: 'payout_reversal',
      source: id,
      account: held.$account,
    });
    const made: Payout = {
      ...held,
      id,
      amount: -held.amount,
      balance_transaction: back.id,
      created: act.at,
      metadata: mergeMetadata({}, params.metadata),
      original_payout: held.id,
      status: 'paid',
    };
    save(act, 'payout', { ...held, reversed_by: id });
    save(act, 'payout', made);
    tell(act, 'payout.created', 'payout', made);
    return viewOf(act, 'payout', made);
  },
);

const listAll = operation(
  'payouts.list',
  'GET /v1/payouts',
  { ...createdParams, arrival_date: range(), destination: text(), status: text() },
  ({ act, params }) => {
    const { status, destination, arrival_date } = params;
    const $account = act.account ?? PLATFORM;
    return page(act, 'payout', params, '/v1/payouts', {
      where:
        destination !== undefined
          ? { $account, destination }
          : status !== undefined
            ? { $account, status }
            : { $account },
      keep: held =>
        (status === undefined || held.status === status) &&
        inRange(held.arrival_date, arrival_date as Range | undefined),
    });
  },
);

export const payoutOperations = [create, retrieve, change, cancel, reverse, listAll];
