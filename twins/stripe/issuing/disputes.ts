// Issuing disputes: a cardholder asks for a payment back. As on the vendor's testing page, the explanation in the
// evidence decides: `winning_evidence` wins, `losing_evidence` loses, and anything else waits.

import { schedule } from '../../kit/due.ts';
import { type Act, find, need, save } from '../api/act.ts';
import { invalid } from '../api/errors.ts';
import { filledField } from '../api/fill-shape.ts';
import { type PageAsk, page } from '../api/list.ts';
import { type MetadataParam, mergeMetadata } from '../api/params.ts';
import { vendor } from '../api/vendor.ts';
import { viewOf } from '../api/view.ts';
import { book } from '../balance/book.ts';
import type { Due } from '../due.ts';
import { tell, update } from '../events/events.ts';
import type { IssuingDispute } from './records.ts';

type Asked = {
  readonly amount?: number;
  readonly evidence?: object;
  readonly metadata?: MetadataParam;
  readonly transaction?: string;
};
type Evidence = { readonly [field: string]: unknown };

const evidenceOf = (held: object, given: object | undefined): IssuingDispute['evidence'] =>
  filledField('issuing.dispute', 'evidence', { reason: 'other', ...held, ...given });

const create = vendor<Asked>('issuing.disputes.create', ({ act, params }) => {
  const transaction = need(act, 'issuing.transaction', params.transaction ?? '', { param: 'transaction' });
  if (transaction.type !== 'capture') {
    throw invalid('Only a capture can be disputed.', { param: 'transaction' });
  }
  if (transaction.dispute !== null) {
    throw invalid(`Transaction ${transaction.id} already has a dispute.`, { param: 'transaction' });
  }
  const made: IssuingDispute = {
    id: act.tx.id('idp_', 24),
    object: 'issuing.dispute',
    amount: params.amount ?? Math.abs(transaction.amount),
    created: act.at,
    currency: transaction.currency,
    evidence: evidenceOf({}, params.evidence),
    livemode: false,
    metadata: mergeMetadata({}, params.metadata ?? undefined),
    status: 'unsubmitted',
    transaction: transaction.id,
  };
  save(act, 'issuing.dispute', made);
  save(act, 'issuing.transaction', { ...transaction, dispute: made.id });
  tell(act, 'issuing_dispute.created', 'issuing.dispute', made);
  return viewOf(act, 'issuing.dispute', made);
});

const needDispute = (act: Act, path: { readonly [name: string]: string }): IssuingDispute =>
  need(act, 'issuing.dispute', path['id'] ?? '', { param: 'dispute', inPath: true });

const retrieve = vendor<object>('issuing.disputes.retrieve', ({ act, path }) =>
  viewOf(act, 'issuing.dispute', needDispute(act, path)),
);

const change = vendor<Asked>('issuing.disputes.update', ({ act, path, params }) => {
  const held = needDispute(act, path);
  if (params.evidence !== undefined && held.status !== 'unsubmitted') {
    throw invalid(`This dispute was submitted: its status is ${held.status}.`, { param: 'evidence' });
  }
  const next: IssuingDispute = {
    ...held,
    amount: params.amount ?? held.amount,
    evidence: evidenceOf(held.evidence, params.evidence),
    metadata: mergeMetadata(held.metadata, params.metadata === null ? '' : params.metadata),
  };
  return viewOf(
    act,
    'issuing.dispute',
    update(act, 'issuing.dispute', held, next, 'issuing_dispute.updated'),
  );
});

const submit = vendor<Asked>('issuing.disputes.submit', ({ act, path, params }) => {
  const held = needDispute(act, path);
  if (held.status !== 'unsubmitted') {
    throw invalid(`This dispute cannot be submitted: its status is ${held.status}.`);
  }
  const sent: IssuingDispute = {
    ...held,
    metadata: mergeMetadata(held.metadata, params.metadata === null ? '' : params.metadata),
    status: 'submitted',
  };
  save(act, 'issuing.dispute', sent);
  tell(act, 'issuing_dispute.submitted', 'issuing.dispute', sent);
  schedule<Due>(act.tx, `issuing dispute:${held.id}`, act.tx.now, {
    kind: 'issuing_dispute.judge',
    dispute: held.id,
  });
  return viewOf(act, 'issuing.dispute', sent);
});

/** The network has read the evidence. */
export function judge(act: Act, id: string): void {
  const held = find(act, 'issuing.dispute', id);
  if (held?.status !== 'submitted') return;
  const said = JSON.stringify((held.evidence as unknown as Evidence)[held.evidence.reason] ?? '');
  const won = said.includes('winning_evidence');
  if (!won && !said.includes('losing_evidence')) return;
  const next: IssuingDispute = { ...held, status: won ? 'won' : 'lost' };
  save(act, 'issuing.dispute', next);
  tell(act, 'issuing_dispute.closed', 'issuing.dispute', next);
  if (!won) return;
  book(act, {
    amount: held.amount,
    currency: held.currency,
    type: 'issuing_dispute',
    category: 'issuing_dispute',
    source: held.id,
  });
  tell(act, 'issuing_dispute.funds_reinstated', 'issuing.dispute', next);
}

const listAll = vendor<PageAsk & { status?: string; transaction?: string }>(
  'issuing.disputes.list',
  ({ act, params }) => {
    const { status, transaction } = params;
    const where = transaction !== undefined ? { transaction } : status !== undefined ? { status } : undefined;
    return page(act, 'issuing.dispute', params, '/v1/issuing/disputes', {
      ...(where === undefined ? {} : { where }),
      ...(status === undefined ? {} : { keep: held => held.status === status }),
    });
  },
);

export const issuingDisputeOperations = [create, retrieve, change, submit, listAll];
