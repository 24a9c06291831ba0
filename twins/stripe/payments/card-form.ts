// A card as people type it into a page of billing.

import { type Html, html } from '../../kit/html.ts';
import type { Act } from '../api/act.ts';
import { methodFrom } from './methods.ts';
import type { PaymentMethod } from './records.ts';

/** The fields of a card. */
export const CARD_FIELDS: Html = html`<label for="number">Card number</label><input id="number" name="number" required inputmode="numeric" placeholder="4242 4242 4242 4242">
<label for="expiry">Expiry (MM / YY)</label><input id="expiry" name="expiry" placeholder="12 / 34">
<label for="cvc">CVC</label><input id="cvc" name="cvc" inputmode="numeric" placeholder="123">`;

/** The method that the fields describe. Throws `StripeRefusal` for what is no test card; nothing is saved. */
export function cardFrom(act: Act, form: ReadonlyMap<string, string>): PaymentMethod {
  const [month = '', year = ''] = (form.get('expiry') ?? '').split('/').map(part => part.trim());
  const cvc = form.get('cvc') || undefined;
  return methodFrom(act, {
    type: 'card',
    card: {
      number: form.get('number') ?? '',
      exp_month: Number(month) || 12,
      exp_year: Number(year) || new Date(act.tx.now).getUTCFullYear() + 1,
      ...(cvc === undefined ? {} : { cvc }),
    },
  });
}
