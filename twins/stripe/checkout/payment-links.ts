// Payment links: each visit opens a checkout session of its own.
import { invalid } from '../errors.ts';
import { tell, update } from '../events.ts';
import { createdParams, page } from '../list.ts';
import { operation } from '../operation.ts';
import { boolean, choice, list, mergeMetadata, metadata, required, text, tree } from '../params.ts';
import type { PaymentLink, Session } from '../payments/wire.ts';
import { type Act, find, need, save } from '../records.ts';
import { viewOf } from '../views.ts';
import { itemParam, itemsOf, itemsView, linesOf, saveLines } from './items.ts';
import { openSession } from './sessions.ts';

const writable = {
  after_completion: tree(),
  allow_promotion_codes: boolean(),
  billing_address_collection: choice('auto', 'required'),
  custom_fields: list(tree()),
  custom_text: tree(),
  customer_creation: choice('always', 'if_required'),
  inactive_message: text(),
  invoice_creation: tree(),
  metadata: metadata(),
  name_collection: tree(),
  payment_intent_data: tree(),
  payment_method_collection: choice('always', 'if_required'),
  payment_method_types: list(text()),
  phone_number_collection: tree(),
  restrictions: tree('limit', 'count'),
  shipping_address_collection: tree(),
  submit_type: choice('auto', 'book', 'donate', 'pay', 'subscribe'),
  subscription_data: tree('trial_period_days'),
  tax_id_collection: tree(),
} as const;

const create = operation(
  'paymentLinks.create',
  'POST /v1/payment_links',
  { ...writable, application_fee_amount: text(), currency: text(), line_items: required(list(itemParam)) },
  ({ act, params }) => {
    const lines = linesOf(act, params.line_items);
    if (lines.length === 0) {
      throw invalid('Missing required param: line_items.', {
        code: 'parameter_missing',
        param: 'line_items',
      });
    }
    const id = act.tx.id('plink_', 24);
    const link: PaymentLink = {
      id,
      object: 'payment_link',
      active: true,
      after_completion: (params.after_completion ?? {
        hosted_confirmation: { custom_message: null },
        type: 'hosted_confirmation',
      }) as never,
      allow_promotion_codes: params.allow_promotion_codes ?? false,
      application: null,
      application_fee_amount: null,
      application_fee_percent: null,
      automatic_tax: { enabled: false, liability: null },
      billing_address_collection: params.billing_address_collection ?? 'auto',
      consent_collection: null,
      currency: lines[0]?.price.currency ?? 'usd',
      custom_fields: (params.custom_fields ?? []) as never,
      custom_text: {
        after_submit: null,
        shipping_address: null,
        submit: null,
        terms_of_service_acceptance: null,
        ...(params.custom_text as object | undefined),
      },
      customer_creation: params.customer_creation ?? 'if_required',
      inactive_message: params.inactive_message ?? null,
      invoice_creation: (params.invoice_creation ?? null) as never,
      livemode: false,
      managed_payments: null,
      metadata: mergeMetadata({}, params.metadata),
      on_behalf_of: null,
      payment_intent_data: (params.payment_intent_data ?? null) as never,
      payment_method_collection: params.payment_method_collection ?? 'always',
      payment_method_options: null,
      payment_method_types: (params.payment_method_types ?? null) as never,
      phone_number_collection: { enabled: params.phone_number_collection?.['enabled'] === true },
      restrictions: (params.restrictions ?? null) as never,
      shipping_address_collection: (params.shipping_address_collection ?? null) as never,
      shipping_options: [],
      submit_type: (params.submit_type ?? 'auto') as PaymentLink['submit_type'],
      subscription_data: (params.subscription_data ?? null) as never,
      tax_id_collection: { enabled: false, required: 'never' },
      transfer_data: null,
      url: `https://buy.stripe.com/test_${id.slice('plink_'.length)}`,
      $ask: {},
    };
    act.tx.kind('payment_link.created');
    save(act, 'payment_link', link);
    saveLines(act, id, lines);
    tell(act, 'payment_link.created', 'payment_link', link);
    return viewOf(act.tx, 'payment_link', link);
  },
);

const needLink = (act: Act, path: { readonly [name: string]: string }): PaymentLink =>
  need(act, 'payment_link', path['payment_link'] ?? '', { param: 'payment_link', inPath: true });

const retrieve = operation(
  'paymentLinks.retrieve',
  'GET /v1/payment_links/{payment_link}',
  {},
  ({ act, path }) => viewOf(act.tx, 'payment_link', needLink(act, path)),
);

const change = operation(
  'paymentLinks.update',
  'POST /v1/payment_links/{payment_link}',
  { ...writable, active: boolean() },
  ({ act, path, params }) => {
    const held = needLink(act, path);
    const { metadata: tags, ...rest } = params;
    const next = { ...held, ...(rest as Partial<PaymentLink>), metadata: mergeMetadata(held.metadata, tags) };
    return viewOf(act.tx, 'payment_link', update(act, 'payment_link', held, next, 'payment_link.updated'));
  },
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
    return itemsView(act.tx, id, `/v1/payment_links/${id}/line_items`);
  },
);

/** Opens the session of one visit; null for a link that is not there or off. */
export function sessionOfLink(act: Act, name: string): Session | null {
  const link = find(act, 'payment_link', name.replace(/^test_/, 'plink_'));
  if (link === undefined || !link.active) return null;
  const lines = itemsOf(act.tx, link.id).map(({ price, quantity }) => ({ price, quantity: quantity ?? 1 }));
  const drawn = linesOf(act, lines);
  const recurs = drawn.some(({ price }) => price.recurring !== null);
  const redirect = (link.after_completion as { redirect?: { url?: string } }).redirect?.url;
  return openSession(
    act,
    {
      mode: recurs ? 'subscription' : 'payment',
      metadata: link.metadata,
      ...(redirect === undefined ? {} : { success_url: redirect }),
    },
    drawn,
    link.id,
  );
}

export const paymentLinkOperations = [create, retrieve, change, listAll, items];
