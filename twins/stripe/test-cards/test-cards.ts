// Test cards by what names them: a payment method (`pm_card_visa`), a token (`tok_visa`) or a number. Each has one
// behaviour (test-card-list.ts).
import { type Decline, TEST_CARDS } from './list.ts';

export type CardBehaviour =
  | { readonly charge: 'succeeds' }
  /** `attach`: whether saving it to a customer already fails. */
  | ({ readonly charge: 'declines'; readonly attach: boolean } & Decline)
  /**
   * Each payment with the payer present needs authentication; without, it is declined but for what `spares` says.
   * `then`: what the bank says after the payer has proven who they are.
   */
  | {
      readonly charge: 'authenticates';
      readonly spares: 'never' | 'once-set-up' | 'always';
      readonly then: Decline | null;
    };

/** What follows a payment that succeeded. */
export type Aftermath =
  | 'bypasses-pending'
  | 'disputed-as-fraudulent'
  | 'disputed-as-not-received'
  | 'disputed-for-compliance'
  | 'disputed-twice'
  | 'inquired-about'
  | 'warned-of-fraud'
  | 'reviewed'
  | 'refund-pends'
  | 'refund-fails';

export type Check = 'fail' | 'unavailable';

export type TestCard = {
  readonly brand: string;
  readonly last4: string;
  readonly funding: 'credit' | 'debit' | 'prepaid';
  readonly country: string;
  readonly behaviour: CardBehaviour;
  readonly after: Aftermath | null;
  readonly risk: 'normal' | 'elevated' | 'highest';
  /** What the bank says of the code and the address, where it does not say that they are right. */
  readonly checks: { readonly cvc?: Check; readonly zip?: Check; readonly line1?: Check };
};

/** By the name that records keep: the first of its names, or its number. */
const cards = new Map<string, TestCard>();
const names = new Map<string, string>();
const numbers = new Map<string, string>();
for (const [row, number, brand, country, more] of TEST_CARDS) {
  const known = row === '' ? [] : row.split(' ');
  const own = known[0] ?? number;
  cards.set(own, {
    brand,
    last4: number.slice(-4),
    country,
    funding: 'credit',
    behaviour: { charge: 'succeeds' },
    after: null,
    risk: 'normal',
    checks: {},
    ...more,
  });
  for (const name of known) names.set(name, own);
  numbers.set(number, own);
}

/** A card by the name a record keeps. The name came from here, so it is there. */
export function testCard(name: string): TestCard {
  const held = cards.get(name);
  if (held === undefined) throw new Error(`no test card ${name}`);
  return held;
}

/** `pm_card_visa` → `visa`; null when it is none of the published names. */
export function cardOfMethod(id: string): string | null {
  return id.startsWith('pm_card_') ? (names.get(id.slice('pm_card_'.length)) ?? null) : null;
}

/** `tok_visa`, `tok_chargeDeclined`, `tok_visaDebit` → the card's name. */
export function cardOfToken(token: string): string | null {
  if (!token.startsWith('tok_')) return null;
  const name = token.slice('tok_'.length);
  const snake = name.replaceAll(/[A-Z]/g, letter => `_${letter.toLowerCase()}`);
  return names.get(name) ?? names.get(snake) ?? null;
}

/** Digits alone; null for a number that is none of the published ones. */
export function cardOfNumber(digits: string): string | null {
  return numbers.get(digits) ?? null;
}

/** Of a card that somebody else tells of: the test card that it is, else one of its brand that pays. */
export function cardLike(brand: string, last4: string): string {
  for (const [name, card] of cards) if (card.brand === brand && card.last4 === last4) return name;
  for (const [name, card] of cards)
    if (card.brand === brand && card.behaviour.charge === 'succeeds' && card.after === null) return name;
  return PAYS;
}

const PAYS = 'visa';
