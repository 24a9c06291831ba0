// Subscriptions: what a caller does with one that exists.

import { need } from '../api/act.ts';
import { invalid, missing } from '../api/errors.ts';
import { createdParams, inRange, page } from '../api/list.ts';
import { operation } from '../api/operation.ts';
import { boolean, choice, range, text, time } from '../api/params.ts';
import { search, searchParams } from '../api/search.ts';
import { viewOf } from '../api/view.ts';
import { billNow } from './change.ts';
import { itemsOf } from './clock.ts';
import { createSubscription } from './create.ts';
import { cancelNow } from './end.ts';
import { prorations, saveProrations } from './proration.ts';
import type { Subscription } from './records.ts';
import { resumeNow } from './resume.ts';
import { cancellation, needSubscription, updateSubscription } from './update.ts';

const retrieve = operation(
  'subscriptions.retrieve',
  'GET /v1/subscriptions/{subscription}',
  {},
  ({ act, path }) => viewOf(act, 'subscription', needSubscription(act, path)),
);

const cancel = operation(
  'subscriptions.cancel',
  'DELETE /v1/subscriptions/{subscription}',
  { cancellation_details: cancellation, invoice_now: boolean(), prorate: boolean() },
  ({ act, path, params }) => {
    const held = needSubscription(act, path);
    if (held.ended_at !== null) {
      throw missing('subscription', held.id, { param: 'id', inPath: true });
    }
    act.tx.kind('customer.subscription.deleted');
    const details = params.cancellation_details;
    let last: Subscription = {
      ...held,
      cancellation_details: {
        comment: details?.comment ?? held.cancellation_details?.comment ?? null,
        feedback: details?.feedback ?? held.cancellation_details?.feedback ?? null,
        feedback_option: null,
        reason: 'cancellation_requested',
      },
    };
    const billed = held.status === 'active' || held.status === 'past_due';
    if (params.prorate === true && billed) {
      const gone = itemsOf(act, held.id).map(item => ({ before: item, after: null }));
      saveProrations(act, prorations(act, held, gone, act.at));
    }
    if (params.invoice_now === true && billed) last = billNow(act, last, true);
    return viewOf(act, 'subscription', cancelNow(act, last, 'cancellation_requested'));
  },
  ['cancellation_details[feedback_option]'],
);

const resume = operation(
  'subscriptions.resume',
  'POST /v1/subscriptions/{subscription}/resume',
  { proration_behavior: choice('always_invoice', 'create_prorations', 'none'), proration_date: time() },
  ({ act, path }) => {
    const held = needSubscription(act, path);
    if (held.status !== 'paused') {
      throw invalid(
        `This subscription cannot be resumed because its status is ${held.status}; only a paused subscription can be.`,
        {
          param: 'id',
        },
      );
    }
    return viewOf(act, 'subscription', resumeNow(act, held));
  },
  ['billing_cycle_anchor', 'payment_behavior'],
);

const ENDED = ['canceled', 'incomplete_expired'];
/** Those of a list that asks for none. */
const LISTED = ['active', 'incomplete', 'incomplete_expired', 'past_due', 'paused', 'trialing', 'unpaid'];

const listAll = operation(
  'subscriptions.list',
  'GET /v1/subscriptions',
  {
    ...createdParams,
    collection_method: choice('charge_automatically', 'send_invoice'),
    current_period_end: range(),
    current_period_start: range(),
    customer: text(),
    plan: text(),
    price: text(),
    test_clock: text(),
    status: choice(
      'active',
      'all',
      'canceled',
      'ended',
      'incomplete',
      'incomplete_expired',
      'past_due',
      'paused',
      'trialing',
      'unpaid',
    ),
  },
  ({ act, params }) => {
    const { customer, status, test_clock: clock } = params;
    const price = params.price ?? params.plan;
    if (customer !== undefined) need(act, 'customer', customer, { param: 'customer' });
    const one = status !== undefined && status !== 'all' && status !== 'ended' ? status : undefined;
    const where =
      customer !== undefined
        ? { customer }
        : price !== undefined
          ? { $price: price }
          : one !== undefined
            ? { status: one }
            : status === 'ended'
              ? { status: ENDED }
              : status === undefined
                ? { status: LISTED }
                : params.collection_method !== undefined
                  ? { collection_method: params.collection_method }
                  : undefined;
    const timed = params.current_period_end !== undefined || params.current_period_start !== undefined;
    return page(act, 'subscription', params, '/v1/subscriptions', {
      ...(where === undefined ? {} : { where }),
      keep: subscription => {
        // Those of a test clock are only in lists of that clock or of their customer.
        const its = subscription.test_clock;
        if (clock === undefined ? customer === undefined && its !== null : its !== clock) return false;
        if (one !== undefined && subscription.status !== one) return false;
        if (status === 'ended' && !ENDED.includes(subscription.status)) return false;
        if (status === undefined && subscription.status === 'canceled') return false;
        if (
          params.collection_method !== undefined &&
          subscription.collection_method !== params.collection_method
        )
          return false;
        if (price === undefined && !timed) return true;
        const items = itemsOf(act, subscription.id);
        if (price !== undefined && !items.some(item => item.price === price)) return false;
        return items.every(
          item =>
            inRange(item.current_period_end, params.current_period_end) &&
            inRange(item.current_period_start, params.current_period_start),
        );
      },
    });
  },
  ['automatic_tax', 'customer_account'],
);

const find_ = operation(
  'subscriptions.search',
  'GET /v1/subscriptions/search',
  searchParams,
  ({ act, params }) =>
    search(act, 'subscription', params, '/v1/subscriptions/search', [
      'canceled_at',
      'created',
      'metadata',
      'status',
    ]),
);

export const subscriptionOperations = [
  createSubscription,
  retrieve,
  updateSubscription,
  cancel,
  resume,
  listAll,
  find_,
];
