// Reviews of payments, and warnings of fraud.

import { type Act, need } from '../api/act.ts';
import { invalid } from '../api/errors.ts';
import { createdParams, page } from '../api/list.ts';
import { operation } from '../api/operation.ts';
import { text } from '../api/params.ts';
import { viewOf } from '../api/view.ts';
import { update } from '../events/events.ts';
import type { Review } from './records.ts';

const needReview = (act: Act, path: { readonly [name: string]: string }): Review =>
  need(act, 'review', path['review'] ?? '', { param: 'review', inPath: true });

const approve = operation('reviews.approve', 'POST /v1/reviews/{review}/approve', {}, ({ act, path }) => {
  const held = needReview(act, path);
  if (!held.open) throw invalid('This review is already closed.', {});
  const next: Review = { ...held, closed_reason: 'approved', open: false, reason: 'approved' };
  return viewOf(act, 'review', update(act, 'review', held, next, 'review.closed'));
});

const retrieve = operation('reviews.retrieve', 'GET /v1/reviews/{review}', {}, ({ act, path }) =>
  viewOf(act, 'review', needReview(act, path)),
);

const listAll = operation('reviews.list', 'GET /v1/reviews', createdParams, ({ act, params }) =>
  page(act, 'review', params, '/v1/reviews', { where: { open: 'true' } }),
);

const warning = operation(
  'radar.earlyFraudWarnings.retrieve',
  'GET /v1/radar/early_fraud_warnings/{warning}',
  {},
  ({ act, path }) =>
    viewOf(
      act,
      'radar.early_fraud_warning',
      need(act, 'radar.early_fraud_warning', path['warning'] ?? '', { param: 'warning', inPath: true }),
    ),
);

const warnings = operation(
  'radar.earlyFraudWarnings.list',
  'GET /v1/radar/early_fraud_warnings',
  { ...createdParams, charge: text(), payment_intent: text() },
  ({ act, params }) => {
    const { charge, payment_intent } = params;
    return page(act, 'radar.early_fraud_warning', params, '/v1/radar/early_fraud_warnings', {
      ...(charge !== undefined
        ? { where: { charge } }
        : payment_intent !== undefined
          ? { where: { payment_intent } }
          : {}),
    });
  },
);

export const reviewOperations = [approve, retrieve, listAll, warning, warnings];
