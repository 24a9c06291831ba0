// Payment methods: the operations on them.

import { need, save } from '../api/act.ts';
import { fullAddress } from '../api/address.ts';
import { invalid } from '../api/errors.ts';
import { page, pageParams } from '../api/list.ts';
import { operation } from '../api/operation.ts';
import { choice, hash, integer, mergeMetadata, metadata, required, text, tree } from '../api/params.ts';
import { viewOf } from '../api/view.ts';
import { tell, update } from '../events/events.ts';
import {
  attachTo,
  billingParam,
  methodFrom,
  methodShape,
  readyMade,
  refuseDetached,
  refuseUnsaveable,
} from './methods.ts';
import type { PaymentMethod } from './records.ts';

const create = operation(
  'paymentMethods.create',
  'POST /v1/payment_methods',
  methodShape,
  ({ act, params }) => {
    const method = methodFrom(act, params);
    act.tx.kind('payment_method.created');
    save(act, 'payment_method', method);
    return viewOf(act, 'payment_method', method);
  },
  ['payment_method', 'customer'],
);

const retrieve = operation(
  'paymentMethods.retrieve',
  'GET /v1/payment_methods/{payment_method}',
  {},
  ({ act, path }) =>
    viewOf(
      act,
      'payment_method',
      need(act, 'payment_method', path['payment_method'] ?? '', { param: 'payment_method', inPath: true }),
    ),
);

const change = operation(
  'paymentMethods.update',
  'POST /v1/payment_methods/{payment_method}',
  {
    allow_redisplay: choice('always', 'limited', 'unspecified'),
    billing_details: billingParam,
    card: hash({ exp_month: integer(1, 12), exp_year: integer() }),
    metadata: metadata(),
    us_bank_account: tree(),
  },
  ({ act, path, params }) => {
    const held = need(act, 'payment_method', path['payment_method'] ?? '', {
      param: 'payment_method',
      inPath: true,
    });
    if (held.customer === null) {
      throw invalid('You must save this PaymentMethod to a customer before you can update it.', {
        param: 'payment_method',
      });
    }
    const { allow_redisplay, billing_details: details, card, metadata: tags } = params;
    const address = details?.address;
    const next: PaymentMethod = {
      ...held,
      ...(allow_redisplay === undefined ? {} : { allow_redisplay }),
      billing_details: {
        ...held.billing_details,
        ...(details?.email === undefined ? {} : { email: details.email }),
        ...(details?.name === undefined ? {} : { name: details.name }),
        ...(details?.phone === undefined ? {} : { phone: details.phone }),
        ...(address === undefined ? {} : { address: fullAddress(address ?? {}) }),
      },
      ...(held.card === undefined ? {} : { card: { ...held.card, ...card } }),
      metadata: mergeMetadata(held.metadata ?? {}, tags),
    };
    return viewOf(act, 'payment_method', update(act, 'payment_method', held, next, 'payment_method.updated'));
  },
  ['card[networks]'],
);

const attach = operation(
  'paymentMethods.attach',
  'POST /v1/payment_methods/{payment_method}/attach',
  { customer: required(text()) },
  ({ act, path, params }) => {
    const customer = need(act, 'customer', params.customer, { param: 'customer' });
    const id = path['payment_method'] ?? '';
    const method =
      readyMade(act, id) ?? need(act, 'payment_method', id, { param: 'payment_method', inPath: true });
    if (method.customer === customer.id) return viewOf(act, 'payment_method', method);
    if (method.customer !== null) {
      throw invalid('The payment method you provided has already been attached to a customer.', {
        code: 'payment_method_unexpected_state',
      });
    }
    refuseDetached(method, 'payment_method');
    refuseUnsaveable(method);
    return viewOf(act, 'payment_method', attachTo(act, method, customer.id));
  },
  ['customer_account'],
);

const detach = operation(
  'paymentMethods.detach',
  'POST /v1/payment_methods/{payment_method}/detach',
  {},
  ({ act, path }) => {
    const held = need(act, 'payment_method', path['payment_method'] ?? '', {
      param: 'payment_method',
      inPath: true,
    });
    if (held.customer === null) {
      throw invalid(
        'The payment method you provided is not attached to a customer so detachment is impossible.',
        {
          code: 'payment_method_unexpected_state',
        },
      );
    }
    const customer = need(act, 'customer', held.customer, { param: 'customer' });
    const free = { ...held, customer: null, $detached: true };
    save(act, 'payment_method', free);
    tell(act, 'payment_method.detached', 'payment_method', free, viewOf(act, 'payment_method', held));
    if (customer.invoice_settings.default_payment_method === held.id) {
      const settings = { ...customer.invoice_settings, default_payment_method: null };
      update(act, 'customer', customer, { ...customer, invoice_settings: settings }, 'customer.updated');
    }
    return viewOf(act, 'payment_method', free);
  },
);

const listAll = operation(
  'paymentMethods.list',
  'GET /v1/payment_methods',
  {
    ...pageParams,
    customer: text(),
    type: text(),
    allow_redisplay: choice('always', 'limited', 'unspecified'),
  },
  ({ act, params }) => {
    const { customer, type, allow_redisplay } = params;
    if (customer !== undefined) need(act, 'customer', customer, { param: 'customer' });
    return page(act, 'payment_method', params, '/v1/payment_methods', {
      ...(customer === undefined ? {} : { where: { customer } }),
      keep: method =>
        method.customer !== null &&
        (type === undefined || method.type === type) &&
        (allow_redisplay === undefined || method.allow_redisplay === allow_redisplay),
    });
  },
);

export const paymentMethodOperations = [create, retrieve, change, attach, detach, listAll];
