// Checkout sessions: the operations on them, and those that the hosted page itself asks.

import { type Act, need, save } from '../api/act.ts';
import { invalid } from '../api/errors.ts';
import { filledField } from '../api/fill-shape.ts';
import { createdParams, page } from '../api/list.ts';
import { operation } from '../api/operation.ts';
import { choice, integer, list, mergeMetadata, metadata, text, tree } from '../api/params.ts';
import { viewOf } from '../api/view.ts';
import { ownedMethod } from '../payments/methods.ts';
import { complete, needsMethod, refuseDeclined } from './complete.ts';
import { expireSession } from './expire.ts';
import { itemsView, linesOf } from './items.ts';
import { openSession } from './open-session.ts';
import type { Session } from './records.ts';
import { withNewSums } from './recount.ts';
import { SESSION_UNMODELLED, sessionShape } from './session-fields.ts';
import { optionsOf, saveRates } from './shipping.ts';

const create = operation(
  'checkout.sessions.create',
  'POST /v1/checkout/sessions',
  sessionShape,
  ({ act, params }) =>
    viewOf(
      act,
      'checkout.session',
      openSession(act, params, linesOf(act, params.line_items ?? [], params.currency), null),
    ),
  SESSION_UNMODELLED,
);

const needSession = (act: Act, path: { readonly [name: string]: string }): Session =>
  need(act, 'checkout.session', path['session'] ?? '', { param: 'session', inPath: true });

const retrieve = operation(
  'checkout.sessions.retrieve',
  'GET /v1/checkout/sessions/{session}',
  {},
  ({ act, path }) => viewOf(act, 'checkout.session', needSession(act, path)),
);

const change = operation(
  'checkout.sessions.update',
  'POST /v1/checkout/sessions/{session}',
  { collected_information: tree(), metadata: metadata(), shipping_options: list(tree('amount')) },
  ({ act, path, params }) => {
    const held = needSession(act, path);
    const { options, made } = optionsOf(act, params.shipping_options, held.currency);
    const offered = params.shipping_options === undefined ? {} : { shipping_options: options };
    const details = params.collected_information?.['shipping_details'];
    const changed: Session = {
      ...held,
      ...offered,
      ...(details === undefined
        ? {}
        : {
            collected_information: filledField('checkout.session', 'collected_information', {
              ...held.collected_information,
              shipping_details: details,
            }),
          }),
      metadata: mergeMetadata(held.metadata ?? {}, params.metadata),
    };
    saveRates(act, made);
    const first = options[0] === undefined ? undefined : String(options[0].shipping_rate);
    const next = first === undefined ? changed : withNewSums(act, changed, { shipping: first });
    save(act, 'checkout.session', next); // Stripe has no event for it.
    return viewOf(act, 'checkout.session', next);
  },
);

const expire = operation(
  'checkout.sessions.expire',
  'POST /v1/checkout/sessions/{session}/expire',
  {},
  ({ act, path }) => {
    const held = needSession(act, path);
    if (held.status !== 'open') {
      throw invalid(
        `Only Checkout Sessions with a status in ["open"] can be expired. This Checkout Session has a status of ${held.status}.`,
      );
    }
    return viewOf(act, 'checkout.session', expireSession(act, held));
  },
);

const listAll = operation(
  'checkout.sessions.list',
  'GET /v1/checkout/sessions',
  {
    ...createdParams,
    customer: text(),
    customer_details: tree(),
    payment_intent: text(),
    payment_link: text(),
    status: choice('complete', 'expired', 'open'),
    subscription: text(),
  },
  ({ act, params }) => {
    const { customer, payment_intent, payment_link, status, subscription } = params;
    const where =
      payment_intent !== undefined
        ? { payment_intent }
        : subscription !== undefined
          ? { subscription }
          : customer !== undefined
            ? { customer }
            : payment_link !== undefined
              ? { payment_link }
              : status !== undefined
                ? { status }
                : undefined;
    return page(act, 'checkout.session', params, '/v1/checkout/sessions', {
      ...(where === undefined ? {} : { where }),
      ...(status === undefined ? {} : { keep: held => held.status === status }),
    });
  },
);

const items = operation(
  'checkout.sessions.listLineItems',
  'GET /v1/checkout/sessions/{session}/line_items',
  createdParams,
  ({ act, path }) => {
    const { id } = needSession(act, path);
    return itemsView(act, id, `/v1/checkout/sessions/${id}/line_items`);
  },
);

/** What the hosted page itself asks; command-line tools pay sessions with it. */
const pageOf = operation('paymentPages.retrieve', 'GET /v1/payment_pages/{session}', {}, ({ act, path }) => {
  const held = needSession(act, path);
  return {
    ...viewOf(act, 'checkout.session', held),
    line_item_group: { currency: held.currency, subtotal: held.amount_subtotal, total: held.amount_total },
  };
});

const confirm = operation(
  'paymentPages.confirm',
  'POST /v1/payment_pages/{session}/confirm',
  { expected_amount: integer(0), payment_method: text() },
  ({ act, path, params }) => {
    const held = needSession(act, path);
    if (held.status !== 'open') throw invalid(`This Checkout Session is ${held.status}.`);
    if (params.expected_amount !== undefined && params.expected_amount !== (held.amount_total ?? 0)) {
      throw invalid('The expected amount does not match the amount of the Checkout Session.', {
        param: 'expected_amount',
      });
    }
    if (held.$chosen === true && (held.amount_total ?? 0) === 0)
      throw invalid('Choose on the page how much to pay.', { param: 'line_items' });
    const method =
      params.payment_method === undefined && !needsMethod(held)
        ? null
        : ownedMethod(act, params.payment_method ?? '', held.customer, 'payment_method');
    const { email = null, name = null } = method?.billing_details ?? {};
    refuseDeclined(method);
    const done = complete(act, held, method, { email: email ?? held.customer_email, name });
    return viewOf(act, 'checkout.session', done.session);
  },
);

export const checkoutOperations = [create, retrieve, change, expire, listAll, items, pageOf, confirm];
