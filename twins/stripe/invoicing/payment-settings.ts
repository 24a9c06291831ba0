// How an invoice may be paid, as `payment_settings` says it: of an invoice itself, and of a subscription for all of its own.
import { filledField } from '../api/fill-shape.ts';
import { choice, hash, integer, list, text, tree, unset } from '../api/params.ts';
import type { Subscription } from '../subscriptions/records.ts';
import type { Invoice } from './records.ts';

type OfSubscription = NonNullable<Subscription['payment_settings']>;
type OfInvoice = Invoice['payment_settings'];

const SECURE = choice('any', 'automatic', 'challenge');

/** Those of methods that take no card are kept as they are given. */
const otherOptions = {
  acss_debit: unset(tree()),
  bancontact: unset(tree()),
  billie: unset(tree()),
  blik: unset(tree('expires_at')),
  customer_balance: unset(tree()),
  konbini: unset(tree()),
  payto: unset(tree('amount')),
  pix: unset(tree('amount', 'expires_after_seconds')),
  sepa_debit: unset(tree()),
  upi: unset(tree('amount', 'end_date')),
  us_bank_account: unset(tree()),
};

const types = unset(list(text()));

export const subscriptionPaymentParams = {
  payment_method_options: hash({
    ...otherOptions,
    card: unset(
      hash({
        mandate_options: hash({
          amount: integer(0),
          amount_type: choice('fixed', 'maximum'),
          description: text(200),
        }),
        network: choice(
          'amex',
          'cartes_bancaires',
          'diners',
          'discover',
          'eftpos_au',
          'girocard',
          'interac',
          'jcb',
          'link',
          'mastercard',
          'unionpay',
          'unknown',
          'visa',
        ),
        request_three_d_secure: SECURE,
      }),
    ),
  }),
  payment_method_types: types,
} as const;

export const invoicePaymentParams = hash({
  default_mandate: text(),
  payment_method_options: hash({
    ...otherOptions,
    card: unset(hash({ request_three_d_secure: SECURE })),
  }),
  payment_method_types: types,
});

type Asked = {
  readonly payment_method_options?: { readonly [method: string]: object | null };
  readonly payment_method_types?: readonly string[] | null;
};

/** Of a subscription, once `asked` was asked for. */
export function subscriptionPayment(asked: Asked, held: OfSubscription): OfSubscription {
  return whole('subscription', after(asked, held));
}

/** Of an invoice, once `asked` was asked for. */
export function invoicePayment(
  { default_mandate: mandate, ...asked }: Asked & { readonly default_mandate?: string },
  held: OfInvoice,
): OfInvoice {
  const named = mandate === undefined ? {} : { default_mandate: mandate };
  return whole('invoice', { ...after(asked, held), ...named });
}

/** With every field that the options of a method have; most have none. */
function whole<Of extends OfSubscription | OfInvoice>(of: 'subscription' | 'invoice', settings: object): Of {
  const { payment_method_options: options } = settings as { readonly payment_method_options: object | null };
  return options === null ? (settings as Of) : filledField<Of>(of, 'payment_settings', settings);
}

/** Each method's options are given whole, and those of the others stay. */
function after(
  { payment_method_options: options, payment_method_types: types }: Asked,
  held: OfSubscription | OfInvoice,
): object {
  return {
    ...held,
    ...(options === undefined
      ? {}
      : { payment_method_options: { ...held.payment_method_options, ...options } }),
    ...(types === undefined ? {} : { payment_method_types: types === null ? null : [...types] }),
  };
}

/** Of a new invoice: what its subscription says, but for what only that has. */
export function inheritedPayment(subscription: Pick<Subscription, 'payment_settings'> | null): OfInvoice {
  const held = subscription?.payment_settings ?? null;
  const options = held?.payment_method_options ?? null;
  const settings = {
    default_mandate: null,
    payment_method_options: options === null ? null : inherited(options),
    payment_method_types: held?.payment_method_types ?? null,
  };
  return whole<OfInvoice>('invoice', settings);
}

function inherited({
  blik,
  card,
  pix,
  ...same
}: NonNullable<OfSubscription['payment_method_options']>): object {
  return {
    ...same,
    ...(blik === undefined ? {} : { blik: blik && {} }),
    card: card && { request_three_d_secure: card.request_three_d_secure },
    pix: pix && {
      amount_includes_iof: pix.mandate_options?.amount_includes_iof ?? null,
      ...(pix.expires_after_seconds === undefined
        ? {}
        : { expires_after_seconds: pix.expires_after_seconds }),
    },
  };
}
