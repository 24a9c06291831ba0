// What came to the API with one of its versions, beside or in the place of something older: to a caller that names a version
// before it, it is as unknown as it was to Stripe then. A parameter that was added before versions had names (acacia) was
// taken in all of them, and is not here unless it came with a breaking change.
import type { Call } from '../../kit/call.ts';
import type { FormMap } from '../../kit/form.ts';
import { invalid, unrecognized } from '../api/errors.ts';
import type { AskedIn } from '../api/older.ts';
import { nodeAt } from './form.ts';
import { unknown } from './gone.ts';

export type Came = {
  /** The first version that has it. */
  readonly since: string;
  /** The first that lacked it, where there was such a thing once before. */
  readonly from?: string;
  /** Its page at docs.stripe.com/changelog; where that is a whole release's, the SDK's changelog has the line. */
  readonly log: string;
  /** By operation, as `phases[][duration]`. */
  readonly params?: { readonly [operation: string]: readonly string[] };
  /** By operation: words of a parameter, and those that there were. */
  readonly words?: {
    readonly [operation: string]: {
      readonly name: string;
      readonly came: readonly string[];
      readonly were: readonly string[];
    };
  };
  readonly operations?: readonly string[];
};

const THRESHOLDS = ['billing_thresholds', 'items[][billing_thresholds]'];
const ANCHOR = 'billing_cycle_anchor[type]';
const METHODS = ['allowed_payment_method_types'];
const EXCLUDED = ['excluded_payment_method_types'];
const IN_DATA = ['subscription_data[billing_mode]'];
const PRICING = 'basil/2025-03-31/invoice-pricing-configurations';
const PAYMENTS = 'basil/2025-03-31/add-support-for-multiple-partial-payments-on-invoices';

