// Disputes: money taken back by a bank, the evidence against it, and how it ends. The evidence's text decides, as
// on the vendor's testing page: `winning_evidence` wins, `losing_evidence` and everything else loses, and
// `escalate_inquiry_evidence` makes a dispute of an inquiry.

import { schedule } from '../../kit/due.ts';
import { type Act, find, need, save } from '../api/act.ts';
import { invalid } from '../api/errors.ts';
import { createdParams, page } from '../api/list.ts';
import { operation } from '../api/operation.ts';
import { boolean, choice, hash, mergeMetadata, metadata, text, tree, unset } from '../api/params.ts';
import { viewOf } from '../api/view.ts';
import { book } from '../balance/book.ts';
import type { Due } from '../due.ts';
import { tell, update } from '../events/events.ts';
import type { Charge, Dispute } from './records.ts';

const DISPUTE_FEE = 1500;
const ANSWER_SECONDS = 9 * 24 * 60 * 60;

/** As Visa numbers them. */
const REASON_CODES: { readonly [reason: string]: string } = {
  fraudulent: '10.4',
  product_not_received: '13.1',
};

const TEXTS = [
  'access_activity_log',
  'billing_address',
  'cancellation_policy',
  'cancellation_policy_disclosure',
  'cancellation_rebuttal',
  'customer_communication',
  'customer_email_address',
  'customer_name',
  'customer_purchase_ip',
  'customer_signature',
  'duplicate_charge_documentation',
  'duplicate_charge_explanation',
  'duplicate_charge_id',
  'product_description',
  'receipt',
  'refund_policy',
  'refund_policy_disclosure',
  'refund_refusal_explanation',
  'service_date',
  'service_documentation',
  'shipping_address',
  'shipping_carrier',
  'shipping_date',
  'shipping_documentation',
  'shipping_tracking_number',
  'uncategorized_file',
  'uncategorized_text',
] as const;
const EVIDENCE_CHARS_MAX = 150_000;
const evidenceText = () => unset(text(EVIDENCE_CHARS_MAX));

type Claim = {
  readonly reason: string;
  /** The bank only asks about the payment. */
  readonly inquiry?: boolean;
  /** All that was taken, where it is not said. */
  readonly amount?: number;
};

/** A bank takes a payment back, or only asks about it. */
export function dispute(act: Act, charge: Charge, claim: Claim): void {
  const { reason, inquiry = false, amount = charge.amount_captured } = claim;
  const card = charge.payment_method_details?.card;
  const made: Dispute = {
    id: act.tx.recordId('dp_', 24),
    object: 'dispute',
    amount,
    charge: charge.id,
    created: act.at,
    currency: charge.currency,
    enhanced_eligibility_types: [],
    evidence: {
      ...(Object.fromEntries(TEXTS.map(name => [name, null])) as Omit<
        Dispute['evidence'],
        'enhanced_evidence'
      >),
      enhanced_evidence: {},
    },
    evidence_details: {
      due_by: act.at + ANSWER_SECONDS,
      enhanced_eligibility: {},
      has_evidence: false,
      past_due: false,
      submission_count: 0,
      submission_method: 'not_submitted',
    },
    intended_submission_method: null,
    is_charge_refundable: inquiry,
    livemode: false,
    metadata: {},
    payment_intent: charge.payment_intent,
    ...(card === undefined
      ? {}
      : {
          payment_method_details: {
            card: {
              brand: card.brand ?? 'visa',
              case_type: inquiry ? 'inquiry' : reason === 'noncompliant' ? 'compliance' : 'chargeback',
              network: card.brand ?? 'visa',
              network_reason_code: REASON_CODES[reason] ?? null,
            },
            type: 'card',
          },
        }),
    reason,
    status: inquiry ? 'warning_needs_response' : 'needs_response',
    $customer: charge.customer,
  };
  save(act, 'dispute', made);
  save(act, 'charge', { ...charge, disputed: true });
  schedule<Due>(act.tx, `dispute:${made.id}`, (act.at + ANSWER_SECONDS) * 1000, {
    kind: 'dispute.lapse',
    dispute: made.id,
  });
  if (!inquiry) withdraw(act, made, -1);
  tell(act, 'charge.dispute.created', 'dispute', made);
  if (!inquiry) tell(act, 'charge.dispute.funds_withdrawn', 'dispute', made);
}

function withdraw(act: Act, held: Dispute, sign: 1 | -1): void {
  book(act, {
    amount: sign * held.amount,
    currency: held.currency,
    type: 'adjustment',
    category: sign < 0 ? 'dispute' : 'dispute_reversal',
    source: held.id,
    description:
      sign < 0 ? `Chargeback withdrawal for ${held.charge}` : `Chargeback reversal for ${held.charge}`,
    fee: sign < 0 ? DISPUTE_FEE : -DISPUTE_FEE,
    feeDescription: 'Dispute fee',
  });
}

const needDispute = (act: Act, path: { readonly [name: string]: string }): Dispute =>
  need(act, 'dispute', path['dispute'] ?? '', { param: 'dispute', inPath: true });

const retrieve = operation('disputes.retrieve', 'GET /v1/disputes/{dispute}', {}, ({ act, path }) =>
  viewOf(act, 'dispute', needDispute(act, path)),
);

