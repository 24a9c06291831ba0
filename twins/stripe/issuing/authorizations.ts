// Issuing: what a card is asked to pay, and who allows it.
import { schedule } from '../../kit/due.ts';
import { type Act, need, save, select } from '../api/act.ts';
import { invalid } from '../api/errors.ts';
import { createdParams, page } from '../api/list.ts';
import { operation } from '../api/operation.ts';
import { boolean, choice, integer, mergeMetadata, metadata, required, text, tree } from '../api/params.ts';
import { viewOf } from '../api/view.ts';
import type { Due } from '../due.ts';
import { tell, update, WEBHOOK_ENDPOINTS_MAX } from '../events/events.ts';
import { needIssued } from './cardholders.ts';
import type { Authorization, IssuedCard } from './records.ts';
import { merchantOf, transact } from './transactions.ts';

/** An app has so long to answer a request; then the account's default holds: approved. */
const ANSWER_MS = 2_000;

const created = {
  amount: integer(1),
  amount_details: tree('atm_fee', 'cashback_amount'),
  authorization_method: choice('chip', 'contactless', 'keyed_in', 'online', 'swipe'),
  currency: text(),
  held_amount: integer(1),
  held_currency: text(),
  is_amount_controllable: boolean(),
  merchant_amount: integer(1),
  merchant_currency: text(),
  merchant_data: tree(),
  network_data: tree(),
  verification_data: tree(),
  wallet: text(),
} as const;

type Asked = {
  readonly amount?: number;
  readonly held_amount?: number;
  readonly currency?: string;
  readonly held_currency?: string;
  readonly authorization_method?: string;
  readonly is_amount_controllable?: boolean;
  readonly merchant_amount?: number;
  readonly merchant_currency?: string;
  readonly merchant_data?: object;
  readonly verification_data?: object;
  readonly wallet?: string;
};

/** Asks: an endpoint that listens for requests decides, else it is decided at once. */
function authorize(act: Act, card: IssuedCard, asked: Asked) {
  const amount = asked.amount ?? asked.held_amount ?? 0;
  if (amount === 0)
    throw invalid('Missing required param: amount.', { code: 'parameter_missing', param: 'amount' });
  const currency = (asked.currency ?? asked.held_currency ?? card.currency).toLowerCase();
  const made: Authorization = {
    id: act.tx.recordId('iauth_', 24),
    object: 'issuing.authorization',
    amount: 0,
    amount_details: { atm_fee: null, cashback_amount: null },
    approved: false,
    authorization_method: (asked.authorization_method ?? 'online') as Authorization['authorization_method'],
    card: card.id,
    card_presence: null,
    cardholder: card.cardholder,
    created: act.at,
    currency,
    fleet: null,
    fraud_challenges: null,
    fuel: null,
    livemode: false,
    merchant_amount: asked.merchant_amount ?? amount,
    merchant_currency: (asked.merchant_currency ?? currency).toLowerCase(),
    merchant_data: merchantOf(asked.merchant_data),
    metadata: {},
    network_data: null,
    pending_request: {
      amount,
      amount_details: null,
      currency,
      is_amount_controllable: asked.is_amount_controllable ?? false,
      merchant_amount: asked.merchant_amount ?? amount,
      merchant_currency: (asked.merchant_currency ?? currency).toLowerCase(),
      network_risk_score: null,
    },
    request_history: [],
    status: 'pending',
    token: null,
    verification_data: {
      address_line1_check: 'not_provided',
      address_postal_code_check: 'not_provided',
      authentication_exemption: null,
      cvc_check: 'match',
      expiry_check: 'match',
      postal_code: null,
      three_d_secure: null,
      ...asked.verification_data,
    },
    verified_by_fraud_challenge: null,
    wallet: asked.wallet ?? null,
    $captured: 0,
    $refundable: 0,
  };
  if (card.status !== 'active')
    return viewOf(act, 'issuing.authorization', decide(act, made, 'card_inactive'));
  act.tx.kind('issuing_authorization.request');
  save(act, 'issuing.authorization', made);
  tell(act, 'issuing_authorization.request', 'issuing.authorization', made);
  const listeners = select(act.tx, 'webhook_endpoint', {
    where: { status: 'enabled' },
    limit: WEBHOOK_ENDPOINTS_MAX,
  }).items.filter(
    ({ enabled_events: events }) => events.includes('issuing_authorization.request') || events.includes('*'),
  );
  if (listeners.length === 0) {
    return viewOf(act, 'issuing.authorization', decide(act, made, 'webhook_timeout'));
  }
  schedule<Due>(act.tx, `authorization:${made.id}`, act.tx.now + ANSWER_MS, {
    kind: 'issuing_authorization.time_out',
    authorization: made.id,
  });
  return viewOf(act, 'issuing.authorization', made);
}

type Reason = 'card_inactive' | 'webhook_approved' | 'webhook_declined' | 'webhook_timeout';

/** Closes the request; saved and told. */
export function decide(act: Act, held: Authorization, reason: Reason, amount?: number): Authorization {
  const approved = reason === 'webhook_approved' || reason === 'webhook_timeout';
  const asked = held.pending_request;
  const taken = amount ?? asked?.amount ?? 0;
  const next: Authorization = {
    ...held,
    amount: approved ? taken : 0,
    approved,
    pending_request: null,
    request_history: [
      ...held.request_history,
      {
        amount: asked?.amount ?? taken,
        amount_details: null,
        approved,
        authorization_code: approved ? '123456' : null,
        created: act.at,
        currency: held.currency,
        merchant_amount: held.merchant_amount,
        merchant_currency: held.merchant_currency,
        network_risk_score: null,
        reason,
        reason_message: null,
        requested_at: held.created,
      },
    ],
    status: approved ? 'pending' : 'closed',
  };
  act.tx.cancel(`authorization:${held.id}`);
  save(act, 'issuing.authorization', next);
  tell(act, 'issuing_authorization.created', 'issuing.authorization', next);
  return next;
}

