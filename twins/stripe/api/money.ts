// Currencies: which codes there are, how amounts of them are written, and the least that can be charged.

/** ISO 4217 codes that Stripe presents in, lower case as it answers them. */
const CURRENCIES = new Set(
  (
    'usd aed afn all amd ang aoa ars aud awg azn bam bbd bdt bgn bif bmd bnd bob brl bsd bwp byn bzd cad cdf chf ' +
    'clp cny cop crc cve czk djf dkk dop dzd egp etb eur fjd fkp gbp gel gip gmd gnf gtq gyd hkd hnl htg huf idr ' +
    'ils inr isk jmd jpy kes kgs khr kmf krw kyd kzt lak lbp lkr lrd lsl mad mdl mga mkd mmk mnt mop mur mvr mwk ' +
    'mxn myr mzn nad ngn nio nok npr nzd pab pen pgk php pkr pln pyg qar ron rsd rub rwf sar sbd scr sek sgd shp ' +
    'sle sos srd std szl thb tjs top try ttd twd tzs uah ugx uyu uzs vnd vuv wst xaf xcd xof xpf yer zar zmw bhd ' +
    'jod kwd omr tnd'
  ).split(' '),
);

export function isCurrency(code: string): boolean {
  return CURRENCIES.has(code);
}

/** Currencies without a smaller unit: their amounts are whole ones. The ugx has none either, and is in `HUNDREDS`. */
const WHOLE = new Set('bif clp djf gnf jpy kmf krw mga pyg rwf vnd vuv xaf xof xpf'.split(' '));

export function isWhole(currency: string): boolean {
  return WHOLE.has(currency);
}

/** Currencies whose unit has a thousand smaller ones. */
const THOUSANDTHS = new Set(['bhd', 'jod', 'kwd', 'omr', 'tnd']);
/** They lost their smaller unit and are still given with two decimals, which must be noughts. */
const HUNDREDS = new Set(['isk', 'ugx']);
/** They can be charged in hundredths and are paid out in whole units. */
const PAID_OUT_WHOLE = new Set(['huf', 'twd', ...HUNDREDS]);

export function decimalsOf(currency: string): 0 | 2 | 3 {
  if (isWhole(currency)) return 0;
  return THOUSANDTHS.has(currency) ? 3 : 2;
}

/** What is wrong with the last digits of an amount that is charged or refunded; null for nothing. */
export function chargeFault(amount: number, currency: string): string | null {
  if (HUNDREDS.has(currency) && amount % 100 !== 0) return wholeOnly(currency, 'charged');
  if (!THOUSANDTHS.has(currency) || amount % 10 === 0) return null;
  return (
    `Invalid amount. Currency ${currency.toUpperCase()} has three decimals, of which the last must be 0: amounts must ` +
    'be evenly divisible by 10. See https://stripe.com/docs/currencies#three-decimal for more information.'
  );
}

/** Of an amount that is paid out. */
export function payoutFault(amount: number, currency: string): string | null {
  if (PAID_OUT_WHOLE.has(currency) && amount % 100 !== 0) return wholeOnly(currency, 'paid out');
  return null;
}

const wholeOnly = (currency: string, what: string): string =>
  `Invalid amount. Currency ${currency.toUpperCase()} has become effectively zero-decimal and ${what} amounts must be ` +
  'evenly divisible by 100. See https://stripe.com/docs/currencies#special-cases for more information.';

/** To whole smallest units: half of one goes away from nought, of what is given back too. */
export function rounded(amount: number): number {
  return amount < 0 ? -Math.round(-amount) : Math.round(amount);
}

/** `25.00 USD`. */
export function money(amount: number, currency: string): string {
  return `${plain(amount, currency)} ${currency.toUpperCase()}`;
}

function plain(amount: number, currency: string): string {
  const decimals = decimalsOf(currency);
  return (amount / 10 ** decimals).toFixed(decimals);
}

/** `1,234.50`. */
export function grouped(amount: number, currency: string): string {
  return plain(amount, currency).replace(/^\d+/, whole => whole.replace(/\B(?=(\d{3})+$)/g, ','));
}

const SIGNS: { readonly [currency: string]: string } = { usd: '$', eur: '€', gbp: '£', jpy: '¥' };

/** `$1,250.00`, as Stripe's own sentences have it; `1,250.00 CHF` of a currency without a sign. */
export function signed(amount: number, currency: string): string {
  const sign = SIGNS[currency];
  const shown = grouped(amount, currency);
  return sign === undefined ? `${shown} ${currency.toUpperCase()}` : `${sign}${shown}`;
}

const MINIMUMS: { readonly [currency: string]: number } = { usd: 50, eur: 50, gbp: 30, jpy: 50 };

/** The least amount of a charge, and how Stripe's message writes it; null where this twin knows none. */
export function minimumOf(currency: string): { readonly amount: number; readonly shown: string } | null {
  const minimum = MINIMUMS[currency];
  return minimum === undefined
    ? null
    : { amount: minimum, shown: `${signed(minimum, currency)} ${currency}` };
}