const change = operation(
  'disputes.update',
  'POST /v1/disputes/{dispute}',
  {
    evidence: hash({
      ...(Object.fromEntries(TEXTS.map(name => [name, evidenceText()])) as {
        [Name in (typeof TEXTS)[number]]: ReturnType<typeof evidenceText>;
      }),
      enhanced_evidence: unset(tree()),
    }),
    intended_submission_method: choice('manual', 'prefer_manual', 'prefer_smart_disputes', 'smart_disputes'),
    metadata: metadata(),
    submit: boolean(),
  },
  ({ act, path, params }) => {
    const held = needDispute(act, path);
    const open = held.status === 'needs_response' || held.status === 'warning_needs_response';
    if (params.evidence !== undefined && !open) {
      throw invalid(`This dispute is already closed or under review: its status is ${held.status}.`, {
        code: 'dispute_evidence_not_accepted',
        param: 'evidence',
      });
    }
    const { enhanced_evidence, ...texts } = params.evidence ?? {};
    const submits = open && params.submit !== false && params.evidence !== undefined;
    const next: Dispute = {
      ...held,
      evidence: {
        ...held.evidence,
        ...(texts as Partial<Dispute['evidence']>),
        ...(enhanced_evidence === undefined ? {} : { enhanced_evidence: enhanced_evidence ?? {} }),
      },
      evidence_details: {
        ...held.evidence_details,
        has_evidence: held.evidence_details.has_evidence || params.evidence !== undefined,
        submission_count: held.evidence_details.submission_count + (submits ? 1 : 0),
        submission_method: submits ? 'manual' : held.evidence_details.submission_method,
      },
      ...(params.intended_submission_method === undefined
        ? {}
        : { intended_submission_method: params.intended_submission_method }),
      metadata: mergeMetadata(held.metadata, params.metadata),
      status: !submits
        ? held.status
        : held.status === 'needs_response'
          ? 'under_review'
          : 'warning_under_review',
    };
    const saved = update(act, 'dispute', held, next, 'charge.dispute.updated');
    if (submits)
      schedule<Due>(act.tx, `dispute:${held.id}`, act.tx.now, { kind: 'dispute.decide', dispute: held.id });
    return viewOf(act, 'dispute', saved);
  },
);

/** The bank has read the evidence. */
export function decide(act: Act, held: Dispute): void {
  const said = held.evidence.uncategorized_text ?? '';
  if (held.status === 'warning_under_review') {
    return said.includes('escalate_inquiry_evidence')
      ? escalate(act, held)
      : end(act, held, 'warning_closed');
  }
  if (held.status !== 'under_review') return;
  end(act, held, said.includes('winning_evidence') ? 'won' : 'lost');
}

/** The bank was not content with the answer to its question, and takes the payment back. */
function escalate(act: Act, held: Dispute): void {
  const details = held.payment_method_details;
  const next: Dispute = {
    ...held,
    ...(details?.card === undefined
      ? {}
      : { payment_method_details: { ...details, card: { ...details.card, case_type: 'chargeback' } } }),
    evidence_details: { ...held.evidence_details, due_by: act.at + ANSWER_SECONDS },
    is_charge_refundable: false,
    status: 'needs_response',
  };
  schedule<Due>(act.tx, `dispute:${held.id}`, (act.at + ANSWER_SECONDS) * 1000, {
    kind: 'dispute.lapse',
    dispute: held.id,
  });
  withdraw(act, next, -1);
  update(act, 'dispute', held, next, 'charge.dispute.updated');
  tell(act, 'charge.dispute.funds_withdrawn', 'dispute', next);
}

/** Nobody answered in time. */
export function lapse(act: Act, held: Dispute): void {
  if (held.status === 'needs_response') end(act, held, 'lost');
  if (held.status === 'warning_needs_response') end(act, held, 'warning_closed');
}

function end(act: Act, held: Dispute, status: Dispute['status']): void {
  const next: Dispute = {
    ...held,
    evidence_details: { ...held.evidence_details, past_due: held.evidence_details.submission_count === 0 },
    status,
  };
  act.tx.cancel(`dispute:${held.id}`);
  save(act, 'dispute', next);
  if (status === 'won') {
    withdraw(act, next, 1);
    const charge = find(act, 'charge', String(held.charge));
    if (charge !== undefined) save(act, 'charge', { ...charge, disputed: false });
    tell(act, 'charge.dispute.funds_reinstated', 'dispute', next);
  }
  tell(act, 'charge.dispute.closed', 'dispute', next);
}

const close = operation('disputes.close', 'POST /v1/disputes/{dispute}/close', {}, ({ act, path }) => {
  const held = needDispute(act, path);
  if (held.status !== 'needs_response' && held.status !== 'warning_needs_response') {
    throw invalid(`This dispute is already closed or under review: its status is ${held.status}.`);
  }
  end(act, held, held.status === 'needs_response' ? 'lost' : 'warning_closed');
  return viewOf(act, 'dispute', needDispute(act, path));
});

const listAll = operation(
  'disputes.list',
  'GET /v1/disputes',
  { ...createdParams, charge: text(), payment_intent: text() },
  ({ act, params }) => {
    const { charge, payment_intent } = params;
    return page(act, 'dispute', params, '/v1/disputes', {
      ...(charge !== undefined
        ? { where: { charge } }
        : payment_intent !== undefined
          ? { where: { payment_intent } }
          : {}),
    });
  },
);

export const disputeOperations = [retrieve, change, close, listAll];
