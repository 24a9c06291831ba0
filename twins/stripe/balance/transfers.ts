// Transfers to connected accounts, and their reversals.

import { type Act, find, need, save } from '../api/act.ts';
import { invalid } from '../api/errors.ts';
import { createdParams, page, pageParams } from '../api/list.ts';
import { operation } from '../api/operation.ts';
import { boolean, choice, integer, mergeMetadata, metadata, required, text, unset } from '../api/params.ts';
import { viewOf } from '../api/view.ts';
import { tell, update } from '../events/events.ts';
import { balanceOf, book, PLATFORM } from './book.ts';
import { refundFeeOf } from './fee-refund.ts';
import { insufficient } from './payouts.ts';
import type { Transfer, TransferReversal } from './records.ts';

export type TransferAsk = {
  readonly amount: number;
  readonly currency: string;
  readonly destination: string;
  readonly description?: string | null;
  readonly metadata?: { [name: string]: string };
  readonly source?: string | null;
  readonly group?: string | null;
};

/** Moves money to a connected account; saved and told. What it may take was checked before. */
export function transfer(act: Act, ask: TransferAsk): Transfer {
  const id = act.tx.recordId('tr_', 24);
  const taken = book(act, {
    amount: -ask.amount,
    currency: ask.currency,
    type: 'transfer',
    category: 'transfer',
    source: id,
    description: ask.description ?? null,
  });
  const payment = act.tx.recordId('py_', 24);
  book(act, {
    amount: ask.amount,
    currency: ask.currency,
    type: 'payment',
    category: 'charge',
    source: payment,
    account: ask.destination,
  });
  const made: Transfer = {
    id,
    object: 'transfer',
    amount: ask.amount,
    amount_reversed: 0,
    balance_transaction: taken.id,
    created: act.at,
    currency: ask.currency,
    description: ask.description ?? null,
    destination: ask.destination,
    destination_payment: payment,
    livemode: false,
    metadata: ask.metadata ?? {},
    reversed: false,
    source_transaction: ask.source ?? null,
    source_type: 'card',
    transfer_group: ask.group ?? null,
  };
  save(act, 'transfer', made);
  tell(act, 'transfer.created', 'transfer', made);
  return made;
}

const create = operation(
  'transfers.create',
  'POST /v1/transfers',
  {
    amount: integer(1),
    currency: required(text()),
    description: text(),
    destination: required(text()),
    metadata: metadata(),
    source_transaction: text(),
    source_type: choice('bank_account', 'card', 'fpx'),
    transfer_group: text(),
  },
  ({ act, params }) => {
    const currency = params.currency.toLowerCase();
    const account = find(act, 'account', params.destination);
    if (account === undefined) {
      throw invalid(`No such destination: '${params.destination}'`, {
        code: 'resource_missing',
        param: 'destination',
      });
    }
    const charge =
      params.source_transaction === undefined
        ? null
        : need(act, 'charge', params.source_transaction, { param: 'source_transaction' });
    const amount = params.amount ?? charge?.amount;
    if (amount === undefined) {
      throw invalid('Missing required param: amount.', { code: 'parameter_missing', param: 'amount' });
    }
    const { available } = balanceOf(act, PLATFORM, currency);
    // A transfer of a charge waits for that charge's own funds.
    if (charge === null && available < amount) {
      throw invalid(
        'You have insufficient available funds in your Stripe account. Try adding funds directly to your available ' +
          'balance by creating Charges using the 4000000000000077 test card. See: ' +
          'https://stripe.com/docs/testing#available-balance',
        { code: 'balance_insufficient' },
      );
    }
    if (charge !== null && amount > charge.amount) {
      throw invalid('Transfers of a charge cannot be more than the charge.', { param: 'amount' });
    }
    const made = transfer(act, {
      amount,
      currency,
      destination: account.id,
      description: params.description ?? null,
      metadata: mergeMetadata({}, params.metadata),
      source: charge?.id ?? null,
      group:
        params.transfer_group ?? charge?.transfer_group ?? (charge === null ? null : `group_${charge.id}`),
    });
    return viewOf(act, 'transfer', made);
  },
);

const needTransfer = (act: Act, path: { readonly [name: string]: string }): Transfer =>
  need(act, 'transfer', path['transfer'] ?? '', { param: 'transfer', inPath: true });

const retrieve = operation('transfers.retrieve', 'GET /v1/transfers/{transfer}', {}, ({ act, path }) =>
  viewOf(act, 'transfer', needTransfer(act, path)),
);

