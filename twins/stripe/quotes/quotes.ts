// Quotes: an offer that is drafted, finalized, and accepted; then it makes a subscription, or an invoice.

import type { Stripe } from 'stripe';
import { schedule } from '../../kit/due.ts';
import { type Act, find, need, save } from '../api/act.ts';
import { invalid } from '../api/errors.ts';
import { page } from '../api/list.ts';
import { type Given, vendor } from '../api/vendor.ts';
import { listView, type View, viewOf } from '../api/view.ts';
import { mergeTags } from '../catalog/coupons.ts';
import { checkDiscounts, openDiscounts } from '../catalog/discounts.ts';
import { ratesOf } from '../catalog/tax-rates.ts';
import type { Due } from '../due.ts';
import { tell, update } from '../events/events.ts';
import { makeAccepted } from './accept.ts';
import {
  blankQuote,
  checkLines,
  type LineAsk,
  linesOf,
  lineViews,
  type Priced,
  pricedOf,
  upfrontOf,
  withSums,
} from './draft.ts';
import type { Quote } from './records.ts';

/** What the quotes of this twin do not do. */
const UNMODELLED = [
  'application_fee_amount',
  'application_fee_percent',
  'customer_account',
  'on_behalf_of',
  'subscription_data[effective_date]=current_period_end',
  'transfer_data',
];

type Fields = Given<Stripe.QuoteUpdateParams> & {
  readonly subscription_data?: Given<Stripe.QuoteCreateParams>['subscription_data'];
};

/** Refuses what a quote cannot have, before anything is written. */
function check(act: Act, given: Fields, held: Quote | null): void {
  if (given.customer !== undefined) need(act, 'customer', given.customer, { param: 'customer' });
  const customer = given.customer ?? held?.customer ?? null;
  checkLines(act, (given.line_items ?? []) as unknown as readonly LineAsk[], customer);
  checkDiscounts(act, given.discounts, 'discounts', { customer });
  ratesOf(act, given.default_tax_rates, 'default_tax_rates');
}

/** The quote with what was asked for. Only after `check`. */
function withFields(act: Act, held: Quote, given: Fields): Quote {
  const { invoice_settings: settings, subscription_data: data, automatic_tax: tax } = given;
  const customer = given.customer ?? held.customer;
  const asks = given.line_items as unknown as readonly LineAsk[] | undefined;
  const begins =
    data?.effective_date === undefined
      ? {}
      : { effective_date: typeof data.effective_date === 'number' ? data.effective_date : null };
  const quote = {
    ...held,
    ...(tax === undefined
      ? {}
      : {
          automatic_tax: {
            enabled: tax.enabled,
            liability: tax.enabled ? { type: 'self' } : null,
            provider: tax.enabled ? 'stripe' : null,
            status: tax.enabled ? 'complete' : null,
          },
        }),
    ...(given.collection_method === undefined ? {} : { collection_method: given.collection_method }),
    customer,
    ...(given.default_tax_rates === undefined ? {} : { default_tax_rates: given.default_tax_rates ?? [] }),
    ...(given.description === undefined ? {} : { description: given.description }),
    ...(given.discounts === undefined
      ? {}
      : { discounts: openDiscounts(act, given.discounts, { customer, quote: true }) }),
    ...(given.expires_at === undefined ? {} : { expires_at: given.expires_at }),
    ...(given.footer === undefined ? {} : { footer: given.footer }),
    ...(given.header === undefined ? {} : { header: given.header }),
    invoice_settings: { ...held.invoice_settings, ...settings },
    metadata: mergeTags(held.metadata, given.metadata),
    subscription_data: {
      ...held.subscription_data,
      ...begins,
      ...(data?.description === undefined ? {} : { description: data.description }),
      ...(data?.metadata === undefined ? {} : { metadata: mergeTags(null, data.metadata) }),
      ...(data?.trial_period_days === undefined ? {} : { trial_period_days: data.trial_period_days }),
    },
    $lines: asks === undefined ? held.$lines : linesOf(act, asks, customer),
  } as unknown as Quote;
  return withSums(act, quote);
}

/** A quote that nobody accepts ends by itself. */
function setWait(act: Act, quote: Quote): Quote {
  const key = `quote:${quote.id}`;
  if (quote.status === 'draft' || quote.status === 'open')
    schedule<Due>(act.tx, key, quote.expires_at * 1000, { kind: 'quote.expire', quote: quote.id });
  else act.tx.cancel(key);
  return quote;
}

/** The time of a quote is over. */
export function endQuote(act: Act, id: string): void {
  const held = find(act, 'quote', id);
  if (held !== undefined && (held.status === 'draft' || held.status === 'open')) canceled(act, held);
}

function canceled(act: Act, held: Quote): Quote {
  const next: Quote = {
    ...held,
    status: 'canceled',
    status_transitions: { ...held.status_transitions, canceled_at: act.at },
  };
  return setWait(act, update(act, 'quote', held, next, 'quote.canceled'));
}

