// Money: what is charged, declined, captured and given back.
import type { Story } from '../story.ts';

const CARD = ['card'];

export const PAYMENTS: readonly Story[] = [
  {
    name: 'a payment and its refund',
    steps: [
      {
        name: 'intent',
        method: 'POST',
        path: '/v1/payment_intents',
        params: {
          amount: 2000,
          currency: 'usd',
          allowed_payment_method_types: CARD,
          payment_method: 'pm_card_visa',
          confirm: true,
          description: 'A kettle',
          metadata: { order: '42' },
          expand: ['latest_charge.balance_transaction'],
        },
      },
      {
        name: 'part',
        method: 'POST',
        path: '/v1/refunds',
        params: { payment_intent: '{intent.id}', amount: 500, reason: 'requested_by_customer' },
      },
      {
        name: 'too much',
        method: 'POST',
        path: '/v1/refunds',
        params: { payment_intent: '{intent.id}', amount: 1600 },
      },
      { name: 'rest', method: 'POST', path: '/v1/refunds', params: { payment_intent: '{intent.id}' } },
      { name: 'again', method: 'POST', path: '/v1/refunds', params: { payment_intent: '{intent.id}' } },
      {
        name: 'charges',
        method: 'GET',
        path: '/v1/charges',
        params: { payment_intent: '{intent.id}' },
      },
    ],
  },
  {
    name: 'a payment that is captured by hand',
    steps: [
      {
        name: 'intent',
        method: 'POST',
        path: '/v1/payment_intents',
        params: {
          amount: 3000,
          currency: 'eur',
          allowed_payment_method_types: CARD,
          payment_method: 'pm_card_visa',
          capture_method: 'manual',
          confirm: true,
        },
      },
      {
        name: 'captured',
        method: 'POST',
        path: '/v1/payment_intents/{intent.id}/capture',
        params: { amount_to_capture: 2500 },
      },
      { name: 'canceled', method: 'POST', path: '/v1/payment_intents/{intent.id}/cancel' },
    ],
  },
  {
    name: 'cards that are declined',
    steps: ['chargeDeclined', 'chargeDeclinedInsufficientFunds', 'chargeDeclinedExpiredCard'].flatMap(
      card => [
        {
          name: card,
          method: 'POST',
          path: '/v1/payment_intents',
          params: {
            amount: 2000,
            currency: 'usd',
            allowed_payment_method_types: CARD,
            payment_method: `pm_card_${card}`,
            confirm: true,
          },
        } as const,
      ],
    ),
  },
  {
    name: 'a card that asks for authentication, and a setup',
    steps: [
      {
        name: 'asks',
        method: 'POST',
        path: '/v1/payment_intents',
        params: {
          amount: 2000,
          currency: 'usd',
          allowed_payment_method_types: CARD,
          payment_method: 'pm_card_threeDSecure2Required',
          confirm: true,
          return_url: 'https://shop.example.com/back',
        },
      },
      { name: 'given up', method: 'POST', path: '/v1/payment_intents/{asks.id}/cancel' },
      {
        name: 'customer',
        method: 'POST',
        path: '/v1/customers',
        params: { email: 'ada@example.com' },
      },
      {
        name: 'setup',
        method: 'POST',
        path: '/v1/setup_intents',
        params: {
          customer: '{customer.id}',
          allowed_payment_method_types: CARD,
          payment_method: 'pm_card_mastercard',
          confirm: true,
        },
      },
      {
        name: 'methods',
        method: 'GET',
        path: '/v1/customers/{customer.id}/payment_methods',
        params: { type: 'card' },
      },
      {
        name: 'detached',
        method: 'POST',
        path: '/v1/payment_methods/{methods.data.0.id}/detach',
      },
    ],
    after: [{ name: 'gone', method: 'DELETE', path: '/v1/customers/{customer.id}' }],
  },
];
