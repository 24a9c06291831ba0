// The vendor's published test cards: facts from its testing page, a line a card.
import type { TestCard } from './test-cards.ts';

export type Decline = { readonly code: string; readonly decline_code: string; readonly message: string };

type More = Partial<Pick<TestCard, 'behaviour' | 'after' | 'risk' | 'checks' | 'funding'>>;
/** Names after `pm_card_` (none for a card that is only a number), its number, brand, country, and what is special. */
type Row = readonly [names: string, number: string, brand: string, country: string, more?: More];

const DECLINED = 'Your card was declined.';
const generic: Decline = { code: 'card_declined', decline_code: 'generic_decline', message: DECLINED };
const poor: Decline = {
  code: 'card_declined',
  decline_code: 'insufficient_funds',
  message: 'Your card has insufficient funds.',
};
const failing: Decline = {
  code: 'processing_error',
  decline_code: 'processing_error',
  message: 'An error occurred while processing your card. Try again in a little bit.',
};

/** Declines when it is charged, and when it is saved to a customer too. */
const no = (why: Decline): More => ({ behaviour: { charge: 'declines', attach: true, ...why } });
const refused = (decline_code: string, message = DECLINED): More =>
  no({ code: 'card_declined', decline_code, message });
const wrong = (code: string, message: string): More => no({ code, decline_code: code, message });
/** `spares`: when payments without the payer present go through. */
const asks = (spares: 'never' | 'once-set-up' | 'always', then: Decline | null = null): More => ({
  behaviour: { charge: 'authenticates', spares, then },
});
const debit: More = { funding: 'debit' };

