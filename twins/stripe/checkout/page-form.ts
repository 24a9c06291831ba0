// The form of the checkout page: what it asks, and what its buyer answered. Its fields are named as those of the
// vendor's page, so that scripts which fill in the one fill in the other.

import { type Html, html } from '../../kit/html.ts';
import { type Act, find, select } from '../api/act.ts';
import { fullAddress } from '../api/address.ts';
import { invalid } from '../api/errors.ts';
import { decimalsOf, money } from '../api/money.ts';
import { amountFault } from '../catalog/custom-amount.ts';
import { priceIn } from '../catalog/price-draft.ts';
import type { Details } from '../payments/method-kinds.ts';
import type { PaymentMethod } from '../payments/records.ts';
import { type Buyer, needsMethod } from './complete.ts';
import { itemsOf } from './items.ts';
import type { Session } from './records.ts';
import { nameOfRate, type Option } from './shipping.ts';

export type Form = ReadonlyMap<string, string>;
const SAVED_METHODS_MAX = 10;
/** The lines of an address, and what the vendor's page calls each after `billing` or `shipping`. */
const ADDRESS_LINES = [
  ['line1', 'AddressLine1'],
  ['line2', 'AddressLine2'],
  ['city', 'Locality'],
  ['state', 'AdministrativeArea'],
  ['postal_code', 'PostalCode'],
  ['country', 'Country'],
] as const;

/** Empty where there is no amount. */
const amountText = (amount: number | null, currency: string | null): string =>
  amount === null || currency === null ? '' : money(amount, currency);

export function pageForm(act: Act, held: Session, error: string | null, form: Form): Html {
  const items = itemsOf(act.tx, held.id);
  const customer = held.customer === null ? undefined : find(act, 'customer', String(held.customer));
  const given = (name: string, otherwise = ''): string => form.get(name) ?? otherwise;
  const row = (what: Html | string, amount: number | null): Html =>
    html`<tr><td>${what}</td><td>${amountText(amount, held.currency)}</td></tr>`;
  const count = (item: (typeof items)[number]): Html =>
    item.adjustable_quantity === null
      ? html`${item.description} × ${item.quantity ?? 1}`
      : html`<label for="${item.id}">${item.description}, how many</label><input id="${item.id}" name="quantity_${item.id}" type="number" min="${item.adjustable_quantity.minimum ?? 0}" max="${item.adjustable_quantity.maximum ?? 99}" value="${item.quantity ?? 1}">`;
  const discount = held.total_details?.amount_discount ?? 0;
  const tax = held.total_details?.amount_tax ?? 0;
  const button =
    held.mode === 'setup'
      ? 'Save'
      : held.mode === 'subscription'
        ? 'Subscribe'
        : (BUTTONS[held.submit_type ?? ''] ?? 'Pay');
  return html`${error === null ? null : html`<p class="error" role="alert">${error}</p>`}
<form method="post"><table>${items.map(item => row(count(item), item.amount_subtotal))}
${discount === 0 ? null : row('Discount', -discount)}${tax === 0 ? null : row('Tax', tax)}${held.shipping_cost === null ? null : row('Shipping', held.shipping_cost.amount_total)}
${held.amount_total === null ? null : html`<tr><td><strong>Total</strong></td><td><strong>${amountText(held.amount_total, held.currency)}</strong></td></tr>`}</table>
${held.$chosen === true ? amountField(act, held, given) : null}
${held.allow_promotion_codes === true ? html`${field('promotionCode', 'Promotion code', given('promotionCode'))}<button class="quiet" name="do" value="apply" formnovalidate>Apply</button>` : null}
${field('email', 'Email', given('email', held.customer_email ?? customer?.email ?? ''), 'type="email" required')}
${held.phone_number_collection?.enabled === true ? field('phoneNumber', 'Phone', given('phoneNumber'), 'type="tel" required') : null}
${shipping(act, held, given)}
${needsMethod(held) ? methods(act, held, given) : null}
${field('billingName', 'Name on card', given('billingName', customer?.name ?? ''))}
${held.billing_address_collection === 'required' ? address('billing', 'Billing address', null, given) : null}
${held.custom_fields.map((asked: CustomField) => customField(asked, given(`field_${asked.key}`)))}
${held.consent_collection?.promotions === 'auto' ? html`<label><input type="checkbox" name="promotions" value="opt_in"> Send me offers</label>` : null}
${held.consent_collection?.terms_of_service === 'required' ? html`<label><input type="checkbox" name="terms" value="accepted" required> I agree to the terms</label>` : null}
<button type="submit" class="SubmitButton" data-testid="hosted-payment-submit-button">${button}</button></form>
${held.cancel_url === null || !/^https?:/.test(held.cancel_url) ? null : html`<p><a href="${held.cancel_url}">Back</a></p>`}`;
}

