// Top-ups: money into the platform's own balance.
import { schedule } from '../../kit/due.ts';
import { type Act, need, save } from '../api/act.ts';
import { invalid } from '../api/errors.ts';
import { createdParams, inRange, page, type Range } from '../api/list.ts';
import { isCurrency } from '../api/money.ts';
import { operation } from '../api/operation.ts';
import { choice, integer, mergeMetadata, metadata, range, required, text } from '../api/params.ts';
import { viewOf } from '../api/view.ts';
import type { Due } from '../due.ts';
import { tell, update } from '../events/events.ts';
import { book } from './book.ts';
import type { Topup } from './records.ts';

const DAY_SECONDS = 86_400;
/** The test bank account that cannot be debited: `btok_us_noAccount`. */
const FAILS = 'btok_us_noAccount';

const create = operation(
  'topups.create',
  'POST /v1/topups',
  {
    amount: required(integer(1)),
    currency: required(text()),
    description: text(),
    metadata: metadata(),
    source: text(),
    statement_descriptor: text(15),
    transfer_group: text(),
  },
  ({ act, params }) => {
    const currency = params.currency.toLowerCase();
    if (!isCurrency(currency)) throw invalid(`Invalid currency: ${params.currency}`, { param: 'currency' });
    const topup: Topup = {
      id: act.tx.id('tu_', 24),
      object: 'topup',
      amount: params.amount,
      balance_transaction: null,
      created: act.at,
      currency,
      description: params.description ?? null,
      expected_availability_date: act.at + DAY_SECONDS,
      failure_code: null,
      failure_message: null,
      initiated_by: 'api',
      livemode: false,
      metadata: mergeMetadata({}, params.metadata),
      source: null,
      statement_descriptor: params.statement_descriptor ?? null,
      status: 'pending',
      transfer_group: params.transfer_group ?? null,
    };
    save(act, 'topup', topup);
    tell(act, 'topup.created', 'topup', topup);
    // In test mode the bank answers at once; whether it has the money shows in the source.
    const fails = params.source === FAILS;
    schedule<Due>(act.tx, `topup:${topup.id}`, act.tx.now, { kind: 'topup.settle', topup: topup.id, fails });
    return viewOf(act, 'topup', topup);
  },
);

/** The bank has paid, or has no such account. */
export function settleTopup(act: Act, topup: Topup, fails: boolean): void {
  if (topup.status !== 'pending') return;
  if (fails) {
    const failed: Topup = {
      ...topup,
      failure_code: 'no_account',
      failure_message: 'No bank account could be located with those details.',
      status: 'failed',
    };
    save(act, 'topup', failed);
    return tell(act, 'topup.failed', 'topup', failed);
  }
  const { id } = book(act, {
    amount: topup.amount,
    currency: topup.currency,
    type: 'topup',
    category: 'topup',
    source: topup.id,
    description: topup.description ?? 'Top-up',
  });
  const done: Topup = { ...topup, balance_transaction: id, status: 'succeeded' };
  save(act, 'topup', done);
  tell(act, 'topup.succeeded', 'topup', done);
}

const needTopup = (act: Act, path: { readonly [name: string]: string }): Topup =>
  need(act, 'topup', path['topup'] ?? '', { param: 'topup', inPath: true });

const retrieve = operation('topups.retrieve', 'GET /v1/topups/{topup}', {}, ({ act, path }) =>
  viewOf(act, 'topup', needTopup(act, path)),
);

const change = operation(
  'topups.update',
  'POST /v1/topups/{topup}',
  { description: text(), metadata: metadata() },
  ({ act, path, params }) => {
    const held = needTopup(act, path);
    const next = {
      ...held,
      ...(params.description === undefined ? {} : { description: params.description }),
      metadata: mergeMetadata(held.metadata, params.metadata),
    };
    save(act, 'topup', next); // Stripe has no event for it.
    return viewOf(act, 'topup', next);
  },
);

const cancel = operation('topups.cancel', 'POST /v1/topups/{topup}/cancel', {}, ({ act, path }) => {
  const held = needTopup(act, path);
  if (held.status !== 'pending') {
    throw invalid(`Top-ups can only be canceled while they are pending; this one is ${held.status}.`);
  }
  act.tx.cancel(`topup:${held.id}`);
  const next: Topup = { ...held, status: 'canceled' };
  return viewOf(act, 'topup', update(act, 'topup', held, next, 'topup.canceled'));
});

const listAll = operation(
  'topups.list',
  'GET /v1/topups',
  { ...createdParams, amount: range(), status: choice('canceled', 'failed', 'pending', 'succeeded') },
  ({ act, params }) => {
    const { amount, status } = params;
    return page(act, 'topup', params, '/v1/topups', {
      ...(status === undefined ? {} : { where: { status } }),
      ...(amount === undefined ? {} : { keep: held => inRange(held.amount, amount as Range) }),
    });
  },
);

export const topupOperations = [create, retrieve, change, cancel, listAll];
