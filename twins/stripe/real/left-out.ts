// What of a real Stripe account is not in the copy of it, in words: docs/twins/stripe-root.md is made of these and of the
// lists that are copied.
export const LEFT_OUT: readonly string[] = [
  'Webhook endpoints and event destinations: a copy that sends to the account’s own receivers is nothing that anybody asked for. Make the world’s own.',
  'Payment methods that nobody ever paid with and that are nobody’s default, until an event tells of them: no list of Stripe’s has all of them.',
  'The tiers of a price where it is shown inside of another object; those of its list are copied.',
  'Setup intents, mandates, disputes, payouts, transfers, the balance, credit notes, invoice items that wait, quotes, schedules, checkout sessions, payment links, portal configurations, meters, Connect, Issuing, Identity, Terminal and Tax: the world has its own.',
  'Events: what the world tells its webhook endpoints is what happens in the world.',
  'Waits: a subscription that was copied is renewed by Stripe, not by the world’s clock, until an app changes it here.',
  'Secrets (client secrets, signing secrets, tokens): each is `hidden` wherever it stood, but for metadata.',
  'Number, name and checks of a card: a payment made here with a card that was copied goes as one with the test card that it is, or with one of its brand that pays.',
];