/** Newest first. */
export const CAME: readonly Came[] = [
  {
    since: '2026-09-30.endive',
    log: 'endive/2026-09-30/polymorphic-billing-cycle-anchor',
    params: {
      'invoices.createPreview': ['subscription_details[billing_cycle_anchor][type]'],
      'subscriptions.resume': [ANCHOR],
      'subscriptions.update': [ANCHOR],
    },
  },
  {
    since: '2026-09-30.endive',
    log: 'endive/2026-09-30/remove-payment-method-types-checkout-sessions',
    params: { 'checkout.sessions.create': METHODS },
  },
  { since: '2026-09-30.endive', log: 'endive', operations: ['subscriptions.pause'] },
  {
    since: '2026-07-29.dahlia',
    log: 'dahlia',
    params: {
      'paymentIntents.confirm': METHODS,
      'paymentIntents.create': METHODS,
      'paymentIntents.update': METHODS,
      'setupIntents.confirm': METHODS,
      'setupIntents.create': METHODS,
      'setupIntents.update': METHODS,
    },
    operations: ['accounts.unreject', 'paymentRecords.list'],
  },
  {
    since: '2026-03-25.dahlia',
    log: 'dahlia/2026-03-25/updates-available-checkout-session-ui-modes',
    words: {
      'checkout.sessions.create': {
        name: 'ui_mode',
        came: ['elements', 'embedded_page', 'form', 'hosted_page'],
        were: ['custom', 'embedded', 'hosted'],
      },
    },
  },
  {
    since: '2025-12-15.clover',
    log: 'clover',
    operations: [
      'v2.core.accountLinks.create',
      ...['close', 'create', 'list', 'retrieve', 'update'].map(verb => `v2.core.accounts.${verb}`),
      ...['create', 'del', 'list', 'retrieve', 'update'].map(verb => `v2.core.accounts.persons.${verb}`),
    ],
  },
  {
    since: '2025-10-29.clover',
    log: 'clover',
    params: { 'setupIntents.create': EXCLUDED, 'setupIntents.update': EXCLUDED },
    operations: [
      'paymentAttemptRecords.list',
      'paymentAttemptRecords.retrieve',
      'paymentRecords.reportRefund',
      'paymentRecords.retrieve',
      ...['', 'Attempt', 'AttemptCanceled', 'AttemptFailed', 'AttemptGuaranteed', 'AttemptInformational'].map(
        what => `paymentRecords.reportPayment${what}`,
      ),
    ],
  },
  {
    since: '2025-09-30.clover',
    log: 'clover/2025-09-30/polymorphic-coupon',
    params: { 'promotionCodes.create': ['promotion'] },
  },
  {
    since: '2025-09-30.clover',
    log: 'clover',
    params: {
      'checkout.sessions.create': [...EXCLUDED, 'subscription_data[billing_mode][flexible]'],
      'paymentIntents.confirm': EXCLUDED,
      'paymentIntents.update': EXCLUDED,
      'quotes.create': ['subscription_data[billing_mode][flexible]'],
      'subscriptionSchedules.create': ['billing_mode[flexible]'],
      'subscriptions.create': ['billing_mode[flexible]'],
      'subscriptions.migrate': ['billing_mode[flexible]'],
    },
    operations: ['balanceSettings.retrieve', 'balanceSettings.update'],
  },
  { since: '2025-08-27.basil', log: 'basil', params: { 'paymentIntents.create': EXCLUDED } },
  {
    since: '2025-07-30.basil',
    log: 'basil/2025-07-30/add-schedule-phase-duration',
    params: {
      'subscriptionSchedules.create': ['phases[][duration]'],
      'subscriptionSchedules.update': ['phases[][duration]'],
    },
  },
  {
    since: '2025-06-30.basil',
    log: 'basil',
    params: {
      'checkout.sessions.create': IN_DATA,
      'quotes.create': IN_DATA,
      'subscriptionSchedules.create': ['billing_mode'],
      'subscriptions.create': ['billing_mode'],
    },
    operations: [
      'subscriptions.migrate',
      'terminal.readers.collectPaymentMethod',
      'terminal.readers.confirmPaymentIntent',
    ],
  },
  {
    since: '2025-05-28.basil',
    from: '2025-03-31.basil',
    log: 'basil',
    params: {
      'subscriptionItems.create': ['billing_thresholds'],
      'subscriptionItems.update': ['billing_thresholds'],
      'subscriptions.create': THRESHOLDS,
      'subscriptions.update': THRESHOLDS,
    },
  },
  {
    since: '2025-05-28.basil',
    log: 'basil',
    operations: ['invoices.attachPayment', 'terminal.readers.collectInputs'],
  },
  {
    since: '2025-03-31.basil',
    log: PRICING,
    params: {
      'invoiceItems.create': ['pricing'],
      'invoiceItems.update': ['pricing'],
      'invoices.addLines': ['lines[][pricing]'],
      'invoices.updateLineItem': ['pricing'],
      'invoices.updateLines': ['lines[][pricing]'],
    },
  },
  {
    since: '2025-03-31.basil',
    log: PAYMENTS,
    params: {
      'creditNotes.create': ['refunds'],
      'creditNotes.listPreviewLineItems': ['refunds'],
      'creditNotes.preview': ['refunds'],
    },
    operations: ['invoicePayments.list', 'invoicePayments.retrieve'],
  },
  { since: '2024-09-30.acacia', log: 'acacia', params: { 'billing.alerts.create': ['usage_threshold'] } },
  {
    since: '2024-04-10',
    log: '2024-04-10',
    params: { 'products.create': ['marketing_features'], 'products.update': ['marketing_features'] },
  },
];

const byOperation = new Map<string, Came[]>();
for (const row of CAME)
  for (const operation of new Set([
    ...Object.keys(row.params ?? {}),
    ...Object.keys(row.words ?? {}),
    ...(row.operations ?? []),
  ]))
    byOperation.set(operation, [...(byOperation.get(operation) ?? []), row]);

/** Throws for what a caller's version has not yet. */
export function checkCame(operation: string, form: FormMap, { version }: AskedIn, call: Call): void {
  for (const { since, from, params, words, operations } of byOperation.get(operation) ?? []) {
    if (version >= since || (from !== undefined && version < from)) continue;
    if (operations?.includes(operation) === true) throw unrecognized(call);
    unknown(...(params?.[operation] ?? []))(form);
    const word = words?.[operation];
    const said = word === undefined ? undefined : nodeAt(form, word.name);
    if (word !== undefined && typeof said === 'string' && word.came.includes(said)) {
      const last = word.were.at(-1);
      throw invalid(`Invalid ${word.name}: must be one of ${word.were.slice(0, -1).join(', ')}, or ${last}`, {
        param: word.name,
      });
    }
  }
}
