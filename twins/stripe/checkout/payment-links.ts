// Payment links: each visit opens a checkout session of its own.

import { type Act, find, need, save } from '../api/act.ts';
import { invalid } from '../api/errors.ts';
import { filledField } from '../api/fill-shape.ts';
import { createdParams, page } from '../api/list.ts';
import { operation } from '../api/operation.ts';
import {
  boolean,
  choice,
  type Decoded,
  hash,
  integer,
  list,
  mergeMetadata,
  metadata,
  required,
  type Tree,
  text,
  tree,
} from '../api/params.ts';
import { whole } from '../api/vendor.ts';
import { viewOf } from '../api/view.ts';
import { tell, update } from '../events/events.ts';
import { checkChosen, itemParam, itemsOf, itemsView, linesOf, linesToRecount, saveLines } from './items.ts';
import { openSession } from './open-session.ts';
import type { PaymentLink, Session } from './records.ts';
import type { SessionAsk } from './session-fields.ts';
import { sumsOf } from './totals.ts';

/** What a link says of the sessions that it opens, as they take it. */
const passed = {
  allow_promotion_codes: boolean(),
  automatic_tax: tree(),
  billing_address_collection: choice('auto', 'required'),
  consent_collection: tree(),
  custom_fields: list(tree('maximum_length', 'minimum_length')),
  custom_text: tree(),
  customer_creation: choice('always', 'if_required'),
  invoice_creation: tree(),
  name_collection: tree(),
  payment_intent_data: tree(),
  payment_method_collection: choice('always', 'if_required'),
  payment_method_types: list(text()),
  phone_number_collection: tree(),
  shipping_address_collection: tree(),
  shipping_options: list(tree()),
  submit_type: choice('auto', 'book', 'donate', 'pay', 'subscribe'),
  subscription_data: tree('trial_period_days'),
  tax_id_collection: tree(),
} as const;

/** What the payments that come of it are made with. */
const shared = {
  application_fee_amount: integer(0),
  on_behalf_of: text(),
  transfer_data: hash({ amount: integer(0), destination: required(text()) }),
} as const;

const writable = {
  ...passed,
  ...shared,
  after_completion: tree(),
  inactive_message: text(),
  metadata: metadata(),
  restrictions: tree('limit', 'count'),
} as const;

const UNMODELLED = [
  'application_fee_percent',
  'line_items[][dynamic_tax_rates]',
  'managed_payments',
  'optional_items',
  'payment_method_options',
];

type Given = Decoded<typeof writable>;

/** The fields of a link that parameters set. */
function withFields(held: PaymentLink, given: Given): PaymentLink {
  const { metadata: tags, restrictions, shipping_options: options, ...fields } = given;
  const next: { [field: string]: unknown } = { ...held };
  for (const [name, value] of Object.entries(fields)) next[name] = filledField('payment_link', name, value);
  if (restrictions !== undefined) {
    const { limit } = restrictions['completed_sessions'] as { limit: number };
    next['restrictions'] = { completed_sessions: { count: 0, limit } };
  }
  if (options !== undefined) {
    next['shipping_options'] = options.map(option => ({ shipping_amount: 0, ...option }));
  }
  const names = Object.keys(passed);
  return {
    ...(next as PaymentLink),
    metadata: mergeMetadata(held.metadata, tags),
    $ask: {
      ...held.$ask,
      ...Object.fromEntries(Object.entries(given).filter(([name]) => names.includes(name))),
    },
  };
}

const create = operation(
  'paymentLinks.create',
  'POST /v1/payment_links',
  { ...writable, currency: text(), line_items: required(list(itemParam)) },
  ({ act, params }) => {
    const { line_items, ...fields } = params;
    const lines = linesOf(act, line_items, params.currency);
    if (lines.length === 0) {
      throw invalid('Missing required param: line_items.', {
        code: 'parameter_missing',
        param: 'line_items',
      });
    }
    checkChosen(lines, fields.allow_promotion_codes === true);
    const parties = [fields.on_behalf_of, fields.transfer_data?.destination];
    for (const party of parties)
      if (party !== undefined) need(act, 'account', party, { param: 'on_behalf_of' });
    const id = act.tx.id('plink_', 24);
    const blank = whole<PaymentLink>('payment_link', {
      id,
      active: true,
      after_completion: { hosted_confirmation: { custom_message: null }, type: 'hosted_confirmation' },
      allow_promotion_codes: false,
      automatic_tax: { enabled: false, liability: null },
      billing_address_collection: 'auto',
      currency: lines[0]?.price.currency ?? 'usd',
      custom_fields: [],
      custom_text: {
        after_submit: null,
        shipping_address: null,
        submit: null,
        terms_of_service_acceptance: null,
      },
      customer_creation: 'if_required',
      metadata: {},
      payment_method_collection: 'always',
      phone_number_collection: { enabled: false },
      shipping_options: [],
      submit_type: 'auto',
      tax_id_collection: { enabled: false, required: 'never' },
      url: `https://buy.stripe.com/test_${id.slice('plink_'.length)}`,
      $ask: {},
    });
    const link = withFields(blank, fields);
    act.tx.kind('payment_link.created');
    save(act, 'payment_link', link);
    saveLines(act, id, lines, sumsOf(lines, null));
    tell(act, 'payment_link.created', 'payment_link', link);
    return viewOf(act, 'payment_link', link);
  },
  UNMODELLED,
);

