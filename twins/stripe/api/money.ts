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

/** Currencies without a smaller unit: their amounts are whole ones. */
const WHOLE = new Set('bif clp djf gnf jpy kmf krw mga pyg rwf ugx vnd vuv xaf xof xpf'.split(' '));

export function isWhole(currency: string): boolean {
  return WHOLE.has(currency);
}

/** Currencies whose unit has a thousand smaller ones. */
const THOUSANDTHS = new Set(['bhd', 'jod', 'kwd', 'omr', 'tnd']);

export function decimalsOf(currency: string): 0 | 2 | 3 {
  if (isWhole(currency)) return 0;
  return THOUSANDTHS.has(currency) ? 3 : 2;
}

/** `25.00 USD`. */
export function money(amount: number, currency: string): string {
  const decimals = decimalsOf(currency);
  return `${(amount / 10 ** decimals).toFixed(decimals)} ${currency.toUpperCase()}`;
}

const MINIMUMS: { readonly [currency: string]: readonly [smallest: number, shown: string] } = {
  usd: [50, '$0.50 usd'],
  eur: [50, '€0.50 eur'],
  gbp: [30, '£0.30 gbp'],
  jpy: [50, '¥50 jpy'],
};

/** The least amount of a charge, and how Stripe's message writes it; null where this twin knows none. */
export function minimumOf(currency: string): { readonly amount: number; readonly shown: string } | null {
  const minimum = MINIMUMS[currency];
  return minimum === undefined ? null : { amount: minimum[0], shown: minimum[1] };
}
