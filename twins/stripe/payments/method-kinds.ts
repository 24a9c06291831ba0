// Payment methods that are no cards: what each type answers of itself, and how a payment with it goes. Facts from
// the vendor's testing page.
import type { Tree } from '../api/params.ts';
import type { Flow, PaymentMethod } from './records.ts';
import { SEPA_FLOWS, SEPA_METHODS } from './sepa-accounts.ts';

export type Details = { readonly [field: string]: Tree };

type Kind = {
  readonly flow: Flow;
  readonly describe?: (given: Details) => { [field: string]: Tree };
  /** A saved one is charged under a mandate. */
  readonly mandate?: true;
};

const plain: Kind = { flow: 'redirects' };

const KINDS: { readonly [type: string]: Kind } = {
  acss_debit: {
    flow: 'settles',
    mandate: true,
    describe: given => ({
      bank_name: 'STRIPE TEST BANK',
      fingerprint: 'twinacssdebit000',
      institution_number: text(given, 'institution_number', '000'),
      last4: text(given, 'account_number', '000123456789').slice(-4),
      transit_number: text(given, 'transit_number', '11000'),
    }),
  },
  au_becs_debit: {
    flow: 'settles',
    mandate: true,
    describe: given => ({
      bsb_number: text(given, 'bsb_number', '000000'),
      fingerprint: 'twinbecsdebit000',
      last4: text(given, 'account_number', '000123456').slice(-4),
    }),
  },
  bacs_debit: {
    flow: 'settles',
    mandate: true,
    describe: given => ({
      fingerprint: 'twinbacsdebit000',
      last4: text(given, 'account_number', '00012345').slice(-4),
      sort_code: text(given, 'sort_code', '108800'),
    }),
  },
  sepa_debit: {
    flow: 'settles',
    mandate: true,
    describe: given => {
      const iban = text(given, 'iban', 'DE89370400440532013000').replaceAll(' ', '');
      return {
        bank_code: iban.slice(4, 12),
        branch_code: null,
        country: iban.slice(0, 2),
        fingerprint: 'twinsepadebit000',
        generated_from: { charge: null, setup_attempt: null },
        last4: iban.slice(-4),
      };
    },
  },
  us_bank_account: {
    flow: 'settles',
    mandate: true,
    describe: given => ({
      account_holder_type: text(given, 'account_holder_type', 'individual'),
      account_type: text(given, 'account_type', 'checking'),
      bank_name: 'STRIPE TEST BANK',
      financial_connections_account: null,
      fingerprint: 'twinusbank000000',
      last4: text(given, 'account_number', '000123456789').slice(-4),
      networks: { preferred: 'ach', supported: ['ach'] },
      routing_number: text(given, 'routing_number', '110000000'),
      status_details: {},
    }),
  },
  customer_balance: { flow: 'transfer' },
  link: { flow: 'pays', describe: () => ({ email: 'link@example.com' }) },
  cashapp: { flow: 'redirects', describe: () => ({ buyer_id: null, cashtag: null }) },
  paypal: {
    flow: 'redirects',
    describe: () => ({ country: 'US', payer_email: null, payer_id: 'TWINPAYER' }),
  },
  ideal: {
    flow: 'redirects',
    describe: given => ({ bank: text(given, 'bank', 'ing'), bic: 'INGBNL2A' }),
  },
  eps: { flow: 'redirects', describe: given => ({ bank: given['bank'] ?? null }) },
  p24: { flow: 'redirects', describe: given => ({ bank: given['bank'] ?? null }) },
  fpx: { flow: 'redirects', describe: given => ({ bank: text(given, 'bank', 'maybank2u') }) },
  klarna: { flow: 'redirects', describe: () => ({ dob: null }) },
  boleto: { flow: 'redirects', describe: given => ({ tax_id: text(given, 'tax_id', '00000000000') }) },
  affirm: plain,
  afterpay_clearpay: plain,
  alipay: plain,
  alma: plain,
  amazon_pay: plain,
  bancontact: plain,
  billie: plain,
  bizum: plain,
  blik: plain,
  crypto: plain,
  giropay: plain,
  grabpay: plain,
  kakao_pay: plain,
  konbini: plain,
  kr_card: plain,
  mb_way: plain,
  mobilepay: plain,
  multibanco: plain,
  naver_pay: { flow: 'redirects', describe: given => ({ funding: text(given, 'funding', 'card') }) },
  nz_bank_account: {
    flow: 'settles',
    mandate: true,
    describe: given => ({
      account_holder_name: given['account_holder_name'] ?? null,
      bank_code: text(given, 'bank_code', '11'),
      bank_name: 'STRIPE TEST BANK',
      branch_code: text(given, 'branch_code', '0000'),
      last4: text(given, 'account_number', '0000000').slice(-4),
      suffix: given['suffix'] ?? null,
    }),
  },
  oxxo: plain,
  pay_by_bank: plain,
  payco: plain,
  paypay: plain,
  payto: {
    flow: 'redirects',
    mandate: true,
    describe: given => ({
      bsb_number: given['bsb_number'] ?? null,
      last4: text(given, 'account_number', '000123456').slice(-4),
      pay_id: given['pay_id'] ?? null,
    }),
  },
  paynow: plain,
  pix: plain,
  promptpay: plain,
  revolut_pay: plain,
  samsung_pay: plain,
  satispay: plain,
  scalapay: plain,
  sequra: plain,
  sofort: plain,
  sunbit: plain,
  swish: plain,
  twint: plain,
  upi: { flow: 'redirects', describe: given => ({ vpa: given['vpa'] ?? null }) },
  wechat_pay: plain,
  zip: plain,
};

