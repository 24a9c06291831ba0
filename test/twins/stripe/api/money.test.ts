// Amounts as Stripe documents them: how many decimals a currency has, and which amounts it cannot be charged or paid out in.
import t from 'tap';
import {
  chargeFault,
  decimalsOf,
  grouped,
  isCurrency,
  money,
  payoutFault,
  signed,
} from '../../../../twins/stripe/api/money.ts';
import { openStripeWorld } from '../../../kit/stripe-world.ts';

/** https://docs.stripe.com/currencies#zero-decimal, #three-decimal and #special-cases. */
const NO_DECIMALS = 'bif clp djf gnf jpy kmf krw mga pyg rwf vnd vuv xaf xof xpf'.split(' ');
const THREE_DECIMALS = 'bhd jod kwd omr tnd'.split(' ');

t.test('a currency has the decimals that Stripe documents', async t => {
  for (const currency of NO_DECIMALS) t.equal(decimalsOf(currency), 0, currency);
  for (const currency of THREE_DECIMALS) t.equal(decimalsOf(currency), 3, currency);
  for (const currency of ['usd', 'isk', 'huf', 'twd', 'ugx']) t.equal(decimalsOf(currency), 2, currency);
  for (const currency of [...NO_DECIMALS, ...THREE_DECIMALS, 'isk', 'huf', 'twd', 'ugx'])
    t.ok(isCurrency(currency), currency);
});

t.test('amounts are written in their currency’s decimals', async t => {
  t.equal(money(123_450, 'usd'), '1234.50 USD');
  t.equal(money(500, 'ugx'), '5.00 UGX');
  t.equal(money(500, 'jpy'), '500 JPY');
  t.equal(grouped(1_234_567, 'kwd'), '1,234.567');
  t.equal(signed(123_450, 'usd'), '$1,234.50');
  t.equal(signed(99_999_999, 'jpy'), '¥99,999,999');
  t.equal(signed(1500, 'chf'), '15.00 CHF');
});

t.test('the digits that a currency cannot be charged in are a fault, those beside them are none', async t => {
  for (const [currency, wrong, right] of [
    ['isk', 4010, 4000],
    ['ugx', 510, 500],
    ['kwd', 5124, 5120],
    ['tnd', 1, 10],
  ] as const) {
    t.match(chargeFault(wrong, currency), /evenly divisible by/, currency);
    t.equal(chargeFault(right, currency), null, currency);
  }
  for (const currency of ['usd', 'huf', 'twd', 'jpy']) t.equal(chargeFault(1045, currency), null, currency);
});

t.test('some are paid out in whole units alone', async t => {
  for (const currency of ['huf', 'twd', 'isk', 'ugx']) {
    t.match(payoutFault(1045, currency), /paid out amounts must be evenly divisible by 100/, currency);
    t.equal(payoutFault(1000, currency), null, currency);
  }
  t.equal(payoutFault(1045, 'usd'), null);
});

t.test('[4.1] an amount that cannot be charged is refused, of a payment, a refund and a payout', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const refused = { code: 'invalid_charge_amount_no_decimal_compatible', param: 'amount' } as const;
  await t.rejects(stripe.paymentIntents.create({ amount: 4010, currency: 'isk' }), refused);
  await t.rejects(stripe.charges.create({ amount: 5124, currency: 'kwd', source: 'tok_visa' }), refused);
  const paid = await stripe.paymentIntents.create({
    amount: 50_000,
    currency: 'ugx',
    payment_method: 'pm_card_visa',
    confirm: true,
  });
  t.equal(paid.status, 'succeeded');
  await t.rejects(stripe.refunds.create({ payment_intent: paid.id, amount: 150 }), refused);
  t.match(await stripe.refunds.create({ payment_intent: paid.id, amount: 200 }), { status: 'succeeded' });
  await t.rejects(stripe.payouts.create({ amount: 1045, currency: 'huf' }), refused);
  await t.rejects(stripe.paymentIntents.create({ amount: 100_000_000, currency: 'jpy' }), {
    code: 'amount_too_large',
    message: 'Amount must be no more than ¥99,999,999',
  });
});
