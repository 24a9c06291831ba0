// Issuing: who holds cards, and the cards they hold.

import { type Act, need, save } from '../api/act.ts';
import { fullAddress } from '../api/address.ts';
import { invalid } from '../api/errors.ts';
import { createdParams, page } from '../api/list.ts';
import { operation } from '../api/operation.ts';
import {
  addressParam,
  choice,
  hash,
  integer,
  list,
  mergeMetadata,
  metadata,
  required,
  text,
  tree,
  treeOf,
} from '../api/params.ts';
import { viewOf } from '../api/view.ts';
import { tell, update } from '../events/events.ts';
import type { Cardholder, IssuedCard } from './records.ts';

const LIMITS = treeOf<Partial<Cardholder['spending_controls'] & IssuedCard['spending_controls']>>('amount');
/** As the vendor's examples show it: a business name only where there is one. */
type Shipping = NonNullable<IssuedCard['shipping']>;
type Individual = NonNullable<Cardholder['individual']>;

const writable = {
  company: tree(),
  email: text(),
  individual: treeOf<Partial<Individual>>('day', 'month', 'year', 'date'),
  metadata: metadata(),
  phone_number: text(),
  preferred_locales: list(choice('de', 'en', 'es', 'fr', 'it')),
  spending_controls: LIMITS,
} as const;

function individualOf(given: Partial<Individual> | undefined): Cardholder['individual'] {
  if (given === undefined) return null;
  const terms = given.card_issuing?.user_terms_acceptance;
  return {
    card_issuing: {
      user_terms_acceptance: { date: null, ip: null, user_agent: null, ...terms },
    },
    dob: given.dob ?? null,
    first_name: given.first_name ?? null,
    last_name: given.last_name ?? null,
    verification: { document: { back: null, front: null } },
  };
}

const noLimits = {
  allowed_card_presences: null,
  allowed_categories: null,
  allowed_merchant_countries: null,
  blocked_card_presences: null,
  blocked_categories: null,
  blocked_merchant_countries: null,
  spending_limits: [],
  spending_limits_currency: null,
};

const createHolder = operation(
  'issuing.cardholders.create',
  'POST /v1/issuing/cardholders',
  {
    ...writable,
    billing: required(hash({ address: required(addressParam()) })),
    name: required(text()),
    status: choice('active', 'inactive'),
    type: choice('company', 'individual'),
  },
  ({ act, params }) => {
    const individual = individualOf(params.individual);
    const missing = params.type !== 'company' && individual === null;
    const holder: Cardholder = {
      id: act.tx.id('ich_', 24),
      object: 'issuing.cardholder',
      billing: { address: fullAddress(params.billing.address) },
      company: params.company === undefined ? null : { tax_id_provided: 'tax_id' in params.company },
      created: act.at,
      email: params.email ?? null,
      individual,
      livemode: false,
      metadata: mergeMetadata({}, params.metadata),
      name: params.name,
      phone_number: params.phone_number ?? null,
      preferred_locales: params.preferred_locales === undefined ? null : [...params.preferred_locales],
      requirements: {
        disabled_reason: missing ? 'requirements.past_due' : null,
        past_due: missing ? ['individual.first_name', 'individual.last_name'] : [],
      },
      spending_controls: { ...noLimits, ...params.spending_controls },
      status: params.status ?? 'active',
      type: params.type ?? 'individual',
    };
    save(act, 'issuing.cardholder', holder);
    tell(act, 'issuing_cardholder.created', 'issuing.cardholder', holder);
    return viewOf(act, 'issuing.cardholder', holder);
  },
);

const needHolder = (act: Act, id: string, inPath = true): Cardholder =>
  need(act, 'issuing.cardholder', id, { param: 'cardholder', inPath });

const retrieveHolder = operation(
  'issuing.cardholders.retrieve',
  'GET /v1/issuing/cardholders/{cardholder}',
  {},
  ({ act, path }) => viewOf(act, 'issuing.cardholder', needHolder(act, path['cardholder'] ?? '')),
);

