// The people behind accounts of the API's second version.

import { type Act, need, remove, save, select } from '../api/act.ts';
import { invalid, missing } from '../api/errors.ts';
import { operation } from '../api/operation.ts';
import { choice, integer, list, mergeMetadata, metadata, text, tree } from '../api/params.ts';
import type { Kept } from '../api/wire.ts';
import { tellThin } from '../events/thin.ts';

const TYPE = 'v2.core.account_person';
const LIST_DEFAULT = 20;
const LIST_MAX = 100;

const people = {
  additional_addresses: list(tree()),
  additional_names: list(tree()),
  additional_terms_of_service: tree(),
  address: tree(),
  date_of_birth: tree('day', 'month', 'year'),
  documents: tree(),
  email: text(),
  given_name: text(),
  id_numbers: list(tree()),
  legal_gender: choice('female', 'male'),
  metadata: metadata(),
  nationalities: list(text()),
  person_token: text(),
  phone: text(),
  political_exposure: choice('existing', 'none'),
  relationship: tree(),
  script_addresses: tree(),
  script_names: tree(),
  surname: text(),
} as const;

type Path = { readonly [name: string]: string };
type Given = { readonly [field: string]: unknown };

function withFields(act: Act, held: Kept, given: Given): Kept {
  const { expand: _none, id_numbers: numbers, metadata: tags, person_token: token, ...fields } = given;
  if (token !== undefined) {
    throw invalid('No such person token.', { code: 'resource_missing', param: 'person_token' });
  }
  return {
    ...held,
    ...fields,
    // Numbers are never shown again, only that they were told.
    ...(numbers === undefined
      ? {}
      : { id_numbers: (numbers as readonly { readonly type: string }[]).map(({ type }) => ({ type })) }),
    metadata: mergeMetadata(
      held['metadata'] as { [name: string]: string },
      tags as { [name: string]: string } | undefined,
    ),
    updated: new Date(act.at * 1000).toISOString(),
  };
}

function tell(act: Act, type: string, { id, account }: Kept): void {
  const url = `/v2/core/accounts/${String(account)}/persons/${id}`;
  tellThin(act, type, { related: { id, type: TYPE, url } });
}

const accountOf = (act: Act, path: Path): string =>
  need(act, 'v2.core.account', path['account'] ?? '', { param: 'account_id', inPath: true }).id;

function needPerson(act: Act, path: Path): Kept {
  const at = { param: 'id', inPath: true } as const;
  const held = need(act, TYPE, path['person'] ?? '', at);
  if (held['account'] !== accountOf(act, path)) throw missing(TYPE, held.id, at);
  return held;
}

const create = operation(
  'v2.core.accounts.persons.create',
  'POST /v2/core/accounts/{account}/persons',
  people,
  ({ act, path, params }) => {
    const blank: Kept = {
      id: act.tx.id('person_test_', 24),
      object: TYPE,
      account: accountOf(act, path),
      created: new Date(act.at * 1000).toISOString(),
      livemode: false,
      metadata: {},
    };
    const made = withFields(act, blank, params);
    save(act, TYPE, made);
    tell(act, 'v2.core.account_person.created', made);
    return made;
  },
  [],
  'json',
);

const retrieve = operation(
  'v2.core.accounts.persons.retrieve',
  'GET /v2/core/accounts/{account}/persons/{person}',
  {},
  ({ act, path }) => needPerson(act, path),
);

const change = operation(
  'v2.core.accounts.persons.update',
  'POST /v2/core/accounts/{account}/persons/{person}',
  people,
  ({ act, path, params }) => {
    const next = withFields(act, needPerson(act, path), params);
    save(act, TYPE, next);
    tell(act, 'v2.core.account_person.updated', next);
    return next;
  },
  [],
  'json',
);

const del = operation(
  'v2.core.accounts.persons.del',
  'DELETE /v2/core/accounts/{account}/persons/{person}',
  {},
  ({ act, path }) => {
    const held = needPerson(act, path);
    remove(act, TYPE, held.id);
    tell(act, 'v2.core.account_person.deleted', held);
    return { id: held.id, object: TYPE };
  },
);

const listAll = operation(
  'v2.core.accounts.persons.list',
  'GET /v2/core/accounts/{account}/persons',
  { limit: integer(1, LIST_MAX), page: text() },
  ({ act, path, params }) => {
    const account = accountOf(act, path);
    const limit = params.limit ?? LIST_DEFAULT;
    const found = select(act.tx, TYPE, {
      where: { account },
      limit,
      ...(params.page === undefined ? {} : { after: params.page }),
    });
    const last = found.items.at(-1)?.id;
    const url = `/v2/core/accounts/${account}/persons?page=${last}&limit=${limit}`;
    return {
      data: found.items,
      next_page_url: found.more && last !== undefined ? url : null,
      previous_page_url: null,
    };
  },
);

export const v2PersonOperations = [create, retrieve, change, del, listAll];
