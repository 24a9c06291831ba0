// Stripe's published test cards: each is a payment method (`pm_card_visa`), a token (`tok_visa`) and a number,
// and each has one behaviour. Facts from the vendor's testing page.

type CardBehaviour =
  | { readonly charge: 'succeeds' }
  /** `attach`: whether saving it to a customer already fails. */
  | {
      readonly charge: 'declines';
      readonly attach: boolean;
      readonly code: string;
      readonly decline_code: string;
      readonly message: string;
    }
  /** `always`: each payment needs authentication, on or off session. */
  | { readonly charge: 'authenticates'; readonly always: boolean };

/** What follows a payment that succeeded. */
export type Aftermath =
  | 'bypasses-pending'
  | 'disputed-as-fraudulent'
  | 'disputed-as-not-received'
  | 'inquired-about'
  | 'warned-of-fraud'
  | 'reviewed'
  | 'refund-pends'
  | 'refund-fails';

export type TestCard = {
  readonly brand: string;
  readonly last4: string;
  readonly funding: 'credit' | 'debit' | 'prepaid';
  readonly country: string;
  readonly behaviour: CardBehaviour;
  readonly after: Aftermath | null;
};

const OK: CardBehaviour = { charge: 'succeeds' };

function declines(code: string, decline_code: string, message: string, attach = false): CardBehaviour {
  return { charge: 'declines', attach, code, decline_code, message };
}

const DECLINED = 'Your card was declined.';

function card(
  brand: string,
  last4: string,
  behaviour: CardBehaviour = OK,
  more: Partial<Pick<TestCard, 'funding' | 'country' | 'after'>> = {},
): TestCard {
  return {
    brand,
    last4,
    funding: more.funding ?? 'credit',
    country: more.country ?? 'US',
    behaviour,
    after: more.after ?? null,
  };
}

/** By the name after `pm_card_` (and, in lower camel case, after `tok_`). */
const CARDS: { readonly [name: string]: TestCard } = {
  visa: card('visa', '4242'),
  threeDSecureNotSupported: card('amex', '0005'),
  br: card('visa', '0008', OK, { country: 'BR' }),
  mx: card('visa', '0008', OK, { country: 'MX' }),
  in: card('visa', '0008', OK, { country: 'IN' }),
  au: card('visa', '0006', OK, { country: 'AU' }),
  visa_debit: card('visa', '5556', OK, { funding: 'debit' }),
  mastercard: card('mastercard', '4444'),
  mastercard_debit: card('mastercard', '8210', OK, { funding: 'debit' }),
  mastercard_prepaid: card('mastercard', '5100', OK, { funding: 'prepaid' }),
  amex: card('amex', '8431'),
  discover: card('discover', '1117'),
  diners: card('diners', '0004'),
  jcb: card('jcb', '0505'),
  unionpay: card('unionpay', '0005'),
  us: card('visa', '4242'),
  gb: card('visa', '0000', OK, { country: 'GB' }),
  de: card('visa', '0016', OK, { country: 'DE' }),
  fr: card('visa', '0003', OK, { country: 'FR' }),
  ca: card('visa', '0000', OK, { country: 'CA' }),
  jp: card('visa', '0003', OK, { country: 'JP' }),
  chargeCustomerFail: card('visa', '0341', declines('card_declined', 'generic_decline', DECLINED)),
  chargeDeclined: card('visa', '0002', declines('card_declined', 'generic_decline', DECLINED, true)),
  visa_chargeDeclined: card('visa', '0002', declines('card_declined', 'generic_decline', DECLINED, true)),
  visa_chargeDeclinedInsufficientFunds: card(
    'visa',
    '9995',
    declines('card_declined', 'insufficient_funds', 'Your card has insufficient funds.', true),
  ),
  visa_chargeDeclinedLostCard: card('visa', '9987', declines('card_declined', 'lost_card', DECLINED, true)),
  visa_chargeDeclinedStolenCard: card(
    'visa',
    '9979',
    declines('card_declined', 'stolen_card', DECLINED, true),
  ),
  chargeDeclinedInsufficientFunds: card(
    'visa',
    '9995',
    declines('card_declined', 'insufficient_funds', 'Your card has insufficient funds.', true),
  ),
  chargeDeclinedFraudulent: card('visa', '0019', declines('card_declined', 'fraudulent', DECLINED, true)),
  chargeDeclinedExpiredCard: card(
    'visa',
    '0069',
    declines('expired_card', 'expired_card', 'Your card has expired.', true),
  ),
  chargeDeclinedIncorrectCvc: card(
    'visa',
    '0127',
    declines('incorrect_cvc', 'incorrect_cvc', "Your card's security code is incorrect.", true),
  ),
  chargeDeclinedProcessingError: card(
    'visa',
    '0119',
    declines(
      'processing_error',
      'processing_error',
      'An error occurred while processing your card. Try again in a little bit.',
      true,
    ),
  ),
  bypassPending: card('visa', '0077', OK, { after: 'bypasses-pending' }),
  bypassPendingInternational: card('visa', '3720', OK, { after: 'bypasses-pending', country: 'GB' }),
  createDispute: card('visa', '0259', OK, { after: 'disputed-as-fraudulent' }),
  createDisputeProductNotReceived: card('visa', '2685', OK, { after: 'disputed-as-not-received' }),
  createDisputeInquiry: card('visa', '1976', OK, { after: 'inquired-about' }),
  createIssuerFraudRecord: card('visa', '5423', OK, { after: 'warned-of-fraud' }),
  riskLevelElevated: card('visa', '9235', OK, { after: 'reviewed' }),
  pendingRefund: card('visa', '7726', OK, { after: 'refund-pends' }),
  refundFail: card('visa', '5126', OK, { after: 'refund-fails' }),
  radarBlock: card('visa', '0101', declines('card_declined', 'fraudulent', DECLINED, true)),
  riskLevelHighest: card('visa', '4954', declines('card_declined', 'fraudulent', DECLINED, true)),
  visa_chargeDeclinedVelocityLimitExceeded: card(
    'visa',
    '6975',
    declines('card_declined', 'card_velocity_exceeded', DECLINED, true),
  ),
  threeDSecureOptional: card('visa', '3055'),
  threeDSecureRequired: card('visa', '3063', { charge: 'authenticates', always: true }),
  threeDSecureRequiredChargeDeclined: card('visa', '1629', { charge: 'authenticates', always: true }),
  authenticationRequiredChargeDeclinedInsufficientFunds: card('visa', '3178', {
    charge: 'authenticates',
    always: true,
  }),
  threeDSecure2Required: card('visa', '3220', { charge: 'authenticates', always: true }),
  authenticationRequired: card('visa', '3184', { charge: 'authenticates', always: true }),
  authenticationRequiredOnSetup: card('visa', '3155', { charge: 'authenticates', always: false }),
};