export const METHOD_TYPES: readonly string[] = ['card', ...Object.keys(KINDS)];

/** Numbers of test accounts whose debits do not go through as usual. */
const ACCOUNT_FLOWS: { readonly [number: string]: Flow } = {
  '000000000009': 'waits',
  '000111111113': 'fails',
  '000111111116': 'fails',
  '000222222227': 'fails',
  '000333333335': 'fails',
  '000444444440': 'fails',
  '000555555559': 'disputed',
  '000666666661': 'fails',
  ...SEPA_FLOWS,
  IT60X0542811101000000123456: 'fails',
  ES9121000418450200051332: 'fails',
  '111111113': 'fails',
  '111111116': 'fails',
  '222222227': 'fails',
  '922222227': 'fails',
  '333333335': 'fails',
  '33333335': 'fails',
  '93333335': 'fails',
  '22222227': 'fails',
  '92222227': 'fails',
  '55555559': 'disputed',
  '00033333': 'fails',
  '00044444': 'fails',
};

/** Published names of ready-made bank accounts, and the account each is. */
export const BANK_METHODS: { readonly [id: string]: readonly [type: string, details: Details] } = {
  pm_usBankAccount: ['us_bank_account', { account_number: '000123456789' }],
  pm_usBankAccount_success: ['us_bank_account', { account_number: '000123456789' }],
  pm_usBankAccount_processing: ['us_bank_account', { account_number: '000000000009' }],
  pm_usBankAccount_accountClosed: ['us_bank_account', { account_number: '000111111113' }],
  pm_usBankAccount_noAccount: ['us_bank_account', { account_number: '000111111116' }],
  pm_usBankAccount_insufficientFunds: ['us_bank_account', { account_number: '000222222227' }],
  pm_usBankAccount_debitNotAuthorized: ['us_bank_account', { account_number: '000333333335' }],
  ...SEPA_METHODS,
  pm_sepaDebit: ['sepa_debit', { iban: 'DE89370400440532013000' }],
  pm_bacsDebit_success: ['bacs_debit', { account_number: '00012345' }],
};

export function isMethodType(type: string): boolean {
  return type === 'card' || Object.hasOwn(KINDS, type);
}

export function needsMandate(type: string): boolean {
  return Object.hasOwn(KINDS, type) && KINDS[type]?.mandate === true;
}

/** What a method of this type answers of itself, and its flow. */
export function describe(type: string, given: Details): { details: Tree; flow: Flow } {
  const kind = KINDS[type];
  if (kind === undefined) throw new Error(`no payment method type ${type}`);
  const number = String(given['account_number'] ?? given['iban'] ?? '').replaceAll(' ', '');
  return {
    details: kind.describe?.(given) ?? {},
    flow: Object.hasOwn(ACCOUNT_FLOWS, number) ? (ACCOUNT_FLOWS[number] ?? kind.flow) : kind.flow,
  };
}

/** The details as a charge shows them. */
export function detailsOf(method: PaymentMethod): { [field: string]: unknown } {
  const fields = method as unknown as { readonly [field: string]: unknown };
  return { [method.type]: { ...(fields[method.type] as object | undefined) }, type: method.type };
}

function text(given: Details, field: string, otherwise: string): string {
  const held = given[field];
  return typeof held === 'string' || typeof held === 'number' ? String(held) : otherwise;
}