const create = vendor<Stripe.QuoteCreateParams>(
  'quotes.create',
  ({ act, params }) => {
    const { from_quote: source, expand: _none, ...given } = params;
    const from =
      source === undefined ? null : need(act, 'quote', source.quote, { param: 'from_quote[quote]' });
    const fields = given as unknown as Fields;
    check(act, fields, from);
    act.tx.kind('quote.created');
    const bare = withFields(act, blankQuote(act, from, source?.is_revision ?? false), fields);
    const customer = find(act, 'customer', bare.customer ?? '');
    const quote: Quote = { ...bare, test_clock: customer?.test_clock ?? null };
    save(act, 'quote', quote);
    setWait(act, quote);
    tell(act, 'quote.created', 'quote', quote);
    return viewOf(act, 'quote', quote);
  },
  {},
  UNMODELLED,
);

function needQuote(act: Act, path: { readonly [name: string]: string }): Quote {
  return need(act, 'quote', path['id'] ?? '', { param: 'quote', inPath: true });
}

function inStatus(
  act: Act,
  path: { readonly [name: string]: string },
  verb: string,
  ...wanted: string[]
): Quote {
  const held = needQuote(act, path);
  if (wanted.includes(held.status)) return held;
  throw invalid(
    `You cannot ${verb} a quote with a status of '${held.status}'. The quote must have a status of '${wanted.join("' or '")}'.`,
  );
}

const retrieve = vendor<object>('quotes.retrieve', ({ act, path }) =>
  viewOf(act, 'quote', needQuote(act, path)),
);

const change = vendor<Stripe.QuoteUpdateParams>(
  'quotes.update',
  ({ act, path, params }) => {
    const held = inStatus(act, path, 'update', 'draft');
    check(act, params as Fields, held);
    act.tx.kind('quote.updated');
    const next = withFields(act, held, params as Fields);
    save(act, 'quote', next); // Stripe has no event for an update of a quote.
    setWait(act, next);
    return viewOf(act, 'quote', next);
  },
  {},
  UNMODELLED,
);

const finalize = vendor<Stripe.QuoteFinalizeQuoteParams>('quotes.finalizeQuote', ({ act, path, params }) => {
  const held = inStatus(act, path, 'finalize', 'draft');
  if (held.customer === null)
    throw invalid('A quote must have a customer to be finalized.', { param: 'customer' });
  if (held.$lines.length === 0)
    throw invalid('A quote must have line items to be finalized.', { param: 'line_items' });
  const next: Quote = {
    ...held,
    expires_at: params.expires_at ?? held.expires_at,
    number: `QT-${held.id.slice(-8).toUpperCase()}-0001-1`,
    status: 'open',
    status_transitions: { ...held.status_transitions, finalized_at: act.at },
  };
  return viewOf(act, 'quote', setWait(act, update(act, 'quote', held, next, 'quote.finalized')));
});

const cancel = vendor<object>('quotes.cancel', ({ act, path }) =>
  viewOf(act, 'quote', canceled(act, inStatus(act, path, 'cancel', 'draft', 'open'))),
);

const accept = vendor<object>('quotes.accept', ({ act, path }) => {
  const held = inStatus(act, path, 'accept', 'open');
  act.tx.kind('quote.accepted');
  const accepted: Quote = {
    ...held,
    ...makeAccepted(act, held),
    status: 'accepted',
    status_transitions: { ...held.status_transitions, accepted_at: act.at },
  };
  return viewOf(act, 'quote', setWait(act, update(act, 'quote', held, accepted, 'quote.accepted')));
});

const listAll = vendor<Stripe.QuoteListParams>('quotes.list', ({ act, params }) => {
  const { customer, status, test_clock } = params;
  const where = customer !== undefined ? { customer } : status !== undefined ? { status } : undefined;
  return page(act, 'quote', params, '/v1/quotes', {
    ...(where === undefined ? {} : { where }),
    keep: held =>
      (status === undefined || held.status === status) &&
      // Those of a test clock are only in lists of that clock or of their customer.
      (test_clock === undefined
        ? customer !== undefined || held.test_clock === null
        : held.test_clock === test_clock),
  });
});

/** A page of a quote's lines. */
function linePage(
  act: Act,
  quote: Quote,
  priced: readonly Priced[],
  { limit = 10, starting_after: after }: { readonly limit?: number; readonly starting_after?: string },
  name: string,
): View {
  const from = after === undefined ? 0 : priced.findIndex(({ line }) => line.id === after) + 1;
  const data = lineViews(act, quote, priced).slice(from, from + limit);
  return listView(data, priced.length > from + limit, `/v1/quotes/${quote.id}/${name}`);
}

const lineItems = vendor<Stripe.PaginationParams>('quotes.listLineItems', ({ act, path, params }) => {
  const quote = needQuote(act, path);
  return linePage(act, quote, pricedOf(act, quote.$lines), params, 'line_items');
});

const upfront = vendor<Stripe.PaginationParams>(
  'quotes.listComputedUpfrontLineItems',
  ({ act, path, params }) => {
    const quote = needQuote(act, path);
    const priced = upfrontOf(quote, pricedOf(act, quote.$lines));
    return linePage(act, quote, priced, params, 'computed_upfront_line_items');
  },
);

export const quoteOperations = [
  create,
  retrieve,
  change,
  finalize,
  cancel,
  accept,
  listAll,
  lineItems,
  upfront,
];