const NUMBERS: { readonly [number: string]: string } = {
  '4242424242424242': 'visa',
  '4000056655665556': 'visa_debit',
  '5555555555554444': 'mastercard',
  '5200828282828210': 'mastercard_debit',
  '5105105105105100': 'mastercard_prepaid',
  '378282246310005': 'amex',
  '371449635398431': 'amex',
  '6011111111111117': 'discover',
  '3056930009020004': 'diners',
  '3566002020360505': 'jcb',
  '6200000000000005': 'unionpay',
  '4000000000000341': 'chargeCustomerFail',
  '4000000000000002': 'chargeDeclined',
  '4000000000009995': 'chargeDeclinedInsufficientFunds',
  '4000000000009987': 'visa_chargeDeclinedLostCard',
  '4000000000009979': 'visa_chargeDeclinedStolenCard',
  '4000000000000069': 'chargeDeclinedExpiredCard',
  '4000000000000127': 'chargeDeclinedIncorrectCvc',
  '4000000000000119': 'chargeDeclinedProcessingError',
  '4100000000000019': 'chargeDeclinedFraudulent',
  '4000000000000077': 'bypassPending',
  '4000003720000278': 'bypassPendingInternational',
  '4000000000000259': 'createDispute',
  '4000000000002685': 'createDisputeProductNotReceived',
  '4000000000001976': 'createDisputeInquiry',
  '4000000000005423': 'createIssuerFraudRecord',
  '4000000000009235': 'riskLevelElevated',
  '4000000000007726': 'pendingRefund',
  '4000000000005126': 'refundFail',
  '4000000000000101': 'radarBlock',
  '4000000000004954': 'riskLevelHighest',
  '4000000000006975': 'visa_chargeDeclinedVelocityLimitExceeded',
  '4000000000003055': 'threeDSecureOptional',
  '4000000000003063': 'threeDSecureRequired',
  '4000008400001629': 'threeDSecureRequiredChargeDeclined',
  '4000008260003178': 'authenticationRequiredChargeDeclinedInsufficientFunds',
  '4000000000003220': 'threeDSecure2Required',
  '4000002760003184': 'authenticationRequired',
  '4000002500003155': 'authenticationRequiredOnSetup',
};

/** A card by the name a record keeps. The name came from here, so it is there. */
export function testCard(name: string): TestCard {
  const held = Object.hasOwn(CARDS, name) ? CARDS[name] : undefined;
  if (held === undefined) throw new Error(`no test card ${name}`);
  return held;
}

/** `pm_card_visa` → `visa`; null when it is none of the published names. */
export function cardOfMethod(id: string): string | null {
  return id.startsWith('pm_card_') ? known(id.slice('pm_card_'.length)) : null;
}

/** `tok_visa`, `tok_chargeDeclined`, `tok_visa_debit` → the card's name. */
export function cardOfToken(token: string): string | null {
  if (!token.startsWith('tok_')) return null;
  const name = token.slice('tok_'.length);
  return known(name) ?? known(name.replaceAll(/[A-Z]/g, letter => `_${letter.toLowerCase()}`));
}

export function cardOfNumber(number: string): string | null {
  const digits = number.replaceAll(/[\s-]/g, '');
  return Object.hasOwn(NUMBERS, digits) ? (NUMBERS[digits] ?? null) : null;
}

function known(name: string): string | null {
  return Object.hasOwn(CARDS, name) ? name : null;
}
