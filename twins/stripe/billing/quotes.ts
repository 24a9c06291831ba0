// Quotes: an offer that is drafted, finalized, and accepted; then it makes a subscription, or an invoice.
import type { Stripe } from 'stripe';
import { invalid } from '../errors.ts';
import { tell, update } from '../events.ts';
import { blankInvoice, invoiceItemLine, saveDraft } from '../invoice-draft.ts';
import { page } from '../list.ts';
import { amountOf, newPrice } from '../price-draft.ts';
import { blankItem } from '../proration.ts';
import { type Act, find, need, save } from '../records.ts';
import { makeSubscription } from '../subscription-create.ts';
import { type Given, vendor, whole } from '../vendor.ts';
import { listView, type View, viewOf } from '../views.ts';
import type { Price } from '../wire.ts';
import { tagged } from './coupons.ts';
import type { Quote, QuoteLine } from './records.ts';

/** A quote holds for 30 days when it does not say how long. Seconds. */
const LIFE_SECONDS = 30 * 86_400;

type LineAsk = Given<NonNullable<Stripe.QuoteCreateParams['line_items']>[number]>;

/** The lines, with the prices they bring along saved. Only after `checkLines`. */
function linesOf(act: Act, asks: readonly LineAsk[]): QuoteLine[] {
  return asks.map(ask => {
    let price = ask.price;
    if (ask.price_data !== undefined) {
      const made = newPrice(act, ask.price_data as never, 'line_items[price_data]');
      save(act, 'price', made);
      price = made.id;
    }
    return { id: act.tx.id('li_', 24), price: price ?? '', quantity: ask.quantity ?? 1 };
  });
}

function checkLines(act: Act, asks: readonly LineAsk[]): void {
  for (const [at, ask] of asks.entries()) {
    if (ask.price_data !== undefined) {
      need(act, 'product', ask.price_data.product, { param: `line_items[${at}][price_data][product]` });
    } else need(act, 'price', ask.price ?? '', { param: `line_items[${at}][price]` });
  }
}

type Priced = { readonly line: QuoteLine; readonly price: Price; readonly amount: number };

function pricedOf(act: Act, lines: readonly QuoteLine[]): readonly Priced[] {
  return lines.map(line => {
    const price = need(act, 'price', line.price, { param: 'line_items' });
    return { line, price, amount: amountOf(price, line.quantity) };
  });
}

const NO_DETAILS = { amount_discount: 0, amount_shipping: 0, amount_tax: 0 };

/** The quote with its sums. */
function counted(act: Act, quote: Quote): Quote {
  const priced = pricedOf(act, quote.$lines);
  const total = priced.reduce((sum, { amount }) => sum + amount, 0);
  const recurring = priced.filter(({ price }) => price.recurring !== null);
  const often = recurring.reduce((sum, { amount }) => sum + amount, 0);
  const every = recurring[0]?.price.recurring ?? null;
  const trial = quote.subscription_data.trial_period_days !== null;
  const now = trial ? total - often : total;
  return {
    ...quote,
    amount_subtotal: total,
    amount_total: total,
    computed: {
      recurring:
        every === null
          ? null
          : {
              amount_subtotal: often,
              amount_total: often,
              interval: every.interval,
              interval_count: every.interval_count,
              total_details: NO_DETAILS,
            },
      upfront: { amount_subtotal: now, amount_total: now, total_details: NO_DETAILS },
    },
    currency: priced[0]?.price.currency ?? null,
  } as Quote;
}

type Fields = Given<Stripe.QuoteUpdateParams>;

function written(held: Quote, given: Fields): Quote {
  const settings = given.invoice_settings;
  const data = given.subscription_data as Given<Stripe.QuoteCreateParams>['subscription_data'];
  return {
    ...held,
    ...(given.collection_method === undefined ? {} : { collection_method: given.collection_method }),
    ...(given.customer === undefined ? {} : { customer: given.customer }),
    ...(given.description === undefined ? {} : { description: given.description }),
    ...(given.expires_at === undefined ? {} : { expires_at: given.expires_at }),
    ...(given.footer === undefined ? {} : { footer: given.footer }),
    ...(given.header === undefined ? {} : { header: given.header }),
    invoice_settings: {
      ...held.invoice_settings,
      ...(settings?.days_until_due === undefined ? {} : { days_until_due: settings.days_until_due }),
      ...(settings?.footer === undefined ? {} : { footer: settings.footer }),
    },
    metadata: tagged(held.metadata, given.metadata),
    subscription_data: {
      ...held.subscription_data,
      ...(data?.description === undefined ? {} : { description: data.description }),
      ...(data?.metadata === undefined ? {} : { metadata: tagged(null, data.metadata) }),
      ...(data?.trial_period_days === undefined ? {} : { trial_period_days: data.trial_period_days }),
    },
  } as Quote;
}

