// Amounts and instants as people read and type them.
import t from 'tap';
import { money } from '../../../../twins/stripe/api/money.ts';
import {
  amount,
  amountField,
  amountTyped,
  badge,
  every,
  instant,
  priced,
} from '../../../../twins/stripe/dashboard/words.ts';

t.test('[4.9] amounts are in the currency’s own decimals', t => {
  const rows: readonly (readonly [value: number, currency: string, shown: string, field: string])[] = [
    [0, 'usd', '0.00 USD', '0.00'],
    [5, 'usd', '0.05 USD', '0.05'],
    [123_456_789, 'eur', '1,234,567.89 EUR', '1234567.89'],
    [1_500, 'jpy', '1,500 JPY', '1500'],
    [12_345, 'kwd', '12.345 KWD', '12.345'],
    [99_999, 'usd', '999.99 USD', '999.99'],
    [100_000, 'usd', '1,000.00 USD', '1000.00'],
  ];
  for (const [value, currency, shown, field] of rows) {
    t.equal(amount(value, currency), shown);
    t.equal(money(value, currency), shown.replaceAll(',', ''), 'on the other pages as well');
    t.equal(amountField(value, currency), field);
    t.equal(amountTyped(field, currency), String(value), `${field} read back`);
  }
  t.equal(amount(-250, 'usd'), '−2.50 USD');
  t.end();
});

t.test('[4.9] what is no amount of a currency stays as it was typed', t => {
  for (const typed of ['', 'all', '1,5', '-1', '1e3', '0.001', '1.2.3'])
    t.equal(amountTyped(typed, 'usd'), typed);
  t.equal(amountTyped('1.5', 'jpy'), '1.5');
  t.equal(amountTyped(' 12.5 ', 'usd'), '1250');
  t.end();
});

t.test('[4.9] instants and intervals are words', t => {
  t.equal(
    instant(1_768_478_405).html,
    '<time datetime="2026-01-15T12:00:05.000Z">15 Jan 2026, 12:00:05</time>',
  );
  t.equal(instant(1e14).html, '100000000000000', 'what no calendar has is still told');
  t.match(instant(253_402_300_800).html, /1 Jan \+010000, 00:00:00/);
  t.equal(every({ interval: 'month', interval_count: 1 }), 'a month');
  t.equal(every({ interval: 'week', interval_count: 2 }), 'every 2 weeks');
  t.equal(every(null), '');
  t.equal(badge('requires_payment_method').html, '<span class="badge plain">Requires payment method</span>');
  t.end();
});

t.test('[4.9] prices are words', t => {
  const price = (more: object) =>
    priced({
      currency: 'usd',
      recurring: null,
      unit_amount: null,
      unit_amount_decimal: null,
      ...more,
    } as never);
  t.equal(price({ unit_amount: 1500, unit_amount_decimal: '1500' }), '15.00 USD');
  t.equal(
    price({ unit_amount_decimal: '0.5', recurring: { interval: 'month', interval_count: 1 } }),
    '0.005 USD a month',
  );
  t.equal(price({}), 'By tiers');
  t.end();
});