const changeHolder = operation(
  'issuing.cardholders.update',
  'POST /v1/issuing/cardholders/{cardholder}',
  { ...writable, billing: hash({ address: required(addressParam()) }), status: choice('active', 'inactive') },
  ({ act, path, params }) => {
    const held = needHolder(act, path['cardholder'] ?? '');
    const {
      billing,
      company,
      individual,
      spending_controls,
      preferred_locales,
      metadata: tags,
      ...scalars
    } = params;
    const next: Cardholder = {
      ...held,
      ...scalars,
      ...(billing === undefined ? {} : { billing: { address: fullAddress(billing.address) } }),
      ...(company === undefined ? {} : { company: { tax_id_provided: 'tax_id' in company } }),
      ...(individual === undefined
        ? {}
        : { individual: individualOf({ ...held.individual, ...individual }) }),
      ...(preferred_locales === undefined ? {} : { preferred_locales: [...preferred_locales] }),
      ...(spending_controls === undefined
        ? {}
        : { spending_controls: { ...noLimits, ...spending_controls } }),
      metadata: mergeMetadata(held.metadata, tags),
    };
    return viewOf(
      act,
      'issuing.cardholder',
      update(act, 'issuing.cardholder', held, next, 'issuing_cardholder.updated'),
    );
  },
);

const listHolders = operation(
  'issuing.cardholders.list',
  'GET /v1/issuing/cardholders',
  { ...createdParams, email: text(), phone_number: text(), status: text(), type: text() },
  ({ act, params }) => {
    const { email, phone_number, status, type } = params;
    const where =
      email !== undefined
        ? { email }
        : phone_number !== undefined
          ? { phone_number }
          : status !== undefined
            ? { status }
            : type !== undefined
              ? { type }
              : undefined;
    return page(act, 'issuing.cardholder', params, '/v1/issuing/cardholders', {
      ...(where === undefined ? {} : { where }),
      keep: held =>
        (status === undefined || held.status === status) && (type === undefined || held.type === type),
    });
  },
);

const createCard = operation(
  'issuing.cards.create',
  'POST /v1/issuing/cards',
  {
    cardholder: required(text()),
    currency: required(text()),
    exp_month: integer(1, 12),
    exp_year: integer(),
    metadata: metadata(),
    personalization_design: text(),
    replacement_for: text(),
    replacement_reason: choice('damaged', 'expired', 'lost', 'stolen'),
    second_line: text(),
    shipping: treeOf<Partial<Shipping>>(),
    spending_controls: LIMITS,
    status: choice('active', 'inactive'),
    type: required(choice('physical', 'virtual')),
  },
  ({ act, params }) => {
    const holder = needHolder(act, params.cardholder, false);
    const replaced =
      params.replacement_for === undefined ? null : needIssued(act, params.replacement_for, false);
    if (params.status === 'active' && (holder.requirements.past_due?.length ?? 0) > 0) {
      throw invalid(
        'The cardholder has outstanding requirements preventing them from activating a card. See `requirements.past_due`.',
        { param: 'status' },
      );
    }
    const number = `400000999${String(Number.parseInt(act.tx.hex(3), 16))
      .padStart(8, '0')
      .slice(0, 7)}`;
    const card: IssuedCard = {
      id: act.tx.id('ic_', 24),
      object: 'issuing.card',
      brand: 'Visa',
      cancellation_reason: null,
      cardholder: holder.id,
      created: act.at,
      currency: params.currency.toLowerCase(),
      exp_month: params.exp_month ?? 12,
      exp_year: params.exp_year ?? new Date(act.tx.now).getUTCFullYear() + 3,
      last4: number.slice(-4),
      latest_fraud_warning: null,
      lifecycle_controls: null,
      livemode: false,
      metadata: mergeMetadata({}, params.metadata),
      personalization_design: params.personalization_design ?? null,
      replaced_by: null,
      replacement_for: params.replacement_for ?? null,
      replacement_reason: params.replacement_reason ?? null,
      second_line: params.second_line ?? null,
      shipping:
        params.shipping === undefined
          ? null
          : ({
              address_validation: null,
              carrier: null,
              customs: null,
              eta: null,
              phone_number: null,
              require_signature: null,
              service: 'standard',
              status: 'pending',
              tracking_number: null,
              tracking_url: null,
              type: 'individual',
              ...params.shipping,
            } as Shipping),
      spending_controls: { ...noLimits, ...params.spending_controls },
      status: params.status ?? 'inactive',
      type: params.type,
      wallets: {
        apple_pay: { eligible: true, ineligible_reason: null },
        google_pay: { eligible: true, ineligible_reason: null },
        primary_account_identifier: null,
      },
      $number: number,
    };
    save(act, 'issuing.card', card);
    if (replaced !== null)
      update(act, 'issuing.card', replaced, { ...replaced, replaced_by: card.id }, 'issuing_card.updated');
    tell(act, 'issuing_card.created', 'issuing.card', card);
    return viewOf(act, 'issuing.card', card);
  },
);