/** What the buyer wants to pay, in the currency's whole unit, as the vendor's page asks for it. */
function amountField(act: Act, held: Session, given: Given): Html {
  const currency = held.currency ?? 'usd';
  const proposed =
    held.amount_subtotal === 0 || held.amount_subtotal === null ? '' : shown(held.amount_subtotal, currency);
  return html`${itemsOf(act.tx, held.id).map(() =>
    field(
      'customUnitAmount',
      `Amount in ${currency.toUpperCase()}`,
      given('customUnitAmount', proposed),
      'inputmode="decimal" required',
    ),
  )}`;
}

const shown = (amount: number, currency: string): string =>
  (amount / 10 ** decimalsOf(currency)).toFixed(decimalsOf(currency));

const BUTTONS: { readonly [submit: string]: string } = {
  book: 'Book',
  donate: 'Donate',
  subscribe: 'Subscribe',
};

type Given = (name: string, otherwise?: string) => string;

function field(name: string, label: string, value: string, attributes = ''): Html {
  return html`<label for="${name}">${label}</label><input id="${name}" name="${name}" value="${value}" ${{ html: attributes }}>`;
}

function options(names: readonly (readonly [value: string, label: string])[], chosen: string): Html[] {
  return names.map(
    ([value, label]) =>
      html`<option value="${value}"${{ html: value === chosen ? ' selected' : '' }}>${label}</option>`,
  );
}

function shipping(act: Act, held: Session, given: Given): Html {
  const rates = held.shipping_options.map(
    (option: Option) =>
      [
        String(option.shipping_rate),
        `${nameOfRate(act.tx, option)}: ${amountText(option.shipping_amount, held.currency)}`,
      ] as const,
  );
  const countries = held.shipping_address_collection?.allowed_countries ?? null;
  return html`${countries === null ? null : address('shipping', 'Ship to', countries, given)}${rates.length === 0 ? null : html`<label for="shipping_rate">Shipping</label><select id="shipping_rate" name="shipping_rate">${options(rates, given('shipping_rate', String(held.shipping_cost?.shipping_rate)))}</select>`}`;
}

function address(prefix: string, title: string, countries: readonly string[] | null, given: Given): Html {
  return html`<fieldset><legend>${title}</legend>${ADDRESS_LINES.map(([line, called]) => {
    const name = `${prefix}${called}`;
    if (line === 'country' && countries !== null) {
      return html`<label for="${name}">Country</label><select id="${name}" name="${name}">${options(
        countries.map(code => [code, code] as const),
        given(name),
      )}</select>`;
    }
    return field(name, line.replaceAll('_', ' '), given(name), line === 'line1' ? 'required' : '');
  })}</fieldset>`;
}

function methods(act: Act, held: Session, given: Given): Html {
  const types: readonly string[] = held.payment_method_types;
  const saved = savedMethods(act, held);
  const takesCards = types.includes('card');
  const other = types.some(type => type !== 'card');
  const must = takesCards && !other && saved.length === 0 ? 'required' : '';
  return html`${
    saved.length === 0
      ? null
      : html`<label for="saved">Pay with</label><select id="saved" name="saved"><option value="">Something else</option>${options(
          saved.map(({ id, card }) => [id, `${card?.brand ?? ''} ending in ${card?.last4 ?? ''}`] as const),
          given('saved'),
        )}</select>`
  }
${
  types.length < 2
    ? null
    : html`<label for="type">Payment method</label><select id="type" name="type">${options(
        types.map(type => [type, type.replaceAll('_', ' ')] as const),
        given('type'),
      )}</select>`
}
${
  !takesCards
    ? null
    : html`${field('cardNumber', 'Card number', given('cardNumber'), `inputmode="numeric" autocomplete="cc-number" placeholder="1234 1234 1234 1234" ${must}`)}
${field('cardExpiry', 'Expiry (MM / YY)', given('cardExpiry'), 'inputmode="numeric" autocomplete="cc-exp" placeholder="MM / YY"')}
${field('cardCvc', 'CVC', given('cardCvc'), 'inputmode="numeric" autocomplete="cc-csc" placeholder="CVC"')}`
}
${!other ? null : field('account', 'Account number or IBAN, for a bank account', given('account'))}`;
}

/** What the customer may pay with again. */
function savedMethods(act: Act, held: Session): readonly PaymentMethod[] {
  if (held.customer === null || held.mode === 'setup') return [];
  return select(act.tx, 'payment_method', {
    where: { customer: String(held.customer) },
    limit: SAVED_METHODS_MAX,
    keep: body => body['type'] === 'card' && body['allow_redisplay'] === 'always',
  }).items;
}

type CustomField = Session['custom_fields'][number];