const change = operation(
  'transfers.update',
  'POST /v1/transfers/{transfer}',
  { description: unset(text()), metadata: metadata() },
  ({ act, path, params }) => {
    const held = needTransfer(act, path);
    const next = {
      ...held,
      ...(params.description === undefined ? {} : { description: params.description }),
      metadata: mergeMetadata(held.metadata, params.metadata),
    };
    return viewOf(act, 'transfer', update(act, 'transfer', held, next, 'transfer.updated'));
  },
);

const listAll = operation(
  'transfers.list',
  'GET /v1/transfers',
  { ...createdParams, destination: text(), transfer_group: text() },
  ({ act, params }) => {
    const { destination, transfer_group } = params;
    return page(act, 'transfer', params, '/v1/transfers', {
      ...(destination !== undefined
        ? { where: { destination } }
        : transfer_group !== undefined
          ? { where: { transfer_group } }
          : {}),
      ...(transfer_group === undefined ? {} : { keep: held => held.transfer_group === transfer_group }),
    });
  },
);

/** Takes money back from a connected account; saved and told. */
export function reverse(
  act: Act,
  held: Transfer,
  amount: number,
  more: { readonly metadata?: { [name: string]: string }; readonly refund?: string } = {},
): TransferReversal {
  const id = act.tx.id('trr_', 24);
  const back = book(act, {
    amount,
    currency: held.currency,
    type: 'transfer_refund',
    category: 'transfer_reversal',
    source: id,
  });
  book(act, {
    amount: -amount,
    currency: held.currency,
    type: 'payment_refund',
    category: 'refund',
    source: id,
    account: String(held.destination),
  });
  const made: TransferReversal = {
    id,
    object: 'transfer_reversal',
    amount,
    balance_transaction: back.id,
    created: act.at,
    currency: held.currency,
    destination_payment_refund: null,
    metadata: more.metadata ?? {},
    source_refund: more.refund ?? null,
    transfer: held.id,
  };
  save(act, 'transfer_reversal', made);
  const total = held.amount_reversed + amount;
  const next = { ...held, amount_reversed: total, reversed: total === held.amount };
  update(act, 'transfer', held, next, 'transfer.reversed');
  return made;
}

const createReversal = operation(
  'transfers.createReversal',
  'POST /v1/transfers/{transfer}/reversals',
  {
    amount: integer(1),
    description: text(),
    metadata: metadata(),
    refund_application_fee: boolean(),
  },
  ({ act, path, params }) => {
    const held = needTransfer(act, path);
    const left = held.amount - held.amount_reversed;
    const amount = params.amount ?? left;
    if (amount > left || left === 0) {
      throw invalid(`Reversal amount (${amount}) is greater than unrefunded amount on transfer (${left}).`, {
        param: 'amount',
      });
    }
    const { available } = balanceOf(act, String(held.destination), held.currency);
    if (available < amount) throw insufficient(available);
    const made = reverse(act, held, amount, { metadata: mergeMetadata({}, params.metadata) });
    if (params.refund_application_fee === true) {
      const charge = find(act, 'charge', String(held.source_transaction ?? ''));
      const fee = charge?.application_fee ?? null;
      refundFeeOf(act, fee === null ? null : String(fee), { amount, of: held.amount });
    }
    return viewOf(act, 'transfer_reversal', made);
  },
);

const needReversal = (act: Act, path: { readonly [name: string]: string }): TransferReversal =>
  need(act, 'transfer_reversal', path['id'] ?? '', { param: 'id', inPath: true });

const retrieveReversal = operation(
  'transfers.retrieveReversal',
  'GET /v1/transfers/{transfer}/reversals/{id}',
  {},
  ({ act, path }) => viewOf(act, 'transfer_reversal', needReversal(act, path)),
);

const changeReversal = operation(
  'transfers.updateReversal',
  'POST /v1/transfers/{transfer}/reversals/{id}',
  { metadata: metadata() },
  ({ act, path, params }) => {
    const held = needReversal(act, path);
    const next = { ...held, metadata: mergeMetadata(held.metadata ?? {}, params.metadata) };
    save(act, 'transfer_reversal', next);
    const of = need(act, 'transfer', String(held.transfer), { param: 'transfer' });
    tell(act, 'transfer.updated', 'transfer', of);
    return viewOf(act, 'transfer_reversal', next);
  },
);

const listReversals = operation(
  'transfers.listReversals',
  'GET /v1/transfers/{transfer}/reversals',
  pageParams,
  ({ act, path, params }) => {
    const held = needTransfer(act, path);
    return page(act, 'transfer_reversal', params, `/v1/transfers/${held.id}/reversals`, {
      where: { transfer: held.id },
    });
  },
);

export const transferOperations = [
  create,
  retrieve,
  change,
  listAll,
  createReversal,
  retrieveReversal,
  changeReversal,
  listReversals,
];