export const needIssued = (act: Act, id: string, inPath = true): IssuedCard =>
  need(act, 'issuing.card', id, { param: 'card', inPath });

const retrieveCard = operation(
  'issuing.cards.retrieve',
  'GET /v1/issuing/cards/{card}',
  {},
  ({ act, path }) => viewOf(act, 'issuing.card', needIssued(act, path['card'] ?? '')),
);

const changeCard = operation(
  'issuing.cards.update',
  'POST /v1/issuing/cards/{card}',
  {
    cancellation_reason: choice('lost', 'stolen'),
    metadata: metadata(),
    personalization_design: text(),
    pin: tree(),
    shipping: treeOf<Partial<Shipping>>(),
    spending_controls: LIMITS,
    status: choice('active', 'canceled', 'inactive'),
  },
  ({ act, path, params }) => {
    const held = needIssued(act, path['card'] ?? '');
    if (held.status === 'canceled') throw invalid('A canceled card cannot be changed.', { param: 'status' });
    const { pin: _pin, shipping, spending_controls, metadata: tags, ...scalars } = params;
    const next: IssuedCard = {
      ...held,
      ...scalars,
      ...(shipping === undefined ? {} : { shipping: { ...held.shipping, ...shipping } as Shipping }),
      ...(spending_controls === undefined
        ? {}
        : { spending_controls: { ...noLimits, ...spending_controls } }),
      metadata: mergeMetadata(held.metadata, tags),
    };
    return viewOf(act, 'issuing.card', update(act, 'issuing.card', held, next, 'issuing_card.updated'));
  },
);

const listCards = operation(
  'issuing.cards.list',
  'GET /v1/issuing/cards',
  {
    ...createdParams,
    cardholder: text(),
    exp_month: integer(),
    exp_year: integer(),
    last4: text(),
    personalization_design: text(),
    status: text(),
    type: text(),
  },
  ({ act, params }) => {
    const { cardholder, status, type, exp_month, exp_year, last4, personalization_design } = params;
    const asked = Object.entries({ exp_month, exp_year, last4, personalization_design, status, type }).filter(
      ([, value]) => value !== undefined,
    );
    const where =
      cardholder !== undefined
        ? { cardholder }
        : status !== undefined
          ? { status }
          : type !== undefined
            ? { type }
            : undefined;
    return page(act, 'issuing.card', params, '/v1/issuing/cards', {
      ...(where === undefined ? {} : { where }),
      keep: held => asked.every(([name, value]) => (held as { [field: string]: unknown })[name] === value),
    });
  },
);

const SHIPPED = {
  deliver: 'delivered',
  fail: 'failure',
  return: 'returned',
  ship: 'shipped',
  submit: 'submitted',
} as const;

const shippings = (Object.keys(SHIPPED) as (keyof typeof SHIPPED)[]).map(step =>
  operation(
    `testHelpers.issuing.cards.${step}Card`,
    `POST /v1/test_helpers/issuing/cards/{card}/shipping/${step}`,
    {},
    ({ act, path }) => {
      const held = needIssued(act, path['card'] ?? '');
      if (held.shipping === null) throw invalid('This card is not shipped: it is virtual.');
      const next = { ...held, shipping: { ...held.shipping, status: SHIPPED[step] } };
      return viewOf(act, 'issuing.card', update(act, 'issuing.card', held, next, 'issuing_card.updated'));
    },
  ),
);

export const cardholderOperations = [
  createHolder,
  retrieveHolder,
  changeHolder,
  listHolders,
  createCard,
  retrieveCard,
  changeCard,
  listCards,
  ...shippings,
];