const create = vendor<Stripe.QuoteCreateParams>('quotes.create', ({ act, params }) => {
  const customer =
    params.customer === undefined ? null : need(act, 'customer', params.customer, { param: 'customer' });
  if (params.from_quote !== undefined)
    need(act, 'quote', params.from_quote.quote, { param: 'from_quote[quote]' });
  checkLines(act, params.line_items ?? []);
  const source = find(act, 'quote', params.from_quote?.quote ?? '');
  const blank = whole<Quote>('quote', {
    id: act.tx.id('qt_', 24),
    amount_subtotal: 0,
    amount_total: 0,
    automatic_tax: { enabled: false, liability: null, provider: null, status: null },
    collection_method: 'charge_automatically',
    computed: {
      recurring: null,
      upfront: { amount_subtotal: 0, amount_total: 0, total_details: NO_DETAILS },
    },
    created: act.at,
    default_tax_rates: [],
    discounts: [],
    expires_at: act.at + LIFE_SECONDS,
    from_quote:
      params.from_quote === undefined
        ? null
        : { is_revision: params.from_quote.is_revision ?? false, quote: params.from_quote.quote },
    invoice_settings: {
      custom_fields: null,
      days_until_due: null,
      description: null,
      footer: null,
      issuer: { type: 'self' },
    },
    metadata: {},
    status: 'draft',
    status_transitions: { accepted_at: null, canceled_at: null, finalized_at: null },
    subscription_data: {
      billing_mode: { type: 'flexible' },
      description: null,
      effective_date: null,
      metadata: null,
      trial_period_days: null,
    },
    test_clock: customer?.test_clock ?? null,
    total_details: NO_DETAILS,
    $lines: source?.$lines ?? [],
  });
  act.tx.kind('quote.created');
  const lines = params.line_items === undefined ? blank.$lines : linesOf(act, params.line_items);
  const quote = counted(act, written({ ...blank, $lines: lines }, params as unknown as Fields));
  save(act, 'quote', quote);
  tell(act, 'quote.created', 'quote', quote);
  return viewOf(act.tx, 'quote', quote);
});

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
  viewOf(act.tx, 'quote', needQuote(act, path)),
);

const change = vendor<Stripe.QuoteUpdateParams>('quotes.update', ({ act, path, params }) => {
  const held = inStatus(act, path, 'update', 'draft');
  if (params.customer !== undefined) need(act, 'customer', params.customer, { param: 'customer' });
  const asks = params.line_items as unknown as readonly LineAsk[] | undefined;
  if (asks !== undefined) checkLines(act, asks);
  const lines = asks === undefined ? held.$lines : linesOf(act, asks);
  const next = counted(act, written({ ...held, $lines: lines }, params));
  act.tx.kind('quote.updated');
  save(act, 'quote', next); // Stripe has no event for an update of a quote.
  return viewOf(act.tx, 'quote', next);
});

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
  return viewOf(act.tx, 'quote', update(act, 'quote', held, next, 'quote.finalized'));
});

const cancel = vendor<object>('quotes.cancel', ({ act, path }) => {
  const held = inStatus(act, path, 'cancel', 'draft', 'open');
  const next: Quote = {
    ...held,
    status: 'canceled',
    status_transitions: { ...held.status_transitions, canceled_at: act.at },
  };
  return viewOf(act.tx, 'quote', update(act, 'quote', held, next, 'quote.canceled'));
});

const accept = vendor<object>('quotes.accept', ({ act, path }) => {
  const held = inStatus(act, path, 'accept', 'open');
  if (held.expires_at <= act.at)
    throw invalid('This quote has expired and cannot be accepted.', { param: 'quote' });
  const priced = pricedOf(act, held.$lines);
  const recurring = priced.filter(({ price }) => price.recurring !== null);
  const once = priced.filter(({ price }) => price.recurring === null);
  act.tx.kind('quote.accepted');
  const accepted: Quote = {
    ...held,
    ...(recurring.length > 0
      ? subscribed(act, held, recurring, once)
      : { invoice: invoiced(act, held, once) }),
    status: 'accepted',
    status_transitions: { ...held.status_transitions, accepted_at: act.at },
  };
  return viewOf(act.tx, 'quote', update(act, 'quote', held, accepted, 'quote.accepted'));
});

