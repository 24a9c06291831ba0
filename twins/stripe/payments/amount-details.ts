// What a payment is made up of: its lines, shipping and tax, as callers tell them to lower what networks charge.

import { type Act, need } from '../api/act.ts';
import { invalid } from '../api/errors.ts';
import { filledField } from '../api/fill-shape.ts';
import { pageOf, pageParams } from '../api/list.ts';
import { operation } from '../api/operation.ts';
import { boolean, type Decoded, hash, integer, list, required, text, tree } from '../api/params.ts';
import type { PaymentIntent } from './records.ts';

const LINES_MAX = 200;

const tax = hash({ total_tax_amount: required(integer(0)) });
const details = hash({
  discount_amount: integer(0),
  enforce_arithmetic_validation: boolean(),
  line_items: list(
    hash({
      discount_amount: integer(0),
      payment_method_options: tree(),
      product_code: text(),
      product_name: required(text()),
      quantity: required(integer(0)),
      tax,
      unit_cost: required(integer(0)),
      unit_of_measure: text(),
    }),
  ),
  shipping: hash({ amount: integer(0), from_postal_code: text(), to_postal_code: text() }),
  tax,
});

export const amountDetailsParam = (): typeof details => details;
export type AmountDetails = Decoded<{ d: typeof details }>['d'];

/** Throws where the lines and the rest do not make the amount, and the caller asked for that to be checked. */
export function checkDetails(given: AmountDetails | null | undefined, amount: number): void {
  const lines = given?.line_items ?? [];
  if (lines.length > LINES_MAX) {
    throw invalid(`You can pass at most ${LINES_MAX} line items.`, { param: 'amount_details[line_items]' });
  }
  if (given?.enforce_arithmetic_validation !== true) return;
  const sum = lines.reduce(
    (total, line) =>
      total +
      line.quantity * line.unit_cost -
      (line.discount_amount ?? 0) +
      (line.tax?.total_tax_amount ?? 0),
    0,
  );
  const rest =
    (given.shipping?.amount ?? 0) + (given.tax?.total_tax_amount ?? 0) - (given.discount_amount ?? 0);
  if (sum + rest === amount) return;
  throw invalid(`The amount_details add up to ${sum + rest}, but the amount is ${amount}.`, {
    param: 'amount_details',
  });
}

/** The fields of an intent that these details set; nothing where none are given. */
export function detailed(
  act: Act,
  given: AmountDetails | null | undefined,
): Partial<Pick<PaymentIntent, 'amount_details' | '$lines'>> {
  if (given === undefined) return {};
  if (given === null) return { amount_details: { tip: {} }, $lines: [] };
  const { line_items, enforce_arithmetic_validation: _enforce, ...shown } = given;
  const lines = (line_items ?? []).map(line => ({
    id: act.tx.id('uli_', 24),
    object: 'payment_intent_amount_details_line_item',
    discount_amount: line.discount_amount ?? null,
    payment_method_options: line.payment_method_options ?? null,
    product_code: line.product_code ?? null,
    product_name: line.product_name,
    quantity: line.quantity,
    tax: line.tax ?? null,
    unit_cost: line.unit_cost,
    unit_of_measure: line.unit_of_measure ?? null,
  }));
  return {
    amount_details: filledField('payment_intent', 'amount_details', { ...shown, tip: {} }),
    $lines: lines,
  };
}

export const listDetails = operation(
  'paymentIntents.listAmountDetailsLineItems',
  'GET /v1/payment_intents/{intent}/amount_details_line_items',
  pageParams,
  ({ act, path, params }) => {
    const held = need(act, 'payment_intent', path['intent'] ?? '', { param: 'intent', inPath: true });
    return pageOf(held.$lines ?? [], params, `/v1/payment_intents/${held.id}/amount_details_line_items`);
  },
);
