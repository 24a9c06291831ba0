// What adds up on every invoice, whatever is on it: lines, discounts, taxes and what is left to pay. Nothing is lost to
// rounding, and nothing is made of it.
import t from 'tap';
import { fc } from '../../../kit/property.ts';
import { KEY, openStripeWorld, type StripeWorld } from '../../../kit/stripe-world.ts';

// biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of the body
type Body = any;

const CURRENCIES = ['usd', 'jpy', 'kwd'] as const;

const sum = (amounts: readonly number[]): number => amounts.reduce((all, each) => all + each, 0);
const amountsOf = (rows: readonly { readonly amount: number }[]): number =>
  sum(rows.map(each => each.amount));

const caller =
  ({ ask }: StripeWorld) =>
  async (
    path: string,
    fields: { readonly [name: string]: string | number | boolean } = {},
  ): Promise<Body> => {
    const form = new URLSearchParams(Object.entries(fields).map(([name, value]) => [name, String(value)]));
    const { status, body } = await ask('POST', path, {
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/x-www-form-urlencoded' },
      form: form.toString(),
    });
    if (status !== 200) throw new Error(`${path}: ${status} ${body?.error?.message}`);
    return body;
  };

/** What is wrong with the sums of an invoice. */
function faultsOf(invoice: Body): readonly string[] {
  const faults: string[] = [];
  const same = (what: string, found: number, wanted: number): void => {
    if (found !== wanted) faults.push(`${what}: ${found}, not ${wanted}`);
  };
  const lines: readonly Body[] = invoice.lines.data;
  const discounts = amountsOf(invoice.total_discount_amounts ?? []);
  const taxes: readonly Body[] = invoice.total_taxes ?? [];
  const exclusive = amountsOf(taxes.filter(each => each.tax_behavior === 'exclusive'));
  same('subtotal', invoice.subtotal, amountsOf(lines));
  same('total', invoice.total, invoice.subtotal - discounts + exclusive);
  same('total without tax', invoice.total_excluding_tax, invoice.total - amountsOf(taxes));
  same('discounts of lines', sum(lines.map(each => amountsOf(each.discount_amounts ?? []))), discounts);
  same('taxes of lines', sum(lines.map(each => amountsOf(each.taxes ?? []))), amountsOf(taxes));
  same('remaining', invoice.amount_remaining, invoice.amount_due - invoice.amount_paid);
  for (const { amount, discount_amounts: off, taxes: own } of lines) {
    if (amount >= 0 && amountsOf(off ?? []) > amount) faults.push('more is taken off a line than it has');
    for (const { amount: tax, taxable_amount: taxable } of own ?? [])
      if (Math.abs(tax) > Math.abs(taxable)) faults.push('a tax is more than what is taxed');
  }
  const held = [invoice.subtotal, invoice.total, invoice.amount_due, discounts, amountsOf(taxes)];
  if (!held.every(Number.isSafeInteger)) faults.push(`not whole: ${held.join(', ')}`);
  if (discounts < 0 || discounts > Math.max(invoice.subtotal, 0)) faults.push(`discounts of ${discounts}`);
  return faults;
}

const item = fc.record({
  amount: fc.integer({ min: 1, max: 999_999 }),
  quantity: fc.integer({ min: 1, max: 7 }),
});
const off = fc.oneof(
  fc.record({ percent_off: fc.integer({ min: 1, max: 10_000 }).map(each => each / 100) }),
  fc.record({ amount_off: fc.integer({ min: 1, max: 2_000_000 }) }),
);
const tax = fc.record({
  percentage: fc.integer({ min: 1, max: 99_999 }).map(each => each / 1_000),
  inclusive: fc.boolean(),
});