const needLink = (act: Act, path: { readonly [name: string]: string }): PaymentLink =>
  need(act, 'payment_link', path['payment_link'] ?? '', { param: 'payment_link', inPath: true });

const retrieve = operation(
  'paymentLinks.retrieve',
  'GET /v1/payment_links/{payment_link}',
  {},
  ({ act, path }) => viewOf(act, 'payment_link', needLink(act, path)),
);

const change = operation(
  'paymentLinks.update',
  'POST /v1/payment_links/{payment_link}',
  { ...writable, active: boolean() },
  ({ act, path, params }) => {
    const held = needLink(act, path);
    const { active, ...given } = params;
    const next = { ...withFields(held, given), ...(active === undefined ? {} : { active }) };
    return viewOf(act, 'payment_link', update(act, 'payment_link', held, next, 'payment_link.updated'));
  },
  [...UNMODELLED, 'line_items'],
);

const listAll = operation(
  'paymentLinks.list',
  'GET /v1/payment_links',
  { ...createdParams, active: boolean() },
  ({ act, params }) =>
    page(
      act,
      'payment_link',
      params,
      '/v1/payment_links',
      params.active === undefined ? {} : { where: { active: String(params.active) } },
    ),
);

const items = operation(
  'paymentLinks.listLineItems',
  'GET /v1/payment_links/{payment_link}/line_items',
  createdParams,
  ({ act, path }) => {
    const { id } = needLink(act, path);
    return itemsView(act, id, `/v1/payment_links/${id}/line_items`);
  },
);

type Opened = { readonly session: Session | null; readonly why: string };

/** Opens the session of one visit; says why where the link is not there, off, or has sold all that it may. */
export function sessionOfLink(act: Act, name: string): Opened {
  const link = find(act, 'payment_link', name.replace(/^test_/, 'plink_'));
  if (link === undefined) return { session: null, why: 'There is no such payment link.' };
  const off = link.inactive_message ?? 'This payment link is no longer active.';
  const limit = link.restrictions?.completed_sessions.limit ?? null;
  if (!link.active || (limit !== null && sold(act, link.id, limit))) return { session: null, why: off };
  const lines = linesToRecount(act, itemsOf(act.tx, link.id));
  const recurs = lines.some(({ price }) => price.recurring !== null);
  const redirect = (link.after_completion as { redirect?: { url?: string } }).redirect?.url;
  const session = openSession(
    act,
    {
      ...(link.$ask as SessionAsk),
      ...(recurs ? {} : { payment_intent_data: paymentOf(link) }),
      mode: recurs ? 'subscription' : 'payment',
      metadata: link.metadata,
      ...(redirect === undefined ? {} : { success_url: redirect }),
    },
    lines,
    link.id,
  );
  return { session, why: '' };
}

/** What a link says of its payments, as a session takes it. */
function paymentOf(link: PaymentLink): { [field: string]: Tree } {
  const { application_fee_amount: fee, on_behalf_of: merchant, transfer_data: transfer } = link;
  return {
    ...(link.$ask['payment_intent_data'] as { [field: string]: Tree } | undefined),
    ...(fee === null ? {} : { application_fee_amount: fee }),
    ...(merchant === null ? {} : { on_behalf_of: String(merchant) }),
    ...(transfer === null ? {} : { transfer_data: { ...transfer } }),
  };
}

function sold(act: Act, link: string, limit: number): boolean {
  const done = act.tx.list('checkout.session', {
    where: { payment_link: link },
    limit,
    keep: body => body['status'] === 'complete',
  });
  return done.items.length >= limit;
}

export const paymentLinkOperations = [create, retrieve, change, listAll, items];
