// The accounts of the vendor's testing page that a SEPA debit can be tried with: by country, what becomes of a debit.
import type { Flow } from './records.ts';

/** What a debit of an account comes to, as its ready-made method is called; the last two have none. */
const SCENARIOS = [
  ['success', 'settles'],
  ['successDelayed', 'settles-late'],
  ['failed', 'fails'],
  ['failedDelayed', 'fails-late'],
  ['disputed', 'disputed'],
  ['exceedsWeeklyVolumeLimit', 'over-limit'],
  ['exceedsWeeklyTransactionLimit', 'over-weekly-limit'],
  ['insufficientFunds', 'no-funds'],
  [null, 'sepa_debit_bank_not_supported'],
  [null, 'sepa_debit_debits_not_supported'],
] as const;

/** In the order of the scenarios. */
const ACCOUNTS: { readonly [country: string]: string } = {
  at:
    'AT611904300234573201 AT321904300235473204 AT861904300235473202 AT051904300235473205 AT591904300235473203 ' +
    'AT981904300000343434 AT601904300000121212 AT981904300002222227 AT271904300000055555 AT511904300000066666',
  be:
    'BE62510007547061 BE78510007547064 BE68539007547034 BE51510007547065 BE08510007547063 BE90510000343434 ' +
    'BE52510000121212 BE90510002222227 BE19510000055555 BE43510000066666',
  de:
    'DE89370400440532013000 DE08370400440532013003 DE62370400440532013001 DE78370400440532013004 ' +
    'DE35370400440532013002 DE65370400440000343434 DE27370400440000121212 DE65370400440002222227 ' +
    'DE91370400440000055555 DE18370400440000066666',
  fr:
    'FR1420041010050500013M02606 FR3020041010050500013M02609 FR8420041010050500013M02607 ' +
    'FR7920041010050500013M02600 FR5720041010050500013M02608 FR9720041010050000000343434 ' +
    'FR5920041010050000000121212 FR9720041010050000002222227 FR2620041010050000000055555 FR5020041010050000000066666',
  ie:
    'IE29AIBK93115212345678 IE24AIBK93115212345671 IE02AIBK93115212345679 IE94AIBK93115212345672 ' +
    'IE51AIBK93115212345670 IE10AIBK93115200343434 IE69AIBK93115200121212 IE10AIBK93115202222227 ' +
    'IE36AIBK93115200055555 IE60AIBK93115200066666',
};

const ROWS = Object.entries(ACCOUNTS).flatMap(([country, ibans]) =>
  ibans.split(' ').map((iban, at) => ({ country, iban, scenario: SCENARIOS[at]! })),
);

/** By IBAN: how a debit of it goes. */
export const SEPA_FLOWS: { readonly [iban: string]: Flow } = Object.fromEntries(
  ROWS.flatMap(({ iban, scenario: [name, flow] }) => (name === null ? [] : [[iban, flow]])),
);

/** By IBAN: why no method can be made of it. */
export const SEPA_REFUSED: ReadonlyMap<string, string> = new Map(
  ROWS.flatMap(({ iban, scenario: [name, code] }) => (name === null ? [[iban, code] as const] : [])),
);

/** `pm_sepaDebit_failed_de`, and the account each is. */
export const SEPA_METHODS: { readonly [id: string]: readonly ['sepa_debit', { readonly iban: string }] } =
  Object.fromEntries(
    ROWS.flatMap(({ country, iban, scenario: [name] }) =>
      name === null ? [] : [[`pm_sepaDebit_${name}_${country}`, ['sepa_debit', { iban }] as const]],
    ),
  );