export const TEST_CARDS: readonly Row[] = [
  ['visa us', '4242424242424242', 'visa', 'US'],
  ['visa_debit', '4000056655665556', 'visa', 'US', debit],
  ['mastercard', '5555555555554444', 'mastercard', 'US'],
  ['', '2223003122003222', 'mastercard', 'US'],
  ['mastercard_debit', '5200828282828210', 'mastercard', 'US', debit],
  ['mastercard_prepaid', '5105105105105100', 'mastercard', 'US', { funding: 'prepaid' }],
  ['threeDSecureNotSupported', '378282246310005', 'amex', 'US'],
  ['amex', '371449635398431', 'amex', 'US'],
  ['discover', '6011111111111117', 'discover', 'US'],
  ['', '6011000990139424', 'discover', 'US'],
  ['', '6011981111111113', 'discover', 'US', debit],
  ['diners', '3056930009020004', 'diners', 'US'],
  ['', '36227206271667', 'diners', 'US'],
  ['', '6555900000604105', 'diners', 'US'],
  ['jcb', '3566002020360505', 'jcb', 'JP'],
  ['unionpay', '6200000000000005', 'unionpay', 'CN'],
  ['', '6200000000000047', 'unionpay', 'CN', debit],
  ['', '6205500000000000004', 'unionpay', 'CN'],
  // Countries.
  ['ar', '4000000320000021', 'visa', 'AR'],
  ['br', '4000000760000002', 'visa', 'BR'],
  ['ca', '4000001240000000', 'visa', 'CA'],
  ['cl', '4000001520000001', 'visa', 'CL'],
  ['co', '4000001700000003', 'visa', 'CO'],
  ['cr', '4000001880000005', 'visa', 'CR'],
  ['ec', '4000002180000000', 'visa', 'EC'],
  ['mx', '4000004840008001', 'visa', 'MX'],
  ['pa', '4000005910000000', 'visa', 'PA'],
  ['py', '4000006000000066', 'visa', 'PY'],
  ['pe', '4000006040000068', 'visa', 'PE'],
  ['uy', '4000008580000003', 'visa', 'UY'],
  ['ae', '4000007840000001', 'visa', 'AE'],
  ['at', '4000000400000008', 'visa', 'AT'],
  ['be', '4000000560000004', 'visa', 'BE'],
  ['bg', '4000001000000000', 'visa', 'BG'],
  ['by', '4000001120000005', 'visa', 'BY'],
  ['hr', '4000001910000009', 'visa', 'HR'],
  ['cy', '4000001960000008', 'visa', 'CY'],
  ['cz', '4000002030000002', 'visa', 'CZ'],
  ['dk', '4000002080000001', 'visa', 'DK'],
  ['ee', '4000002330000009', 'visa', 'EE'],
  ['fi', '4000002460000001', 'visa', 'FI'],
  ['fr', '4000002500000003', 'visa', 'FR'],
  ['de', '4000002760000016', 'visa', 'DE'],
  ['gi', '4000002920000005', 'visa', 'GI'],
  ['gr', '4000003000000030', 'visa', 'GR'],
  ['hu', '4000003480000005', 'visa', 'HU'],
  ['ie', '4000003720000005', 'visa', 'IE'],
  ['it', '4000003800000008', 'visa', 'IT'],
  ['lv', '4000004280000005', 'visa', 'LV'],
  ['li', '4000004380000004', 'visa', 'LI'],
  ['lt', '4000004400000000', 'visa', 'LT'],
  ['lu', '4000004420000006', 'visa', 'LU'],
  ['mt', '4000004700000007', 'visa', 'MT'],
  ['nl', '4000005280000002', 'visa', 'NL'],
  ['no', '4000005780000007', 'visa', 'NO'],
  ['pl', '4000006160000005', 'visa', 'PL'],
  ['pt', '4000006200000007', 'visa', 'PT'],
  ['ro', '4000006420000001', 'visa', 'RO'],
  ['sa', '4000006820000007', 'visa', 'SA'],
  ['si', '4000007050000006', 'visa', 'SI'],
  ['sk', '4000007030000001', 'visa', 'SK'],
  ['es', '4000007240000007', 'visa', 'ES'],
  ['se', '4000007520000008', 'visa', 'SE'],
  ['ch', '4000007560000009', 'visa', 'CH'],
  ['gb', '4000008260000000', 'visa', 'GB'],
  ['gb_debit', '4000058260000005', 'visa', 'GB', debit],
  ['gb_mastercard', '5555558265554449', 'mastercard', 'GB'],
  ['au', '4000000360000006', 'visa', 'AU'],
  ['cn', '4000001560000002', 'visa', 'CN'],
  ['hk', '4000003440000004', 'visa', 'HK'],
  ['in', '4000003560000008', 'visa', 'IN'],
  ['jp', '4000003920000003', 'visa', 'JP'],
  ['my', '4000004580000002', 'visa', 'MY'],
  ['nz', '4000005540000008', 'visa', 'NZ'],
  ['sg', '4000007020000003', 'visa', 'SG'],
  ['tw', '4000001580000008', 'visa', 'TW'],
  ['th_credit', '4000007640000003', 'visa', 'TH'],
  // Declines.
  ['chargeDeclined visa_chargeDeclined', '4000000000000002', 'visa', 'US', no(generic)],
  [
    'chargeDeclinedInsufficientFunds visa_chargeDeclinedInsufficientFunds',
    '4000000000009995',
    'visa',
    'US',
    no(poor),
  ],
  [
    'visa_chargeDeclinedLostCard chargeDeclinedLostCard',
    '4000000000009987',
    'visa',
    'US',
    refused('lost_card'),
  ],
  [
    'visa_chargeDeclinedStolenCard chargeDeclinedStolenCard',
    '4000000000009979',
    'visa',
    'US',
    refused('stolen_card'),
  ],
  [
    'chargeDeclinedExpiredCard',
    '4000000000000069',
    'visa',
    'US',
    wrong('expired_card', 'Your card has expired.'),
  ],
  [
    'chargeDeclinedIncorrectCvc',
    '4000000000000127',
    'visa',
    'US',
    { ...wrong('incorrect_cvc', "Your card's security code is incorrect."), checks: { cvc: 'fail' } },
  ],
  ['chargeDeclinedProcessingError', '4000000000000119', 'visa', 'US', no(failing)],
  [
    'visa_chargeDeclinedVelocityLimitExceeded chargeDeclinedVelocityLimitExceeded',
    '4000000000006975',
    'visa',
    'US',
    refused(
      'card_velocity_exceeded',
      'Your card was declined for making repeated attempts too frequently or exceeding its amount limit.',
    ),
  ],
  [
    'chargeCustomerFail',
    '4000000000000341',
    'visa',
    'US',
    { behaviour: { charge: 'declines', attach: false, ...generic } },
  ],
  // Fraud.
  [
    'radarBlock chargeDeclinedFraudulent',
    '4100000000000019',
    'visa',
    'US',
    { ...refused('fraudulent'), risk: 'highest' },
  ],
  ['riskLevelHighest', '4000000000004954', 'visa', 'US', { ...refused('fraudulent'), risk: 'highest' }],
  ['riskLevelElevated', '4000000000009235', 'visa', 'US', { after: 'reviewed', risk: 'elevated' }],
  ['cvcCheckFail', '4000000000000101', 'visa', 'US', { checks: { cvc: 'fail' } }],
  ['avsZipFail', '4000000000000036', 'visa', 'US', { checks: { zip: 'fail' } }],
  [
    'cvcCheckFailElevatedRisk',
    '4000058400307872',
    'visa',
    'US',
    { checks: { cvc: 'fail' }, risk: 'elevated' },
  ],
  ['avsZipFailElevatedRisk', '4000058400306072', 'visa', 'US', { checks: { zip: 'fail' }, risk: 'elevated' }],
  ['avsLine1Fail', '4000000000000028', 'visa', 'US', { checks: { line1: 'fail' } }],
  ['avsFail', '4000000000000010', 'visa', 'US', { checks: { line1: 'fail', zip: 'fail' } }],
  [
    'avsUnchecked',
    '4000000000000044',
    'visa',
    'US',
    { checks: { line1: 'unavailable', zip: 'unavailable' } },
  ],
  // Disputes, refunds, and money that is there at once.
  ['createDispute', '4000000000000259', 'visa', 'US', { after: 'disputed-as-fraudulent' }],
  [
    'createDisputeProductNotReceived',
    '4000000000002685',
    'visa',
    'US',
    { after: 'disputed-as-not-received' },
  ],
  ['createDisputeInquiry', '4000000000001976', 'visa', 'US', { after: 'inquired-about' }],
  ['createIssuerFraudRecord', '4000000000005423', 'visa', 'US', { after: 'warned-of-fraud' }],
  ['createMultipleDisputes', '4000000404000079', 'visa', 'US', { after: 'disputed-twice' }],
  ['createCe3EligibleDispute', '4000000404000038', 'visa', 'US', { after: 'disputed-as-fraudulent' }],
  ['createComplianceDispute', '4000008400000779', 'visa', 'US', { after: 'disputed-for-compliance' }],
  ['pendingRefund', '4000000000007726', 'visa', 'US', { after: 'refund-pends' }],
  ['refundFail', '4000000000005126', 'visa', 'US', { after: 'refund-fails' }],
  ['bypassPending', '4000000000000077', 'visa', 'US', { after: 'bypasses-pending' }],
  ['bypassPendingInternational', '4000003720000278', 'visa', 'IE', { after: 'bypasses-pending' }],
  // 3-D Secure.
  ['authenticationRequiredOnSetup', '4000002500003155', 'visa', 'FR', asks('once-set-up')],
  ['authenticationRequired', '4000002760003184', 'visa', 'DE', asks('never')],
  ['authenticationRequiredSetupForOffSession', '4000003800000446', 'visa', 'IT', asks('always')],
  [
    'authenticationRequiredChargeDeclinedInsufficientFunds',
    '4000008260003178',
    'visa',
    'GB',
    asks('once-set-up', poor),
  ],
  ['threeDSecure2Required', '4000000000003220', 'visa', 'US', asks('never')],
  ['threeDSecureRequired', '4000000000003063', 'visa', 'US', asks('never')],
  ['threeDSecureRequiredChargeDeclined', '4000008400001629', 'visa', 'US', asks('never', generic)],
  ['threeDSecureRequiredProcessingError', '4000008400001280', 'visa', 'US', no(failing)],
  ['threeDSecureOptional', '4000000000003055', 'visa', 'US'],
  ['threeDSecureOptionalProcessingError', '4000000000003097', 'visa', 'US'],
  // What Radar would ask a person to solve is solved.
  ['', '4000000000001208', 'visa', 'US'],
  ['', '4000000000003725', 'visa', 'US'],
];