t.test('[2.7] an invoice adds up: lines, discounts and taxes of every kind', async t => {
  await using made = await openStripeWorld();
  const post = caller(made);
  const bill = fc.record({
    currency: fc.constantFrom(...CURRENCIES),
    items: fc.array(item, { minLength: 1, maxLength: 5 }),
    offs: fc.array(off, { maxLength: 3 }),
    // One invoice has taxes of one behaviour, or of both.
    taxes: fc.array(tax, { maxLength: 3 }),
  });
  await fc.assert(
    fc.asyncProperty(bill, async ({ currency, items, offs, taxes }) => {
      const { id: customer } = await post('/v1/customers', { name: 'Ada' });
      const rates: string[] = [];
      for (const each of taxes)
        rates.push((await post('/v1/tax_rates', { display_name: 'VAT', ...each })).id as string);
      // The third decimal of these is 0.
      const whole = (amount: number): number => (currency === 'kwd' ? amount * 10 : amount);
      const invoiceFields: { [name: string]: string } = { customer, currency, auto_advance: 'false' };
      for (const [at, each] of offs.entries()) {
        const fields =
          'amount_off' in each
            ? { amount_off: whole(each.amount_off), currency }
            : { percent_off: each.percent_off };
        const coupon = await post('/v1/coupons', { duration: 'once', ...fields });
        invoiceFields[`discounts[${at}][coupon]`] = coupon.id;
      }
      for (const [at, rate] of rates.entries()) invoiceFields[`default_tax_rates[${at}]`] = rate;
      const { id } = await post('/v1/invoices', invoiceFields);
      for (const { amount, quantity } of items) {
        await post('/v1/invoiceitems', {
          customer,
          invoice: id,
          currency,
          quantity,
          unit_amount_decimal: whole(amount),
        });
      }
      const finalized = await post(`/v1/invoices/${id}/finalize`);
      const faults = faultsOf(finalized);
      if (faults.length > 0) throw new Error(`${faults.join('; ')}: ${JSON.stringify(finalized)}`);
    }),
    { numRuns: 60 },
  );
  t.pass('held');
});

t.test(
  '[2.7] a change in the middle of a period gives back what was not used and charges what is',
  async t => {
    await using made = await openStripeWorld();
    const post = caller(made);
    const { id: product } = await post('/v1/products', { name: 'Plan' });
    const change = fc.record({
      from: fc.integer({ min: 1, max: 99_999 }),
      to: fc.integer({ min: 1, max: 99_999 }),
      quantities: fc.tuple(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 9 })),
      part: fc.integer({ min: 0, max: 999 }),
    });
    await fc.assert(
      fc.asyncProperty(change, async ({ from, to, quantities: [had, has], part }) => {
        const price = (unit_amount: number): Promise<Body> =>
          post('/v1/prices', { product, currency: 'usd', unit_amount, 'recurring[interval]': 'month' });
        const [before, after] = [await price(from), await price(to)];
        const { id: customer } = await post('/v1/customers', {
          payment_method: 'pm_card_visa',
          'invoice_settings[default_payment_method]': 'pm_card_visa',
        });
        const subscription = await post('/v1/subscriptions', {
          customer,
          'items[0][price]': before.id,
          'items[0][quantity]': had,
        });
        const [line] = subscription.items.data;
        const { current_period_start: start, current_period_end: end } = line;
        const date = start + Math.floor(((end - start) * part) / 1_000);
        const { lines } = await post('/v1/invoices/create_preview', {
          subscription: subscription.id,
          'subscription_details[items][0][id]': line.id,
          'subscription_details[items][0][price]': after.id,
          'subscription_details[items][0][quantity]': has,
          'subscription_details[proration_behavior]': 'create_prorations',
          'subscription_details[proration_date]': date,
        });
        const left = (end - date) / (end - start);
        const prorated = lines.data.filter(
          (each: Body) => each.parent.subscription_item_details?.proration === true,
        );
        const expected = [-from * had * left, to * has * left].filter(() => from !== to || had !== has);
        const amounts: number[] = prorated.map((each: Body) => each.amount);
        // What comes to nothing has no line.
        const near = (wanted: number, amount: number): boolean => Math.abs(amount - wanted) <= 0.5 + 1e-6;
        const told =
          amounts.every(amount => expected.some(wanted => near(wanted, amount))) &&
          expected.every(wanted => near(wanted, 0) || amounts.some(amount => near(wanted, amount)));
        if (!told || amounts.length > expected.length)
          throw new Error(`${JSON.stringify(amounts)}, not ${JSON.stringify(expected)} near enough`);
      }),
      { numRuns: 40 },
    );
    t.pass('held');
  },
);

t.test('[4.1] half a cent of a tax goes away from nought, of what is given back too', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const { id: customer } = await stripe.customers.create();
  const rate = await stripe.taxRates.create({ display_name: 'VAT', percentage: 8.5, inclusive: false });
  const invoice = await stripe.invoices.create({ customer, currency: 'eur' });
  for (const amount of [20_000, -4900]) {
    await stripe.invoiceItems.create({
      customer,
      invoice: invoice.id,
      amount,
      currency: 'eur',
      tax_rates: [rate.id],
    });
  }
  const { lines, total } = await stripe.invoices.retrieve(invoice.id);
  t.same(lines.data.map(({ taxes }) => taxes?.[0]?.amount).sort(), [-417, 1700]);
  t.equal(total, 15_100 + 1700 - 417);
});
