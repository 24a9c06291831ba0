// The people behind a connected account.

import { type Act, need, remove, save } from '../api/act.ts';
import { fullAddress } from '../api/address.ts';
import { createdParams, page } from '../api/list.ts';
import { operation } from '../api/operation.ts';
import { choice, type Decoded, list, mergeMetadata, metadata, text, tree, treeOf } from '../api/params.ts';
import { type View, viewOf } from '../api/view.ts';
import { tell, update } from '../events/events.ts';
import { needAccount, noRequirements } from './capabilities.ts';
import type { Person } from './records.ts';

const people = {
  additional_tos_acceptances: treeOf<NonNullable<Person['additional_tos_acceptances']>>('date'),
  address: treeOf<Partial<NonNullable<Person['address']>>>(),
  address_kana: treeOf<NonNullable<Person['address_kana']>>(),
  address_kanji: treeOf<NonNullable<Person['address_kanji']>>(),
  dob: treeOf<NonNullable<Person['dob']>>('day', 'month', 'year'),
  email: text(),
  first_name: text(),
  first_name_kana: text(),
  first_name_kanji: text(),
  gender: text(),
  full_name_aliases: list(text()),
  id_number: text(),
  id_number_secondary: text(),
  last_name: text(),
  last_name_kana: text(),
  last_name_kanji: text(),
  maiden_name: text(),
  metadata: metadata(),
  nationality: text(),
  phone: text(),
  political_exposure: choice('existing', 'none'),
  registered_address: treeOf<NonNullable<Person['registered_address']>>(),
  relationship: treeOf<Partial<NonNullable<Person['relationship']>>>('percent_ownership'),
  ssn_last_4: text(),
  verification: treeOf<NonNullable<Person['verification']>>(),
} as const;

function person(act: Act, account: string, given: Decoded<typeof people>, held: Person | null): View {
  const {
    id_number,
    id_number_secondary: second,
    ssn_last_4,
    address,
    metadata: tags,
    relationship,
    full_name_aliases: aliases,
    ...rest
  } = given;
  const before: Partial<Person> = held ?? {};
  const next: Person = {
    id: act.tx.id('person_', 24),
    object: 'person',
    account,
    created: act.at,
    email: null,
    first_name: null,
    future_requirements: { ...noRequirements },
    id_number_provided: false,
    last_name: null,
    requirements: { ...noRequirements },
    ssn_last_4_provided: false,
    verification: { status: 'unverified' },
    ...before,
    ...rest,
    ...(aliases === undefined ? {} : { full_name_aliases: [...aliases] }),
    ...(address === undefined ? {} : { address: fullAddress(address) }),
    ...(id_number === undefined ? {} : { id_number_provided: true }),
    ...(second === undefined ? {} : { id_number_secondary_provided: true }),
    ...(ssn_last_4 === undefined ? {} : { ssn_last_4_provided: true }),
    metadata: mergeMetadata(before.metadata ?? {}, tags),
    relationship: {
      authorizer: false,
      director: false,
      executive: false,
      legal_guardian: false,
      owner: false,
      percent_ownership: null,
      representative: false,
      title: null,
      ...before.relationship,
      ...relationship,
    },
  };
  if (held === null) {
    save(act, 'person', next);
    tell(act, 'person.created', 'person', next);
    return viewOf(act, 'person', next);
  }
  return viewOf(act, 'person', update(act, 'person', held, next, 'person.updated'));
}

const needPerson = (act: Act, path: { readonly [name: string]: string }) =>
  need(act, 'person', path['person'] ?? '', { param: 'person', inPath: true });

export const personOperations = [
  operation('accounts.createPerson', 'POST /v1/accounts/{account}/persons', people, ({ act, path, params }) =>
    person(act, needAccount(act, path['account'] ?? '').id, params, null),
  ),
  operation('accounts.retrievePerson', 'GET /v1/accounts/{account}/persons/{person}', {}, ({ act, path }) =>
    viewOf(act, 'person', needPerson(act, path)),
  ),
  operation(
    'accounts.updatePerson',
    'POST /v1/accounts/{account}/persons/{person}',
    people,
    ({ act, path, params }) => person(act, path['account'] ?? '', params, needPerson(act, path)),
  ),
  operation(
    'accounts.deletePerson',
    'DELETE /v1/accounts/{account}/persons/{person}',
    {},
    ({ act, path }) => {
      const held = needPerson(act, path);
      remove(act, 'person', held.id);
      tell(act, 'person.deleted', 'person', held);
      return { id: held.id, object: 'person', deleted: true };
    },
  ),
  operation(
    'accounts.listPersons',
    'GET /v1/accounts/{account}/persons',
    { ...createdParams, relationship: tree() },
    ({ act, path, params }) => {
      const account = needAccount(act, path['account'] ?? '').id;
      return page(act, 'person', params, `/v1/accounts/${account}/persons`, { where: { account } });
    },
  ),
];
