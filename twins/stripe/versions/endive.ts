// What 2026-09-30.endive changed.
import type { FormMap } from '../../kit/form.ts';
import { invalid } from '../api/errors.ts';
import type { Change } from './change.ts';
import { nodeAt, put } from './form.ts';
import { noText, unknown } from './gone.ts';

const SINCE = '2026-09-30.endive';

function noMethodTypes(form: FormMap): void {
  if (!form.has('payment_method_types')) return;
  throw invalid(
    'The `payment_method_types` parameter is no longer supported in this API version. Use dynamic payment methods, ' +
      '`allowed_payment_method_types` or `excluded_payment_method_types`.',
    { code: 'payment_method_types_no_longer_supported', param: 'payment_method_types' },
  );
}

/** `now` became `{ type: 'now' }`. */
const typed =
  (path: string) =>
  (form: FormMap): void => {
    const given = nodeAt(form, path);
    if (typeof given === 'string') put(form, path, new Map([['type', given]]));
  };

const PREVIEWED = 'subscription_details[billing_cycle_anchor]';

export const ENDIVE: readonly Change[] = [
  {
    since: SINCE,
    log: 'endive/2026-09-30/removes-the-payment-method-types-parameter-from-payment-intents-and-setup-intents',
    gone: {
      'paymentIntents.confirm': noMethodTypes,
      'paymentIntents.create': noMethodTypes,
      'paymentIntents.update': noMethodTypes,
      'setupIntents.create': noMethodTypes,
      'setupIntents.update': noMethodTypes,
    },
  },
  {
    since: SINCE,
    log: 'endive/2026-09-30/remove-payment-method-types-checkout-sessions',
    gone: { 'checkout.sessions.create': unknown('payment_method_types') },
  },
  {
    since: SINCE,
    log: 'endive/2026-09-30/polymorphic-billing-cycle-anchor',
    params: {
      'invoices.createPreview': typed(PREVIEWED),
      'invoices.listUpcomingLines': typed(PREVIEWED),
      'invoices.retrieveUpcoming': typed(PREVIEWED),
      'subscriptions.resume': typed('billing_cycle_anchor'),
      'subscriptions.update': typed('billing_cycle_anchor'),
    },
    gone: {
      'invoices.createPreview': noText(PREVIEWED),
      'subscriptions.resume': noText('billing_cycle_anchor'),
      'subscriptions.update': noText('billing_cycle_anchor'),
    },
  },
];