function pending(act: Act, quote: Quote, once: readonly Priced[]) {
  return once.map(({ line, price, amount }) => {
    const item = blankItem(act, {
      amount,
      currency: price.currency,
      customer: quote.customer ?? '',
      description: find(act, 'product', price.product)?.name ?? null,
      period: { end: act.at, start: act.at },
      price,
      quantity: line.quantity,
    });
    save(act, 'invoiceitem', item);
    tell(act, 'invoiceitem.created', 'invoiceitem', item);
    return item;
  });
}

function subscribed(
  act: Act,
  quote: Quote,
  recurring: readonly Priced[],
  once: readonly Priced[],
): { subscription: string; invoice: string | null } {
  pending(act, quote, once);
  const trial = quote.subscription_data.trial_period_days;
  const made = makeSubscription(
    act,
    {
      customer: quote.customer ?? '',
      items: recurring.map(({ line }) => ({ price: line.price, quantity: line.quantity })),
      metadata: quote.subscription_data.metadata ?? {},
      ...(trial === null ? {} : { trial_period_days: trial }),
      ...(quote.collection_method === 'send_invoice'
        ? {
            collection_method: 'send_invoice' as const,
            days_until_due: quote.invoice_settings.days_until_due ?? 30,
          }
        : {}),
    },
    { drafts: true },
  );
  return { subscription: made.id, invoice: made.latest_invoice };
}

function invoiced(act: Act, quote: Quote, once: readonly Priced[]): string {
  const customer = need(act, 'customer', quote.customer ?? '', { param: 'customer' });
  const items = pending(act, quote, once);
  const blank = blankInvoice(act, {
    customer,
    subscription: null,
    currency: quote.currency ?? 'usd',
    reason: 'manual',
    period: { start: act.at, end: act.at },
    collection: quote.collection_method,
    advance: false,
    daysUntilDue:
      quote.collection_method === 'send_invoice' ? (quote.invoice_settings.days_until_due ?? 30) : null,
  });
  const invoice = saveDraft(act, {
    invoice: {
      ...blank,
      parent: { quote_details: { quote: quote.id }, subscription_details: null, type: 'quote_details' },
    },
    lines: items.map(item => invoiceItemLine(act, blank.id, item)),
  });
  tell(act, 'invoice.created', 'invoice', invoice);
  return invoice.id;
}

const listAll = vendor<Stripe.QuoteListParams>('quotes.list', ({ act, params }) => {
  const { customer, status, test_clock } = params;
  const where = customer !== undefined ? { customer } : status !== undefined ? { status } : undefined;
  return page(act, 'quote', params, '/v1/quotes', {
    ...(where === undefined ? {} : { where }),
    keep: held =>
      (status === undefined || held.status === status) &&
      (test_clock === undefined || held.test_clock === test_clock),
  });
});

function lineView(act: Act, { line, price, amount }: Priced): View {
  return {
    id: line.id,
    object: 'item',
    adjustable_quantity: null,
    amount_discount: 0,
    amount_subtotal: amount,
    amount_tax: 0,
    amount_total: amount,
    currency: price.currency,
    description: find(act, 'product', price.product)?.name ?? null,
    metadata: {},
    price: viewOf(act.tx, 'price', price),
    quantity: line.quantity,
  };
}

const lineItems = vendor<Stripe.PaginationParams>('quotes.listLineItems', ({ act, path }) => {
  const quote = needQuote(act, path);
  const data = pricedOf(act, quote.$lines).map(priced => lineView(act, priced));
  return listView(data, false, `/v1/quotes/${quote.id}/line_items`);
});

const upfront = vendor<Stripe.PaginationParams>('quotes.listComputedUpfrontLineItems', ({ act, path }) => {
  const quote = needQuote(act, path);
  const trial = quote.subscription_data.trial_period_days !== null;
  const data = pricedOf(act, quote.$lines)
    .filter(({ price }) => !trial || price.recurring === null)
    .map(priced => lineView(act, priced));
  return listView(data, false, `/v1/quotes/${quote.id}/computed_upfront_line_items`);
});

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
