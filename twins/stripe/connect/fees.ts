// Application fees, read and given back.

import { type Act, need } from '../api/act.ts';
import { invalid, missing } from '../api/errors.ts';
import { createdParams, page, pageParams } from '../api/list.ts';
import { operation } from '../api/operation.ts';
import { integer, mergeMetadata, metadata, text } from '../api/params.ts';
import { viewOf } from '../api/view.ts';
import { refundFee } from '../balance/fee-refund.ts';
import { update } from '../events/events.ts';
import type { ApplicationFee, FeeRefund } from './records.ts';

const needFee = (act: Act, path: { readonly [name: string]: string }): ApplicationFee =>
  need(act, 'application_fee', path['id'] ?? '', { param: 'id', inPath: true });

const retrieve = operation('applicationFees.retrieve', 'GET /v1/application_fees/{id}', {}, ({ act, path }) =>
  viewOf(act, 'application_fee', needFee(act, path)),
);

const listAll = operation(
  'applicationFees.list',
  'GET /v1/application_fees',
  { ...createdParams, charge: text() },
  ({ act, params }) =>
    page(
      act,
      'application_fee',
      params,
      '/v1/application_fees',
      params.charge === undefined ? {} : { where: { charge: params.charge } },
    ),
);

const giveBack = operation(
  'applicationFees.createRefund',
  'POST /v1/application_fees/{id}/refunds',
  { amount: integer(1), metadata: metadata() },
  ({ act, path, params }) => {
    const fee = needFee(act, path);
    const left = fee.amount - fee.amount_refunded;
    const amount = params.amount ?? left;
    if (amount > left || left === 0) {
      throw invalid(`Refund amount (${amount}) is greater than unrefunded amount on fee (${left}).`, {
        param: 'amount',
      });
    }
    const made = refundFee(act, fee, amount, mergeMetadata({}, params.metadata));
    return viewOf(act, 'fee_refund', made);
  },
);

const refunds = operation(
  'applicationFees.listRefunds',
  'GET /v1/application_fees/{id}/refunds',
  pageParams,
  ({ act, path, params }) => {
    const fee = needFee(act, path).id;
    return page(act, 'fee_refund', params, `/v1/application_fees/${fee}/refunds`, { where: { fee } });
  },
);

const refund = operation(
  'applicationFees.retrieveRefund',
  'GET /v1/application_fees/{id}/refunds/{refund}',
  {},
  ({ act, path }) => viewOf(act, 'fee_refund', needRefund(act, path)),
);

const changeRefund = operation(
  'applicationFees.updateRefund',
  'POST /v1/application_fees/{id}/refunds/{refund}',
  { metadata: metadata() },
  ({ act, path, params }) => {
    const held = needRefund(act, path);
    const next = { ...held, metadata: mergeMetadata(held.metadata ?? {}, params.metadata) };
    return viewOf(act, 'fee_refund', update(act, 'fee_refund', held, next, 'application_fee.refund.updated'));
  },
);

function needRefund(act: Act, path: { readonly [name: string]: string }): FeeRefund {
  const held = need(act, 'fee_refund', path['refund'] ?? '', { param: 'id', inPath: true });
  if (held.fee !== path['id'])
    throw missing('application fee refund', held.id, { param: 'id', inPath: true });
  return held;
}

export const feeOperations = [retrieve, listAll, giveBack, refunds, refund, changeRefund];