function customField(asked: CustomField, value: string): Html {
  const name = `field_${asked.key}`;
  const must = asked.optional ? '' : 'required';
  if (asked.type !== 'dropdown') {
    const digits = asked.type === 'numeric' ? 'inputmode="numeric" pattern="[0-9]*"' : '';
    return field(name, asked.label.custom ?? asked.key, value, `${must} ${digits}`);
  }
  const choices = (asked.dropdown?.options ?? []).map(
    (option: { label: string; value: string }) => [option.value, option.label] as const,
  );
  return html`<label for="${name}">${asked.label.custom ?? asked.key}</label><select id="${name}" name="${name}" ${{ html: must }}>${options(choices, value)}</select>`;
}

/** What the buyer told of themselves. Throws for what the session must know and was not told. */
export function buyerOf(held: Session, form: Form): Buyer {
  const lines = (prefix: string): { [line: string]: string | null } | null =>
    form.has(`${prefix}AddressLine1`)
      ? Object.fromEntries(
          ADDRESS_LINES.map(([line, called]) => [line, form.get(`${prefix}${called}`) || null]),
        )
      : null;
  const to = lines('shipping');
  const countries: readonly string[] | null = held.shipping_address_collection?.allowed_countries ?? null;
  if (countries !== null && (to === null || !countries.includes(to['country'] ?? ''))) {
    throw invalid('Choose where to ship to.', { param: 'shipping_country' });
  }
  const agreed = form.get('terms') === 'accepted';
  if (held.consent_collection?.terms_of_service === 'required' && !agreed) {
    throw invalid('You must agree to the terms.', { param: 'terms' });
  }
  const answers: { [key: string]: string } = {};
  for (const asked of held.custom_fields) {
    const answer = form.get(`field_${asked.key}`) ?? '';
    if (answer !== '') answers[asked.key] = answer;
    else if (!asked.optional)
      throw invalid(`${asked.label.custom ?? asked.key} is required.`, { param: asked.key });
  }
  const name = form.get('billingName') || null;
  return {
    agreed,
    answers,
    email: form.get('email') || held.customer_email || null,
    name,
    phone: form.get('phoneNumber') || null,
    promotions:
      held.consent_collection?.promotions !== 'auto' ? null : form.has('promotions') ? 'opt_in' : 'opt_out',
    shipping: to === null ? null : { address: fullAddress(to), name: name ?? '' },
  };
}

/** The billing address as it was given; nothing where it was not asked. */
export function billingOf(form: Form): { address?: { [line: string]: string } } {
  const lines = ADDRESS_LINES.map(([line, called]) => [line, form.get(`billing${called}`) ?? ''] as const);
  const told = lines.filter(([, value]) => value !== '');
  return told.length === 0 ? {} : { address: Object.fromEntries(told) };
}

/** What a method that is no card is made of: the number that was typed, as each type names it. */
export function detailsFrom(type: string, form: Form): Details {
  const account = form.get('account') || null;
  if (account === null) return {};
  return type === 'sepa_debit' ? { iban: account } : { account_number: account };
}

/** Throws for an amount that the price does not take. */
export function amountsOf(held: Session, act: Act, form: Form): ReadonlyMap<string, number> {
  const chosen = new Map<string, number>();
  if (held.$chosen !== true) return chosen;
  const currency = held.currency ?? 'usd';
  for (const { id, price: name } of itemsOf(act.tx, held.id)) {
    const price = find(act, 'price', name);
    const custom = price === undefined ? null : priceIn(price, currency).custom_unit_amount;
    if (custom === null) continue;
    const typed = (form.get('customUnitAmount') ?? '').trim().replace(',', '.');
    const exact = Number(typed === '' ? Number.NaN : typed) * 10 ** decimalsOf(currency);
    const amount = Math.round(exact);
    const fault = amountFault(custom, Math.abs(exact - amount) > 1e-6 ? Number.NaN : amount, currency);
    if (fault !== null) throw invalid(fault, { param: 'customUnitAmount' });
    chosen.set(id, amount);
  }
  return chosen;
}

export function quantitiesOf(held: Session, act: Act, form: Form): ReadonlyMap<string, number> {
  const chosen = new Map<string, number>();
  for (const { id, adjustable_quantity: bounds } of itemsOf(act.tx, held.id)) {
    const asked = Number(form.get(`quantity_${id}`) ?? Number.NaN);
    if (bounds === null || !Number.isInteger(asked)) continue;
    if (asked < (bounds.minimum ?? 0) || asked > (bounds.maximum ?? 99)) {
      throw invalid(`Choose between ${bounds.minimum ?? 0} and ${bounds.maximum ?? 99}.`, {
        param: 'quantity',
      });
    }
    chosen.set(id, asked);
  }
  return chosen;
}