const needAuthorization = (act: Act, path: { readonly [name: string]: string }): Authorization =>
  need(act, 'issuing.authorization', path['authorization'] ?? '', { param: 'authorization', inPath: true });

const onCard = operation(
  'issuing.cards.testAuthorization',
  'POST /v1/issuing/cards/{card}/test/authorizations',
  created,
  ({ act, path, params }) => authorize(act, needIssued(act, path['card'] ?? ''), params as Asked),
);

const create = operation(
  'testHelpers.issuing.authorizations.create',
  'POST /v1/test_helpers/issuing/authorizations',
  { ...created, card: required(text()) },
  ({ act, params }) => authorize(act, needIssued(act, params.card, false), params as Asked),
  ['fleet', 'fuel', 'risk_assessment', 'fraud_disputability_likelihood'],
);

function answer(name: 'approve' | 'decline') {
  return operation(
    `issuing.authorizations.${name}`,
    `POST /v1/issuing/authorizations/{authorization}/${name}`,
    { amount: integer(0), metadata: metadata() },
    ({ act, path, params }) => {
      const held = needAuthorization(act, path);
      if (held.pending_request === null) {
        throw invalid('This authorization has no pending request that could be answered.', {
          code: 'invalid_request_error',
        });
      }
      const tagged = { ...held, metadata: mergeMetadata(held.metadata, params.metadata) };
      const reason = name === 'approve' ? 'webhook_approved' : 'webhook_declined';
      return viewOf(act, 'issuing.authorization', decide(act, tagged, reason, params.amount));
    },
  );
}

const retrieve = operation(
  'issuing.authorizations.retrieve',
  'GET /v1/issuing/authorizations/{authorization}',
  {},
  ({ act, path }) => viewOf(act, 'issuing.authorization', needAuthorization(act, path)),
);

const change = operation(
  'issuing.authorizations.update',
  'POST /v1/issuing/authorizations/{authorization}',
  { metadata: metadata() },
  ({ act, path, params }) => {
    const held = needAuthorization(act, path);
    const next = { ...held, metadata: mergeMetadata(held.metadata, params.metadata) };
    return viewOf(
      act,
      'issuing.authorization',
      update(act, 'issuing.authorization', held, next, 'issuing_authorization.updated'),
    );
  },
);

const listAll = operation(
  'issuing.authorizations.list',
  'GET /v1/issuing/authorizations',
  { ...createdParams, card: text(), cardholder: text(), status: text() },
  ({ act, params }) => {
    const { card, cardholder, status } = params;
    const where =
      card !== undefined
        ? { card }
        : cardholder !== undefined
          ? { cardholder }
          : status !== undefined
            ? { status }
            : undefined;
    return page(act, 'issuing.authorization', params, '/v1/issuing/authorizations', {
      ...(where === undefined ? {} : { where }),
      ...(status === undefined ? {} : { keep: held => held.status === status }),
    });
  },
);

const capture = operation(
  'testHelpers.issuing.authorizations.capture',
  'POST /v1/test_helpers/issuing/authorizations/{authorization}/capture',
  {
    capture_amount: integer(1),
    close_authorization: boolean(),
    purchase_details: tree('quantity', 'unit_cost', 'total'),
  },
  ({ act, path, params }) => {
    const held = needAuthorization(act, path);
    if (!held.approved || held.status !== 'pending') {
      throw invalid(`This authorization cannot be captured: its status is ${held.status}.`);
    }
    const amount = params.capture_amount ?? held.amount;
    const closes = params.close_authorization !== false;
    act.tx.kind('issuing_transaction.created');
    transact(act, needIssued(act, held.card), {
      amount,
      currency: held.currency,
      authorization: held.id,
      merchant: held.merchant_data,
      purchase: params.purchase_details,
      type: 'capture',
    });
    const next: Authorization = {
      ...held,
      amount: closes ? 0 : Math.max(0, held.amount - amount),
      status: closes ? 'closed' : 'pending',
      $captured: held.$captured + amount,
    };
    return viewOf(
      act,
      'issuing.authorization',
      update(act, 'issuing.authorization', held, next, 'issuing_authorization.updated'),
    );
  },
);

function close(name: 'expire' | 'reverse') {
  return operation(
    `testHelpers.issuing.authorizations.${name}`,
    `POST /v1/test_helpers/issuing/authorizations/{authorization}/${name}`,
    { is_amount_controllable: boolean(), reverse_amount: integer(1) },
    ({ act, path, params }) => {
      const held = needAuthorization(act, path);
      if (held.status !== 'pending') throw invalid(`This authorization is already ${held.status}.`);
      const left = name === 'reverse' ? held.amount - (params.reverse_amount ?? held.amount) : 0;
      const next: Authorization = {
        ...held,
        amount: left,
        status: left > 0 ? 'pending' : name === 'expire' ? 'expired' : 'reversed',
      };
      return viewOf(
        act,
        'issuing.authorization',
        update(act, 'issuing.authorization', held, next, 'issuing_authorization.updated'),
      );
    },
  );
}

export const authorizationOperations = [
  onCard,
  create,
  answer('approve'),
  answer('decline'),
  retrieve,
  change,
  listAll,
  capture,
  close('expire'),
  close('reverse'),
];
